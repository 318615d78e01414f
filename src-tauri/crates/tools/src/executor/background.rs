//! Commands that go on in the background: the call is answered at once with a placeholder, and the result follows as an
//! event of its own when the command ends, whether its run still works or not. They end with the program at the latest.

use super::background_subagents::late;
use super::command::{AsDecided, BY_USER, CommandRunner, Imaged, TimeLimit, told};
use super::command_sandbox::Purpose;
use super::live::LiveOutput;
use super::record::Record;
use super::run_stop::unfinished_look;
use crate::artifact::MAX_ARTIFACT_BYTES;
use crate::builtin::run_command;
use crate::outcome::ToolError;
use arki_domain::{
    CallContext, CallId, CallOutcome, Code, Error, EventBody, EventDraft, EventLog, SandboxCleanedUp, SessionId,
    ToolCall,
};
use arki_process::{CommandSpec, Meanwhile};
use arki_sandbox::Sandbox;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// The limit for commands in the background of one session, at the same time.
pub const MAX_BACKGROUND: usize = 8;
/// A background command is ended after this long, unless its call asks for less.
const BACKGROUND_LIMIT_SECONDS: u64 = 24 * 60 * 60;

const BY_REMOVAL: &str = "because the sub-agent's worktree was removed";

/// The commands in the background of this process, in every session.
pub struct BackgroundCommands {
    log: Arc<dyn EventLog>,
    going: Mutex<HashMap<SessionCall, Going>>,
    count: watch::Sender<usize>,
    /// The program ends.
    ends: AtomicBool,
}

struct Going {
    cancel: CancellationToken,
    why_stopped: &'static str,
}

/// Ids of calls are unique in their session only.
type SessionCall = (SessionId, CallId);

impl BackgroundCommands {
    /// `log` takes what is said after the run has ended, when the session may be another's to work on.
    pub fn new(log: Arc<dyn EventLog>) -> Self {
        Self { log, going: Mutex::default(), count: watch::Sender::new(0), ends: AtomicBool::new(false) }
    }

    #[must_use]
    pub fn is_going(&self, session_id: &SessionId, async_call_id: &CallId) -> bool {
        self.lock().contains_key(&(session_id.clone(), async_call_id.clone()))
    }

    /// Asks it to end; its result tells when it has. False when it does not go on in this process.
    pub fn stop(&self, session_id: &SessionId, async_call_id: &CallId) -> bool {
        self.lock().get(&(session_id.clone(), async_call_id.clone())).map(|going| going.cancel.cancel()).is_some()
    }

    /// Ends all of them, and waits until each has told its end.
    pub async fn stop_all(&self) {
        self.ends.store(true, Ordering::SeqCst);
        self.lock().values().for_each(|going| going.cancel.cancel());
        let mut count = self.count.subscribe();
        // The sender lives as long as `self`.
        let _ = count.wait_for(|count| *count == 0).await;
    }

    /// Ends those of a session whose worktree is about to be removed, and waits until each has told its end.
    pub async fn stop_in_worktree(&self, session_id: &SessionId) {
        let mut count = self.count.subscribe();
        for (_, going) in self.lock().iter_mut().filter(|((of, _), _)| of == session_id) {
            going.why_stopped = BY_REMOVAL;
            going.cancel.cancel();
        }
        while self.lock().keys().any(|(of, _)| of == session_id) {
            // The sender lives as long as `self`.
            let _ = count.changed().await;
        }
    }

    /// `None` when the session has as many as it may.
    fn begin(self: &Arc<Self>, session_id: &SessionId, call_id: &CallId) -> Option<BackgroundPlace> {
        let mut going = self.lock();
        if !has_room(&going, session_id) {
            return None;
        }
        let cancel = CancellationToken::new();
        let call = (session_id.clone(), call_id.clone());
        going.insert(call.clone(), Going { cancel: cancel.clone(), why_stopped: BY_USER });
        self.count.send_replace(going.len());
        Some(BackgroundPlace { commands: self.clone(), call, cancel })
    }

