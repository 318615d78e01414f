//! Prepares the inputs of a run before its session is taken: the folder, its configuration and MCP servers, the prompt
//! with what belongs to it, the system prompt.

use crate::accounts::Accounts;
use crate::client_capabilities::ClientCapabilities;
use crate::executor_factory::ExecutorFactory;
use crate::mcp::Mcp;
use crate::projects::Projects;
use crate::projects::open::OpenProject;
use crate::records::{Records, blocking};
use crate::runs::mentions::{DraftMentions, Mentioned};
use crate::runs::piped_input::{self, PipedPrompt};
use crate::runs::place::StartRun;
use crate::runs::prompt_images;
use crate::runs::system_prompt::{PromptScope, SystemPrompts};
use crate::sessions::session_settings::SessionSettings;
use arki_config::Config;
use arki_domain::{ArtifactEmitted, Content, Error, MessageId, RunOptions, SessionId, ToolNames};
use std::path::PathBuf;
use std::sync::Arc;

/// The inputs of a run that don't depend on the session's log.
pub(crate) struct PreparedRun {
    pub(crate) open: OpenProject,
    pub(crate) config: Config,
    pub(crate) core: &'static str,
    pub(crate) model: String,
    pub(crate) prompt: String,
    pub(crate) options: RunOptions,
    pub(crate) system: String,
    pub(crate) contents: Vec<Content>,
    pub(crate) artifacts: Vec<ArtifactEmitted>,
    /// The tools to switch off for the session from now on, if any were given.
    pub(crate) disabled_tools: Option<Vec<String>>,
    pub(crate) message_id: Option<MessageId>,
}

/// Prepares runs.
pub(super) struct RunPreparation {
    pub(super) records: Arc<Records>,
    pub(super) accounts: Arc<Accounts>,
    pub(super) projects: Arc<Projects>,
    pub(super) mcp: Arc<Mcp>,
    pub(super) executors: Arc<ExecutorFactory>,
    pub(super) mentions: Arc<DraftMentions>,
    pub(super) system_prompts: Arc<SystemPrompts>,
}

impl RunPreparation {
    /// Returns what can be said of a run before its session is taken.
    pub(crate) fn prepared(
        &self,
        open: OpenProject,
        config: Config,
        start: StartRun,
        settings: SessionSettings,
        (is_subagent, presence): (bool, ClientCapabilities),
    ) -> Result<PreparedRun, Error> {
        self.projects.session_worktrees().ensure_whole(&open.place())?;
        let PipedPrompt { prompt, mut contents, artifacts } =
            piped_input::appended(start.prompt, &start.piped, self.records.redactor())?;
        let core = start.core.or(settings.core);
        let core = arki_agent::core(core.as_deref().unwrap_or(&config.core))?.name();
        let model = start.model.or(settings.model).unwrap_or_else(|| config.model.clone());
        let mut shown = start.images;
        if prompt.contains('@') && !is_subagent {
            let executor = self.executors.executor_of_run(&open, &config, ClientCapabilities::default(), None);
            let mentioned = Mentioned::in_draft(executor, self.mentions.names.clone(), self.mentions.reader.clone());
            let room = prompt_images::MAX_IMAGES.saturating_sub(shown.len());
            shown.extend(mentioned.pictures_in(&prompt, room));
        }
        let (pictures, images) = prompt_images::read(shown)?;
        contents.extend(pictures);
        if let Some(disabled) = &start.disabled_tools {
            self.executors.ensure_known_tools(&open, &config, disabled)?;
        }
        let disabled_tools = start.disabled_tools.clone().unwrap_or(settings.disabled_tools);
        let of_skills = self.projects.guides_of(&open, &config).allowed_tools(&start.options.skills);
        let options = RunOptions {
            images,
            tools: narrowed(narrowed(config.policy.tools.clone(), start.allowed_tools), of_skills),
            disabled_tools: [start.options.disabled_tools.clone(), disabled_tools].concat(),
            read_only: start.options.read_only || config.policy.read_only,
            off: settings.off,
            reasoning_effort: start.options.reasoning_effort.clone().or(settings.effort),
            ..with_limits(start.options, &config)
        };
        self.accounts.providers(&config).model(&model)?;
        let scope = PromptScope { core, is_subagent, answers: presence.answers };
        let system = self.system_prompts.text(&open, &config, &options, scope)?;
        let (disabled_tools, message_id) = (start.disabled_tools, start.message_id);
        Ok(PreparedRun {
            open,
            config,
            core,
            model,
            prompt,
            options,
            system,
            contents,
            artifacts,
            disabled_tools,
            message_id,
        })
    }

    /// The folder and what is configured for an agent in it, and for the session; new MCP servers have said what tools they
    /// have.
    pub(crate) async fn opened_for(
        self: &Arc<Self>,
        session: &SessionId,
        open: Option<OpenProject>,
        project: PathBuf,
        agent: String,
        settings: SessionSettings,
    ) -> Result<(OpenProject, Config), Error> {
        let session = session.clone();
        let opened = blocking(self, move |it| {
            let open = open.map_or_else(|| it.projects.load_project(&project), Ok)?;
            let mut config = settings.applied_to(it.projects.config_of(&open)?.for_agent(&agent)?);
            it.mcp.session_servers().add_to(&open, &session, &mut config);
            let new_servers = it.mcp.new_mcp_servers(&open, &config);
            Ok((open, config, new_servers))
        });
        let (open, config, new_servers) = opened.await?;
        self.mcp.meet_mcp_servers(&new_servers).await;
        Ok((open, config))
    }
}

/// Returns the tools that both allow.
fn narrowed(one: Option<ToolNames>, other: Option<ToolNames>) -> Option<ToolNames> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.narrowed_to(&other)),
        (one, other) => one.or(other),
    }
}

fn with_limits(options: RunOptions, config: &Config) -> RunOptions {
    RunOptions {
        approve_plan: options.approve_plan || config.approves_plans,
        max_turns: options.max_turns.or(config.max_turns),
        max_seconds: options.max_seconds.or(config.max_seconds),
        max_cost_usd: options.max_cost_usd.or(config.max_cost_usd),
        approval_timeout_seconds: options.approval_timeout_seconds.or(config.approval_timeout_seconds),
        ..options
    }
}
