//! The port that a sandbox implements: the confinement of a command, as far as whoever starts it has to know.

use std::fmt;
#[cfg(unix)]
use std::io;
#[cfg(unix)]
use std::path::{Path, PathBuf};
#[cfg(unix)]
use std::sync::Arc;

use async_trait::async_trait;

use crate::background_changes::Meanwhile;
use crate::error::Result;
#[cfg(unix)]
use crate::launch::{Launch, Streams};

/// Confines commands, one after another or several at once.
#[async_trait]
pub trait Confinement: fmt::Debug + Send + Sync {
    /// Returns whether nobody outside reaches what listens in it.
    fn has_own_network(&self) -> bool;

    /// Makes ready for one command. What is returned is held until that has ended.
    async fn begin(&self, meanwhile: Option<Meanwhile>) -> Result<Box<dyn Confined>>;
}

/// A confinement, from before one command starts until it has ended.
#[async_trait]
pub trait Confined: Send + Sync {
    /// The program to start for `command`, of which the first part is a program itself, at that terminal.
    #[cfg(unix)]
    fn wrap(&self, directory: &Path, command: &[&str], terminal: Option<&Path>) -> io::Result<WrappedProgram>;

    /// Returns the place in which the command is started. Its terminal, if it has one, is the only one in reach.
    #[cfg(unix)]
    async fn place(&self, terminal: Option<&Path>) -> Result<Arc<dyn ConfinedStart>>;

    /// Looks at what the command left behind.
    async fn end(self: Box<Self>) -> (Findings, Explanation);
}

/// Starts one confined command, and knows all of its processes, if it can.
#[cfg(unix)]
#[async_trait]
pub trait ConfinedStart: fmt::Debug + Send + Sync {
    /// Starts it under the restrictions, which the processes that it starts inherit.
    async fn start(&self, launch: Launch, streams: Streams) -> Result<io::Result<rustix::process::Pid>>;

    /// Returns which of these belong to the command; none where it is not known. Blocks for a moment.
    #[cfg(target_os = "linux")]
    fn own(&self, processes: Vec<i32>) -> Vec<i32>;

    /// Ends all processes of the command, where they are known.
    #[cfg(target_os = "linux")]
    async fn end_all(&self);

    /// The same without waiting for it.
    #[cfg(target_os = "linux")]
    fn end_all_soon(&self);

    /// Returns whether the process that is started is the wrapping program, which must outlive a polite stop of the
    /// rest.
    #[cfg(target_os = "linux")]
    fn is_wrapping(&self) -> bool;
}

/// A program with its arguments, and the descriptors it gets from number 4 on.
#[cfg(unix)]
#[derive(Debug)]
pub struct WrappedProgram {
    pub program: PathBuf,
    pub arguments: Vec<String>,
    pub descriptors: Vec<std::os::fd::OwnedFd>,
}

/// The findings of a look at what commands left.
#[derive(Debug, Default)]
pub struct Findings {
    /// The actions taken, a sentence each.
    pub notes: Vec<String>,
    /// Why not all of it was looked at, if so: a repository that makes git run a program may be left.
    pub unfinished: Option<String>,
}

impl Findings {
    /// Nothing was looked at.
    #[must_use]
    pub fn unfinished(why: String) -> Self {
        Self { notes: Vec::new(), unfinished: Some(why) }
    }

    /// Returns the notes alone, where nobody can stop for what was not looked at.
    #[must_use]
    pub fn into_notes(self) -> Vec<String> {
        self.notes.into_iter().chain(self.unfinished.as_deref().map(unfinished_words)).collect()
    }
}

type Explain = dyn Fn(&str, ExitOutcome) -> Option<String> + Send + Sync;

/// The result of a command, as far as its exit code tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitOutcome {
    Succeeded,
    Failed,
}

/// Says of a command's output what failed by the confinement's doing.
pub struct Explanation(Box<Explain>);

impl Explanation {
    pub fn new(explain: impl Fn(&str, ExitOutcome) -> Option<String> + Send + Sync + 'static) -> Self {
        Self(Box::new(explain))
    }

    /// Empty where that was not the reason.
    pub(crate) fn of(&self, output: &str, outcome: ExitOutcome) -> String {
        (self.0)(output, outcome).unwrap_or_default()
    }
}

fn unfinished_words(why: &str) -> String {
    format!("Arki couldn't check every file the commands created: {why}. Check them before you run git here.")
}
