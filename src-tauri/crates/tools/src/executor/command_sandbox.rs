//! The commands of a run: their temporary folders, environments and sandboxes.
//!
//! A command that is known to only read gets a sandbox in which the project is read-only, and a temporary folder of its
//! own: whoever was mistaken about it has shown something at worst. Nothing is imaged before it, for the same reason.
//!
//! Whatever let a command run, it sees nothing but the project without its secret files, the system and toolchains
//! ([`ReadersView`]). Only one that the user approved, and that was shown as one that can, sees the rest, once.

use super::ExecutorSettings;
use super::effects::BoundFolders;
use super::hook_sandbox::HookSandbox;
use crate::builtin::run_command;
use crate::outcome::ToolError;
use arki_disk::PrivateTempDir;
use arki_domain::{Category, Code, Decision, Error};
use arki_files::ReadersView;
use arki_policy::{TRIED_RULE, Verdict};
use arki_process::{EnvironmentSpec, child_environment, inherited_environment};
use arki_sandbox::{GitAccess, Network, OverlayView, ProjectAccess, Sandbox, SandboxSpec};
use globset::GlobSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use tokio::sync::OnceCell;

/// A view is nobody's any more after this time; no command in the foreground takes so long.
const LONGEST_COMMAND: Duration = Duration::from_secs(2 * 24 * 60 * 60);

pub(super) struct CommandSandbox {
    pub(super) environment: Vec<(String, String)>,
    /// The widest without the network; `None` where nothing confines commands.
    sandbox: Option<Sandbox>,
    /// Made for the first command of their kind.
    made: Mutex<Vec<(WritingKind, Sandbox)>>,
    sandbox_spec: SandboxSpec,
    /// The folders in which git writes outside the project, which is a linked worktree or a submodule.
    outside_git: Vec<PathBuf>,
    /// Files are kept from the run, so that no command sees them, whoever agreed to it.
    hides_secrets: bool,
    /// The sandbox for commands that only read; made for the first of them.
    reading_unasked: OnceLock<ReadingRoom>,
    /// The sandbox for commands that may open private files.
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

/// The kind of a command that may write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct WritingKind {
    project: ProjectAccess,
    network: Network,
    private: bool,
    /// It writes a repository that lies outside the project.
    outside_git: bool,
}

/// The purpose of a command, as far as it was judged.
#[derive(Debug, Clone, Copy)]
pub(super) struct Purpose {
    /// Known to only read, and held to it by a sandbox: nothing is imaged, for nothing can change.
    pub(super) only_reads: bool,
    /// True if the user agreed to the command, or to such ones by a rule, so that it may write git's hooks where they
    /// are in the project.
    pub(super) agreed: bool,
    /// The user approved this very call, shown as one that can open secret files and the user's other files.
    pub(super) private: bool,
    /// It would be asked about, and first runs with the project read-only.
    pub(super) tried: bool,
}

