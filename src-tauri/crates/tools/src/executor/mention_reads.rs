//! Reading on the user's word, without a call of the model: what a prompt mentions. Files by the read tools, what has
//! changed by a command that only reads, a page by `fetch_url`; all of it where the policy asks nobody.

use super::command::{CommandRunner, TimeLimit, failed};
use super::hook_runner::HookRunner;
use super::judging::{Judge, call_of};
use super::kept_whole::bounded;
use super::read::ReadCalls;
use super::remote::{Attempts, stopped, timed_out};
use super::unsaved::EditorState;
use crate::builtin::{run_command, search_project};
use crate::caller::{CallPlace, Caller};
use crate::outcome::Output;
use crate::remote_tool::{CallScope, RemoteCallProgress, RemoteTool};
use crate::tool::{Action, ReadAction, ReadTask, Tool};
use arki_domain::{ApprovalMode, CallId, Code, Decision, Error, ReasonCode, RunId, SessionId};
use arki_policy::{Impact, PolicySettings, Verdict};
use arki_process::CommandSpec;
use arki_retrieval::FoundContext;
use arki_sandbox::Sandbox;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

/// A read that nobody is asked about.
pub struct UnaskedRead<'a> {
    pub tool_id: &'a str,
    pub args: &'a Value,
    /// The limit for a command's output or a page; read tools keep to their own bounds.
    pub max_bytes: usize,
    /// The session whose prompt mentions it.
    pub session: Option<&'a SessionId>,
    /// Ends a command, and the wait for a page or the editor.
    pub cancel: &'a CancellationToken,
}

/// Reads what nobody is asked about.
pub struct UnaskedReads {
    pub(super) judge: Arc<Judge>,
    pub(super) hooks: Arc<HookRunner>,
    pub(super) reads: Arc<ReadCalls>,
    pub(super) commands: Arc<CommandRunner>,
}

impl UnaskedReads {
    /// Carries out a tool that only reads, whether the model has it or not. Blocking; within a runtime, on a thread that
    /// may block.
    ///
    /// # Errors
    /// Where the policy would ask or deny, or a hook comes before such calls, for secret files always, for a command that isn't known to only read or that
    /// no sandbox holds to it, and when the tool fails.
    pub fn read(&self, read: &UnaskedRead<'_>) -> Result<Output, Error> {
        let UnaskedRead { tool_id, args, .. } = *read;
        let verdict = self.judged(tool_id, args)?;
        let tool = self.judge.toolbox.tool(tool_id).ok_or_else(|| self.judge.toolbox.unknown(tool_id))?;
        match &tool.action {
            Action::Read(action) => self.read_at_once(*action, tool, read),
            Action::Command => waited_for(self.run(read, &verdict)),
            Action::Remote(remote) if tool.conduct.is_idempotent => waited_for(self.fetch((tool, remote), read)),
            Action::Remote(_) | Action::Write(_) | Action::Inside(_) | Action::Ask | Action::Delegate(_) => {
                Err(Error::internal(format_args!("{tool_id} does more than read")))
            }
        }
    }

    /// # Errors
    /// Where the policy would ask or deny, or a hook comes before such calls, and for secret files always.
    pub fn ensure_readable(&self, tool_id: &str, args: &Value) -> Result<(), Error> {
        self.judged(tool_id, args).map(drop)
    }

    /// # Errors
    /// Where the policy would ask or deny, or a hook comes before such calls.
    pub fn ensure_context_readable(&self, question: &str) -> Result<(), Error> {
        self.ensure_readable(search_project::NAME, &json!({ "query": question }))
    }

    /// Finds passages of the project, as `search_project` does. Blocking.
    ///
    /// # Errors
    /// Those of [`Self::ensure_context_readable`], and where the index can't be asked.
    pub fn context(&self, question: &str, max_files: usize, cancel: &CancellationToken) -> Result<FoundContext, Error> {
        self.ensure_context_readable(question)?;
        let name = search_project::NAME;
        let tool = self.judge.toolbox.tool(name).ok_or_else(|| self.judge.toolbox.unknown(name))?;
        let task = self.reads.task(tool, &json!({ "query": question }), cancel)?;
        Ok(search_project::find(&task, question, max_files)?)
    }

    fn judged(&self, tool_id: &str, args: &Value) -> Result<Verdict, Error> {
        self.judge.look_at_policy();
        let tool = self.judge.toolbox.tool(tool_id);
        let subject = self.judge.subject_of(tool, args);
        if let Some(fault) = &subject.path_fault {
            return Err(fault.clone());
        }
        let policy = self.judge.policy();
        // A file is the user's to show, whatever tools the model has.
        let policy = match tool.map(|tool| &tool.action) {
            Some(Action::Read(_)) => {
                PolicySettings { tools: None, disabled_tools: Vec::new(), ..PolicySettings::clone(&policy) }
            }
            _ => PolicySettings::clone(&policy),
        };
        let question = self.judge.question(tool_id, &subject, ApprovalMode::Ask, Impact::default());
        let verdict = arki_policy::decide(&question, &policy);
        if let Some(secret) = subject.subject.paths.iter().find(|path| path.secret) {
            return Err(refused(ReasonCode::SECRET_FILE.with("path", secret.path.as_str()).to_string()));
        }
        if verdict.decision != Decision::Allow {
            return Err(refused(verdict.reason.to_string()));
        }
        // It could object, and hooks run with the model's calls only.
        if self.hooks.has_hooks_before(&call_of("", tool_id, args.clone())) {
            return Err(refused(format!(
                "A hook looks at such calls of {tool_id} first, so the model has to make one."
            )));
        }
        Ok(verdict)
    }

