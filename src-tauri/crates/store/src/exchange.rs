//! Exports, as their readers see them, and bringing sessions in from one.

pub(crate) mod exported;
pub(crate) mod exported_contents;
pub(crate) mod import;
