//! A client of the engine: a window, a terminal, whoever is at the other end of a connection. What belongs to one of them
//! and not to the process is here, and so is what each of them would otherwise decide for itself.

use crate::mcp::Answering;
use crate::records::observations::Observing;
use crate::runs::prompt_images::from_base64;
use crate::{
    ClientCapabilities, DecidedBy, DefinitionChoice, Engine, NamedPlace, OpenedFolder, RunTarget, RunningRun, Runs,
    SendOutcome, StartPipeline, StartRun, StartedBySchedule, blocking, blocking_for,
};
use arki_api::{ProjectState, Resolution, SendOptions, Sent, Shown};
use arki_domain::projection::{Observation, ObservationFilter};
use arki_domain::{AnsweredRequest, ApprovalId, ApprovalMode, Code, Error, QuestionId, QueueMode, RunId, SessionId};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The time until schedules are looked at again when that failed.
const SCHEDULES_PATIENCE: Duration = Duration::from_secs(60);

pub struct Client {
    engine: Arc<Engine>,
    /// The origin of its decisions in the log: `window`, `cli`.
    name: &'static str,
    presence: ClientCapabilities,
    /// The folder that is open.
    folder: Mutex<Option<PathBuf>>,
    observing: Observing,
    /// Held for as long as this client is there.
    _answering: Option<Answering>,
}

/// The effect of a decision.
pub struct DecisionEffect {
    /// Why the rule that was to be kept is not. The decision holds all the same.
    pub rule_not_kept: Option<Error>,
    /// The run, which goes on; `None` where another process works on the session and goes on with it.
    pub run: Option<RunningRun>,
}

impl Client {
    #[must_use]
    pub fn attach(engine: &Arc<Engine>, name: &'static str, presence: ClientCapabilities) -> Self {
        let _answering = presence.answers.then(|| engine.mcp().answers());
        Self {
            engine: engine.clone(),
            name,
            presence,
            folder: Mutex::default(),
            observing: Observing::default(),
            _answering,
        }
    }

    #[must_use]
    pub fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    fn runs(&self) -> &Arc<Runs> {
        self.engine.runs()
    }

