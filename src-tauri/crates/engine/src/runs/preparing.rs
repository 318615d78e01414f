//! Prepares the inputs of a run before its session is taken: the folder, its configuration and MCP servers, the prompt
//! with what belongs to it, the system prompt. Then connects its agent's ports: model, executor, log, late context, and
//! where the run stands.

use crate::delegation::RunsSubagents;
use crate::runs::git_state::GitState;
use crate::runs::late_context::{LateContextSources, mode_to_tell};
use crate::runs::mentions::Mentioned;
use crate::runs::piped_input::{self, PipedPrompt};
use crate::runs::prompt_images::{self, kept_images};
use crate::runs::system_prompt::PromptScope;
use crate::sessions::compacting::compaction_parts;
use crate::{
    Accounts, Approvals, ClientCapabilities, DraftMentions, ExecutorFactory, History, Mcp, OpenProject, Projects,
    Records, SessionSettings, StartRun, SystemPrompts, blocking_for,
};
use arki_agent::{RunControl, RunParts, RunSnapshot};
use arki_config::Config;
use arki_domain::{
    ArtifactEmitted, Content, Error, MessageId, ModelOptions, PartKind, RunOptions, SessionId, ToolNames,
};
use arki_policy::PolicySettings;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

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

/// Prepares runs, and wires them.
pub(super) struct RunPreparation {
    pub(super) records: Arc<Records>,
    pub(super) accounts: Arc<Accounts>,
    pub(super) projects: Arc<Projects>,
    pub(super) approvals: Arc<Approvals>,
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
        let opened = blocking_for(self, session, move |it, session| {
            let open = open.map_or_else(|| it.projects.load_project(&project), Ok)?;
            let mut config = settings.applied_to(it.projects.config_of(&open)?.for_agent(&agent)?);
            it.mcp.session_servers().add_to(&open, session, &mut config);
            let new_servers = it.mcp.new_mcp_servers(&open, &config);
            Ok((open, config, new_servers))
        });
        let (open, config, new_servers) = opened.await?;
        self.mcp.meet_mcp_servers(&new_servers).await;
        Ok((open, config))
    }

    /// Returns what the run works with, and where it stands.
    pub(super) fn wired(
        &self,
        session_id: &SessionId,
        mut history: History,
        (open, config): (&OpenProject, &Config),
        system: Arc<str>,
        (presence, control): (ClientCapabilities, RunControl),
        runs: Arc<dyn RunsSubagents>,
    ) -> Result<(RunParts, RunSnapshot), Error> {
        let grants = self.approvals.grants().granted_rules(session_id, &history)?;
        let run = history.run.ok_or_else(|| Error::internal("a run without its first event"))?;
        // At once, so that the first request needn't wait for it; not in the name of what the run restricts.
        let mode = mode_to_tell(&run, open.is_trusted(), &system, &mut history.transcript);
        let git = match run.turn == 0 {
            true => {
                GitState::ask(open, self.executors.executor_of_run(open, config, ClientCapabilities::default(), None))
            }
            false => GitState::default(),
        };
        let policy = PolicySettings {
            grants,
            plan: run.options.plan,
            read_only: run.options.read_only,
            tools: run.options.tools.clone(),
            disabled_tools: run.options.disabled_tools.clone(),
            ..config.policy.clone()
        };
        let config = &Config { off: run.options.off.clone(), ..config.clone() };
        let output_schema = run.options.output_schema.clone();
        let skills = self.projects.guides_of(open, config).with_triggers(&run.options.skills, &config.off);
        let info = self.accounts.providers(config).model_info(&run.model)?;
        let reasoning_effort = config.effort_of(run.options.reasoning_effort.as_ref(), &info);
        let mut of_executor = Config { policy, model: run.model.clone(), ..config.clone() };
        of_executor.deny_files(&run.options.denied_paths)?;
        let executor = self.executors.executor_of_run(open, &of_executor, presence, Some(runs));
        let model = self.accounts.providers(config).model(&run.model)?;
        // What a model writes to another mentions nothing.
        let mentioned = run.parent.is_none().then(|| Mentioned {
            executor: executor.clone(),
            names: self.mentions.names.clone(),
            reader: self.mentions.reader.clone(),
            session_id: Some(session_id.clone()),
            model: Some(model.clone()),
            is_draft: false,
            control,
        });
        let mut rules = self.projects.rules_of(open).clone();
        rules.rules.retain(|rule| !PartKind::Rule.is_off(&rule.path, &config.off));
        let (project, redactor) = (open.workplace().clone(), self.records.redactor().clone());
        let late_context = LateContextSources { project, rules, skills, mentioned, git, mode, redactor };
        let parts = RunParts {
            log: self.records.run_log(),
            bus: self.records.live_bus(),
            model,
            executor,
            clock: self.records.clock().clone(),
            redactor: self.records.redactor().clone(),
            system,
            images: Arc::new(kept_images(&self.records, &history.transcript)?),
            model_options: ModelOptions { output_schema, reasoning_effort, ..config.model_options.clone() },
            is_retryable: arki_llm::retryable,
            max_answer: Duration::from_secs(config.max_answer_seconds),
            compaction: compaction_parts(&self.accounts, config)?,
            late_context: Arc::new(late_context),
            state_saving: config.state_saving,
        };
        let standing = RunSnapshot {
            state: run,
            transcript: history.transcript,
            progress: history.progress,
            last_seq: history.last_seq,
        };
        Ok((parts, standing))
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
