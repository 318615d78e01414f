//! The room in which hooks' commands run: their temporary folder, environment and sandbox.
//!
//! A hook gets the project read-only, without its secret files, and no network unless the user's own configuration grants
//! one. So whatever a hook is, or is made to do by the file that it looks at, it changes nothing and tells nobody.

use super::Kernel;
use crate::error::ToolError;
use arki_disk::PrivateTempDir;
use arki_process::{EnvironmentSpec, child_environment, inherited_environment};
use arki_sandbox::{Network, ProjectAccess, Sandbox, SandboxSpec};
use std::sync::OnceLock;

/// Where other agents put the project's folder.
const FOREIGN_PROJECT_DIR: &str = "CLAUDE_PROJECT_DIR";
const PROJECT_DIR: &str = "ARKI_PROJECT_DIR";

pub(super) struct HookRoom {
    pub(super) environment: Vec<(String, String)>,
    spec: SandboxSpec,
    is_confined: bool,
    alone: OnceLock<Sandbox>,
    with_network: OnceLock<Sandbox>,
    /// Removed with the room.
    _temp_dir: PrivateTempDir,
}

impl HookRoom {
    /// `None` where there is no sandbox on this machine.
    pub(super) fn sandbox(&self, network: bool) -> Result<Option<Sandbox>, ToolError> {
        if !self.is_confined {
            return Ok(None);
        }
        let (kept, network) =
            if network { (&self.with_network, Network::Granted) } else { (&self.alone, Network::None) };
        if let Some(sandbox) = kept.get() {
            return Ok(Some(sandbox.clone()));
        }
        let spec = SandboxSpec { network, ..self.spec.clone() };
        let sandbox = Sandbox::prepare(&spec)?.without_secrets();
        Ok(Some(kept.get_or_init(|| sandbox).clone()))
    }
}

impl Kernel {
    /// Made for a run's first hook.
    pub(super) fn hook_room(&self) -> Result<&HookRoom, ToolError> {
        if let Some(room) = self.hook_room.get() {
            return Ok(room);
        }
        let room = self.furnish_hook_room()?;
        Ok(self.hook_room.get_or_init(|| room))
    }

    fn furnish_hook_room(&self) -> Result<HookRoom, ToolError> {
        let temp_dir = PrivateTempDir::create()?;
        let spec = SandboxSpec { project: ProjectAccess::ReadOnly, ..self.sandbox_spec(temp_dir.path()) };
        let sandbox = &self.settings.sandbox;
        let root = self.settings.project.root().display().to_string();
        let more = [(FOREIGN_PROJECT_DIR.to_owned(), root.clone()), (PROJECT_DIR.to_owned(), root)];
        let name = sandbox.available.then_some(sandbox.name.as_str());
        let told = EnvironmentSpec { temp_dir: temp_dir.path(), sandbox: name };
        Ok(HookRoom {
            environment: child_environment(inherited_environment(), &more, told),
            spec,
            is_confined: sandbox.available,
            alone: OnceLock::new(),
            with_network: OnceLock::new(),
            _temp_dir: temp_dir,
        })
    }
}
