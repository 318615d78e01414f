//! Sets the agent to work: wires its ports, keeps the session's lease alive, and freezes what the run begins with.

use crate::ActiveRun;
use crate::config::Config;
use crate::presence::Presence;
use crate::projects::guides::index;
use crate::projects::open::{OpenProject, OpenedFolder};
use crate::projects::rules::at_start;
use crate::records::blocking;
use crate::runs::Runs;
use crate::runs::active_run::Running;
use crate::runs::hold::SessionHold;
use crate::runs::late_context::Belongings;
use crate::runs::mentions::Mentioned;
use crate::sessions::compacting::{EstimatedTokens, compaction_parts};
use crate::sessions::history::History;
use crate::sessions::usage::day;
use arki_agent::{RunEnd, RunHost, RunParts, Standing};
use arki_context::{BuiltPrompt, MemoryFile, MemoryText, PromptLayers, SystemPrompt, SystemPromptInputs, build_prompt};
use arki_domain::{Code, Fault, ModelOptions, PartKind, RunOptions, SessionId};
use arki_policy::PolicySettings;
use arki_tools::Kernel;
use std::sync::Arc;
use std::time::Duration;

/// Of a request for what is remembered.
const MAX_MEMORY_TOKENS: u64 = 2000;

impl Runs {
    pub(crate) async fn launch(
        self: &Arc<Self>,
        session_id: SessionId,
        history: History,
        open: OpenProject,
        config: Config,
        system: Arc<str>,
        (mut hold, presence): (SessionHold, Presence),
    ) -> Result<Running, Fault> {
        let (project, session) = (open.path(), session_id.clone());
        let wired = blocking(self, move |runs| runs.wired(&session, history, (&open, &config), system, presence));
        let (parts, standing) = wired.await?;
        let run = &standing.state;
        let core = arki_agent::core(&run.core)?;
        let active = ActiveRun {
            session_id: session_id.clone(),
            run_id: run.run_id.clone(),
            subagent: run.subagent().map(|started| started.session_id.clone()),
            control: hold.control().clone(),
        };
        hold.enter(&self.active, active.clone());
        let run = RunHost::new(parts, session_id.clone(), standing, active.control.clone());
        let runs = self.clone();
        let handle = tokio::spawn(async move {
            let telling = runs.projects.with_leavings(&session_id, &project, run.run(core));
            let (ended, _claim) = hold.during(telling).await;
            runs.after(presence, &session_id, &project, &ended).await;
            ended
        });
        Ok((active, handle))
    }

    /// Does the work that follows the end of a run, on nobody's way.
    async fn after(
        self: &Arc<Self>,
        presence: Presence,
        session_id: &SessionId,
        project: &str,
        ended: &Result<RunEnd, Fault>,
    ) {
        self.sessions.keep_snapshot_quietly(session_id).await;
        self.sessions.anchor_soon(session_id);
        if matches!(ended, Ok(RunEnd::Completed { .. } | RunEnd::Failed(_) | RunEnd::Cancelled)) {
            self.reflect_soon(session_id, project);
        }
        match ended {
            Ok(RunEnd::Completed { .. }) => self.follow_up_soon(presence, session_id),
            // In the window and by the doctor it is told until the next run begins.
            Ok(RunEnd::Failed(fault)) if fault.is(Code::GUARD_UNFINISHED) => {
                let (project, note) = (project.to_owned(), format!("{} {}", fault.message, fault.hint));
                let added = blocking(&self.projects, move |projects| {
                    projects.leavings().add(&project, &[note]);
                    Ok(())
                });
                if let Err(fault) = added.await {
                    tracing::warn!(%session_id, %fault, "what the guard left undone is not kept");
                }
            }
            Ok(RunEnd::AwaitingApproval(approval_id)) => self.expire_in_time(presence, session_id, approval_id),
            Ok(_) => {}
            Err(fault) => {
                tracing::error!(%session_id, code = fault.code, %fault, "a run stopped: its log cannot be written");
            }
        }
    }

    /// Returns what the run works with, and where it stands.
    fn wired(
        &self,
        session_id: &SessionId,
        history: History,
        (open, config): (&OpenProject, &Config),
        system: Arc<str>,
        presence: Presence,
    ) -> Result<(RunParts, Standing), Fault> {
        let grants = self.approvals.granted_rules(session_id, &history)?;
        let run = history.run.ok_or_else(|| Fault::internal("a run without its first event"))?;
        let policy = PolicySettings {
            grants,
            plan: run.options.plan,
            tools: run.options.tools.clone(),
            disabled_tools: run.options.disabled_tools.clone(),
            ..config.policy.clone()
        };
        let config = &Config { off: run.options.off.clone(), ..config.clone() };
        let output_schema = run.options.output_schema.clone();
        let skills = self.projects.guides_of(open, config).with_triggers(&run.options.skills, &config.off);
        let reasoning_effort = run.options.reasoning_effort.clone();
        let reasoning_effort = reasoning_effort.or_else(|| config.model_options.reasoning_effort.clone());
        let kernel = self.kernel(open, &Config { policy, model: run.model.clone(), ..config.clone() }, presence);
        let model = self.accounts.providers(config).model(&run.model)?;
        // What a model writes to another mentions nothing.
        let mentioned = run.parent.is_none().then(|| Mentioned {
            kernel: kernel.clone(),
            sessions: self.sessions.clone(),
            session_id: Some(session_id.clone()),
            model: Some(model.clone()),
        });
        let parts = RunParts {
            log: self.records.run_log(),
            bus: self.records.live_bus(),
            model,
            executor: kernel,
            clock: self.records.clock().clone(),
            redactor: self.records.redactor().clone(),
            system,
            images: Arc::new(self.images_of(&history.transcript)?),
            model_options: ModelOptions { output_schema, reasoning_effort, ..config.model_options.clone() },
            is_retryable: arki_llm::retryable,
            max_answer: Duration::from_secs(config.max_answer_seconds),
            compaction: compaction_parts(&self.accounts, config)?,
            late_context: Arc::new(Belongings::new(
                open,
                self.projects.rules_of(open),
                &config.off,
                skills,
                mentioned,
                self.records.redactor(),
            )),
        };
        let standing = Standing {
            state: run,
            transcript: history.transcript,
            progress: history.progress,
            last_seq: history.last_seq,
        };
        Ok((parts, standing))
    }

