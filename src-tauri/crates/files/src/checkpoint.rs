//! Images of a project's small text files, taken cheaply and often: before a command runs nobody knows what it will
//! change, so everything it could is imaged first, and compared afterwards.
//!
//! Every file is listed with its size, modification time and permissions; small text files also with the hash of
//! their content, which the caller keeps. A file that a look at its metadata shows to be as in the previous
//! snapshot is not read again, so only the first snapshot of a project reads much. Git is not asked: what it
//! ignores or does not track is just what it could not bring back.
//!
//! Left out entirely, by name: version control's own folders, and folders that a tool makes again at any time. Listed
//! without content: what is large, not text, secret, unreadable or over the budget. A link is not followed: its
//! content is where it leads. Storing
//! contents, and deciding when to look, is the caller's.

mod changes;
mod format;
mod listed;
mod scan;
mod walk_files;

pub use changes::{ImageRef, SnapshotChange, snapshot_changes, unnamed_changes};
pub use listed::{FileState, NotCaptured, NotImaged, PreImage, Snapshot};
pub(crate) use scan::FRESH;
pub use scan::{SnapshotLimits, take_snapshot};
pub(crate) use walk_files::nanoseconds;

#[cfg(test)]
mod format_tests;
#[cfg(test)]
mod limit_tests;
#[cfg(test)]
mod tests;
