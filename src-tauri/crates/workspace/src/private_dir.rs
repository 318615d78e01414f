//! stub
use crate::error::Result;
use std::path::Path;

/// Creates `path` and what is missing above it, readable by the owner alone.
pub fn create_private_dir(_path: &Path) -> Result<()> {
    todo!()
}
/// Writes atomically, readable by the owner alone.
pub fn write_private_file(_path: &Path, _bytes: &[u8]) -> Result<()> {
    todo!()
}

/// A temporary folder of one run, removed when dropped.
#[derive(Debug)]
pub struct PrivateTempDir {
    inner: tempfile::TempDir,
}
impl PrivateTempDir {
    pub fn create() -> Result<Self> {
        todo!()
    }
    pub fn path(&self) -> &Path {
        self.inner.path()
    }
}
