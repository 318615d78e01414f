//! Starting runs, going on with them, and stopping them.

use crate::Engine;
use crate::config::{AGENT, Config};
use crate::launch::Work;
use crate::projects::canonical;
use crate::prompt_images;
use crate::resume::Resume;
use arki_agent::{RunControl, RunEnd};
use arki_domain::projection::{RunPhase, RunState};
use arki_domain::{
    Code, EventDraft, EventLog, Fault, MessageId, ParentCall, PauseReason, RunId, RunOptions, RunStarted,
    SessionConfigured, SessionCreated, SessionId, TrustChanged,
};
use arki_store::LeaseRequest;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use tokio::task::JoinHandle;

/// How long the end of the program waits for its runs to stop.
pub(crate) const STOP_PATIENCE: Duration = Duration::from_secs(3);
pub(crate) const STOP_POLL: Duration = Duration::from_millis(10);
const MAX_TITLE_CHARS: usize = 80;
const CORE: &str = "tool-loop";

/// Where a new run belongs.
#[derive(Debug, Clone)]
pub enum RunTarget {
    /// A new session in this folder.
    NewSession(PathBuf),
    Session(SessionId),
}

/// Where a run begins, and under which names.
pub(crate) struct Place {
    pub(crate) session_id: SessionId,
    pub(crate) is_new: bool,
    pub(crate) project: PathBuf,
    pub(crate) run_id: RunId,
    pub(crate) agent: String,
    pub(crate) parent: Option<ParentCall>,
    pub(crate) control: RunControl,
}

#[derive(Debug, Clone)]
pub struct StartRun {
    pub target: RunTarget,
    pub prompt: String,
    /// `provider/model`; the configured one where `None`.
    pub model: Option<String>,
    pub options: RunOptions,
    /// The pictures that the prompt shows: each a whole file. They are kept, and `options.images` speaks of them.
    pub images: Vec<Vec<u8>>,
    /// The tools that the session's runs don't have from now on; as before where `None`.
    pub disabled_tools: Option<Vec<String>>,
    /// The queued message that the prompt is.
    pub message_id: Option<MessageId>,
}

/// A run that this process is working on.
#[derive(Clone)]
pub struct ActiveRun {
    pub session_id: SessionId,
    pub run_id: RunId,
    /// The session of the sub-agent that the run waited for when it went on.
    pub subagent: Option<SessionId>,
    pub(crate) control: RunControl,
}

impl ActiveRun {
    /// Asks the run to stop; what has arrived of an answer is kept.
    pub fn stop(&self) {
        self.control.cancel.cancel();
    }

    /// Asks the run to pause after the step it is at.
    pub fn pause(&self) {
        self.control.pause.cancel();
    }

    /// Ends the wait before a retry, if the run is at one.
    pub fn retry_now(&self) {
        self.control.skip_wait.notify_waiters();
    }
}

/// A run in progress; the handle ends with its next stop.
pub(crate) type Running = (ActiveRun, JoinHandle<Result<RunEnd, Fault>>);

impl Engine {
    /// Appends `run.started` and sets the agent to work.
    ///
    /// # Errors
    /// When the prompt is empty, the folder, session or model cannot be used, or the session is busy. Nothing has
    /// happened then.
    pub async fn start_run(self: &Arc<Self>, start: StartRun) -> Result<Running, Fault> {
        let (is_new, session_id, project) = match &start.target {
            RunTarget::NewSession(folder) => (true, SessionId::new(), canonical(folder)?),
            RunTarget::Session(session) => (false, session.clone(), PathBuf::from(self.session(session)?.project)),
        };
        let agent = if is_new { AGENT.to_owned() } else { self.agent_of(&session_id)? };
        let (run_id, control) = (RunId::new(), RunControl::default());
        self.start_at(Place { session_id, is_new, project, run_id, agent, parent: None, control }, start).await
    }

    /// The agent that works in a session; the first one where a damaged log no longer says.
    pub(crate) fn agent_of(&self, session_id: &SessionId) -> Result<String, Fault> {
        let agent = self.overview(session_id)?.agent;
        Ok(if agent.is_empty() { AGENT.to_owned() } else { agent })
    }

