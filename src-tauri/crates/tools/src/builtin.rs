//! The built-in tools: one file and one folder with its manual each.

pub(crate) mod edit_file;
pub(crate) mod list_directory;
pub(crate) mod read_file;
pub(crate) mod run_command;
pub(crate) mod search_files;
pub(crate) mod write_file;
