//! Commands: shown exactly, run in a sandbox with an allow-listed environment, stopped as a whole.

use super::record::{Record, shown_hash};
use super::{Kernel, permitted, question};
use crate::builtin::run_command;
use crate::error::ToolError;
use crate::policy::Verdict;
use crate::tool::Output;
use arki_domain::projection::ResolvedApproval;
use arki_domain::{
    CallOutcome, Code, CommandPreview, Decision, Fault, LiveEvent, StreamingRedactor, ToolCall, ToolResult,
};
use arki_workspace::{
    CommandOutcome, CommandSpec, EnvironmentSpec, PrivateTempDir, Sandbox, SandboxSpec, child_environment,
};
use std::time::Duration;

/// Where the commands of a run live: their temporary folder, environment and sandbox.
pub(super) struct CommandRoom {
    environment: Vec<(String, String)>,
    sandbox: Option<Sandbox>,
    /// Removed with the room.
    _temp_dir: PrivateTempDir,
}

impl Kernel {
    pub(super) async fn judge_command(
        &self,
        call: &ToolCall,
        verdict: &Verdict,
        record: &mut Record<'_>,
    ) -> Result<CallOutcome, Fault> {
        if verdict.decision == Decision::Allow {
            return self.run(call, verdict, record).await;
        }
        match self.command_preview(call).await {
            Ok(preview) => record.ask(question::of_command(call, verdict, preview)).await,
            Err(fault) => record.fail(call, &fault).await,
        }
    }

    pub(super) async fn command_approved(
        &self,
        call: &ToolCall,
        approval: &ResolvedApproval,
        record: &mut Record<'_>,
    ) -> Result<CallOutcome, Fault> {
        let preview = match self.command_preview(call).await {
            Ok(preview) => preview,
            Err(fault) => return record.fail(call, &fault).await,
        };
        let permitted = permitted(&approval.requested);
        if preview.preview_hash == shown_hash(&approval.requested) {
            return self.run(call, &permitted, record).await;
        }
        let verdict = Verdict {
            decision: Decision::Approval,
            rule: "builtin:stale-preview".to_owned(),
            reason: "What would run is no longer what was shown. This is the command anew.".to_owned(),
            risk: approval.requested.risk,
        };
        let (verdict, mut requested) = question::of_command(call, &verdict, preview);
        requested.supersedes = Some(approval.requested.approval_id.clone());
        record.ask((verdict, requested)).await
    }

    async fn run(&self, call: &ToolCall, verdict: &Verdict, record: &mut Record<'_>) -> Result<CallOutcome, Fault> {
        let arguments = match run_command::parse(&call.args) {
            Ok(arguments) => arguments,
            Err(error) => return record.fail(call, &error.into()).await,
        };
        let room = match self.room().await {
            Ok(room) => room,
            Err(fault) => return record.fail(call, &fault).await,
        };
        record.append(vec![verdict.decided(call, Vec::new()).into()]).await?;
        let seconds = arguments.timeout_seconds.unwrap_or(self.settings.limits.timeout_seconds);
        let spec = CommandSpec {
            command_line: arguments.command,
            directory: self.settings.project.root().to_owned(),
            environment: room.environment.clone(),
            sandbox: room.sandbox.as_ref(),
            time_limit: Duration::from_secs(seconds),
            max_output_bytes: self.settings.limits.max_output_bytes,
        };
        let mut live = LiveOutput::new(self, call, record);
        let ran = arki_workspace::run(spec, |bytes| live.push(bytes), record.cancel().clone()).await;
        live.finish();
        let result = match ran {
            Ok(outcome) => told(record, call, &outcome, seconds),
            Err(error) => record.error(call, &ToolError::from(error).into()),
        };
        record.append(vec![result.into()]).await?;
        Ok(CallOutcome::Finished)
    }

    async fn command_preview(&self, call: &ToolCall) -> Result<CommandPreview, Fault> {
        let arguments = run_command::parse(&call.args)?;
        let room = self.room().await?;
        let directory = self.settings.project.root().display().to_string();
        let sandbox = room.sandbox.as_ref().map_or("none", Sandbox::name).to_owned();
        let preview_hash = question::command_hash(&arguments.command, &directory, &sandbox);
        let environment = room.environment.iter().map(|(name, _)| name.clone()).collect();
        Ok(CommandPreview { command: arguments.command, directory, environment, sandbox, preview_hash })
    }

