//! What everything that touches a disk has in common: folders entered without following links, files for one pair of
//! eyes, names that are protected or hold secrets, and what an error of the system means to a reader.
//!
//! *Architecture invariant:* nothing here knows what a project is. It is what `files` and `sandbox` share, so that neither
//! needs the other.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic))]

mod entry_kind;
mod error;
mod folders;
mod free_space;
mod modes;
mod private_dir;
mod protection;

pub use entry_kind::EntryKind;
pub use error::{FileAction, FileError};
pub use folders::{descend, descend_making, entries, never_wait, open_folder};
pub use free_space::free_bytes;
pub use modes::mode_of;
#[cfg(unix)]
pub use private_dir::is_same;
pub use private_dir::{
    PrivateTempDir, create_private_dir, new_private_file, remove_abandoned_temp_dirs, remove_private_file,
    write_private_file, write_private_file_once,
};
pub use protection::{SecretsWithin, is_protected_name, is_secret_name};
