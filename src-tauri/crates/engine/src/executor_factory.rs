//! The parts of a run in a folder: its tools, and the executor that judges their calls and carries them out.

use crate::delegation::{RunAbove, RunsSubagents};
use crate::projects::config_in_force::{InForce, OpenFolderRules};
use crate::projects::subagent_changes::take_changes_tool;
use crate::{ClientCapabilities, Delegations, Mcp, OpenProject, Projects, Records};
use arki_config::{AgentEntry, Config};
use arki_domain::projection::MAX_DISABLED_TOOLS;
use arki_domain::{Code, Error};
use arki_retrieval::{ProjectIndex, ProjectIndexes};
use arki_tools::{AgentChoice, Audience, BackgroundCommands, ExecutorSettings, Tool, ToolExecutor};
use std::path::Path;
use std::sync::{Arc, OnceLock};

pub(crate) struct ExecutorFactory {
    records: Arc<Records>,
    projects: Arc<Projects>,
    mcp: Arc<Mcp>,
    background: Arc<BackgroundCommands>,
    delegations: Arc<Delegations>,
    indexes: Arc<ProjectIndexes>,
}

impl ExecutorFactory {
    pub(crate) fn new(
        records: Arc<Records>,
        projects: Arc<Projects>,
        mcp: Arc<Mcp>,
        background: Arc<BackgroundCommands>,
        delegations: Arc<Delegations>,
        indexes: Arc<ProjectIndexes>,
    ) -> Self {
        Self { records, projects, mcp, background, delegations, indexes }
    }

    pub(crate) fn executor(
        &self,
        open: &OpenProject,
        config: &Config,
        presence: ClientCapabilities,
    ) -> Arc<ToolExecutor> {
        self.executor_with(open, config, (presence, None), None)
    }

    /// Returns an executor for a run, which hands work to others through `runs` where there is that.
    pub(crate) fn executor_of_run(
        &self,
        open: &OpenProject,
        config: &Config,
        presence: ClientCapabilities,
        runs: Option<Arc<dyn RunsSubagents>>,
    ) -> Arc<ToolExecutor> {
        let mut config = config.clone();
        config.policy.keep_rules_of(&open.path());
        self.executor_with(open, &config, (presence, runs), None)
    }

    fn executor_with(
        &self,
        open: &OpenProject,
        config: &Config,
        (presence, runs): (ClientCapabilities, Option<Arc<dyn RunsSubagents>>),
        further: Option<Tool>,
    ) -> Arc<ToolExecutor> {
        let settings = ExecutorSettings {
            project: open.workplace().clone(),
            trusted: open.is_trusted(),
            policy: config.policy.clone(),
            limits: config.tool_limits,
            imported: open.imported_paths().into_iter().chain(open.hook_programs()).collect(),
            secrets: config.secret_files.set.clone(),
            secret_globs: config.secret_files.globs.clone(),
            own_folders: [&self.records.directories().config, &self.records.directories().data]
                .into_iter()
                .map(|folder| folder.canonicalize().unwrap_or_else(|_| folder.clone()))
                .collect(),
            hidden: self.projects.hidden_folders(),
            views: self.records.directories().views(),
            trash: self.records.directories().trash(),
            journals: self.records.directories().journals(),
            sandbox: self.projects.sandbox().clone(),
            standing: Arc::new(OpenFolderRules::of(open, self.projects.leavings().clone())),
            private_hosts: config.private_hosts.clone(),
            audience: if presence.answers { Audience::User } else { Audience::Nobody },
            model: config.model.clone(),
            tools: [
                arki_tools::fetch_url(config.private_hosts.clone()),
                self.delegate_tool(open, config, (presence, runs)),
            ]
            .into_iter()
            .chain(take_changes_tool(self.projects.subagent_worktrees(), open.project.root(), &self.background))
            .chain(self.mcp.mcp_tools(open, config))
            .chain(further)
            .collect(),
            guides: self.projects.guides_of(open, config).without(&config.off),
            context: Arc::new(self.index_of(open)),
            hooks: config.hooks.clone(),
            checkers: config.checkers.clone(),
            checks: self.records.directories().checks(&open.path()),
            background: self.background.clone(),
            contents: self.records.contents().clone(),
            buffers: self.projects.editor_buffers().of(open.workplace().root()),
            view_fault: OnceLock::new(),
        };
        ToolExecutor::new(self.records.run_log(), self.records.live_bus(), self.records.redactor().clone(), settings)
    }

    fn index_of(&self, open: &OpenProject) -> ProjectIndex {
        let (indexes, redactor) = (self.indexes.clone(), self.records.redactor().clone());
        ProjectIndex::new(indexes, open.path(), open.workplace().clone(), redactor)
    }

    pub(crate) fn background(&self) -> &Arc<BackgroundCommands> {
        &self.background
    }

    /// Returns an executor that judges calls and doesn't carry them out.
    pub(crate) fn judging_executor(&self, folder: &Path) -> Result<Arc<ToolExecutor>, Error> {
        self.executor_judging(folder, "")
    }

    /// Returns [`Self::judging_executor`], which also knows this tool of a server that was never met.
    pub(crate) fn executor_judging(&self, folder: &Path, tool_id: &str) -> Result<Arc<ToolExecutor>, Error> {
        let open = self.projects.load_project(folder)?;
        let InForce { mut config, refused } = self.projects.config_in_force(&open)?;
        config.policy.refused = refused.map(|fault| fault.message);
        let unmet = self.mcp.unmet_tool(&open, &config, tool_id);
        Ok(self.executor_with(&open, &config, (ClientCapabilities::default(), None), unmet))
    }

    /// A misspelt name would leave the tool on that it means.
    pub(crate) fn ensure_known_tools(
        &self,
        open: &OpenProject,
        config: &Config,
        names: &[String],
    ) -> Result<(), Error> {
        if names.len() > MAX_DISABLED_TOOLS {
            let hint = format!("Name up to {MAX_DISABLED_TOOLS}.");
            return Err(Error::new(Code::USAGE, "Too many tools were named.", hint));
        }
        let executor = self.executor(open, config, ClientCapabilities::default());
        names.iter().try_for_each(|name| executor.ensure_known(name))
    }

    /// The tool with which the agent of this configuration hands work to others.
    fn delegate_tool(
        &self,
        open: &OpenProject,
        config: &Config,
        (presence, runs): (ClientCapabilities, Option<Arc<dyn RunsSubagents>>),
    ) -> Tool {
        let above = RunAbove {
            delegations: self.delegations.clone(),
            runs,
            project: open.project.root().to_owned(),
            model: config.model.clone(),
            presence,
            readers: config.reading_agents(),
            isolated: config.isolated_agents(),
        };
        let choice =
            |agent: AgentEntry| AgentChoice { name: agent.name, description: agent.description.unwrap_or_default() };
        let agents: Vec<AgentChoice> = config.agents().into_iter().map(choice).collect();
        arki_tools::delegate(&agents, Arc::new(above))
    }
}