impl CommandSandbox {
    /// Returns the sandbox for commands that may write; `None` if nothing confines them.
    fn sandbox(&self, kind: WritingKind) -> Result<Option<Sandbox>, ToolError> {
        if self.sandbox.is_none() {
            return Ok(None);
        }
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, sandbox)) = made.iter().find(|(of, _)| *of == kind) {
            return Ok(Some(sandbox.clone()));
        }
        let also_writable = if kind.outside_git { self.outside_git.clone() } else { Vec::new() };
        let spec =
            SandboxSpec { project: kind.project, network: kind.network, also_writable, ..self.sandbox_spec.clone() };
        let sandbox = Sandbox::prepare(&if kind.private { spec } else { without_private_files(spec) })?;
        made.push((kind, sandbox.clone()));
        Ok(Some(sandbox))
    }

    /// Only git's own commands write git directories, and what only reads can't write.
    pub(super) fn sandbox_for(
        &self,
        arguments: &run_command::Arguments,
        purpose: Purpose,
    ) -> Result<Option<Sandbox>, ToolError> {
        let writes = arki_policy::writes_repository(&arguments.command);
        let outside_git = writes && !self.outside_git.is_empty();
        let sandbox = match purpose.only_reads {
            true => Some(self.reading(purpose)?.sandbox.clone()),
            false => {
                let network = if arguments.network { Network::Granted } else { Network::None };
                let project = if purpose.tried { ProjectAccess::ReadOnly } else { ProjectAccess::Writable };
                self.sandbox(WritingKind { project, network, private: purpose.private, outside_git })?
            }
        };
        let Some(sandbox) = sandbox else { return Ok(None) };
        let sandbox = sandbox.with_git(if writes { GitAccess::Writable } else { GitAccess::ReadOnly });
        let sandbox = if purpose.agreed { sandbox.with_writable_hooks() } else { sandbox };
        let sandbox = if purpose.tried { sandbox.for_trial() } else { sandbox };
        if purpose.private && !self.hides_secrets {
            return Ok(Some(sandbox));
        }
        let line = &arguments.command;
        Ok(Some(if arki_policy::only_git_reads(line) {
            sandbox.without_secrets_of_git()
        } else if arki_policy::runs_git(line) {
            // What git shows of the secrets that it keeps was looked at; what doesn't name git has no need of its stores.
            sandbox.without_secrets()
        } else {
            sandbox.without_secrets_of_stores()
        }))
    }

    /// Returns what git writes outside the project, in a sentence for whoever is asked.
    pub(super) fn note_of_outside_git(&self, arguments: &run_command::Arguments) -> Option<String> {
        let git = self.outside_git.first().filter(|_| arki_policy::writes_repository(&arguments.command))?;
        Some(format!("Git writes this folder's repository, which lies outside the project: {}.", git.display()))
    }

    /// Git that only reads runs no program that a configuration names.
    pub(super) fn environment_for(
        &self,
        arguments: &run_command::Arguments,
        purpose: Purpose,
    ) -> Result<Vec<(String, String)>, ToolError> {
        if !purpose.only_reads {
            return Ok(self.environment.clone());
        }
        let mut environment = self.reading(purpose)?.environment.clone();
        if arki_policy::needs_unasked_git(&arguments.command) {
            match arki_git::unasked_environment(&self.sandbox_spec.project_root) {
                Some(of_git) => environment.extend(of_git),
                None if purpose.agreed => {}
                None => return Err(unclear_git().into()),
            }
        }
        Ok(environment)
    }

    fn reading(&self, purpose: Purpose) -> Result<&ReadingRoom, ToolError> {
        let kept = if purpose.private { &self.reading } else { &self.reading_unasked };
        if let Some(room) = kept.get() {
            return Ok(room);
        }
        let temp_dir = PrivateTempDir::create()?;
        let spec = SandboxSpec {
            project: ProjectAccess::ReadOnly,
            temp_dir: temp_dir.path().to_owned(),
            ..self.sandbox_spec.clone()
        };
        let sandbox = Sandbox::prepare(&if purpose.private { spec } else { without_private_files(spec) })?;
        let spec = EnvironmentSpec { temp_dir: temp_dir.path(), sandbox: Some(sandbox.name()) };
        let environment = child_environment(inherited_environment(), &[], spec);
        Ok(kept.get_or_init(|| ReadingRoom { environment, sandbox, _temp_dir: temp_dir }))
    }
}

/// Hides the user's files, except the project and what tools need.
fn without_private_files(spec: SandboxSpec) -> SandboxSpec {
    let view = ReadersView::of(&spec.project_root);
    let hidden = spec.hidden.iter().cloned().chain(view.hidden).collect();
    SandboxSpec { shown: view.shown, hidden, ..spec }
}

/// The sandbox with the project as a view shows it, where there is one.
pub(super) fn in_view(sandbox: Option<Sandbox>, view: Option<&Arc<OverlayView>>) -> Option<Sandbox> {
    let Some(view) = view else { return sandbox };
    sandbox.map(|sandbox| sandbox.in_view(view.clone()))
}

fn unclear_git() -> Error {
    let message = "Arki can't tell which programs git's configuration would run here.";
    Error::new(Code::POLICY_DENIED, message, "Try again, or ask the user to run it.")
}

/// The view of one command.
pub(super) struct CommandView {
    pub(super) view: Arc<OverlayView>,
    pub(super) bound: BoundFolders,
}

/// The rooms of a run's commands and hooks.
pub(super) struct CommandRooms {
    pub(super) settings: Arc<ExecutorSettings>,
    /// Made when the first command runs, used for all of the run's commands.
    of_commands: OnceCell<CommandSandbox>,
    /// Made for the first hook.
    pub(super) of_hooks: OnceLock<HookSandbox>,
}

impl CommandRooms {
    pub(super) fn new(settings: Arc<ExecutorSettings>) -> Self {
        Self { settings, of_commands: OnceCell::new(), of_hooks: OnceLock::new() }
    }

    /// The commands' temporary folder, if one has run.
    pub(super) fn temp_dir(&self) -> Option<&Path> {
        self.of_commands.get().map(|room| room.sandbox_spec.temp_dir.as_path())
    }

