//! The mark that reading came upon damage, so that the next start looks for it.

use crate::StoreError;
use crate::database::files::{beside, private_file, remove};
use std::path::Path;

const NOTE: &str = ".damage-noted";

/// Notes the damage, as well as it can.
pub(crate) fn note(path: &Path) {
    if let Err(error) = private_file(&beside(path, NOTE)) {
        tracing::warn!(%error, "noting that the database is damaged");
    }
}

pub(crate) fn is_noted(path: &Path) -> bool {
    beside(path, NOTE).exists()
}

pub(crate) fn forget(path: &Path) -> Result<(), StoreError> {
    remove(&beside(path, NOTE))
}
