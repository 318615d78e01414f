//! Reflection after runs, where the user turned it on: conclusions from what was observed, for the user's review. On
//! nobody's way, and where it fails nothing happens but that it is tried again later.

use crate::accounts::Accounts;
use crate::log_anchors::LogAnchors;
use crate::projects::Projects;
use crate::records::{Records, blocking};
use crate::runs::afterwards::Afterwards;
use crate::session_reader::SessionReader;
use arki_agent::SessionLog;
use arki_context::{reflection_request, reflections};
use arki_domain::{Error, EventBody, EventDraft, EventId, EventLog, Remembered, RequestPurpose, SessionId};
use arki_export::Stretch;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

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

/// Asks a model what follows from what was observed, after runs.
pub(super) struct Reflector {
    pub(super) records: Arc<Records>,
    pub(super) accounts: Arc<Accounts>,
    pub(super) projects: Arc<Projects>,
    pub(super) reader: Arc<SessionReader>,
    pub(super) anchors: Arc<LogAnchors>,
}

impl Reflector {
    /// Begins to reflect on a session whose run has ended, where that is due.
    pub(super) fn reflect_soon(self: &Arc<Self>, afterwards: &Afterwards, session_id: &SessionId, project: &str) {
        if self.records.is_ephemeral() || !self.accounts.user_config().is_ok_and(|config| config.reflects) {
            return;
        }
        let (reflector, session_id, project) = (self.clone(), session_id.clone(), project.to_owned());
        afterwards.begin(async move {
            if let Err(fault) = reflector.reflect(&session_id, &project).await {
                tracing::warn!(%session_id, code = fault.code, %fault, "no conclusions were drawn");
            }
        });
    }

    async fn reflect(self: &Arc<Self>, session_id: &SessionId, project: &str) -> Result<(), Error> {
        let session = session_id.clone();
        let since = blocking(self, move |reflector| reflector.since_reflection(&session)).await?;
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
        let own = Stretch { session_id: session_id.clone(), to_seq: None };
        self.reader.each_event(&own, |event| match event.body() {
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