    fn why_stopped(&self, session_id: &SessionId, call_id: &CallId) -> &'static str {
        if self.ends.load(Ordering::SeqCst) {
            return "because Arki ended";
        }
        self.lock().get(&(session_id.clone(), call_id.clone())).map_or(BY_USER, |going| going.why_stopped)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<SessionCall, Going>> {
        self.going.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One of the places, given back when dropped.
struct BackgroundPlace {
    commands: Arc<BackgroundCommands>,
    call: SessionCall,
    cancel: CancellationToken,
}

impl Drop for BackgroundPlace {
    fn drop(&mut self) {
        let mut going = self.commands.lock();
        going.remove(&self.call);
        self.commands.count.send_replace(going.len());
    }
}

/// A command on its way into the background.
pub(super) struct BegunBackground {
    pub(super) decided: AsDecided,
    pub(super) arguments: run_command::Arguments,
    pub(super) purpose: Purpose,
    pub(super) imaged: Option<Imaged>,
}

impl CommandRunner {
    /// A free place, so that nothing is decided that cannot begin.
    pub(super) fn ensure_background_room(&self, session_id: &SessionId) -> Result<(), Error> {
        if has_room(&self.settings.background.lock(), session_id) { Ok(()) } else { Err(full()) }
    }

    /// The decision is in the log. The placeholder is too, before the command begins.
    pub(super) async fn go_on_in_background(
        self: &Arc<Self>,
        begun: BegunBackground,
        record: &mut Record<'_>,
    ) -> Result<CallOutcome, Error> {
        let call = begun.decided.call.clone();
        let place = self.settings.background.begin(&record.context.session_id, &call.call_id);
        let Some(place) = place else { return record.fail(&call, &full()).await };
        let text = format!(
            "Running in the background as {}. Its result comes as an AsyncToolResult when it ends; don't poll for it.",
            call.call_id
        );
        let outcome = record.settle(vec![record.placeholder(&call, text).into()]).await?;
        let after = record.last_seq();
        let context = CallContext { cancel: place.cancel.clone(), ..record.context.clone() };
        let runner = self.clone();
        tokio::spawn(async move {
            if let Err(fault) = runner.to_its_end(begun, &context, after).await {
                tracing::error!(code = fault.code, %fault, "what a background command came to is not in the log");
            }
            drop(place);
        });
        Ok(outcome)
    }

    async fn to_its_end(&self, begun: BegunBackground, context: &CallContext, after: u64) -> Result<(), Error> {
        let BegunBackground { decided, arguments, purpose, imaged } = begun;
        let mut record = Record::new(self.settings.background.log.as_ref(), &self.call_log.redactor, context);
        let call = &decided.call;
        let mut limit = TimeLimit::of(arguments.timeout_seconds.unwrap_or(BACKGROUND_LIMIT_SECONDS), None);
        let room = self.rooms.room().await?;
        let sandbox = room.sandbox_for(&arguments, purpose)?;
        let spec = CommandSpec {
            command_line: arguments.command.clone(),
            directory: self.settings.project.root().to_owned(),
            environment: room.environment_for(&arguments, purpose)?,
            sandbox: sandbox.as_ref().map(Sandbox::as_confinement),
            terminal: arguments.terminal,
            time_limit: limit.duration,
            limits: self.settings.limits.command,
            max_output_bytes: MAX_ARTIFACT_BYTES,
            meanwhile: Some(self.told_at_once(call, context)),
        };
        let mut live = LiveOutput::new(&self.call_log, call, context);
        let ran = arki_process::run(spec, |bytes| live.push(bytes), context.cancel.clone()).await;
        live.finish();
        self.secrets.learn_env_files().await;
        limit.stopped = self.settings.background.why_stopped(&context.session_id, &call.call_id);
        let (mut result, styles) = match ran {
            Ok(outcome) => {
                if let Some(why) = &outcome.unfinished_look {
                    self.settings.standing.tell(unfinished_look(why).message);
                }
                self.stop.after_unfinished_look(&outcome);
                told(&record, &decided, &outcome, &limit)
            }
            Err(error) => (record.error(call, &ToolError::from(error).into()), Vec::new()),
        };
        let mut bodies = Vec::new();
        if let Some((before, _)) = imaged {
            let changes = self.images.changes_since(&before, call, &context.session_id).await?;
            result.result.extend(changes.note_of_unnamed());
            bodies = self.call_log.not_yet_told(changes.into_events(), &context.session_id, after).await?;
        }
        for body in self.results.of_command(call, result, styles, &record).await {
            bodies.push(match body {
                EventBody::ToolResult(result) => late(result).into(),
                other => other,
            });
        }
        record.settle(bodies).await.map(drop)
    }

    /// Returns the events of a running command, for the session's log.
    fn told_at_once(&self, call: &ToolCall, context: &CallContext) -> Meanwhile {
        let log = self.settings.background.log.clone();
        let (call_id, session_id) = (call.call_id.clone(), context.session_id.clone());
        let runtime = tokio::runtime::Handle::current();
        Meanwhile::new(move |notes| {
            let cleaned = SandboxCleanedUp { call_id: Some(call_id.clone()), notes };
            let (log, session_id) = (log.clone(), session_id.clone());
            runtime.spawn(async move {
                if let Err(fault) = log.append(&session_id, vec![EventDraft::of_session(cleaned)]).await {
                    tracing::warn!(%fault, "what a background command left behind is not in the log");
                }
            });
        })
    }
}

fn has_room(going: &HashMap<SessionCall, Going>, session_id: &SessionId) -> bool {
    going.keys().filter(|(of, _)| of == session_id).count() < MAX_BACKGROUND
}

fn full() -> Error {
    let message = format!("This session already has {MAX_BACKGROUND} commands running in the background.");
    Error::new(Code::BACKGROUND_FULL, message, "Wait for one of them, or run this one in the foreground.")
}
