//! The port through which steps reach the world, and the attempt that it is asked for; the engine implements it over policy,
//! sandbox and runs.

use crate::denylist::Denylist;
use arki_domain::{ApprovalId, ApprovalMode, Error, RunId, SessionId, SubagentStarted};
use async_trait::async_trait;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// One attempt of a step.
pub struct Task {
    pub settings: Value,
    pub input: Arc<str>,
    pub params: Arc<BTreeMap<String, String>>,
    /// The names and outputs of the steps that this one needs.
    pub needed: Vec<(String, Arc<str>)>,
    pub denylist: Arc<Denylist>,
    /// The run that works for it.
    pub child: Option<SubagentStarted>,
    pub context: StepContext,
}

/// The surroundings in which an attempt is carried out.
#[derive(Clone)]
pub struct StepContext {
    pub session_id: SessionId,
    pub run_id: RunId,
    pub pipeline: String,
    /// The step's name; of an item of a `foreach` with its place.
    pub step: String,
    pub approve: ApprovalMode,
    /// The last event that was folded.
    pub last_seq: u64,
    pub time_limit: Duration,
    pub max_output_bytes: u64,
    /// The number of pipelines that the run is nested in.
    pub depth: u32,
    pub cancel: CancellationToken,
    /// The signal to pause runs beneath, which can stop in the middle and go on later.
    pub pause: CancellationToken,
}

/// A shell line to run.
pub struct CommandTask<'a> {
    pub line: &'a str,
    pub network: bool,
    /// Files of the home folder that it may read although commands don't see them.
    pub home_files: &'a [&'a str],
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandEnd {
    pub ending: CommandEnding,
    /// `None` where it did not end by itself.
    pub exit_code: Option<i32>,
    /// The standard output; bytes that aren't UTF-8 are replaced.
    pub stdout: String,
    pub is_text: bool,
    /// True if a part of `stdout` is missing.
    pub is_cut: bool,
    pub stderr: String,
    /// The files that it changed, relative to the project.
    pub changed: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandEnding {
    Exited,
    TimedOut,
    Cancelled,
    /// Completes "it …".
    Overran(String),
}

/// A prompt for an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentTask {
    pub prompt: String,
    /// One of fabric's patterns, as the system prompt.
    pub pattern: Option<String>,
    pub model: Option<String>,
    pub core: Option<String>,
    pub system: Option<String>,
    pub max_turns: Option<u32>,
    pub is_read_only: bool,
}

/// The end of a run beneath.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChildEnd {
    Completed { output: String },
    Failed(Error),
    Cancelled(Error),
    Waiting(ApprovalId),
    Paused,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpRequest {
    pub url: String,
    pub method: &'static str,
    pub headers: BTreeMap<String, String>,
    pub body: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpResponse {
    pub status: u16,
    /// The address that a redirect leads to; it isn't followed.
    pub location: Option<String>,
    pub body: String,
}

#[async_trait]
pub trait StepHost: Send + Sync {
    /// Returns the words of a shell line that may name files.
    fn named_paths(&self, line: &str) -> Vec<String>;

    /// Returns where a path lies that is named as commands name it: relative to the project if it is in it, by its text and
    /// by where its links lead. Nothing need be there.
    fn places(&self, path: &str) -> Vec<String>;

    /// Returns the other names (hard links) that files have in the project, each with the place of the file among `paths`.
    fn other_names(&self, paths: &[&str]) -> Vec<(usize, String)>;

    /// Returns whether there is something in the project under this path.
    fn is_there(&self, path: &str) -> bool;

    /// Returns whether a program is on the path that commands get.
    fn has_program(&self, name: &str) -> bool;

    /// Judges a line and runs it in the sandbox. Starting the pipeline has approved it; what is denied, protected or
    /// secret stays so.
    ///
    /// # Errors
    /// `UNTRUSTED`, `POLICY_DENIED`, or when it can't be started.
    async fn command(&self, command: &CommandTask<'_>, task: &Task) -> Result<CommandEnd, Error>;

    /// Lets an agent work, from wherever its run stands. `task.child` names the run.
    async fn agent(&self, agent: AgentTask, task: &Task) -> Result<ChildEnd, Error>;

    /// Runs a pipeline in the same way.
    async fn pipeline(&self, name: &str, params: BTreeMap<String, String>, task: &Task) -> Result<ChildEnd, Error>;

    /// Returns whether a pipeline's run that works for a step can go on from where it stands, or begin. One that was stopped
    /// or has completed can't.
    async fn can_go_on(&self, child: &SubagentStarted) -> Result<bool, Error>;

    /// Sends a request, if the policy allows the host.
    ///
    /// # Errors
    /// `POLICY_DENIED`, `HOST_UNREACHABLE` and others.
    async fn http(&self, request: HttpRequest, task: &Task) -> Result<HttpResponse, Error>;

    /// Returns whether nobody need decide on this approval any more.
    async fn is_settled(&self, approval: &ApprovalId) -> Result<bool, Error>;
}
