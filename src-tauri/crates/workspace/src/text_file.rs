//! stub
use crate::error::Result;

/// Largest file that is edited or replaced.
pub const EDIT_LIMIT_BYTES: u64 = 16 * 1024 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Eol {
    Lf,
    CrLf,
}

/// A decoded text file that encodes back to exactly the same bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextFile {
    /// Without the byte-order mark, line endings as they are.
    pub text: String,
    pub has_bom: bool,
    /// The line ending of most lines.
    pub eol: Eol,
    pub mixed_eol: bool,
    pub final_newline: bool,
}

impl TextFile {
    /// `path` is for the error.
    pub fn decode(_path: &str, _bytes: &[u8]) -> Result<Self> {
        todo!()
    }
    pub fn encode(&self) -> Vec<u8> {
        todo!()
    }
}
