//! Starting runs: what is checked and recorded before the agent is set to work.

use crate::projects::open::canonical;
use crate::runs::place::RunPlace;
use crate::runs::preparing::PreparedRun;
use crate::runs::prompt_images;
use crate::session_reader::overview::agent_in;
use crate::sessions::claim::{STOP_PATIENCE, STOP_POLL};
use crate::{
    ClaimedWork, ClientCapabilities, History, OpenedFolder, RunTarget, RunningRun, Runs, SendOutcome, SessionHold,
    SessionSettings, StartRun, blocking, blocking_for,
};
use arki_context::title_from_prompt;
use arki_domain::projection::{Overview, RunPhase, RunState};
use arki_domain::{
    Code, Error, EventDraft, EventLog, PauseReason, QueueMode, RunOptions, RunStarted, SessionConfigured,
    SessionCreated, SessionId, SessionSource, TrustChanged,
};
use std::path::PathBuf;
use std::sync::Arc;

impl Runs {
    /// Appends `run.started` and sets the agent to work. Where the folder was just opened, it isn't looked through once more.
    ///
    /// # Errors
    /// When the prompt is empty, the folder, session or model cannot be used, or the session is busy. Nothing has
    /// happened then.
    pub(crate) async fn start_run_in(
        self: &Arc<Self>,
        presence: ClientCapabilities,
        opened: Option<OpenedFolder>,
        start: StartRun,
    ) -> Result<RunningRun, Error> {
        if let RunTarget::Session(session) = &start.target {
            self.sessions.until_let_go(session).await?;
        }
        let target = start.target.clone();
        let place = blocking(self, move |runs| match target {
            RunTarget::NewSession(folder) => Ok(RunPlace::of_new_session(canonical(&folder)?, presence)),
            RunTarget::Session(session) => {
                let overview = runs.reader.overview(&session)?;
                runs.next_place(session, overview, presence)
            }
        });
        let place = place.await?;
        let open = opened.map(|opened| opened.0).filter(|open| open.project.root() == place.project);
        self.start_at(RunPlace { open, ..place }, start).await
    }

    /// Begins a run with the message or, where the session's last run has not ended, queues it.
    ///
    /// # Errors
    /// Those of [`Self::start_run_in`] and [`super::queue::MessageQueues::queue_message`], and `SESSION_BUSY` for pictures that would have to wait.
    pub(crate) async fn send(
        self: &Arc<Self>,
        presence: ClientCapabilities,
        start: StartRun,
        mode: QueueMode,
    ) -> Result<SendOutcome, Error> {
        let RunTarget::Session(session_id) = start.target.clone() else {
            return self.start_run_in(presence, None, start).await.map(SendOutcome::Started);
        };
        let text = start.prompt.clone();
        let shows_pictures = !start.images.is_empty();
        match self.start_run_in(presence, None, start).await {
            Err(fault) if fault.is(Code::SESSION_BUSY) && shows_pictures => Err(Error::new(
                Code::SESSION_BUSY,
                "A message with pictures can't wait in the queue.",
                "Send it when the current run has ended, or without its pictures.",
            )),
            Err(fault) if fault.is(Code::SESSION_BUSY) => {
                self.queues.queue_message(&session_id, text, mode).await.map(SendOutcome::Queued)
            }
            started => started.map(SendOutcome::Started),
        }
    }

    /// Begins a run with the first message that waits, as the run before was begun; `None` when none waits.
    ///
    /// # Errors
    /// Those of [`Self::start_run_in`].
    pub(crate) async fn send_next(
        self: &Arc<Self>,
        presence: ClientCapabilities,
        session_id: &SessionId,
    ) -> Result<Option<RunningRun>, Error> {
        self.sessions.until_let_go(session_id).await?;
        let session = session_id.clone();
        match blocking(self, move |runs| runs.next_start(session, presence)).await? {
            Some((place, start)) => self.start_at(place, start).await.map(Some),
            None => Ok(None),
        }
    }

