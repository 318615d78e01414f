//! Sandboxes: the files that a command may see and change.
//!
//! Writable are the project, the run's private temporary folder and what the specification adds. Everything else can
//! be read and executed, except what is hidden: Arki's own configuration and data, and the keys in a home folder.
//! There is no network unless it was granted, and no Unix socket.
//!
//! *How.* On Linux in one of two ways, of which the stronger that works is taken. *Bubblewrap*, where it is installed
//! and allowed: every command in namespaces of its own. *Landlock*, in this process: one thread a run puts itself under
//! it, for good, and starts every command of that run; a child inherits what its starting thread is under, so that a
//! command costs nothing more than without a sandbox. Both with a system call filter, and in both no code of ours has to run between
//! fork and exec. On macOS by *Seatbelt*, whose profile `seatbelt` makes, once it has shown that it confines. Elsewhere
//! there is no sandbox yet, and `probe` says so.
//!
//! *What Landlock alone does not do.* It only grants. So a folder with something hidden in it is granted child by child:
//! such a folder can't be listed, and what is created in it later can't be read. In the project nothing can be taken
//! away, so that what makes git run something and Arki's folder are put back after each command (`put_back`). The modes
//! and times of files outside can be changed, by their owner.
//!
//! *Commands that only read.* They get a sandbox of their own in which the project is read-only ([`ProjectAccess`]): it
//! is the sandbox that keeps them from writing, not who judged that they only read. Under Bubblewrap by the view of the
//! disk, under Landlock by its grants and a system call filter for modes, owners, times and attributes, which Landlock
//! does not govern. Nothing of theirs can be left behind, so nobody looks for it.
//!
//! *Secrets.* A command that nobody was asked about because it only reads gets a project without its files of secrets
//! ([`Sandbox::without_secrets`]), however it would come by them.
//!
//! *Git.* Whoever writes a git directory says what the user's next `git` runs, where no sandbox is. So all that a project
//! has (`sensitive`) are read-only, but for commands that are git's own ([`GitAccess`]), and then what steers git still
//! is; and what comes into being is looked at when the command has ended, or this process was killed (`guard`). Hooks
//! that lie elsewhere in the project, where `core.hooksPath` points, are read-only too, but for commands that somebody
//! agreed to ([`Sandbox::with_writable_hooks`]): what those change of them is told.

//!
//! *Architecture invariant:* it reaches no files beyond what its specification hands it, knows no project, and is known to
//! `process` only as the port that it implements.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout))]

#[cfg(target_os = "linux")]
#[path = "linux.rs"]
mod platform;
#[cfg(target_os = "macos")]
#[path = "macos.rs"]
mod platform;
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
#[path = "unsupported.rs"]
mod platform;

#[cfg(target_os = "linux")]
mod bubblewrap;
#[cfg(unix)]
mod confined;
#[cfg(not(unix))]
#[path = "unconfined.rs"]
mod confined;
#[cfg(target_os = "linux")]
mod domain;
#[cfg(unix)]
mod ended;
#[cfg(unix)]
mod explanation;
mod git_sight;
#[cfg(unix)]
mod git_todo;
#[cfg(target_os = "linux")]
mod grants;
#[cfg(unix)]
mod guard;
mod home_secrets;
#[cfg(unix)]
mod journal;
#[cfg(unix)]
#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only the launcher and Bubblewrap hide stores"))]
mod kept_secrets;
#[cfg(target_os = "linux")]
mod launch_plan;
#[cfg(target_os = "linux")]
mod launcher;
#[cfg(unix)]
mod leavings;
#[cfg(unix)]
mod listings;
#[cfg(target_os = "linux")]
mod mark;
#[cfg_attr(not(target_os = "linux"), path = "no_door.rs")]
mod network_door;
#[cfg(unix)]
mod put_back;
mod sandbox;
#[cfg_attr(not(target_os = "linux"), path = "unsealed.rs")]
mod sealed;
#[cfg(any(target_os = "macos", all(test, unix)))]
mod seatbelt;
#[cfg(unix)]
mod sensitive;
#[cfg(unix)]
mod settled;
mod spec;
#[cfg(unix)]
mod spelling;
#[cfg(target_os = "linux")]
mod syscall_filter;
#[cfg(target_os = "linux")]
mod upper_layer;
#[cfg_attr(not(target_os = "linux"), path = "no_view.rs")]
mod view;
mod view_change;
#[cfg(target_os = "linux")]
mod view_plan;
#[cfg(target_os = "linux")]
mod wrapping;
#[cfg(unix)]
mod written;

/// The folder in the project that commands never write.
#[cfg(unix)]
const ARKI_FOLDER: &str = ".arki";
#[cfg(unix)]
const OWN_GIT: &str = ".git";
/// The parts of a git directory that git runs, that name what it runs, or that name where that is.
#[cfg(unix)]
const STEERS_GIT: &[&str] = &["config", "config.worktree", "commondir", "hooks", "info/attributes"];
/// The ending of a hook's name that is only a sample.
#[cfg(unix)]
const SAMPLE: &str = ".sample";
/// The first descriptor that a wrapping program may have for itself; those before are the command's.
#[cfg(target_os = "linux")]
const FIRST_WRAPPING_FD: u32 = 4;

pub use git_sight::GitSight;
pub use home_secrets::home_secrets;
#[cfg(target_os = "linux")]
pub use launcher::launch_if_asked;
pub use network_door::{DoorListener, NetworkDoor};
pub use sandbox::{Sandbox, SandboxStatus, runs_in_sandbox, settle_abandoned};
pub use sealed::seal_this_process;
pub use spec::{GitAccess, Network, ProjectAccess, SandboxSpec};
pub use view::{OverlayView, remove_abandoned_views};
pub use view_change::{ViewChange, ViewChangeKind, ViewChanges, ViewEntry};

#[cfg(unix)]
use sandbox::{CommandReach, SecretSight};
#[cfg(unix)]
use spec::Root;

#[cfg(all(test, target_os = "linux"))]
mod tests;