    /// As [`Self::start_run`], where the place is known: the target says nothing more.
    pub(crate) async fn start_at(self: &Arc<Self>, place: Place, start: StartRun) -> Result<Running, Fault> {
        let Place { session_id, is_new, project, run_id, agent, parent, control } = place;
        if start.prompt.trim().is_empty() {
            return Err(Fault::new(Code::USAGE, "The prompt is empty.", "Say what you want done."));
        }
        let work = Work { claim: self.claim(&session_id)?, control };
        let open = self.load_project(&project)?;
        let config = self.config_of(&open)?.for_agent(&agent)?;
        self.meet_mcp_servers(&open, &config).await;
        let model = start.model.clone().unwrap_or_else(|| config.model.clone());
        let (pictures, images) = prompt_images::read(start.images)?;
        let disabled_tools = self.disabled_tools(&session_id, is_new, start.disabled_tools.as_ref())?;
        if start.disabled_tools.is_some() {
            self.ensure_known_tools(&open, &config, &disabled_tools)?;
        }
        let options = RunOptions {
            images,
            tools: config.policy.tools.clone(),
            disabled_tools: [start.options.disabled_tools.clone(), disabled_tools].concat(),
            ..with_limits(start.options, &config)
        };
        let providers = self.providers(&config);
        providers.model(&model)?;
        if !pictures.is_empty() {
            prompt_images::ensure_seen_by(&providers.live_model_info(&model).await?)?;
        }
        let system = self.system_prompt(&open, &config, &options, parent.is_some())?;
        let system_prompt_hash = self.store.put_blob(system.as_bytes()).await?;
        if !is_new {
            self.ensure_whole(&session_id)?;
        }
        self.store.acquire_lease(&session_id, &self.owner, std::process::id()).await?;
        let history = self.history(&session_id, None)?;
        if let Some(run) = history.run.as_ref().filter(|run| !run.is_ended()) {
            self.store.release_lease(&session_id, &self.owner).await?;
            return Err(busy(&session_id, run));
        }
        self.keep_pictures(&session_id, pictures).await?;
        let mut drafts = Vec::new();
        if is_new {
            drafts.push(EventDraft::of_session(SessionCreated {
                title: title(&start.prompt),
                project: open.path(),
                agent: agent.clone(),
                parent_session: parent.as_ref().map(|parent| parent.session_id.clone()),
            }));
        }
        if start.disabled_tools.is_some() {
            drafts.push(EventDraft::of_session(SessionConfigured {
                model: None,
                approve: None,
                disabled_tools: start.disabled_tools,
            }));
        }
        let trust = TrustChanged { project: open.path(), trusted: open.is_trusted(), pins: open.pins() };
        if history.trust.as_ref() != Some(&trust) {
            drafts.push(EventDraft::of_session(trust));
        }
        drafts.extend(self.lost_in_background(&session_id, history.transcript.background().going()).await?);
        drafts.push(EventDraft::of_run(
            &run_id,
            RunStarted {
                prompt: start.prompt,
                agent,
                model,
                core: CORE.to_owned(),
                system_prompt_hash,
                options,
                message_id: start.message_id,
                parent,
            },
        ));
        self.log.append(&session_id, drafts).await?;
        let history = self.history(&session_id, Some(&run_id))?;
        self.launch(session_id, history, &open, &config, Arc::from(system), work)
    }

    /// Stops the run of a session, also one that waits for an approval or a budget, and one that another process works
    /// on. Nothing to stop is fine.
    ///
    /// # Errors
    /// When the database cannot be used.
    pub async fn stop_session(self: &Arc<Self>, session_id: &SessionId) -> Result<(), Fault> {
        if let Some(active) = self.active_run(session_id) {
            active.stop();
            return Ok(());
        }
        let above = self.run_above(session_id)?;
        match self.cancel_run(session_id).await {
            Err(fault) if fault.is(Code::SESSION_BUSY) => self.ask(session_id, LeaseRequest::Stop, fault).await,
            // The run that waited for it hears of it.
            Ok(Some(ended)) if above != *session_id => {
                ended.await.map_err(Fault::internal)??;
                self.resume(&above, Resume::default()).await.map(drop)
            }
            ended => ended.map(drop),
        }
    }

    /// Pauses the run of a session after the step it is at. Where none is at work there is nothing to pause.
    ///
    /// # Errors
    /// When the database cannot be used.
    pub async fn pause_session(&self, session_id: &SessionId) -> Result<(), Fault> {
        if let Some(active) = self.active_run(session_id) {
            active.pause();
            return Ok(());
        }
        self.store.request(session_id, LeaseRequest::Pause).await?;
        Ok(())
    }