    pub(crate) fn kernel(&self, open: &OpenProject, config: &Config, presence: Presence) -> Arc<Kernel> {
        let mut config = config.clone();
        config.policy.keep_rules_of(&open.path());
        self.kernels.kernel(open, &config, presence)
    }

    /// # Errors
    /// When a skill that was asked for is not there.
    pub(crate) fn system_prompt(
        &self,
        open: &OpenProject,
        config: &Config,
        options: &RunOptions,
        is_subagent: bool,
    ) -> Result<String, Fault> {
        let prompt = self.system_prompt_parts(open, config, options, is_subagent)?;
        if let Some(warning) = self.custom_prompt(open, config, options)?.as_ref().and_then(unknown_variables) {
            tracing::warn!("{warning}");
        }
        // The hash names these bytes in the log and the blob store, so keys go before it is computed.
        Ok(self.records.redactor().redact(&prompt.text()).into_owned())
    }

    pub(crate) fn system_prompt_parts(
        &self,
        open: &OpenProject,
        config: &Config,
        options: &RunOptions,
        is_subagent: bool,
    ) -> Result<SystemPrompt, Fault> {
        let found = self.projects.guides_of(open, config);
        let guides = found.without(&config.off);
        let mut rules = at_start(self.projects.rules_of(open));
        rules.retain(|rule| !PartKind::Rule.is_off(&rule.path, &config.off));
        let custom = self.custom_prompt(open, config, options)?;
        let inputs = SystemPromptInputs {
            project: &open.path(),
            system: std::env::consts::OS,
            today: &day(self.records.clock().now_ms()),
            plans: options.plan,
            is_subagent,
            custom: custom.as_ref(),
            rules,
            skills: index(&guides.skills),
            chosen_skills: found.chosen(&options.skills)?,
            procedures: index(&guides.procedures),
            memory: self.memory_text(open, config),
        };
        Ok(arki_context::assemble(&inputs))
    }

    /// The project's memory first, as far as it is as it was agreed to, then the user's own.
    fn memory_text(&self, open: &OpenProject, config: &Config) -> MemoryText {
        if PartKind::Memory.is_off("", &config.off) {
            return MemoryText::default();
        }
        let found = open.memory().into_iter().filter(|file| file.is_agreed).chain(self.projects.own_memory());
        let found: Vec<_> = found.collect();
        let files = found.iter().map(|file| MemoryFile { origin: &file.path, text: &file.text });
        arki_context::memory_text(&files.collect::<Vec<_>>(), MAX_MEMORY_TOKENS, &EstimatedTokens)
    }

    /// The warning about a call's own prompt, where it has variables that nothing is known of.
    #[must_use]
    pub fn prompt_warning(&self, opened: &OpenedFolder, options: &RunOptions) -> Option<String> {
        options.system.as_ref().filter(|text| text.contains("{{"))?;
        let config = self.projects.config_of(&opened.0).ok()?;
        self.custom_prompt(&opened.0, &config, options).ok()?.as_ref().and_then(unknown_variables)
    }

    /// # Errors
    /// `PROMPT_FRAGMENT_NOT_FOUND`, `PROMPT_VALIDATION_FAILED`.
    pub(super) fn custom_prompt(
        &self,
        open: &OpenProject,
        config: &Config,
        options: &RunOptions,
    ) -> Result<Option<BuiltPrompt>, Fault> {
        let layers = PromptLayers {
            call: options.system.as_slice(),
            session: config.session_prompt.as_slice(),
            configuration: config.system_prompt.as_slice(),
        };
        let (project, today) = (open.path(), day(self.records.clock().now_ms()));
        let name = open.project.root().file_name().unwrap_or_default().to_string_lossy();
        let values = [
            ("project", project.as_str()),
            ("project_name", &name),
            ("system", std::env::consts::OS),
            ("today", &today),
        ];
        Ok(build_prompt(&layers, &config.prompt_fragments, &values)?)
    }
}

/// The warning about variables that nothing is known of; they stay in the prompt as they are.
pub(crate) fn unknown_variables(prompt: &BuiltPrompt) -> Option<String> {
    let unknown: Vec<String> = prompt.unknown.iter().map(|name| format!("{{{{{name}}}}}")).collect();
    let origin = prompt.origin;
    (!unknown.is_empty())
        .then(|| format!("The prompt from the {origin} has unknown variables: {}.", unknown.join(", ")))
}
