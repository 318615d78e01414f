//! The steps of a pipeline: a shell line or a request that no model asked for. Starting the pipeline has approved them;
//! what is denied, protected or secret stays so, and a line runs only where a sandbox holds it.

use super::ExecutorSettings;
use super::call_log::CallLog;
use super::checkpoint::ProjectImages;
use super::command_sandbox::{CommandRooms, CommandView, Purpose, in_view};
use super::effects::{self, CommandEffects};
use super::judging::{Judge, call_of, denied};
use super::run_stop::RunStop;
use super::subject::SubjectOf;
use crate::builtin::run_command::{self, Arguments};
use crate::fetch::{self, HttpAnswer, Requested};
use crate::outcome::ToolError;
use arki_domain::{ApprovalMode, CallContext, Code, Decision, Error, EventBody, ToolCall};
use arki_policy::{Impact, Verdict};
use arki_process::{AnswerEnding, Answered, AnsweringSpec, CommandLimits, Meanwhile, run_answering};
use arki_sandbox::{GitAccess, Network, Sandbox, SandboxSpec};
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

const NETWORK_TOOL: &str = "fetch_url";
/// The most that a step may write to standard error, in bytes, besides its output.
const STDERR_BYTES: u64 = 1 << 20;
/// The kinds of rules that ask about something sensitive, which no pipeline grants. Where everything is granted, only
/// they and the user's own rules still ask, and starting a pipeline answers the user's own.
const NOT_GRANTED: [&str; 2] = ["builtin:", "hook:"];

/// A step's shell line.
pub struct StepCommand<'a> {
    pub pipeline: &'a str,
    /// The step's name.
    pub step: &'a str,
    pub line: &'a str,
    pub input: Vec<u8>,
    /// The parameters; their names steer nothing.
    pub environment: &'a [(String, String)],
    pub network: bool,
    /// Files of the home folder that it sees although commands don't.
    pub home_files: Vec<PathBuf>,
    pub time_limit: Duration,
    pub max_output_bytes: usize,
}

pub struct StepAnswer {
    pub answered: Answered,
    /// Relative to the project.
    pub changed: Vec<String>,
}

/// Runs the steps of a pipeline.
pub struct StepRunner {
    pub(super) settings: Arc<ExecutorSettings>,
    pub(super) effects: Arc<CommandEffects>,
    pub(super) judge: Arc<Judge>,
    pub(super) call_log: CallLog,
    pub(super) rooms: Arc<CommandRooms>,
    pub(super) images: Arc<ProjectImages>,
    pub(super) stop: Arc<RunStop>,
}

impl StepRunner {
    /// Judges a step's line and runs it. What it changes is in the log when it returns.
    ///
    /// # Errors
    /// `UNTRUSTED`, `POLICY_DENIED`, `SANDBOX_UNAVAILABLE`, or when it can't be started.
    pub async fn run(&self, command: StepCommand<'_>, context: &CallContext) -> Result<StepAnswer, Error> {
        if let Some(fault) = self.stop.reason() {
            return Err(fault.clone());
        }
        self.judge.look_at_policy();
        self.judge.secrets.learn_env_files().await;
        let args = json!({"command": command.line, "network": command.network});
        let call = call_of(command.step, run_command::NAME, args);
        self.ensure_step(&call, context).await?;
        self.ensure_parameters(&command, context).await?;
        if !self.settings.sandbox.available {
            let message = "A pipeline's commands run only in a sandbox, and there is none on this machine.";
            return Err(Error::new(Code::SANDBOX_UNAVAILABLE, message, "`arki doctor` says what is missing."));
        }
        let arguments = run_command::parse(&call.args)?;
        let only_reads = !arguments.network && arki_policy::is_read_only(&arguments.command);
        let purpose = Purpose { only_reads, agreed: true, private: false, tried: false };
        self.effects.take_back_cut_off(&call, (&self.call_log, context)).await?;
        // Who started the pipeline agreed to its lines.
        let agreed = Verdict { decision: Decision::Allow, ..self.judged(&call) };
        let view = self.rooms.view_for(&arguments, purpose, &agreed)?;
        let room = self.rooms.room().await?;
        let sandbox = match command.home_files.as_slice() {
            [] => room.sandbox_for(&arguments, purpose)?,
            shown => Some(self.sandbox_showing(shown, &arguments)?),
        };
        // Nobody is asked about a secret file, however a line finds its way to one.
        let sandbox = sandbox.map(|sandbox| sandbox.without_secrets());
        let sandbox = in_view(sandbox, view.as_ref().map(|view| &view.view));
        let mut environment = room.environment_for(&arguments, purpose)?;
        environment.extend(command.environment.iter().cloned());
        let on_project = !only_reads && view.is_none();
        let imaged = if !on_project { None } else { self.images.image_before(&call, context).await? };
        if let Some((_, created)) = &imaged {
            self.call_log.tell(context, vec![created.clone().into()]).await?;
        }
        let limits = self.settings.limits.command;
        let most = u64::try_from(command.max_output_bytes).unwrap_or(u64::MAX).saturating_add(STDERR_BYTES);
        let standing = self.settings.standing.clone();
        let spec = AnsweringSpec {
            name: format!("step {} of {}", command.step, command.pipeline),
            command_line: arguments.command,
            directory: self.settings.project.root().to_owned(),
            environment,
            sandbox: sandbox.as_ref().map(Sandbox::as_confinement),
            time_limit: command.time_limit,
            limits: CommandLimits { max_written_bytes: limits.max_written_bytes.min(most), ..limits },
            max_kept_bytes: command.max_output_bytes,
            meanwhile: Meanwhile::new(move |notes| notes.into_iter().for_each(|note| standing.tell(note))),
        };
        let answered = run_answering(spec, command.input, context.cancel.clone()).await.map_err(ToolError::from)?;
        // It may have written a new one and printed it.
        self.judge.secrets.learn_env_files().await;
        let mut changed = Vec::new();
        if let Some((before, _)) = imaged {
            let changes = self.images.changes_since(&before, &call, &context.session_id).await?.into_events();
            let events = self.call_log.not_yet_told(changes, &context.session_id, context.last_seq).await?;
            changed = events.iter().filter_map(changed_path).collect();
            self.call_log.tell(context, events).await?;
        }
        if let Some(view) = view {
            changed = self.land(&call, view, &answered, context).await?;
        }
        Ok(StepAnswer { answered, changed })
    }

