//! The work that follows the end of a run, on nobody's way: its session's snapshot and anchor, notices, worktrees that
//! nobody needs, and reflection.
//!
//! Reflection is done where the user turned it on: conclusions from what was observed, for the user's review. Where it
//! fails, nothing happens but that it is tried again later.

use crate::runs::notifying::RunNotices;
use crate::{Accounts, LogAnchors, Projects, Records, SessionReader, Sessions, blocking, blocking_for};
use arki_agent::{RunEnd, SessionLog};
use arki_context::{reflection_request, reflections};
use arki_domain::{
    Code, Error, EventBody, EventDraft, EventId, EventLog, ParentCall, Remembered, RequestPurpose, SessionId,
};
use arki_tools::BackgroundCommands;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::task::JoinHandle;

/// The number of new runs that is enough to reflect on.
const ENOUGH_RUNS: usize = 3;
const ENOUGH_OBSERVATIONS: usize = 8;
/// The time limit for the model's answer.
const MAX_ANSWER: Duration = Duration::from_secs(120);

/// The events of a session since a model was last asked to reflect on it.
#[derive(Default)]
struct SinceReflection {
    goals: Vec<String>,
    /// Runs of which there is something to say.
    runs: usize,
    observations: Vec<Remembered>,
    model: Option<String>,
}

/// Settles what runs leave, and asks a model what follows from what was observed.
pub(super) struct RunSettling {
    pub(super) records: Arc<Records>,
    pub(super) accounts: Arc<Accounts>,
    pub(super) projects: Arc<Projects>,
    pub(super) reader: Arc<SessionReader>,
    pub(super) sessions: Arc<Sessions>,
    pub(super) anchors: Arc<LogAnchors>,
    pub(super) commands: Arc<BackgroundCommands>,
    pub(super) notices: Arc<RunNotices>,
    pub(super) afterwards: Afterwards,
}

impl RunSettling {
    /// Removes the worktrees of the project whose changes nobody can take any more: their run has ended, or its session is
    /// gone. Returns whether there is something to tell of it.
    pub(super) async fn discard_trees(self: &Arc<Self>, project: &str) -> bool {
        let folder = project.to_owned();
        let over = blocking(self, move |it| {
            let is_over = |parent: &ParentCall| match it.reader.overview(&parent.session_id) {
                Ok(overview) => overview.run.is_none_or(|run| run.run_id != parent.run_id || !run.can_go_on()),
                Err(fault) => fault.is(Code::SESSION_NOT_FOUND),
            };
            Ok(it.projects.subagent_worktrees().those(|origin, parent| origin == Path::new(&folder) && is_over(parent)))
        });
        let discarded = async { self.projects.discard_trees(over.await?, &self.commands).await };
        discarded.await.unwrap_or_else(|fault| {
            tracing::warn!(%fault, "the worktrees of sub-agents were not looked through");
            false
        })
    }

    /// Keeps a session's overview, and vouches for its log.
    pub(super) async fn keep(&self, session_id: &SessionId, ended: &Result<RunEnd, Error>) {
        self.sessions.keep_snapshot_quietly(session_id).await;
        self.anchors.anchor_soon(session_id);
        if let Err(fault) = ended {
            tracing::error!(%session_id, code = fault.code, %fault, "a run stopped: its log cannot be written");
        }
    }

    pub(super) async fn settle(self: &Arc<Self>, session_id: &SessionId, project: &str, ended: &Result<RunEnd, Error>) {
        self.keep(session_id, ended).await;
        let Ok(end) = ended else { return };
        if !end.waits() {
            self.reflect_soon(session_id, project);
        }
        // In the window and by the doctor it is told until the next run begins.
        if let RunEnd::Failed(fault) = end
            && fault.is(Code::GUARD_UNFINISHED)
        {
            let (project, note) = (project.to_owned(), format!("{} {}", fault.message, fault.hint));
            let added = blocking(&self.projects, move |projects| {
                projects.leavings().add(&project, &[note]);
                Ok(())
            });
            if let Err(fault) = added.await {
                tracing::warn!(%session_id, %fault, "what the guard left undone is not kept");
            }
        }
    }

    /// Begins to reflect on a session whose run has ended, where that is due.
    fn reflect_soon(self: &Arc<Self>, session_id: &SessionId, project: &str) {
        if self.records.is_ephemeral() || !self.accounts.user_config().is_ok_and(|config| config.reflects) {
            return;
        }
        let (settling, session_id, project) = (self.clone(), session_id.clone(), project.to_owned());
        self.afterwards.begin(async move {
            if let Err(fault) = settling.reflect(&session_id, &project).await {
                tracing::warn!(%session_id, code = fault.code, %fault, "no conclusions were drawn");
            }
        });
    }

    async fn reflect(self: &Arc<Self>, session_id: &SessionId, project: &str) -> Result<(), Error> {
        let since = blocking_for(self, session_id, move |settling, session| settling.since_reflection(session)).await?;
        let is_due = since.runs >= ENOUGH_RUNS || since.observations.len() >= ENOUGH_OBSERVATIONS;
        let Some(model) = since.model.as_deref().filter(|_| is_due) else { return Ok(()) };
        let folder = Path::new(project).to_owned();
        let projects = &self.projects;
        let config = blocking(projects, move |projects| projects.config_of(&projects.load_project(&folder)?)).await?;
        let model = self.accounts.providers(&config).model(model)?;
        // The run's own log is closed: its lease is given back.
        let log: &dyn EventLog = &**self.records.log();
        let request = reflection_request(&since.goals, &since.observations);
        let answer = arki_agent::reflect(SessionLog { log, session_id }, &*model, &request, MAX_ANSWER).await?;
        let reflected = reflections(&answer, &since.observations, || EventId::new().to_string());
        if !reflected.reflections.is_empty() {
            log.append(session_id, vec![EventDraft::of_session(reflected)]).await?;
        }
        self.anchors.anchor_soon(session_id);
        Ok(())
    }

    fn since_reflection(&self, session_id: &SessionId) -> Result<SinceReflection, Error> {
        let mut since = SinceReflection::default();
        self.reader.each_own_event(session_id, 0, |event| match event.body() {
            EventBody::RunStarted(started) => {
                since.goals.push(started.prompt);
                // A sub-agent's work is told above.
                since.model = started.parent.is_none().then_some(started.model);
            }
            EventBody::HookRan(ran) if ran.blocks_prompt() => _ = since.goals.pop(),
            EventBody::MemoryObserved(observed) => {
                since.runs += 1;
                since.observations.extend(observed.observations);
            }
            EventBody::EngineRequest(request) if request.purpose == Some(RequestPurpose::Reflection) => {
                since = SinceReflection { model: since.model.take(), ..SinceReflection::default() };
            }
            _ => {}
        })?;
        Ok(since)
    }
}

/// The tasks that follow runs and that only the end of the program waits for.
#[derive(Default)]
pub struct Afterwards {
    tasks: Mutex<Vec<JoinHandle<()>>>,
}

impl Afterwards {
    /// Begins something that follows a run.
    pub(super) fn begin(&self, work: impl Future<Output = ()> + Send + 'static) {
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        tasks.retain(|task| !task.is_finished());
        tasks.push(tokio::spawn(work));
    }

    /// Waits until what follows the runs is done. For the end of the program.
    pub async fn finish(&self) {
        let tasks = std::mem::take(&mut *self.tasks.lock().unwrap_or_else(PoisonError::into_inner));
        for task in tasks {
            let _ = task.await;
        }
    }
}
