//! stub
use crate::change_set::ChangeSet;
use crate::error::Result;
use crate::project::{Project, ProjectPath};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextEdit {
    pub old_text: String,
    pub new_text: String,
    pub replace_all: bool,
}

pub fn plan_edit(_project: &Project, _path: &ProjectPath, _edits: &[TextEdit]) -> Result<ChangeSet> {
    todo!()
}
pub fn plan_write(_project: &Project, _path: &ProjectPath, _content: &str) -> Result<ChangeSet> {
    todo!()
}
pub fn plan_delete(_project: &Project, _path: &ProjectPath) -> Result<ChangeSet> {
    todo!()
}