    pub(super) async fn room(&self) -> Result<&CommandSandbox, Error> {
        let furnish = async || {
            // Nothing waits for it: what killed runs left only takes space.
            let views = self.settings.views.clone();
            tokio::task::spawn_blocking(move || {
                arki_disk::remove_abandoned_temp_dirs();
                arki_sandbox::remove_abandoned_views(&views, LONGEST_COMMAND);
            });
            self.furnish().map_err(Error::from)
        };
        self.of_commands.get_or_try_init(furnish).await
    }

    pub(super) fn purpose(&self, arguments: &run_command::Arguments, verdict: &Verdict) -> Purpose {
        let tried = verdict.rule == TRIED_RULE;
        let only_reads = !tried && self.only_reads(arguments);
        Purpose { only_reads, agreed: arki_policy::is_agreed(verdict), private: false, tried }
    }

    /// Returns whether a command that may write works in a view here.
    pub(super) fn works_in_view(&self, arguments: &run_command::Arguments) -> bool {
        let on_project = arguments.background == Some(true)
            || arguments.on_project
            || arki_policy::writes_repository(&arguments.command);
        // Who has each command asked about has it work on the project itself once it is approved.
        let asks = self.settings.policy.categories.get(&Category::Exec) == Some(&Decision::Approval);
        !on_project && !asks && self.settings.has_views()
    }

    /// Returns the view in which a command works; `None` for what works on the project itself.
    pub(super) fn view_for(
        &self,
        arguments: &run_command::Arguments,
        purpose: Purpose,
        verdict: &Verdict,
    ) -> Result<Option<CommandView>, Error> {
        if purpose.only_reads || !self.works_in_view(arguments) {
            return Ok(None);
        }
        let bound = BoundFolders::of(&self.settings.project, &arguments.command, verdict);
        let failed = |error: std::io::Error| {
            let message = format!("Arki can't make a view of the project for this command: {error}.");
            Error::new(Code::SANDBOX_UNAVAILABLE, message, "`arki doctor` says what views need.")
        };
        let view = OverlayView::create(&self.settings.views, bound.folders.clone()).map_err(failed)?;
        Ok(Some(CommandView { view: Arc::new(view), bound }))
    }

    /// Returns whether it is known to only read, and is held to that. The network is only for what the user agreed to.
    pub(super) fn only_reads(&self, arguments: &run_command::Arguments) -> bool {
        self.settings.sandbox.available && !arguments.wants_network() && arki_policy::is_read_only(&arguments.command)
    }

    fn furnish(&self) -> Result<CommandSandbox, ToolError> {
        let temp_dir = PrivateTempDir::create()?;
        let sandbox_spec = self.settings.sandbox_spec(temp_dir.path());
        let sandbox = self.settings.sandbox.available.then(|| Sandbox::prepare(&sandbox_spec)).transpose()?;
        let spec = EnvironmentSpec { temp_dir: temp_dir.path(), sandbox: sandbox.as_ref().map(Sandbox::name) };
        let environment = child_environment(inherited_environment(), &[], spec);
        Ok(CommandSandbox {
            environment,
            sandbox,
            made: Mutex::default(),
            outside_git: arki_git::outside_git_dirs(&sandbox_spec.project_root),
            sandbox_spec,
            hides_secrets: self.settings.policy.denies_files() || self.settings.policy.denies_commands_files(),
            reading_unasked: OnceLock::new(),
            reading: OnceLock::new(),
            _temp_dir: temp_dir,
        })
    }
}

impl ExecutorSettings {
    /// Returns the files that no command opens unless it was shown as one that does: the secret ones, and those that
    /// rules deny or ask about.
    fn closed_files(&self) -> GlobSet {
        let by_rules = self.policy.closed_to_commands();
        if by_rules.is_empty() {
            return self.secrets.clone();
        }
        let mut closed = GlobSet::builder();
        for glob in self.secret_globs.iter().cloned().chain(by_rules) {
            closed.add(glob);
        }
        closed.build().unwrap_or_else(|_| self.secrets.clone())
    }

    /// Returns the sandbox for a command that may write in the project and has no network.
    pub(super) fn sandbox_spec(&self, temp_dir: &Path) -> SandboxSpec {
        SandboxSpec {
            project_root: self.project.root().to_owned(),
            project: ProjectAccess::Writable,
            temp_dir: temp_dir.to_owned(),
            hidden: self.hidden.clone(),
            shown: Vec::new(),
            also_writable: Vec::new(),
            network: Network::None,
            secrets: Some(self.closed_files()),
            trash: Some(self.trash.clone()),
            journals: Some(self.journals.clone()),
        }
    }
}