    fn next_start(
        &self,
        session_id: SessionId,
        presence: ClientCapabilities,
    ) -> Result<Option<(RunPlace, StartRun)>, Error> {
        let overview = self.reader.overview(&session_id)?;
        let Some(next) = overview.queue.messages().first().cloned() else { return Ok(None) };
        let last = overview.run.as_ref();
        let start = StartRun {
            model: overview.model.clone().or_else(|| last.map(|run| run.model.clone())),
            options: last.map_or_else(RunOptions::default, |run| RunOptions {
                images: Vec::new(),
                // What is off and how hard the model thinks is the session's to say.
                off: Vec::new(),
                reasoning_effort: None,
                ..run.options.clone()
            }),
            message_id: Some(next.message_id),
            ..StartRun::new(RunTarget::Session(session_id.clone()), next.text)
        };
        Ok(Some((self.next_place(session_id, overview, presence)?, start)))
    }

    /// A run that has completed is followed by the next message that waits, where its program stays. Runs that others worked
    /// on, or that came with an import, begin nothing here.
    pub(crate) fn follow_up_soon(self: &Arc<Self>, presence: ClientCapabilities, session_id: &SessionId) {
        if presence.stays {
            let (runs, session_id) = (self.clone(), session_id.clone());
            tokio::spawn(async move { runs.follow_up(presence, &session_id).await });
        }
    }

    /// Another may have taken the session meanwhile, for a moment.
    async fn follow_up(self: &Arc<Self>, presence: ClientCapabilities, session_id: &SessionId) {
        let give_up = tokio::time::Instant::now() + STOP_PATIENCE;
        loop {
            match self.send_next(presence, session_id).await {
                Err(fault) if fault.is(Code::SESSION_BUSY) && tokio::time::Instant::now() < give_up => {
                    tokio::time::sleep(STOP_POLL).await;
                }
                Err(fault) => return tracing::warn!(%session_id, %fault, "the next message waits on"),
                Ok(_) => return,
            }
        }
    }

    /// Returns where a session's next run begins.
    pub(crate) fn next_place(
        &self,
        session_id: SessionId,
        overview: Overview,
        presence: ClientCapabilities,
    ) -> Result<RunPlace, Error> {
        let project = PathBuf::from(self.reader.session(&session_id)?.project);
        let settings = SessionSettings::in_overview(&overview);
        let agent = agent_in(overview);
        Ok(RunPlace { session_id, is_new: false, agent, settings, ..RunPlace::of_new_session(project, presence) })
    }

    /// Starts a run like [`Self::start_run_in`], where the place is known: the target says nothing more.
    pub(crate) async fn start_at(self: &Arc<Self>, place: RunPlace, start: StartRun) -> Result<RunningRun, Error> {
        let RunPlace { session_id, is_new, project, run_id, agent, parent, control, presence, open, mut settings } =
            place;
        if start.prompt.trim().is_empty() {
            return Err(Error::new(Code::USAGE, "The prompt is empty.", "Say what you want done."));
        }
        let request = start.request.clone();
        let claim = self.sessions.claim(&session_id, ClaimedWork::Run)?;
        settings.off.extend(start.options.off.iter().cloned());
        let (open, config) =
            self.preparation.opened_for(&session_id, open, project, agent.clone(), settings.clone()).await?;
        let scope = (parent.is_some(), presence);
        let are_shown = !start.images.is_empty();
        let prepared = blocking(&self.preparation, move |it| it.prepared(open, config, start, settings, scope));
        let mut prepared = prepared.await?;
        if !prepared.options.images.is_empty() {
            let providers = self.accounts.providers(&prepared.config);
            match prompt_images::ensure_seen_by(&providers.live_model_info(&prepared.model).await?) {
                // A picture that is only mentioned is a file like any other.
                Err(_) if !are_shown => prepared.options.images.clear(),
                seen => seen?,
            }
        }
        let system_prompt_hash = self.records.store().contents().put_blob(prepared.system.as_bytes()).await?;
        let hold = SessionHold::take(&self.records, &self.sessions, claim, control).await?;
        let standing = blocking_for(self, &session_id, move |runs, session| runs.standing(session, is_new, prepared));
        let (history, prepared, mut drafts) = standing.await?;
        self.records.contents().put(&session_id, prepared.contents).await?;
        if is_new {
            let created = SessionCreated {
                title: title_from_prompt(&prepared.prompt),
                project: prepared.open.place(),
                agent: agent.clone(),
                parent_session: parent.as_ref().map(|parent| parent.session_id.clone()),
                worktree: self.projects.session_worktrees().worktree_at(&prepared.open.place()),
            };
            drafts.insert(0, EventDraft::of_session(created));
        }
        drafts.extend(self.background.lost(&session_id, history.transcript.background().going()).await?);
        let started = RunStarted {
            prompt: prepared.prompt,
            agent,
            model: prepared.model,
            core: prepared.core.to_owned(),
            system_prompt_hash,
            options: prepared.options,
            message_id: prepared.message_id,
            session_start: self.session_start(&session_id, is_new).filter(|_| parent.is_none()),
            parent,
            request,
        };
        drafts.push(EventDraft::of_run(&run_id, started));
        drafts.extend(prepared.artifacts.into_iter().map(|kept| EventDraft::of_run(&run_id, kept)));
        self.records.log().append(&session_id, drafts).await?;
        let history =
            blocking_for(self, &session_id, move |runs, session| runs.reader.history_since(history, session, &run_id))
                .await?;
        let system = Arc::from(prepared.system);
        self.launch(session_id, history, prepared.open, prepared.config, system, (hold, presence)).await
    }

