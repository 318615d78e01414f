//! The commands of a run: their temporary folders, environments and sandboxes.
//!
//! A command that is known to only read gets a sandbox in which the project is read-only, and a temporary folder of its
//! own: whoever was mistaken about it has shown something at worst. Nothing is imaged before it, for the same reason. Where
//! nobody was asked, it sees nothing but the project, the system and toolchains ([`ReadersView`]).

use super::Kernel;
use crate::builtin::run_command;
use crate::error::ToolError;
use arki_disk::PrivateTempDir;
use arki_domain::Fault;
use arki_files::ReadersView;
use arki_process::{EnvironmentSpec, child_environment, inherited_environment};
use arki_sandbox::{GitAccess, Network, ProjectAccess, Sandbox, SandboxSpec};
use std::path::Path;
use std::sync::OnceLock;

pub(super) struct CommandRoom {
    pub(super) environment: Vec<(String, String)>,
    sandbox: Option<Sandbox>,
    /// For commands that were granted the network; made for the first of them.
    sandbox_with_network: OnceLock<Sandbox>,
    sandbox_spec: SandboxSpec,
    /// Files are kept from the run, so that no command sees them, whoever agreed to it.
    hides_secrets: bool,
    /// For commands that only read and that nobody was asked about; made for the first of them.
    reading_unasked: OnceLock<ReadingRoom>,
    /// For others that only read.
    reading: OnceLock<ReadingRoom>,
    /// Removed with the room.
    _temp_dir: PrivateTempDir,
}

/// The room of commands that only read: the project is read-only, and what they write is nobody else's.
struct ReadingRoom {
    environment: Vec<(String, String)>,
    sandbox: Sandbox,
    _temp_dir: PrivateTempDir,
}

/// The purpose of a command, as far as it was judged.
#[derive(Debug, Clone, Copy)]
pub(super) struct Purpose {
    /// Known to only read, and held to it by a sandbox: nothing is imaged, for nothing can change.
    pub(super) only_reads: bool,
    /// Nobody has agreed to it.
    pub(super) unasked: bool,
    /// Somebody has agreed to it, or to such ones by a rule, so that it may write git's hooks where they lie in the project.
    pub(super) agreed: bool,
}

impl CommandRoom {
    /// The run's own.
    pub(super) fn temp_dir(&self) -> &Path {
        &self.sandbox_spec.temp_dir
    }

    fn sandbox(&self, network: bool) -> Result<Option<&Sandbox>, ToolError> {
        if self.sandbox.is_none() || !network {
            return Ok(self.sandbox.as_ref());
        }
        if let Some(sandbox) = self.sandbox_with_network.get() {
            return Ok(Some(sandbox));
        }
        let spec = SandboxSpec { network: Network::Granted, ..self.sandbox_spec.clone() };
        let sandbox = Sandbox::prepare(&spec)?;
        Ok(Some(self.sandbox_with_network.get_or_init(|| sandbox)))
    }

    /// Only git's own commands write git directories, what only reads can't write, and what nobody agreed to sees no secrets.
    pub(super) fn sandbox_for(
        &self,
        arguments: &run_command::Arguments,
        purpose: Purpose,
    ) -> Result<Option<Sandbox>, ToolError> {
        let sandbox = match purpose.only_reads {
            true => Some(&self.reading(purpose)?.sandbox),
            false => self.sandbox(arguments.network)?,
        };
        let Some(sandbox) = sandbox else { return Ok(None) };
        let writes = arki_policy::writes_repository(&arguments.command);
        let sandbox = sandbox.with_git(if writes { GitAccess::Writable } else { GitAccess::ReadOnly });
        let sandbox = if purpose.agreed { sandbox.with_writable_hooks() } else { sandbox };
        let hides = (purpose.unasked || self.hides_secrets) && !arki_policy::only_git_reads(&arguments.command);
        Ok(Some(if hides { sandbox.without_secrets() } else { sandbox }))
    }

    pub(super) fn environment_for(&self, purpose: Purpose) -> Result<Vec<(String, String)>, ToolError> {
        Ok(if purpose.only_reads { self.reading(purpose)?.environment.clone() } else { self.environment.clone() })
    }

    fn reading(&self, purpose: Purpose) -> Result<&ReadingRoom, ToolError> {
        let kept = if purpose.agreed { &self.reading } else { &self.reading_unasked };
        if let Some(room) = kept.get() {
            return Ok(room);
        }
        let temp_dir = PrivateTempDir::create()?;
        let mut spec = SandboxSpec {
            project: ProjectAccess::ReadOnly,
            temp_dir: temp_dir.path().to_owned(),
            ..self.sandbox_spec.clone()
        };
        if !purpose.agreed {
            let view = ReadersView::of(&spec.project_root);
            spec.shown = view.shown;
            spec.hidden.extend(view.hidden);
        }
        let sandbox = Sandbox::prepare(&spec)?;
        let spec = EnvironmentSpec { temp_dir: temp_dir.path(), sandbox: Some(sandbox.name()) };
        let environment = child_environment(inherited_environment(), &[], spec);
        Ok(kept.get_or_init(|| ReadingRoom { environment, sandbox, _temp_dir: temp_dir }))
    }
}

impl Kernel {
    pub(super) async fn room(&self) -> Result<&CommandRoom, Fault> {
        let furnish = async || {
            // Nothing waits for it: what killed runs left only takes space.
            tokio::task::spawn_blocking(arki_disk::remove_abandoned_temp_dirs);
            self.furnish().map_err(Fault::from)
        };
        self.room.get_or_try_init(furnish).await
    }

    fn furnish(&self) -> Result<CommandRoom, ToolError> {
        let temp_dir = PrivateTempDir::create()?;
        let sandbox_spec = self.sandbox_spec(temp_dir.path());
        let sandbox = self.settings.sandbox.available.then(|| Sandbox::prepare(&sandbox_spec)).transpose()?;
        let spec = EnvironmentSpec { temp_dir: temp_dir.path(), sandbox: sandbox.as_ref().map(Sandbox::name) };
        let environment = child_environment(inherited_environment(), &[], spec);
        Ok(CommandRoom {
            environment,
            sandbox,
            sandbox_with_network: OnceLock::new(),
            sandbox_spec,
            hides_secrets: self.settings.policy.denies_files(),
            reading_unasked: OnceLock::new(),
            reading: OnceLock::new(),
            _temp_dir: temp_dir,
        })
    }

    /// Of what may write in the project and has no network.
    pub(super) fn sandbox_spec(&self, temp_dir: &Path) -> SandboxSpec {
        SandboxSpec {
            project_root: self.settings.project.root().to_owned(),
            project: ProjectAccess::Writable,
            temp_dir: temp_dir.to_owned(),
            hidden: self.settings.hidden.clone(),
            shown: Vec::new(),
            also_writable: Vec::new(),
            network: Network::None,
            secrets: Some(self.settings.secrets.clone()),
            trash: Some(self.settings.trash.clone()),
            journals: Some(self.settings.journals.clone()),
        }
    }
}
