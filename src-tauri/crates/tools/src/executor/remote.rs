//! Calls of tools from outside: bounded in time and in what they say, stopped with the run, and after a crash made
//! again only where the tool says that this does no harm.

use super::ExecutorSettings;
use super::call_log::CallLog;
use super::command::nothing_landed;
use super::effects::CommandEffects;
use super::kept_whole::CallResults;
use super::record::Record;
use super::secrets::ProjectSecrets;
use crate::artifact::MAX_ARTIFACT_BYTES;
use crate::caller::{CallPlace, Caller};
use crate::outcome::Output;
use crate::remote_tool::{CallScope, RemoteCallProgress, RemoteTool};
use crate::tool::{Retry, Tool};
use arki_domain::{CallOutcome, Code, Error, ToolCall};
use arki_policy::Verdict;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::task::AbortOnDropHandle;

/// The time that a stopped call may take to say something of it.
const STOP_PATIENCE: Duration = Duration::from_secs(2);

/// A call of a tool from outside.
#[derive(Clone, Copy)]
pub(super) struct RemoteCall<'a> {
    pub(super) tool: &'a Tool,
    pub(super) remote: &'a Arc<dyn RemoteTool>,
    pub(super) call: &'a ToolCall,
}

/// Calls the tools from outside.
pub(super) struct RemoteCalls {
    pub(super) settings: Arc<ExecutorSettings>,
    pub(super) effects: Arc<CommandEffects>,
    pub(super) call_log: CallLog,
    pub(super) secrets: Arc<ProjectSecrets>,
    pub(super) results: Arc<CallResults>,
}

impl RemoteCalls {
    pub(super) async fn work(
        &self,
        made: RemoteCall<'_>,
        verdict: &Verdict,
        record: &mut Record<'_>,
    ) -> Result<CallOutcome, Error> {
        record.begin(made.call, verdict, Vec::new(), Vec::new()).await?;
        self.begun(made, record).await
    }

    async fn begun(&self, made: RemoteCall<'_>, record: &mut Record<'_>) -> Result<CallOutcome, Error> {
        if let Some(program) = made.remote.viewed_program() {
            return self.call_in_view(program, made, record).await;
        }
        let done = self.call_remote(made, record).await;
        self.results.finish(made.call, done, record).await
    }

    pub(super) async fn interrupted(
        &self,
        made: RemoteCall<'_>,
        record: &mut Record<'_>,
    ) -> Result<CallOutcome, Error> {
        if !made.tool.conduct.is_idempotent {
            let in_view = made.remote.viewed_program().is_some();
            return record.fail(made.call, &if in_view { nothing_landed() } else { effect_unknown() }).await;
        }
        self.begun(made, record).await
    }

    pub(super) async fn call_remote(&self, made: RemoteCall<'_>, record: &mut Record<'_>) -> Result<Output, Error> {
        let caller = Caller::new(CallPlace::of(made.call, record.context));
        let done = self.call_for(&caller, made, record).await;
        record.note_elicitations(caller.elicitations());
        done
    }

    async fn call_for(&self, caller: &Caller, made: RemoteCall<'_>, record: &Record<'_>) -> Result<Output, Error> {
        let RemoteCall { tool, remote, call } = made;
        let cancel = record.cancel().child_token();
        let (caller_of, progress) = (caller.clone(), self.progress_of(call, record));
        let (cancelled, max_output_bytes) = (cancel.clone(), MAX_ARTIFACT_BYTES);
        let scope = CallScope { caller: caller_of, cancel: cancelled, progress, max_output_bytes };
        let limit = tool.conduct.time_limit.unwrap_or(Duration::from_secs(self.settings.limits.timeout_seconds));
        let attempts = Attempts { remote: remote.clone(), args: call.args.clone(), scope };
        let retry = tool.conduct.retry.filter(|_| tool.conduct.is_idempotent);
        // A task of its own: what fails in it fails alone, and dropping the handle ends it.
        let mut calling = AbortOnDropHandle::new(tokio::spawn(attempts.made(retry)));
        let unfinished = tokio::select! {
            done = &mut calling => return done.unwrap_or_else(|_| Err(fallen_over(tool))),
            () = cancel.cancelled() => stopped(tool),
            () = caller.time_is_up(limit) => timed_out(tool, limit),
        };
        cancel.cancel();
        // It may tell its server; what it says by now no longer counts.
        let _ = tokio::time::timeout(STOP_PATIENCE, calling).await;
        Err(unfinished)
    }

    fn progress_of(&self, call: &ToolCall, record: &Record<'_>) -> RemoteCallProgress {
        let (live, redactor) = (self.call_log.live(call, record.context), self.call_log.redactor.clone());
        RemoteCallProgress::new(move |text| live.show(redactor.redact(text).into_owned(), Vec::new()))
    }
}

pub(super) struct Attempts {
    pub(super) remote: Arc<dyn RemoteTool>,
    pub(super) args: Value,
    pub(super) scope: CallScope,
}

impl Attempts {
    /// Calls until it goes well, fails for good, or often enough.
    pub(super) async fn made(self, retry: Option<Retry>) -> Result<Output, Error> {
        let mut attempts = 1;
        loop {
            let fault = match self.remote.call(self.args.clone(), self.scope.clone()).await {
                Ok(output) => return Ok(output),
                Err(fault) => fault,
            };
            let Some(retry) = retry.filter(|retry| fault.is(retry.on) && attempts < retry.attempts) else {
                return Err(fault);
            };
            self.scope.progress.show(&format!("{} Trying again.\n", fault.message));
            tokio::select! {
                () = tokio::time::sleep(retry.pause * (1 << (attempts - 1))) => attempts += 1,
                () = self.scope.cancel.cancelled() => return Err(fault),
            }
        }
    }
}

fn fallen_over(tool: &Tool) -> Error {
    Error::internal(format_args!("{} stopped in the middle", tool.name()))
}

fn effect_unknown() -> Error {
    let message = "Interrupted: Arki ended while this ran. Its effect is unknown, and it was not run again.";
    Error::new(Code::CANCELLED, message, "Check what it did before you call it again.")
}

pub(super) fn stopped(tool: &Tool) -> Error {
    let hint = "Ask the user before calling it again.";
    Error::new(Code::CANCELLED, format!("The user stopped {}.{}", tool.name(), perhaps_done(tool)), hint)
}

pub(super) fn timed_out(tool: &Tool, limit: Duration) -> Error {
    let message = format!("{} took longer than {} s.{}", tool.name(), limit.as_secs(), perhaps_done(tool));
    Error::new(Code::TOOL_TIMEOUT, message, "Ask for less at a time, or raise limits.toolTimeoutSeconds.")
}

fn perhaps_done(tool: &Tool) -> &'static str {
    if tool.conduct.is_idempotent { "" } else { " It may still have had an effect." }
}
