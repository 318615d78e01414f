//! Shared rules for everything that touches a disk: folders entered without following links, private files, names that
//! are protected or hold secrets, and the operating system's errors in words for people.
//!
//! *Architecture invariant:* nothing here knows what a project is. It is what `files` and `sandbox` share, so that neither
//! needs the other.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic))]

mod build_folder;
mod entry_kind;
mod error;
mod folders;
mod free_space;
mod locked_change;
mod new_folder;
mod private_dir;
mod protection;
mod temp_folder;

pub use build_folder::{open_build_folder, remove_unused_build_folders};
pub use entry_kind::{EntryKind, mode_of};
pub use error::{FileAction, FileError};
pub use folders::{descend, descend_making, entries, never_wait, open_folder};
pub use free_space::free_bytes;
pub use locked_change::{
    FolderLock, change_private_file, remove_unfinished_writes, write_private_file, write_private_file_once,
};
pub use new_folder::make_folder;
#[cfg(unix)]
pub use private_dir::is_same;
pub use private_dir::{
    PrivateTempDir, create_private_dir, new_private_file, remove_abandoned_temp_dirs, remove_private_dir,
    remove_private_file,
};
pub use protection::{SecretsWithin, is_protected_name, is_secret_name};
pub use temp_folder::{choose_temp_folder, temp_folder, temp_folder_problem};