    /// The folder that is open.
    #[must_use]
    pub fn folder(&self) -> Option<PathBuf> {
        self.folder.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn set_folder(&self, folder: &Path) {
        *self.folder.lock().unwrap_or_else(PoisonError::into_inner) = Some(folder.to_owned());
    }

    /// Opens a folder. Within the runtime: nobody waits for the list of recent folders to be on the disk.
    ///
    /// # Errors
    /// `FOLDER_UNAVAILABLE` when it does not exist or cannot be read; then the one before stays open.
    pub async fn open(&self, folder: &Path) -> Result<ProjectState, Error> {
        let folder = folder.to_owned();
        let project = blocking(self.engine.projects(), move |projects| projects.project(&folder)).await?;
        self.set_folder(Path::new(&project.path));
        let (projects, path) = (self.engine.projects().clone(), project.path.clone());
        tokio::spawn(async move {
            if let Err(fault) = projects.remember_project(&path).await {
                tracing::warn!(%fault, "the folder was not remembered");
            }
        });
        Ok(project)
    }

    /// Begins a run; a slash command is carried out or becomes its prompt.
    ///
    /// # Errors
    /// `COMMAND_UNKNOWN`, or when the prompt is empty, the folder, session or model cannot be used, or the session is busy. Nothing has
    /// happened then.
    pub async fn start_run(&self, start: StartRun) -> Result<RunningRun, Error> {
        let (opened, start) = self.engine.typed_commands().typed(None, start).await?;
        self.runs().start_run_in(self.presence, opened, start).await
    }

    /// Starts a run like [`Self::start_run`]; the folder, which was just opened, isn't looked through once more.
    ///
    /// # Errors
    /// As [`Self::start_run`].
    pub async fn start_run_in(&self, opened: OpenedFolder, start: StartRun) -> Result<RunningRun, Error> {
        let (opened, start) = self.engine.typed_commands().typed(Some(opened), start).await?;
        self.runs().start_run_in(self.presence, opened, start).await
    }

    /// Begins a run with the message or, where the session's last run has not ended, queues it.
    ///
    /// # Errors
    /// Those of [`Self::start_run`] and of queueing.
    pub async fn send(&self, start: StartRun, mode: QueueMode) -> Result<SendOutcome, Error> {
        let (_, start) = self.engine.typed_commands().typed(None, start).await?;
        self.runs().send(self.presence, start, mode).await
    }

    /// Sends a message written under these names: it begins a run or, where `mode` says how it may wait, is queued.
    /// Pictures are in Base64; a message with pictures doesn't wait.
    ///
    /// # Errors
    /// Those of [`Self::send`], `USAGE` for pictures that can't be shown, and `SESSION_ELSEWHERE` where session and folder
    /// don't belong together.
    pub async fn say(
        &self,
        to: Shown,
        text: String,
        pictures: Vec<String>,
        options: SendOptions,
        mode: Option<QueueMode>,
    ) -> Result<Sent, Error> {
        let prepared = blocking(self.engine().session_reader(), move |reader| {
            Ok((RunTarget::of_shown(reader, to)?, from_base64(&pictures)?))
        });
        let (target, images) = prepared.await?;
        let session_id = match &target {
            RunTarget::Session(session_id) => session_id.to_string(),
            RunTarget::NewSession(_) => String::new(),
        };
        let (model, options) = (options.model, options.approve.into());
        let start = StartRun { model, options, images, ..StartRun::new(target, text) };
        let Some(mode) = mode else { return Ok(Sent::from(&self.start_run(start).await?.0)) };
        match self.send(start, mode).await? {
            SendOutcome::Started((run, _handle)) => Ok(Sent::from(&run)),
            SendOutcome::Queued(message) => {
                Ok(Sent { session_id, run_id: None, message_id: Some(message.to_string()) })
            }
        }
    }

    /// Begins a run with the first message that waits; `None` when none waits.
    ///
    /// # Errors
    /// Those of [`Self::start_run`].
    pub async fn send_next(&self, session_id: &SessionId) -> Result<Option<RunningRun>, Error> {
        self.runs().send_next(self.presence, session_id).await
    }

    /// Goes on with the last run of a session, wherever it stands: after an approval, a budget, a pause, a failure, a
    /// crash. `approve` grants something else than before.
    ///
    /// # Errors
    /// `RUN_NOT_FOUND` when there is nothing to go on with, `SESSION_BUSY` when it is being run.
    pub async fn resume_run(&self, session_id: &SessionId, approve: Option<ApprovalMode>) -> Result<RunningRun, Error> {
        self.runs().resume_run(self.presence, session_id, approve).await
    }

    /// Resumes like [`Self::resume_run`], by the name of a session or one of its runs. Where a session is named whose
    /// run has ended, with the first message that waits in it; whoever names a run wants that one.
    ///
    /// # Errors
    /// Those of [`Self::resume_run`].
    pub async fn go_on(
        &self,
        named: &NamedPlace,
        approve: Option<ApprovalMode>,
        definition: DefinitionChoice,
    ) -> Result<RunningRun, Error> {
        match self.runs().resume_named(self.presence, named, approve, definition).await {
            Err(fault) if fault.is(Code::RUN_NOT_FOUND) && named.run.is_none() => {
                self.send_next(&named.session.session_id).await?.ok_or(fault)
            }
            resumed => resumed,
        }
    }

    /// Begins a run of a pipeline. That approves its own steps; what is denied, protected or secret stays so.
    ///
    /// # Errors
    /// `PIPELINE_NOT_FOUND`, `PIPELINE_INVALID`, `UNTRUSTED`, `USAGE` for parameters or an input that don't fit. Nothing
    /// has happened then.
    pub async fn start_pipeline(&self, start: StartPipeline) -> Result<RunningRun, Error> {
        self.engine.pipeline_runs().start_pipeline(self.presence, start, None).await
    }

    /// Starts what its schedules say is due now.
    ///
    /// # Errors
    /// When the database cannot be used.
    pub async fn start_due(&self) -> Result<Vec<StartedBySchedule>, Error> {
        self.engine.schedules().start_due(self.presence).await
    }

    /// Waits until a schedule may be due; not for long, since somebody may change one, or the clock.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn await_due(&self) -> Result<(), Error> {
        tokio::time::sleep(self.engine.schedules().until_due().await?).await;
        Ok(())
    }

    /// Starts what is due for as long as the engine is there, for a client that stays. Call it within the runtime.
    pub async fn keep_schedules(&self) {
        loop {
            let started = match self.await_due().await {
                Ok(()) => self.start_due().await,
                Err(fault) => Err(fault),
            };
            match started {
                Ok(started) => started.into_iter().filter_map(|one| Some((one.schedule, one.run.err()?))).for_each(
                    |(schedule, fault)| tracing::warn!(schedule, %fault, "a scheduled pipeline did not start"),
                ),
                Err(fault) => {
                    tracing::warn!(%fault, "schedules can't be read");
                    tokio::time::sleep(SCHEDULES_PATIENCE).await;
                }
            }
        }
    }

