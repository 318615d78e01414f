//! The paths of a project that always ask: protected ones before a write, secret ones before any touch. Links are the
//! business of [`crate::Project::is_protected`].

use arki_disk::{is_protected_name, is_secret_name};
use globset::GlobSet;

use crate::project::ProjectPath;

/// Returns whether a write here always asks: it would change what runs or what instructs.
pub fn is_protected(path: &ProjectPath) -> bool {
    is_protected_name(path.as_str())
}

/// Returns whether any touch of this always asks. `extra` is what the user's configuration names; its globs are matched
/// against the path and against the name.
pub fn is_secret(path: &ProjectPath, extra: &GlobSet) -> bool {
    is_secret_name(path.as_str(), extra)
}
