//! Starting runs: what is checked and recorded before the agent is set to work.

use crate::client::Presence;
use crate::config::{AGENT, Config};
use crate::projects::open::{OpenProject, OpenedFolder, canonical};
use crate::records::blocking;
use crate::runs::Runs;
use crate::runs::active_run::Running;
use crate::runs::hold::SessionHold;
use crate::runs::piped_input::{self, PipedPrompt};
use crate::runs::prompt_images;
use crate::sessions::session_settings::SessionSettings;
use arki_agent::RunControl;
use arki_context::title_from_prompt;
use arki_domain::projection::{RunPhase, RunState};
use arki_domain::{
    Code, EventDraft, EventLog, Fault, MessageId, ParentCall, PauseReason, RunId, RunOptions, RunStarted,
    SessionConfigured, SessionCreated, SessionId, ToolNames, TrustChanged,
};
use std::path::PathBuf;
use std::sync::Arc;

/// The place of a new run.
#[derive(Debug, Clone)]
pub enum RunTarget {
    /// A new session in this folder.
    NewSession(PathBuf),
    Session(SessionId),
}

/// The place where a run begins, and its names.
pub(crate) struct Place {
    pub(crate) session_id: SessionId,
    pub(crate) is_new: bool,
    pub(crate) project: PathBuf,
    pub(crate) run_id: RunId,
    pub(crate) agent: String,
    pub(crate) parent: Option<ParentCall>,
    pub(crate) control: RunControl,
    pub(crate) presence: Presence,
    /// The project, where somebody has just opened it.
    pub(crate) open: Option<OpenProject>,
}

#[derive(Debug, Clone)]
pub struct StartRun {
    pub target: RunTarget,
    pub prompt: String,
    /// `provider/model`; the configured one where `None`.
    pub model: Option<String>,
    /// The name of the core that decides the run's steps; the configured one where `None`.
    pub core: Option<String>,
    pub options: RunOptions,
    /// The pictures that the prompt shows: each a whole file. They are kept, and `options.images` speaks of them.
    pub images: Vec<Vec<u8>>,
    /// The input piped in beside the prompt, which names it; empty where there was none.
    pub piped: Vec<u8>,
    /// The tools that the session's runs don't have from now on; as before where `None`.
    pub disabled_tools: Option<Vec<String>>,
    /// The only tools that the run has, besides other restrictions; those of the command that was typed.
    pub allowed_tools: Option<ToolNames>,
    /// The queued message that the prompt is.
    pub message_id: Option<MessageId>,
}

impl StartRun {
    /// With nothing but what was said.
    #[must_use]
    pub fn new(target: RunTarget, prompt: impl Into<String>) -> Self {
        Self {
            target,
            prompt: prompt.into(),
            model: None,
            core: None,
            options: RunOptions::default(),
            images: Vec::new(),
            piped: Vec::new(),
            disabled_tools: None,
            allowed_tools: None,
            message_id: None,
        }
    }
}

impl Runs {
    /// Appends `run.started` and sets the agent to work.
    ///
    /// # Errors
    /// When the prompt is empty, the folder, session or model cannot be used, or the session is busy. Nothing has
    /// happened then.
    pub(crate) async fn start_run(self: &Arc<Self>, presence: Presence, start: StartRun) -> Result<Running, Fault> {
        self.start_run_in(presence, None, start).await
    }

    /// Starts a run like [`Self::start_run`]; where the folder was just opened, it isn't looked through once more.
    ///
    /// # Errors
    /// As [`Self::start_run`].
    pub(crate) async fn start_run_in(
        self: &Arc<Self>,
        presence: Presence,
        opened: Option<OpenedFolder>,
        start: StartRun,
    ) -> Result<Running, Fault> {
        let (is_new, session_id, project) = match &start.target {
            RunTarget::NewSession(folder) => (true, SessionId::new(), canonical(folder)?),
            RunTarget::Session(session) => {
                (false, session.clone(), PathBuf::from(self.sessions.session(session)?.project))
            }
        };
        let agent = if is_new { AGENT.to_owned() } else { self.sessions.agent_of(&session_id)? };
        let (run_id, control) = (RunId::new(), RunControl::default());
        let open = opened.map(|opened| opened.0).filter(|open| open.project.root() == project);
        self.start_at(
            Place { session_id, is_new, project, run_id, agent, parent: None, control, presence, open },
            start,
        )
        .await
    }