    async fn room(&self) -> Result<&CommandRoom, Fault> {
        self.room.get_or_try_init(|| async { self.furnish().map_err(Fault::from) }).await
    }

    fn furnish(&self) -> Result<CommandRoom, ToolError> {
        let temp_dir = PrivateTempDir::create()?;
        let sandbox = if self.settings.sandbox.available {
            Some(Sandbox::prepare(&SandboxSpec {
                project_root: self.settings.project.root().to_owned(),
                temp_dir: temp_dir.path().to_owned(),
                hidden: self.settings.hidden.clone(),
                also_writable: Vec::new(),
            })?)
        } else {
            None
        };
        let spec = EnvironmentSpec { temp_dir: temp_dir.path(), sandbox: sandbox.as_ref().map(Sandbox::name) };
        let current =
            std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
        let environment = child_environment(current, &[], spec);
        Ok(CommandRoom { environment, sandbox, _temp_dir: temp_dir })
    }
}

/// Shows what the command prints as it prints it: whole characters only, keys left out.
struct LiveOutput<'a> {
    kernel: &'a Kernel,
    call: &'a ToolCall,
    session_id: arki_domain::SessionId,
    run_id: arki_domain::RunId,
    redactor: StreamingRedactor,
    /// The beginning of a character whose end has not come yet.
    undecoded: Vec<u8>,
}

impl<'a> LiveOutput<'a> {
    fn new(kernel: &'a Kernel, call: &'a ToolCall, record: &Record<'_>) -> Self {
        let context = record.context();
        Self {
            kernel,
            call,
            session_id: context.session_id.clone(),
            run_id: context.run_id.clone(),
            redactor: StreamingRedactor::new(kernel.redactor.clone()),
            undecoded: Vec::new(),
        }
    }

    fn push(&mut self, bytes: &[u8]) {
        self.undecoded.extend_from_slice(bytes);
        let whole = match std::str::from_utf8(&self.undecoded) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            Ok(_) | Err(_) => self.undecoded.len(),
        };
        let rest = self.undecoded.split_off(whole);
        let text = String::from_utf8_lossy(&self.undecoded).into_owned();
        self.undecoded = rest;
        let text = self.redactor.push(&text);
        self.show(text);
    }

    fn finish(&mut self) {
        let rest = String::from_utf8_lossy(&std::mem::take(&mut self.undecoded)).into_owned();
        let mut text = self.redactor.push(&rest);
        text.push_str(&self.redactor.finish());
        self.show(text);
    }

    fn show(&self, text: String) {
        if !text.is_empty() {
            self.kernel.bus.publish(LiveEvent::CommandOutput {
                session_id: self.session_id.clone(),
                run_id: self.run_id.clone(),
                call_id: self.call.call_id.clone(),
                text,
            });
        }
    }
}

/// The first line says how it ended, then comes what it printed.
fn told(record: &Record<'_>, call: &ToolCall, outcome: &CommandOutcome, seconds: u64) -> ToolResult {
    let (ending, code) = match outcome {
        CommandOutcome { cancelled: true, .. } => ("stopped by the user".to_owned(), Some(Code::CANCELLED)),
        CommandOutcome { timed_out: true, .. } => {
            (format!("ended: it took longer than {seconds} s"), Some(Code::TOOL_TIMEOUT))
        }
        CommandOutcome { exit_code: Some(code), .. } => (format!("exit code {code}"), None),
        CommandOutcome { signal: Some(signal), .. } => (format!("ended by signal {signal}"), None),
        CommandOutcome { .. } => ("ended".to_owned(), None),
    };
    let output = Output { text: format!("{ending}\n{}", outcome.output), truncated: outcome.truncated };
    let mut result = record.result(call, Ok(output));
    result.is_error = outcome.exit_code != Some(0);
    result.code = code.map(|code| code.0.to_owned());
    result
}
