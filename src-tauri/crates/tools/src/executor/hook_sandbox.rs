//! The room in which the commands of hooks and checkers run: their temporary folder, environment and sandbox.
//!
//! A hook gets the project read-only, without its secret files, and no network unless the user's own configuration grants
//! one. So whatever a hook is, or is made to do by the file that it looks at, it changes nothing and tells nobody. Only
//! one that runs after an edit may write, and what it does is looked at (`formatting`).

use super::ExecutorSettings;
use super::command_sandbox::CommandRooms;
use crate::outcome::ToolError;
use arki_disk::PrivateTempDir;
use arki_process::{EnvironmentSpec, child_environment, inherited_environment};
use arki_sandbox::{Network, ProjectAccess, Sandbox, SandboxSpec};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// The variable in which other agents give the project's folder.
const FOREIGN_PROJECT_DIR: &str = "CLAUDE_PROJECT_DIR";
const PROJECT_DIR: &str = "ARKI_PROJECT_DIR";

pub(super) struct HookSandbox {
    pub(super) environment: Vec<(String, String)>,
    spec: SandboxSpec,
    is_confined: bool,
    /// The sandboxes by access and network; made when they are first needed.
    sandboxes: Mutex<Vec<(ProjectAccess, Network, Sandbox)>>,
    /// Removed with the room.
    _temp_dir: PrivateTempDir,
}

impl HookSandbox {
    /// Makes a room with more variables in its environment, and more folders that can be written.
    pub(super) fn furnish(
        settings: &ExecutorSettings,
        more: &[(String, String)],
        also_writable: Vec<PathBuf>,
    ) -> Result<Self, ToolError> {
        let temp_dir = PrivateTempDir::create()?;
        let spec = SandboxSpec { also_writable, ..settings.sandbox_spec(temp_dir.path()) };
        let sandbox = &settings.sandbox;
        let name = sandbox.available.then_some(sandbox.name.as_str());
        let told = EnvironmentSpec { temp_dir: temp_dir.path(), sandbox: name };
        Ok(Self {
            environment: child_environment(inherited_environment(), more, told),
            spec,
            is_confined: sandbox.available,
            sandboxes: Mutex::default(),
            _temp_dir: temp_dir,
        })
    }

    /// `None` where there is no sandbox on this machine.
    pub(super) fn sandbox(&self, project: ProjectAccess, network: bool) -> Result<Option<Sandbox>, ToolError> {
        if !self.is_confined {
            return Ok(None);
        }
        let network = if network { Network::Granted } else { Network::None };
        let mut sandboxes = self.sandboxes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((.., sandbox)) = sandboxes.iter().find(|(access, net, _)| (*access, *net) == (project, network)) {
            return Ok(Some(sandbox.clone()));
        }
        let sandbox = Sandbox::prepare(&SandboxSpec { project, network, ..self.spec.clone() })?.without_secrets();
        sandboxes.push((project, network, sandbox.clone()));
        Ok(Some(sandbox))
    }
}

impl CommandRooms {
    /// Made for a run's first hook.
    pub(super) fn hook_room(&self) -> Result<&HookSandbox, ToolError> {
        if let Some(room) = self.of_hooks.get() {
            return Ok(room);
        }
        let root = self.settings.project.root().display().to_string();
        let variables = [(FOREIGN_PROJECT_DIR.to_owned(), root.clone()), (PROJECT_DIR.to_owned(), root)];
        let room = HookSandbox::furnish(&self.settings, &variables, Vec::new())?;
        Ok(self.of_hooks.get_or_init(|| room))
    }
}
