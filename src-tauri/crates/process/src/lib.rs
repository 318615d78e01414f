//! Starting, watching and ending processes.
//!
//! A command is a [`CommandSpec`] that [`run()`] carries out; a program that is spoken to is a [`PipedSpec`] that
//! [`start_piped`] starts; a line that answers one input is an [`AnsweringSpec`]. All have an environment made here ([`child_environment`]), limits ([`CommandLimits`]) and, where
//! there is one, a [`Confinement`], which the crate above implements.
//!
//! *Architecture invariant:* no other crate starts processes, and nothing here knows a project, git or how a sandbox is
//! built.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout))]
#![allow(clippy::disallowed_methods, reason = "this is the crate that starts processes")]

mod ansi;
mod answering;
#[cfg(any(windows, test))]
mod argument_line;
mod background_changes;
mod confinement;
mod environment;
mod error;
mod guarding;
#[cfg(unix)]
mod hangup;
mod limits;
mod login_path;
mod open_files;
mod own_program;
mod piped;
mod retained_output;
mod run;
mod screen;

#[cfg(unix)]
mod exit_watch;
#[cfg(windows)]
mod job;
#[cfg(unix)]
mod launch;
#[cfg(unix)]
mod orphan_guard;
#[cfg(unix)]
#[path = "unix.rs"]
mod platform;
#[cfg(windows)]
#[path = "windows.rs"]
mod platform;
#[cfg(target_os = "linux")]
mod proc_table;
#[cfg(windows)]
mod pseudo_console;
#[cfg(windows)]
mod restricted_token;
mod running;
#[cfg(unix)]
mod terminal;
#[cfg(target_os = "linux")]
mod watch;
#[cfg(not(target_os = "linux"))]
#[path = "unwatched.rs"]
mod watch;
#[cfg(windows)]
mod windows_launch;

pub use ansi::{AnsiReader, styled};
pub use answering::{AnswerBounds, AnswerEnding, Answered, AnsweringSpec, run_answering, run_program};
pub use background_changes::Meanwhile;
pub use confinement::{Confined, Confinement, ExitOutcome, Explanation, Findings};
#[cfg(unix)]
pub use confinement::{ConfinedStart, WrappedProgram};
pub use environment::{EnvironmentSpec, child_environment};
pub use error::{ProcessError, Result};
#[cfg(unix)]
pub use hangup::outlives_terminal;
#[cfg(unix)]
pub use launch::{Launch, Streams, start_script};
pub use limits::{CommandLimits, Overrun};
pub use login_path::{PathOrigin, inherited_environment, learn_login_path, path_origin};
pub use open_files::{open_files, open_files_problem, raise_open_files};
#[cfg(target_os = "linux")]
pub use orphan_guard::number as orphan_guard_number;
#[cfg(unix)]
pub use orphan_guard::{ENDED, note_end_in};
pub use own_program::{own_path, own_program, start_own};
pub use piped::{Piped, PipedProcess, PipedSpec, ProcessEnd, shell_line, shell_name, start_piped, system_version};
pub use run::{CommandOutcome, CommandSpec, run, run_with_input};
pub use running::{Load, RunningCommand, running_commands, stop_command};
pub use tokio_util::sync::CancellationToken;