    /// Starts a run like [`Self::start_run`], where the place is known: the target says nothing more.
    pub(crate) async fn start_at(self: &Arc<Self>, place: Place, start: StartRun) -> Result<Running, Fault> {
        let Place { session_id, is_new, project, run_id, agent, parent, control, presence, open } = place;
        if start.prompt.trim().is_empty() {
            return Err(Fault::new(Code::USAGE, "The prompt is empty.", "Say what you want done."));
        }
        let claim = self.sessions.claim(&session_id)?;
        let PipedPrompt { prompt, contents: mut kept, artifacts } =
            piped_input::appended(start.prompt, &start.piped, self.records.redactor())?;
        let (open, config) = self.opened_for(open, project, agent.clone()).await?;
        let mut settings = if is_new { SessionSettings::default() } else { self.sessions.settings(&session_id)? };
        settings.off.extend(start.options.off.iter().cloned());
        let config = config.in_session(&settings);
        self.mcp.meet_mcp_servers(&open, &config).await;
        let core = arki_agent::core(start.core.as_deref().unwrap_or(&config.core))?.name();
        let model = start.model.clone().or(settings.model).unwrap_or_else(|| config.model.clone());
        let (pictures, images) = prompt_images::read(start.images)?;
        let disabled_tools = start.disabled_tools.clone().unwrap_or(settings.disabled_tools);
        if start.disabled_tools.is_some() {
            self.sessions.ensure_known_tools(&open, &config, &disabled_tools)?;
        }
        let options = RunOptions {
            images,
            tools: narrowed(config.policy.tools.as_ref(), start.allowed_tools.as_ref()),
            disabled_tools: [start.options.disabled_tools.clone(), disabled_tools].concat(),
            off: settings.off,
            reasoning_effort: start.options.reasoning_effort.clone().or(settings.effort),
            ..with_limits(start.options, &config)
        };
        let providers = self.accounts.providers(&config);
        providers.model(&model)?;
        if !pictures.is_empty() {
            prompt_images::ensure_seen_by(&providers.live_model_info(&model).await?)?;
        }
        let (is_subagent, session) = (parent.is_some(), session_id.clone());
        let prepared = blocking(self, move |runs| {
            let system = runs.system_prompt(&open, &config, &options, is_subagent)?;
            if !is_new {
                runs.sessions.ensure_whole(&session)?;
            }
            Ok((open, config, options, system))
        });
        let (open, config, options, system) = prepared.await?;
        let system_prompt_hash = self.records.store().put_blob(system.as_bytes()).await?;
        let hold = SessionHold::take(&self.records, &self.sessions, claim, control).await?;
        let session = session_id.clone();
        let history = blocking(self, move |runs| runs.sessions.history(&session)).await?;
        if let Some(run) = history.run.as_ref().filter(|run| !run.is_ended()) {
            self.sessions.ensure_begun_here(&run.run_id)?;
            return Err(busy(&session_id, run));
        }
        kept.extend(pictures);
        self.records.contents().put(&session_id, kept).await?;
        let mut drafts = Vec::new();
        if is_new {
            drafts.push(EventDraft::of_session(SessionCreated {
                title: title_from_prompt(&prompt),
                project: open.path(),
                agent: agent.clone(),
                parent_session: parent.as_ref().map(|parent| parent.session_id.clone()),
            }));
        }
        if start.disabled_tools.is_some() {
            drafts.push(EventDraft::of_session(SessionConfigured {
                disabled_tools: start.disabled_tools,
                ..SessionConfigured::default()
            }));
        }
        let trust = TrustChanged { project: open.path(), trusted: open.is_trusted(), pins: open.pins() };
        if history.trust.as_ref() != Some(&trust) {
            drafts.push(EventDraft::of_session(trust));
        }
        drafts.extend(self.sessions.settle_interrupted_restoration(&session_id, &open)?);
        drafts.extend(self.lost_in_background(&session_id, history.transcript.background().going()).await?);
        drafts.push(EventDraft::of_run(
            &run_id,
            RunStarted {
                prompt,
                agent,
                model,
                core: core.to_owned(),
                system_prompt_hash,
                options,
                message_id: start.message_id,
                parent,
            },
        ));
        drafts.extend(artifacts.into_iter().map(|kept| EventDraft::of_run(&run_id, kept)));
        self.records.log().append(&session_id, drafts).await?;
        let history = self.sessions.history_since(history, &session_id, &run_id)?;
        self.launch(session_id, history, open, config, Arc::from(system), (hold, presence)).await
    }

    /// The folder and what is configured for an agent in it.
    pub(crate) async fn opened_for(
        self: &Arc<Self>,
        open: Option<OpenProject>,
        project: PathBuf,
        agent: String,
    ) -> Result<(OpenProject, Config), Fault> {
        blocking(self, move |runs| {
            let open = open.map_or_else(|| runs.projects.load_project(&project), Ok)?;
            let config = runs.projects.config_of(&open)?.for_agent(&agent)?;
            Ok((open, config))
        })
        .await
    }
}

/// What both allow.
fn narrowed(one: Option<&ToolNames>, other: Option<&ToolNames>) -> Option<ToolNames> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.narrowed_to(other)),
        (one, other) => one.or(other).cloned(),
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
