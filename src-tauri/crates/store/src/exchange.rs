//! Exports, as their readers see them, and bringing sessions in from one, or from another program's history.

pub(crate) mod exported;
pub(crate) mod exported_contents;
pub(crate) mod import;
pub(crate) mod past;