    /// Lands what a step changed in its view, if it came to its end; returns the paths.
    async fn land(
        &self,
        call: &ToolCall,
        view: CommandView,
        answered: &Answered,
        context: &CallContext,
    ) -> Result<Vec<String>, Error> {
        self.judge.secrets.learn_view(view.view.clone()).await;
        let bound = view.bound.clone();
        if answered.ending != AnswerEnding::Exited || context.options.approve == ApprovalMode::Never {
            bound.tidy(&self.settings.project);
            return Ok(Vec::new());
        }
        let collected = effects::collect(&self.settings, view, &context.session_id).await;
        bound.tidy(&self.settings.project);
        let collected = collected?;
        if collected.files == 0 {
            return Ok(Vec::new());
        }
        let changes = self.effects.land_step(call, &collected.list, (&self.call_log, context)).await?;
        Ok(changes.into_iter().map(|change| change.path).collect())
    }

    /// Judges a step's request and sends it.
    ///
    /// # Errors
    /// `UNTRUSTED`, `POLICY_DENIED`, `ADDRESS_REFUSED`, `HOST_UNREACHABLE` and others.
    pub async fn request(
        &self,
        step: &str,
        request: Requested<'_>,
        context: &CallContext,
    ) -> Result<HttpAnswer, Error> {
        self.judge.look_at_policy();
        let call = call_of(step, NETWORK_TOOL, json!({"url": request.url}));
        self.ensure_step(&call, context).await?;
        let private = self.settings.private_hosts.clone();
        tokio::select! {
            response = fetch::request(request, &private) => response,
            () = context.cancel.cancelled() => Err(Error::new(Code::CANCELLED, "The run was stopped.", "")),
        }
    }

    /// A refusal is told in the log.
    async fn ensure_step(&self, call: &ToolCall, context: &CallContext) -> Result<(), Error> {
        let Some((verdict, fault)) = self.refusal_of(call) else { return Ok(()) };
        let verdict = Verdict { decision: Decision::Deny, ..verdict };
        self.call_log.tell(context, vec![verdict.decided(call, Vec::new()).into()]).await?;
        Err(fault)
    }

    fn subject_of(&self, call: &ToolCall) -> SubjectOf {
        self.judge.subject_of(self.judge.toolbox.tool(&call.tool_id), &call.args)
    }

    fn judged(&self, call: &ToolCall) -> Verdict {
        let subject = self.subject_of(call);
        self.judge.decide(&call.tool_id, &subject, ApprovalMode::All, Impact::default())
    }

    fn refusal_of(&self, call: &ToolCall) -> Option<(Verdict, Error)> {
        let subject = self.subject_of(call);
        let verdict = self.judge.decide(&call.tool_id, &subject, ApprovalMode::All, Impact::default());
        let verdict = self.judge.with_network(&call.tool_id, &call.args, verdict, ApprovalMode::All);
        let fault = refusal(&verdict).or(subject.path_fault)?;
        Some((verdict, fault))
    }

    /// A line may run what a parameter says, or write where it says, which is judged like a line of its own.
    async fn ensure_parameters(&self, command: &StepCommand<'_>, context: &CallContext) -> Result<(), Error> {
        if arki_policy::is_understood(command.line) {
            return Ok(());
        }
        for (_, value) in command.environment.iter().filter(|(_, value)| !value.trim().is_empty()) {
            // What it may run, and where it may write.
            for line in [value.clone(), format!("cat > '{}'", value.replace('\'', "'\\''"))] {
                let call = call_of(command.step, run_command::NAME, json!({"command": line}));
                if refusal(&self.judged(&call)).is_some() {
                    self.ensure_step(&call, context).await?;
                }
            }
        }
        Ok(())
    }

    fn sandbox_showing(&self, shown: &[PathBuf], arguments: &Arguments) -> Result<Sandbox, Error> {
        let temp_dir = self.rooms.temp_dir().ok_or_else(|| Error::internal("a step without its room"))?;
        let network = if arguments.network { Network::Granted } else { Network::None };
        let spec = SandboxSpec { shown: shown.to_vec(), network, ..self.settings.sandbox_spec(temp_dir) };
        Ok(Sandbox::prepare(&spec).map_err(ToolError::from)?.with_git(GitAccess::ReadOnly))
    }
}

fn refusal(verdict: &Verdict) -> Option<Error> {
    match verdict.decision {
        Decision::Deny => Some(denied(verdict)),
        Decision::Approval | Decision::Preview if NOT_GRANTED.iter().any(|kind| verdict.rule.starts_with(kind)) => {
            Some(Error::new(
                Code::POLICY_DENIED,
                format!("Starting a pipeline doesn't allow this step: {}", verdict.reason),
                "Use an `agent` step, whose calls you can approve one by one, or change the step.",
            ))
        }
        _ => None,
    }
}

fn changed_path(body: &EventBody) -> Option<String> {
    match body {
        EventBody::FileChanged(changed) => Some(changed.path.clone()),
        _ => None,
    }
}