    /// Returns why the session's start is told to hooks, if it is: once a program.
    fn session_start(&self, session_id: &SessionId, is_new: bool) -> Option<SessionSource> {
        match is_new {
            true => Some(SessionSource::Startup),
            false => (!self.active.has_taken_up(session_id)).then_some(SessionSource::Resume),
        }
    }

    /// Returns the session's past, and what is said before the run: only in a session that was taken nothing of it
    /// changes any more.
    fn standing(
        &self,
        session_id: &SessionId,
        is_new: bool,
        mut prepared: PreparedRun,
    ) -> Result<(History, PreparedRun, Vec<EventDraft>), Error> {
        let history = if is_new { History::for_run() } else { self.reader.history_for_run(session_id)? };
        if let Some(run) = history.run.as_ref().filter(|run| !run.is_ended()) {
            self.reader.ensure_begun_here(&run.run_id)?;
            return Err(busy(session_id, run));
        }
        let mut drafts = Vec::new();
        if !is_new && self.reader.awaits_its_title(session_id)? {
            let title = Some(title_from_prompt(&prepared.prompt));
            drafts.push(EventDraft::of_session(SessionConfigured { title, ..SessionConfigured::default() }));
        }
        if let Some(disabled_tools) = prepared.disabled_tools.take() {
            let disabled_tools = Some(disabled_tools);
            let configured = SessionConfigured { disabled_tools, ..SessionConfigured::default() };
            drafts.push(EventDraft::of_session(configured));
        }
        let open = &prepared.open;
        let trust = TrustChanged { project: open.path(), trusted: open.is_trusted(), pins: open.pins() };
        if history.trust.as_ref() != Some(&trust) {
            drafts.push(EventDraft::of_session(trust));
        }
        drafts.extend(self.restorations.settle_interrupted_restoration(session_id, open)?);
        Ok((history, prepared, drafts))
    }
}

fn busy(session_id: &SessionId, run: &RunState) -> Error {
    let (what, hint) = if matches!(run.phase, RunPhase::Paused(PauseReason::Approval)) {
        ("waits for an approval", "Decide it first: `arki approvals list`.".to_owned())
    } else if run.open_question().is_some() {
        ("waits for an answer", format!("Answer it first: `arki resume {session_id}` shows the question."))
    } else {
        ("has a run that has not ended", "Resume it with `arki resume`, or stop it.".to_owned())
    };
    Error::new(Code::SESSION_BUSY, format!("The session {session_id} {what}."), hint)
}
