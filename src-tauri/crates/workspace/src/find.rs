//! stub
use crate::error::Result;
use crate::project::Project;
use globset::GlobSet;
use serde::Serialize;
use tokio_util::sync::CancellationToken;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Found {
    /// Relative to the project, in byte order by component.
    pub paths: Vec<String>,
    pub truncated: bool,
    /// The first few secret files that were left out; see `secrets_skipped`.
    pub skipped_secrets: Vec<String>,
    pub secrets_skipped: usize,
}

/// Files whose path matches `glob`. Blocking; run it off the async threads.
pub fn find(
    _project: &Project,
    _glob: &str,
    _secrets: &GlobSet,
    _max: usize,
    _cancel: &CancellationToken,
) -> Result<Found> {
    todo!()
}