    fn read_at_once(&self, action: ReadAction, tool: &Tool, read: &UnaskedRead<'_>) -> Result<Output, Error> {
        let state = match self.reads.settings.buffers {
            Some(_) => {
                let asking = self.reads.state_in_editor(tool, read.args, (read.session, read.cancel));
                Handle::try_current().map_err(Error::internal)?.block_on(asking)?
            }
            None => EditorState::Saved,
        };
        let artifact = state.text().map(|text| text.as_bytes().to_vec());
        let task = ReadTask { artifact, ..self.reads.task(tool, read.args, read.cancel)? };
        let cancel = task.cancel.clone();
        let limit = self.time_limit(tool);
        let timer = Handle::try_current().ok().map(|runtime| {
            runtime.spawn(async move {
                tokio::time::sleep(limit).await;
                cancel.cancel();
            })
        });
        let done = action(&task).map(|output| state.told(output)).map_err(Error::from);
        if let Some(timer) = timer {
            timer.abort();
        }
        done
    }

    /// Runs the command and returns its output; if it fails, the first line is the error.
    async fn run(&self, read: &UnaskedRead<'_>, verdict: &Verdict) -> Result<Output, Error> {
        let arguments = run_command::parse(read.args)?;
        let purpose = self.commands.rooms.purpose(&arguments, verdict);
        if !purpose.only_reads {
            return Err(refused("Without a sandbox, nothing keeps a command from writing.".to_owned()));
        }
        let room = self.commands.rooms.room().await?;
        let (sandbox, environment) =
            (room.sandbox_for(&arguments, purpose)?, room.environment_for(&arguments, purpose)?);
        self.judge.secrets.learn_env_files().await;
        let limit = TimeLimit::of(self.reads.settings.limits.timeout_seconds, None);
        let spec = CommandSpec {
            command_line: arguments.command,
            directory: self.reads.settings.project.root().to_owned(),
            environment,
            sandbox: sandbox.as_ref().map(Sandbox::as_confinement),
            terminal: false,
            time_limit: limit.duration,
            limits: self.reads.settings.limits.command,
            max_output_bytes: self.max_bytes(read),
            meanwhile: None,
        };
        let outcome =
            arki_process::run(spec, |_| {}, read.cancel.clone()).await.map_err(crate::outcome::ToolError::from)?;
        self.commands.stop.after_unfinished_look(&outcome);
        match outcome.exit_code {
            Some(0) if outcome.unfinished_look.is_none() => {
                Ok(Output { text: outcome.output, truncated: outcome.truncated })
            }
            _ => Err(failed(&outcome, &limit)),
        }
    }

    async fn fetch(
        &self,
        (tool, remote): (&Tool, &Arc<dyn RemoteTool>),
        read: &UnaskedRead<'_>,
    ) -> Result<Output, Error> {
        // It is nobody's call, so that there is nobody to ask in the middle of it.
        let place = CallPlace { session_id: SessionId::from(""), run_id: RunId::from(""), call_id: CallId::from("") };
        let max_output_bytes = self.max_bytes(read);
        let cancel = read.cancel.child_token();
        let scope = CallScope {
            caller: Caller::new(place),
            cancel: cancel.clone(),
            progress: RemoteCallProgress::new(|_| {}),
            max_output_bytes,
        };
        let attempts = Attempts { remote: remote.clone(), args: read.args.clone(), scope };
        let limit = self.time_limit(tool);
        tokio::select! {
            done = attempts.made(tool.conduct.retry) => done.map(|output| bounded(output, max_output_bytes)),
            () = cancel.cancelled() => Err(stopped(tool)),
            () = tokio::time::sleep(limit) => Err(timed_out(tool, limit)),
        }
    }

    fn max_bytes(&self, read: &UnaskedRead<'_>) -> usize {
        read.max_bytes.min(self.reads.settings.limits.max_output_bytes)
    }

    fn time_limit(&self, tool: &Tool) -> Duration {
        tool.conduct.time_limit.unwrap_or(Duration::from_secs(self.reads.settings.limits.timeout_seconds))
    }
}

fn waited_for(work: impl Future<Output = Result<Output, Error>>) -> Result<Output, Error> {
    Handle::try_current().map_err(Error::internal)?.block_on(work)
}

fn refused(reason: String) -> Error {
    Error::new(Code::POLICY_DENIED, reason, "Ask the user.")
}
