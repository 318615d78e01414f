//! Connects an agent's ports: model, executor, log, late context, and where its run stands.

use crate::accounts::Accounts;
use crate::approvals::Approvals;
use crate::client_capabilities::ClientCapabilities;
use crate::delegation::RunsSubagents;
use crate::executor_factory::ExecutorFactory;
use crate::projects::Projects;
use crate::projects::open::OpenProject;
use crate::records::Records;
use crate::runs::git_state::GitState;
use crate::runs::late_context::{LateContextSources, mode_to_tell};
use crate::runs::mentions::{DraftMentions, Mentioned};
use crate::runs::prompt_images::kept_images;
use crate::session_reader::history::History;
use crate::sessions::compacting::compaction_parts;
use arki_agent::{RunControl, RunParts, RunSnapshot};
use arki_config::Config;
use arki_domain::{Error, ModelOptions, SessionId};
use arki_policy::PolicySettings;
use std::sync::Arc;
use std::time::Duration;

/// Wires runs.
pub(super) struct RunWiring {
    pub(super) records: Arc<Records>,
    pub(super) accounts: Arc<Accounts>,
    pub(super) projects: Arc<Projects>,
    pub(super) approvals: Arc<Approvals>,
    pub(super) executors: Arc<ExecutorFactory>,
    pub(super) mentions: Arc<DraftMentions>,
}

impl RunWiring {
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
        let rules = self.projects.rules_of(open);
        let belongings = LateContextSources::new(open, rules, &config.off, skills, mentioned, self.records.redactor());
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
            late_context: Arc::new(belongings.with_git(git).with_mode(mode)),
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
