//! Commands: shown exactly, run in a sandbox with an allow-listed environment, stopped as a whole.

use super::ExecutorSettings;
use super::background::BegunBackground;
use super::call_log::CallLog;
use super::checkpoint::{CommandChanges, ProjectImages};
use super::command_review::CommandReview;
use super::command_sandbox::{CommandRooms, CommandView, Purpose, in_view};
use super::effects::{self, CommandEffects};
use super::host_access::WayOut;
use super::kept_whole::CallResults;
use super::live::{LiveOutput, show_changes};
use super::record::Record;
use super::run_stop::{RunStop, unfinished_look};
use super::secrets::ProjectSecrets;
use super::signing::{CommitSigner, GIT_WAS_HELD, Signing, no_signing_in_background};
use crate::artifact::MAX_ARTIFACT_BYTES;
use crate::builtin::run_command;
use crate::outcome::ToolError;
use arki_domain::projection::ResolvedApproval;
use arki_domain::{
    CallOutcome, CheckpointCreated, Code, CommandTrial, Error, EventBody, StyledPart, StyledText, ToolCall, ToolResult,
    plural,
};
use arki_files::Snapshot;
use arki_policy::Verdict;
use arki_process::{CommandOutcome, CommandSpec, styled};
use arki_sandbox::Sandbox;
use std::sync::Arc;
use std::time::Duration;

/// Runs the commands of a run.
pub(super) struct CommandRunner {
    pub(super) settings: Arc<ExecutorSettings>,
    pub(super) effects: Arc<CommandEffects>,
    pub(super) review: Arc<CommandReview>,
    pub(super) call_log: CallLog,
    pub(super) secrets: Arc<ProjectSecrets>,
    pub(super) rooms: Arc<CommandRooms>,
    pub(super) images: Arc<ProjectImages>,
    pub(super) signer: CommitSigner,
    pub(super) results: Arc<CallResults>,
    pub(super) stop: Arc<RunStop>,
}