    /// Runs a pipeline once more, from this step on; what came before it is taken over from that run.
    ///
    /// # Errors
    /// `RUN_NOT_FOUND`, `USAGE` where a step before it has no output, `PIPELINE_CHANGED` where the definition has to be
    /// chosen, and those of [`Self::start_pipeline`].
    pub async fn retry_pipeline(
        &self,
        run_id: &RunId,
        step: &str,
        definition: DefinitionChoice,
    ) -> Result<RunningRun, Error> {
        self.engine.pipeline_runs().retry_pipeline(self.presence, run_id, step, definition).await
    }

    /// Decides what waits, and goes on with the run unless another process works on the session. Once it is begun it is
    /// done, also where nobody waits for it any more.
    ///
    /// # Errors
    /// Where nothing is decided: `APPROVAL_NOT_FOUND`, `APPROVAL_ALREADY_RESOLVED`, `STALE_PREVIEW` and others. Where the
    /// decision is in the log but the run cannot go on: those of [`Self::resume_run`].
    pub async fn decide(&self, approval_id: &ApprovalId, resolution: Resolution) -> Result<DecisionEffect, Error> {
        self.decide_on_request(approval_id, resolution, None).await
    }

    /// Decides like [`Self::decide`], on a request over HTTP that may be sent again.
    ///
    /// # Errors
    /// As [`Self::decide`], and `IDEMPOTENCY_IN_PROGRESS` where another server answers the same request.
    pub async fn decide_on_request(
        &self,
        approval_id: &ApprovalId,
        resolution: Resolution,
        request: Option<AnsweredRequest>,
    ) -> Result<DecisionEffect, Error> {
        let (engine, presence) = (self.engine.clone(), self.presence);
        let by = DecidedBy { name: self.name, request };
        let approval_id = approval_id.clone();
        let deciding = tokio::spawn(async move {
            let decided = engine.approvals().resolve_approval(&approval_id, resolution, by).await?;
            let run = match engine.runs().go_on_after_decision(presence, &decided.session_id).await {
                Ok(run) => Some(run),
                Err(fault) if fault.is(Code::SESSION_BUSY) => None,
                Err(fault) => return Err(fault),
            };
            Ok(DecisionEffect { rule_not_kept: decided.rule_not_kept, run })
        });
        deciding.await.map_err(Error::internal)?
    }

    /// Records the answer to a question and goes on with the run.
    ///
    /// # Errors
    /// `QUESTION_NOT_FOUND`, `QUESTION_ALREADY_ANSWERED`, `USAGE` for an empty or too long answer, `SESSION_BUSY` where
    /// another process works on the session, and those of [`Self::resume_run`]. Nothing is recorded then.
    pub async fn answer_question(
        &self,
        session_id: &SessionId,
        question_id: &QuestionId,
        text: &str,
    ) -> Result<RunningRun, Error> {
        self.runs().answer_question(self.presence, session_id, question_id, text).await
    }

    /// Answers whatever a session's run waits for.
    ///
    /// # Errors
    /// As [`Self::answer_question`].
    pub async fn answer_open_question(&self, session_id: &SessionId, text: &str) -> Result<RunningRun, Error> {
        let open = blocking_for(self.engine.open_questions(), session_id, move |questions, session| {
            questions.question_to_answer(session)
        })
        .await?;
        self.answer_question(session_id, &open.asked.question_id, text).await
    }

    /// Stops the run of a session, also one that waits for an approval or a budget, and one that another process works
    /// on. Nothing to stop is fine.
    ///
    /// # Errors
    /// When the database cannot be used.
    pub async fn stop_session(&self, session_id: &SessionId) -> Result<(), Error> {
        self.runs().stop_session(self.presence, session_id).await
    }

    /// Begins a subscription to observations, and returns the number that [`Self::next_observations`] is asked with.
    ///
    /// # Errors
    /// `SESSION_NOT_FOUND`, or when the database cannot be read.
    pub async fn begin_observations(&self, filter: ObservationFilter) -> Result<u32, Error> {
        if let Some(session_id) = filter.session_id.clone() {
            blocking(self.engine.session_reader(), move |reader| reader.session(&session_id)).await?;
        }
        Ok(self.observing.begin(self.engine.observe(filter)))
    }

    /// Waits for observations: those of the past first, oldest first. `None` when no more will come under this number.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn next_observations(&self, number: u32) -> Result<Option<Vec<Observation>>, Error> {
        self.observing.next(number).await
    }

    /// Ends a subscription, and whoever waits for it stops waiting. No harm where there is none.
    pub fn end_observations(&self, number: u32) {
        self.observing.end(number);
    }

    /// Expires what was pending before a client that stays came, when its time is up. Call it within the runtime.
    pub fn expire_waiting(&self) {
        self.runs().expire_waiting(self.presence);
    }
}
