//! stub
use crate::project::ProjectPath;
use globset::GlobSet;
/// Whether a write here always asks.
pub fn is_protected(_path: &ProjectPath) -> bool {
    false
}
/// Whether any touch of this always asks.
pub fn is_secret(_path: &ProjectPath, _extra: &GlobSet) -> bool {
    false
}