impl CommandRunner {
    pub(super) async fn run(
        self: &Arc<Self>,
        decided: &AsDecided,
        verdict: &Verdict,
        record: &mut Record<'_>,
    ) -> Result<CallOutcome, Error> {
        let call = &decided.call;
        let arguments = match run_command::parse(&call.args) {
            Ok(arguments) => arguments,
            Err(error) => return record.fail(call, &error.into()).await,
        };
        let room = match self.rooms.room().await {
            Ok(room) => room,
            Err(fault) => return record.fail(call, &fault).await,
        };
        let purpose = Purpose { private: decided.reads_private, ..self.rooms.purpose(&arguments, verdict) };
        let (sandbox, mut environment) =
            match (room.sandbox_for(&arguments, purpose), room.environment_for(&arguments, purpose)) {
                (Ok(sandbox), Ok(environment)) => (sandbox, environment),
                (Err(error), _) | (_, Err(error)) => return record.fail(call, &error.into()).await,
            };
        let in_background = arguments.background == Some(true);
        if in_background && let Err(fault) = self.ensure_background_room(&record.context.session_id) {
            return record.fail(call, &fault).await;
        }
        let signing = match self.signer.signing(&arguments).await {
            Ok(Some(_)) if in_background => return record.fail(call, &no_signing_in_background()).await,
            Ok(signing) => signing,
            Err(fault) => return record.fail(call, &fault).await,
        };
        let view = match self.rooms.view_for(&arguments, purpose, verdict) {
            Ok(view) => view,
            Err(fault) => return record.fail(call, &fault).await,
        };
        let sandbox = in_view(sandbox, view.as_ref().map(|view| &view.view));
        let way_out = match WayOut::open(&self.effects.judge, sandbox.as_ref(), &arguments, purpose) {
            Ok(way_out) => way_out,
            Err(fault) => return record.fail(call, &fault).await,
        };
        if let Some(way_out) = &way_out {
            way_out.extend(&mut environment);
        }
        let imaged = if purpose.only_reads || purpose.tried || view.is_some() {
            None
        } else {
            self.images.image_before(call, record.context).await?
        };
        let created = imaged.iter().map(|(_, created)| EventBody::from(created.clone())).collect();
        record.begin(call, verdict, Vec::new(), created).await?;
        if in_background {
            let begun = BegunBackground { decided: decided.clone(), arguments, purpose, imaged };
            return self.go_on_in_background(begun, record).await;
        }
        let may_commit = arki_policy::may_commit(&arguments.command);
        let holds_commits = may_commit && sandbox.as_ref().is_some_and(Sandbox::holds_git);
        let seconds = arguments.timeout_seconds.unwrap_or(self.settings.limits.timeout_seconds);
        let seconds = if purpose.tried { seconds.min(TRIAL_SECONDS) } else { seconds };
        let limit = TimeLimit::of(seconds, record.context.time_left);
        let command_line = match &signing {
            Some(signing) => {
                environment.extend(Signing::environment());
                signing.command.clone()
            }
            None => arguments.command,
        };
        let spec = CommandSpec {
            command_line,
            directory: self.settings.project.root().to_owned(),
            environment,
            sandbox: way_out.as_ref().map(|way_out| &way_out.sandbox).or(sandbox.as_ref()).map(Sandbox::as_confinement),
            terminal: arguments.terminal,
            time_limit: limit.duration,
            limits: self.settings.limits.command,
            max_output_bytes: MAX_ARTIFACT_BYTES,
            meanwhile: None,
        };
        let after = record.last_seq();
        let mut live = LiveOutput::new(&self.call_log, call, record.context);
        let looked_at = view.as_ref().map(|view| view.view.clone());
        let shown = self.call_log.live(call, record.context);
        let ran = tokio::select! {
            ran = arki_process::run(spec, |bytes| live.push(bytes), record.cancel().clone()) => ran,
            never = show_changes(looked_at, &self.settings, &shown) => match never {},
        };
        live.finish();
        let refused_hosts = way_out.map(WayOut::close);
        // It may have written a new one and printed it.
        self.secrets.learn_env_files().await;
        if let Some(CommandView { view, .. }) = &view {
            self.secrets.learn_view(view.clone()).await;
        }
        let (mut bodies, mut note) = (Vec::new(), None);
        if let Some((before, _)) = imaged {
            let session_id = &record.context.session_id;
            let changes = self.images.changes_since(&before, call, session_id).await?;
            note = changes.note_of_unnamed();
            bodies = self.call_log.not_yet_told(changes.into_events(), session_id, after).await?;
        }
        let is_silent = |outcome: &CommandOutcome| !outcome.output.contains(".git");
        let silent_note = holds_commits && ran.as_ref().is_ok_and(is_silent);
        let silent_note = silent_note.then_some(GIT_WAS_HELD);
        let (mut result, styles) = match ran {
            Ok(outcome) if purpose.tried && trial_failed(&outcome) => {
                return self.review.ask_after_trial(call, trial_of(&outcome, &limit), record).await;
            }
            Ok(outcome) => {
                self.stop.after_unfinished_look(&outcome);
                told(record, decided, &outcome, &limit)
            }
            Err(error) => (record.error(call, &ToolError::from(error).into()), Vec::new()),
        };
        result.result.extend(note);
        result.result.extend(silent_note);
        result.result.extend(refused_hosts);
        result.result.extend(purpose.tried.then_some(RAN_READ_ONLY));
        if let Some(signing) = &signing {
            result.result.push_str(&self.signer.sign(signing).await);
        }
        bodies.extend(self.results.of_command(call, result, styles, record).await);
        match view {
            Some(view) => self.settle_view(call, view, bodies, record).await,
            None => record.settle(bodies).await,
        }
    }

    /// Stores what the command changed in its view before the view goes, and has it decided on.
    async fn settle_view(
        &self,
        call: &ToolCall,
        view: CommandView,
        mut bodies: Vec<EventBody>,
        record: &mut Record<'_>,
    ) -> Result<CallOutcome, Error> {
        let bound = view.bound.clone();
        if let Some(EventBody::ToolResult(result)) = bodies.last_mut()
            && result.code.as_deref() == Some(Code::CANCELLED.0)
        {
            bound.tidy(&self.settings.project);
            result.result.push_str("\n[Stopped, so what it changed was thrown away.]");
            return record.settle(bodies).await;
        }
        let collected = effects::collect(&self.settings, view, &record.context.session_id).await;
        // Not before: by its times a folder tells whether somebody else changed it.
        bound.tidy(&self.settings.project);
        self.effects.settle_collected(call, collected, bodies, record).await
    }