    /// Ends the wait before a retry of a run of this process. Where none waits there is nothing to end.
    pub fn retry_now(&self, session_id: &SessionId) {
        if let Some(active) = self.active_run(session_id) {
            active.retry_now();
        }
    }

    /// Asks the process that works on the session; `busy` when there is none.
    async fn ask(&self, session_id: &SessionId, request: LeaseRequest, busy: Fault) -> Result<(), Fault> {
        match self.store.request(session_id, request).await? {
            true => Ok(()),
            false => Err(busy),
        }
    }

    /// Ends a run that is not at work; `None` when there is nothing to end. The handle ends with it.
    pub(crate) async fn cancel_run(
        self: &Arc<Self>,
        session_id: &SessionId,
    ) -> Result<Option<JoinHandle<Result<RunEnd, Fault>>>, Fault> {
        if self.overview(session_id)?.run.is_none_or(|run| run.is_ended()) {
            return Ok(None);
        }
        // Cancelled before it begins: it must not get as far as asking again.
        let control = RunControl::default();
        control.cancel.cancel();
        match self.resume(session_id, Resume { control, ..Resume::default() }).await {
            Err(fault) if fault.is(Code::RUN_NOT_FOUND) => Ok(None),
            resumed => resumed.map(|(_, handle)| Some(handle)),
        }
    }

    /// Stops every run of this process, its background commands and MCP servers, and waits until they have, for a short
    /// while.
    pub async fn stop_all(&self) {
        let is_idle = || {
            let active = self.active.lock().unwrap_or_else(PoisonError::into_inner);
            active.values().for_each(ActiveRun::stop);
            active.is_empty()
        };
        let stopped = async {
            while !is_idle() {
                tokio::time::sleep(STOP_POLL).await;
            }
        };
        if tokio::time::timeout(STOP_PATIENCE, stopped).await.is_err() {
            tracing::warn!("a run did not stop in time");
        }
        if tokio::time::timeout(STOP_PATIENCE, self.stop_background()).await.is_err() {
            tracing::warn!("a background command did not stop in time");
        }
        if tokio::time::timeout(STOP_PATIENCE, self.stop_mcp_servers()).await.is_err() {
            tracing::warn!("an MCP server did not stop in time");
        }
    }

    fn active_run(&self, session_id: &SessionId) -> Option<ActiveRun> {
        self.active.lock().unwrap_or_else(PoisonError::into_inner).get(session_id).cloned()
    }
}

fn with_limits(options: RunOptions, config: &Config) -> RunOptions {
    RunOptions {
        max_turns: options.max_turns.or(config.max_turns),
        max_seconds: options.max_seconds.or(config.max_seconds),
        max_cost_usd: options.max_cost_usd.or(config.max_cost_usd),
        approval_timeout_seconds: options.approval_timeout_seconds.or(config.approval_timeout_seconds),
        ..options
    }
}

fn busy(session_id: &SessionId, run: &RunState) -> Fault {
    let (what, hint) = if matches!(run.phase, RunPhase::Paused(PauseReason::Approval)) {
        ("waits for an approval", "Decide it first: `arki approvals list`.".to_owned())
    } else if run.open_question().is_some() {
        ("waits for an answer", format!("Answer it first: `arki resume {session_id}` shows what is asked."))
    } else {
        ("has a run that has not ended", "Go on with it or stop it first: `arki resume`.".to_owned())
    };
    Fault::new(Code::SESSION_BUSY, format!("The session {session_id} {what}."), hint)
}

/// The prompt's first line, cut at a word.
fn title(prompt: &str) -> String {
    let line = prompt.trim().lines().next().unwrap_or_default().trim();
    if line.chars().count() <= MAX_TITLE_CHARS {
        return line.to_owned();
    }
    let cut: String = line.chars().take(MAX_TITLE_CHARS).collect();
    let whole = cut.rsplit_once(' ').map_or(cut.as_str(), |(head, _)| head);
    format!("{}…", whole.trim_end_matches([',', ';', ':', '.']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_the_first_line_cut_at_a_word() {
        assert_eq!(title("  Fix it\nnow"), "Fix it");
        let long = title(&"word ".repeat(40));
        assert!(long.ends_with("word…") && long.chars().count() <= MAX_TITLE_CHARS + 1);
    }
}
