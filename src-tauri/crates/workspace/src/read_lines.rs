//! stub
use crate::error::Result;
use crate::project::{Project, ProjectPath};
use serde::Serialize;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReadLine {
    /// Counted from 1.
    pub number: u64,
    /// Without its line ending.
    pub text: String,
    /// How many bytes of a very long line are left out at its end.
    pub cut_bytes: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LineWindow {
    pub lines: Vec<ReadLine>,
    /// `None` when the file is too long to be counted.
    pub total_lines: Option<u64>,
    pub total_bytes: u64,
    /// There are lines after the window, or lines in it were cut.
    pub truncated: bool,
    /// Whether the file's last byte is a newline; `None` if its end was not reached.
    pub final_newline: Option<bool>,
}

/// Lines `offset` (from 1) to `offset + limit`, at most `max_bytes` of text.
pub fn read_lines(
    _project: &Project,
    _path: &ProjectPath,
    _offset: u64,
    _limit: u64,
    _max_bytes: usize,
) -> Result<LineWindow> {
    todo!()
}