    /// The program ended while the command ran. It is not run again; what it changed so far can be told where the
    /// project was imaged before.
    pub(super) async fn interrupted(
        &self,
        call: &ToolCall,
        approval: Option<&ResolvedApproval>,
        record: &mut Record<'_>,
    ) -> Result<CallOutcome, Error> {
        let call = &AsDecided::of(call, approval).call;
        let mut bodies = Vec::new();
        // What only reads, or worked in a view that is gone, has changed nothing in the project.
        let arguments = run_command::parse(&call.args);
        if arguments.is_ok_and(|arguments| self.rooms.only_reads(&arguments) || self.rooms.works_in_view(&arguments)) {
            return record.fail(call, &nothing_landed()).await;
        }
        if let Some(before) = self.images.stored_snapshot().await? {
            bodies = self.images.changes_since(&before, call, &record.context.session_id).await?.into_events();
        }
        let result = record.error(call, &effect_unknown(&bodies));
        bodies.push(result.into());
        record.settle(bodies).await
    }
}

/// A command's call as it is carried out.
#[derive(Clone)]
pub(super) struct AsDecided {
    pub(super) call: ToolCall,
    /// The command is the user's own, in place of the model's.
    pub(super) by_user: bool,
    /// It was shown as one that can open secret files and other files of the user's.
    pub(super) reads_private: bool,
    /// The user's, to the model.
    note: Option<String>,
}

impl AsDecided {
    pub(super) fn shown(call: &ToolCall) -> Self {
        Self { call: call.clone(), by_user: false, reads_private: false, note: None }
    }

    pub(super) fn of(call: &ToolCall, approval: Option<&ResolvedApproval>) -> Self {
        let mut decided = Self::shown(call);
        decided.note = approval.and_then(|approval| approval.resolved.reason.clone());
        let shown = approval.and_then(|approval| approval.requested.command.as_ref()?.confinement.as_ref());
        decided.reads_private = shown.is_some_and(|confinement| confinement.reads_private);
        if let Some(command) = approval.and_then(|approval| approval.resolved.command.as_deref()) {
            decided.call.args["command"] = command.into();
            decided.by_user = true;
        }
        decided
    }
}

/// The time a command may take, and the message when it takes longer.
pub(super) struct TimeLimit {
    pub(super) duration: Duration,
    words: String,
    /// The cause of a stop before that.
    pub(super) stopped: &'static str,
}

impl TimeLimit {
    /// Its own, or what is left of the run's if that is less.
    pub(super) fn of(seconds: u64, left: Option<Duration>) -> Self {
        let own = Duration::from_secs(seconds);
        match left.filter(|left| *left < own) {
            Some(left) => Self { duration: left, words: "the run's time is up".to_owned(), stopped: BY_USER },
            None => Self { duration: own, words: format!("it took longer than {seconds} s"), stopped: BY_USER },
        }
    }
}

pub(super) type Imaged = (Arc<Snapshot>, CheckpointCreated);

impl CommandChanges {
    /// The last line of the command's result, where a change could not be told in any other way.
    pub(super) fn note_of_unnamed(&self) -> Option<String> {
        let files = (self.unnamed > 0).then(|| plural(self.unnamed as u64, "file"))?;
        Some(format!(
            "\n[{files} with a non-UTF-8 name changed. Arki keeps no snapshots of such files and can't restore them.]"
        ))
    }

    pub(super) fn into_events(self) -> Vec<EventBody> {
        if self.untold > 0 {
            tracing::warn!(untold = self.untold, "a command changed more files than are told one by one");
        }
        self.events
    }
}

/// Named in the result, so that the model need not look through the whole project.
const MAX_PATHS_NAMED: usize = 50;

pub(super) fn nothing_landed() -> Error {
    let message = "Interrupted: Arki ended while this ran, and it was not run again. Nothing that it changed in the \
                   project landed. Beyond that its effect is unknown.";
    Error::new(Code::CANCELLED, message, "Run it again if it is still needed.")
}

fn effect_unknown(changes: &[EventBody]) -> Error {
    let paths: Vec<&str> = changes
        .iter()
        .filter_map(|body| match body {
            EventBody::FileChanged(changed) => Some(changed.path.as_str()),
            _ => None,
        })
        .collect();
    let mut message =
        "Interrupted: Arki ended while this ran. Its effect is unknown, and it was not run again.".to_owned();
    if !paths.is_empty() {
        let named = paths[..paths.len().min(MAX_PATHS_NAMED)].join(", ");
        let (files, have) = (plural(paths.len() as u64, "file"), if paths.len() == 1 { "has" } else { "have" });
        message.push_str(&format!(" {files} {have} changed since it began: {named}."));
    }
    Error::new(Code::CANCELLED, message, "Check what it did before you run it again.")
}

