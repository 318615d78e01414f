//! Reads git's own files: the programs and paths that a configuration names, the names in the index, what is checked
//! out, and the commits that branches stand at.
//!
//! *Architecture invariant:* nothing here runs git or writes anything. It is what `files` and `sandbox` share, so that
//! neither needs the other.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic))]

mod config_paths;
mod config_programs;
mod config_text;
mod foreign;
mod head;
mod index;
mod own_refs;
mod unasked;

pub use config_paths::{WorkingTree, hooks_below, included, plain_path, user_configurations};
pub use config_programs::{beyond_harmless, is_harmless};
pub use foreign::{foreign_repository, outside_git_dirs};
pub use head::{Head, head};
pub use index::{keeps_below, kept_in, kept_names};
pub use own_refs::own_refs;
pub use unasked::unasked_environment;
