//! An opened project: what reads and writes its files.
//!
//! A path enters as text and becomes a [`ProjectPath`] (`project`), which is the only thing the rest accepts. A change is
//! first computed as a [`ChangeSet`] (`plan`, `patch`), shown as a [`Preview`], narrowed by a [`HunkSelection`] and only then
//! applied. What a command changed becomes one too ([`plan_effects`]); while it waits it follows the user's edits
//! ([`follow_edits`]), and after the decision it lands as it was shown ([`plan_landing`]). [`scan`] says what trusting a folder would enable.
//!
//! *Architecture invariant:* no other crate writes project files. Nothing here knows models, tools, policy or SQL, starts
//! processes or reaches the sandbox.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout))]

mod applied_change;
mod atomic_write;
mod attribution;
mod change_set;
mod changed_lines;
mod checkpoint;
mod copies;
mod env_files;
mod error;
mod file_content;
mod find;
mod indexable;
mod listing;
mod other_names;
mod output_file;
mod patch;
mod plan;
mod project;
mod protection;
mod public_places;
mod read_lines;
mod readers_view;
mod real_place;
mod restoration;
mod search;
mod trust;
mod unnamed_reads;
mod walk;
mod worktree;

pub use applied_change::AppliedChange;
pub use arki_disk::EntryKind;
pub use atomic_write::{remove_unfinished, remove_unfinished_restoration, restore_torn};
pub use attribution::{
    AttributedLine, FileVersion, LineOrigin, MAX_ATTRIBUTED_BYTES, MAX_ATTRIBUTED_VERSIONS, attribute, shared_lines,
};
pub use change_set::{
    CarriedSelection, ChangeSet, EditConflict, Effect, FileChange, FollowedChange, Hunk, HunkSelection,
    InterruptedLanding, PlannedLanding, Preview, carry_selection, content_hash, follow_edits, plan_effects,
    plan_interrupted, plan_landing,
};
pub use changed_lines::changed_lines;
pub use checkpoint::{
    FileState, ImageRef, NotCaptured, NotImaged, PreImage, Snapshot, SnapshotChange, SnapshotLimits, snapshot_changes,
    take_snapshot, unnamed_changes,
};
pub use copies::{CopyLimits, TakenChanges, copy_files, differing_files, plan_take};
pub use env_files::{EnvFiles, is_env_file, look_through_texts};
pub use error::{
    AttributionError, ChangeError, CopyError, FilesError, PathError, Result, SearchError, SnapshotError, StaleKind,
    StalePreview, TrustError,
};
pub use file_content::FileContent;
pub use find::{FindQuery, Found, find};
pub use indexable::{FileStamp, IndexableFile, IndexableFiles, indexable_files, read_indexable};
pub use listing::{Entry, ListQuery, Listing, files_below, list, paths};
pub use output_file::{OutputFile, remove_unfinished_exports};
pub use patch::plan_patch;
pub use plan::{DELETE_LIMIT_BYTES, plan_delete, plan_edit, plan_write};
pub use project::{FileBytes, FileFound, Project, ProjectPath};
pub use protection::{is_protected, is_secret};
pub use public_places::is_system_secret;
pub use read_lines::{LineWindow, ReadLine, lines_of, read_lines};
pub use readers_view::ReadersView;
pub use real_place::{RealPlace, real_place};
pub use restoration::{Restoration, apply_restorations, plan_restorations};
pub use search::{SearchHit, SearchOutcome, SearchQuery, search};
pub use tokio_util::sync::CancellationToken;
pub use trust::{
    CLAUDE_SETTINGS, ChangedPin, Followed, GitScan, ImportsOf, PROGRAMS_OF_GIT, Pin, PinChange, PinKind, Readers,
    RunsOf, TrustScan, command_programs, compare, follow, install_template, scan, unpinned_pin,
};
pub use unnamed_reads::{
    UnnamedReads, asks_own_repository, enters, is_own_folder, reads_below, reads_place, reads_places, stays_inside,
};
pub use worktree::{close_to_writing, copy_git_exclude, forget_worktree, make_worktree_folder, remove_worktree_folder};

#[cfg(all(test, target_os = "linux"))]
mod jail_tests;
pub use walk::{GitIgnoring, Skipped};