/// The time for what would be asked about anyway, at most.
const TRIAL_SECONDS: u64 = 30;
/// The last bytes of a trial's output that a question shows.
const TRIAL_OUTPUT_BYTES: usize = 4000;
/// The words of programs that may not write; some of them still end well after.
const REFUSALS: [&str; 3] = ["Read-only file system", "Permission denied", "Operation not permitted"];

/// The last line of the result of a command that ended well with the project read-only.
const RAN_READ_ONLY: &str =
    "\n[It ran with the project read-only. If it should have changed files, ask for it with `on_project`.]";

fn trial_failed(outcome: &CommandOutcome) -> bool {
    let is_refused = REFUSALS.iter().any(|refusal| outcome.output.contains(refusal));
    !outcome.cancelled && (outcome.exit_code != Some(0) || outcome.unfinished_look.is_some() || is_refused)
}

fn trial_of(outcome: &CommandOutcome, limit: &TimeLimit) -> CommandTrial {
    let output = styled(&outcome.output).text;
    let from = output.ceil_char_boundary(output.len().saturating_sub(TRIAL_OUTPUT_BYTES));
    CommandTrial { ending: ending(outcome, limit).0, output: output[from..].trim_end().to_owned() }
}

/// Why a command was stopped.
pub(super) const BY_USER: &str = "by the user";

/// Describes how a command ended, with its code if that is an error of its own.
fn ending(outcome: &CommandOutcome, limit: &TimeLimit) -> (String, Option<Code>) {
    match outcome {
        CommandOutcome { cancelled: true, .. } => (format!("stopped {}", limit.stopped), Some(Code::CANCELLED)),
        CommandOutcome { overran: Some(limit), .. } => (format!("ended: it {limit}"), Some(Code::COMMAND_OVER_LIMIT)),
        CommandOutcome { timed_out: true, .. } => (format!("ended: {}", limit.words), Some(Code::TOOL_TIMEOUT)),
        CommandOutcome { exit_code: Some(code), .. } => (format!("exit code {code}"), None),
        CommandOutcome { signal: Some(signal), .. } => (format!("ended by signal {signal}"), None),
        CommandOutcome { .. } => ("ended".to_owned(), None),
    }
}

/// The error of a command that nobody called and that did not succeed: how it ended, and the first line it printed.
pub(super) fn failed(outcome: &CommandOutcome, limit: &TimeLimit) -> Error {
    if let Some(why) = &outcome.unfinished_look {
        return unfinished_look(why);
    }
    let (ending, code) = ending(outcome, limit);
    let output = styled(&outcome.output).text;
    let said = output.lines().find(|line| !line.trim().is_empty()).unwrap_or("no output");
    let message = format!("The command failed ({ending}): {said}");
    Error::new(code.unwrap_or(Code::COMMAND_FAILED), message, "Run it in a terminal to see all that it says.")
}

/// The first line says how it ended, then comes what it printed, without escape sequences. A command of the user's own is
/// named before that. Also returns how parts of it look.
pub(super) fn told(
    record: &Record<'_>,
    decided: &AsDecided,
    outcome: &CommandOutcome,
    limit: &TimeLimit,
) -> (ToolResult, Vec<StyledPart>) {
    let call = &decided.call;
    let (ending, code) = ending(outcome, limit);
    let unfinished = outcome.unfinished_look.as_deref().map(unfinished_look);
    let code = if unfinished.is_some() { Some(Code::GUARD_UNFINISHED) } else { code };
    let mut head = format!("{ending}\n");
    if let Some(fault) = &unfinished {
        head = format!("{}\n{head}", fault.message);
    }
    if decided.by_user {
        let command = call.args["command"].as_str().unwrap_or_default();
        head = format!("The user ran another command instead: {command}\n{head}");
    }
    let mut text = StyledText::default();
    text.push(&head, "");
    text.append(&styled(&outcome.output));
    if let Some(note) = &decided.note {
        text.push(&format!("\nThe user's note: {note}"), "");
    }
    let mut result = record.text(call, String::new());
    // What is too long for a result is cut once the whole is kept.
    result.result = text.text;
    result.truncated = outcome.truncated;
    result.is_error = outcome.exit_code != Some(0) || unfinished.is_some();
    result.code = code.map(|code| code.0.to_owned());
    (result, text.styles)
}
