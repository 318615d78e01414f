//! The tools that the agent would be offered in a folder, and those switched off in a session.

use crate::session_reader::overview::agent_in;
use crate::{ClientCapabilities, ExecutorFactory, Projects, Records, SessionReader, blocking};
use arki_api::SessionToolEntry;
use arki_config::AGENT;
use arki_domain::{Error, Executor, SessionConfigured, SessionId, ToolDefinition};
use std::path::Path;
use std::sync::Arc;

/// A tool as a session has it.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionTool {
    pub definition: ToolDefinition,
    pub enabled: bool,
}

impl From<SessionTool> for SessionToolEntry {
    fn from(tool: SessionTool) -> Self {
        let (name, description) = (tool.definition.name.to_string(), tool.definition.description.to_string());
        Self { name, description, category: tool.definition.category, enabled: tool.enabled }
    }
}

/// The tools of folders and sessions, which can be switched.
pub struct SessionTools {
    records: Arc<Records>,
    projects: Arc<Projects>,
    executors: Arc<ExecutorFactory>,
    reader: Arc<SessionReader>,
}

impl SessionTools {
    pub(crate) fn new(
        records: Arc<Records>,
        projects: Arc<Projects>,
        executors: Arc<ExecutorFactory>,
        reader: Arc<SessionReader>,
    ) -> Self {
        Self { records, projects, executors, reader }
    }

    /// The tools that a run in this folder would have, in the order they are offered.
    ///
    /// # Errors
    /// When the folder or the configuration cannot be used.
    pub fn tools(&self, folder: &Path) -> Result<Arc<[ToolDefinition]>, Error> {
        self.tools_of(folder, AGENT)
    }

    fn tools_of(&self, folder: &Path, agent: &str) -> Result<Arc<[ToolDefinition]>, Error> {
        let open = self.projects.load_project(folder)?;
        let config = self.projects.config_of(&open)?.for_agent(agent)?;
        Ok(self.executors.executor(&open, &config, ClientCapabilities::default()).definitions())
    }

    /// The tools of a session's folder, and which of them its runs have.
    ///
    /// # Errors
    /// `SESSION_NOT_FOUND`, or when the folder or the configuration cannot be used.
    pub fn session_tools(&self, session: &SessionId) -> Result<Vec<SessionTool>, Error> {
        let overview = self.reader.overview(session)?;
        let disabled = overview.disabled_tools.clone();
        let tools = self.tools_of(Path::new(&self.reader.session(session)?.project), &agent_in(overview))?;
        let tool = |definition: &ToolDefinition| SessionTool {
            enabled: !disabled.iter().any(|name| *name == *definition.name),
            definition: definition.clone(),
        };
        Ok(tools.iter().map(tool).collect())
    }

    /// Switches tools of a session on and off, by name; its next run begins with what is on then.
    ///
    /// # Errors
    /// `TOOL_UNKNOWN`, or as [`Self::session_tools`].
    pub async fn switch_session_tools(
        self: &Arc<Self>,
        session: &SessionId,
        on: &[String],
        off: &[String],
    ) -> Result<(), Error> {
        let (id, on, off) = (session.clone(), on.to_vec(), off.to_vec());
        let switched = blocking(self, move |it| it.switched(&id, &on, &off)).await?;
        if let Some(disabled) = switched {
            let disabled_tools = Some(disabled);
            self.records.note(session, SessionConfigured { disabled_tools, ..SessionConfigured::default() }).await?;
        }
        Ok(())
    }

    /// The tools that are off then; `None` where nothing would change.
    fn switched(&self, session: &SessionId, on: &[String], off: &[String]) -> Result<Option<Vec<String>>, Error> {
        let open = self.projects.load_project(Path::new(&self.reader.session(session)?.project))?;
        let config = self.projects.config_of(&open)?;
        self.executors.ensure_known_tools(&open, &config, on)?;
        self.executors.ensure_known_tools(&open, &config, off)?;
        let before = self.reader.overview(session)?.disabled_tools;
        let disabled = switched(&before, off, on);
        if disabled == before {
            return Ok(None);
        }
        self.reader.ensure_whole(session)?;
        Ok(Some(disabled))
    }
}

/// Returns the names that are off now, sorted.
pub(crate) fn switched(before: &[String], off: &[String], on: &[String]) -> Vec<String> {
    let mut now: Vec<String> = before.iter().chain(off).filter(|name| !on.contains(name)).cloned().collect();
    now.sort();
    now.dedup();
    now
}
