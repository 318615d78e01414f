//! The only hands: what reads and writes a project and starts processes.
//!
//! A path enters as text and becomes a [`ProjectPath`] (`project`), which is the only thing the rest
//! accepts. A change is first computed as a [`ChangeSet`] (`edit`), shown as a [`Preview`], narrowed by a
//! [`HunkSelection`] and only then applied. A command is a [`CommandSpec`] that [`run`] carries out, inside
//! a [`Sandbox`] where there is one. [`scan`] says what trusting a folder would enable.
//!
//! *Architecture invariant:* nothing here knows models, tools, policy or SQL, and no other crate writes
//! project files or starts processes.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout))]
#![allow(clippy::disallowed_methods, reason = "this is the crate that starts processes")]

mod atomic_write;
mod attribution;
mod build_outputs;
mod change_set;
mod checkpoint;
mod edit;
mod env_files;
mod environment;
mod error;
mod file_content;
mod find;
mod fit;
mod free_space;
mod git_config_paths;
mod git_index;
#[cfg(unix)]
mod hangup;
mod line_endings;
mod listing;
mod login_path;
mod merge;
mod output_file;
mod patch;
mod private_dir;
mod process;
mod project;
mod protection;
mod public_places;
mod read_lines;
mod readers_view;
mod real_place;
mod restoration;
mod sandbox;
mod search;
mod shell_pattern;
mod text_file;
mod trust;
mod unnamed_reads;
mod walk;

pub use atomic_write::{remove_unfinished, remove_unfinished_restoration};
pub use attribution::{
    AttributedLine, LineOrigin, MAX_ATTRIBUTED_BYTES, MAX_ATTRIBUTED_VERSIONS, Version, attribute, shared_lines,
};
pub use build_outputs::{folders_matching, writes_output};
pub use change_set::{AppliedChange, ChangeSet, FileChange, Hunk, HunkSelection, Preview, content_hash};
pub use checkpoint::{
    FileState, Image, ImageRef, LeftOut, NotImaged, Snapshot, SnapshotChange, SnapshotLimits, snapshot_changes,
    take_snapshot, unnamed_changes,
};
pub use edit::{DELETE_LIMIT_BYTES, TextEdit, plan_delete, plan_edit, plan_write};
pub use env_files::{EnvFiles, is_env_file, look_through_texts};
pub use environment::{EnvironmentSpec, child_environment};
pub use error::{
    AttributionError, Candidate, ChangeError, EditError, FileAction, FileError, PatchError, PathError, ProcessError,
    Result, SearchError, SnapshotError, StaleKind, StalePreview, TrustError, WorkspaceError,
};
pub use file_content::FileContent;
pub use find::{Found, find};
pub use fit::Tier;
pub use free_space::free_bytes;
#[cfg(unix)]
pub use hangup::outlives_terminal;
pub use listing::{Entry, EntryKind, Listing, files_below, list};
pub use login_path::{PathOrigin, inherited_environment, learn_login_path, path_origin};
pub use merge::{Merge, merge};
pub use output_file::{OutputFile, remove_unfinished_exports};
pub use patch::{patch_paths, plan_patch};
pub use private_dir::{
    PrivateTempDir, create_private_dir, remove_abandoned_temp_dirs, remove_private_file, write_private_file,
    write_private_file_once,
};
pub use process::{
    CommandLimits, CommandOutcome, CommandSpec, Load, Overrun, Piped, PipedProcess, PipedSpec, ProcessEnd,
    RunningCommand, run, run_with_input, running_commands, start_piped, stop_command,
};
pub use project::{FileBytes, FileFound, Project, ProjectPath};
pub use protection::{is_protected, is_secret};
pub use public_places::is_system_secret;
pub use read_lines::{LineWindow, ReadLine, lines_of, read_lines};
pub use readers_view::ReadersView;
pub use real_place::{RealPlace, real_place};
pub use restoration::{Restoration, apply_restorations, plan_restorations};
pub use sandbox::{
    GitAccess, GitSight, Meanwhile, Network, ProjectAccess, Sandbox, SandboxSpec, SandboxStatus, home_secrets,
    runs_in_sandbox, settle_abandoned,
};
pub use search::{SearchHit, SearchOutcome, SearchQuery, search};
pub use text_file::{EDIT_LIMIT_BYTES, Eol, TextFile};
pub use tokio_util::sync::CancellationToken;
pub use trust::{
    ChangedPin, GitScan, PROGRAMS_OF_GIT, Pin, PinChange, PinKind, Scan, command_programs, compare, git_programs,
    install_template, scan,
};
pub use unnamed_reads::{
    Descent, UnnamedReads, asks_own_repository, enters, reads_below, reads_below_matching, reads_kept, reads_matching,
    reads_names, reads_place, reads_places, stays_inside,
};

#[cfg(all(test, target_os = "linux"))]
mod jail_tests;
