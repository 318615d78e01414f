//! Folders: opening them, trusting them, and what of them may be loaded.

mod changed_pins;

use crate::enum_words::word;
use crate::projects::agents::agent_warnings;
use crate::projects::config_in_force::noted;
use crate::projects::guides::{self};
use crate::projects::hooks::{LineAgreement, READERS, line_standing};
use crate::projects::rules;
use crate::{FoundGuides, Projects, blocking};
use arki_api::{Pin, ProjectState, TrustState};
use arki_config::denials_of;
use arki_context::LoadedRules;
use arki_domain::{Code, Error, TrustPin, sha256_hex};
use arki_files::{EnvFiles, GitScan, PROGRAMS_OF_GIT, PinKind, Project, ProjectPath, TrustScan};
use arki_git::beyond_harmless;
use arki_policy::ChangedGit;
use arki_redaction::Redactor;
use arki_sandbox::GitSight;
use arki_sandbox::{Sandbox, SandboxStatus};
use arki_store::{PinRecord, TrustRecord};
use arki_tools::HookOrigin;
use globset::GlobSet;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// Pinned text up to this size is kept, so that a later change of it can be shown.
const MAX_PINNED_TEXT_BYTES: u64 = 256 * 1024;
const MAX_RECENT_PROJECTS: usize = 12;
const RECENT_PROJECTS: &str = "recent_projects";
const PARTLY_SEEN: &str =
    "The folder is too large to find every git directory, so the deepest ones aren't protected from commands.";

/// A folder with everything that was decided about it.
pub(crate) struct OpenProject {
    pub(crate) project: Arc<Project>,
    /// The worktree of the project that is worked in instead; all that is agreed to is the project's.
    pub(crate) tree: Option<Arc<Project>>,
    pub(crate) trust: Option<TrustRecord>,
    /// The files in it now that are executable or instruct a model.
    pub(crate) current: Vec<arki_files::Pin>,
    /// The places in it of what git reads and runs.
    pub(crate) git: GitScan,
    /// Its skills and procedures, once somebody asked for them.
    pub(crate) guides: OnceLock<FoundGuides>,
    /// The user's rules and its own, likewise.
    pub(crate) rules: OnceLock<LoadedRules>,
}

/// A folder that was just opened: what is to be said of it before a run begins there.
pub struct OpenedFolder(pub(crate) OpenProject);

impl OpenedFolder {
    /// The paths of what was agreed to and is another now, so that it is off; none in a folder that is not trusted.
    #[must_use]
    pub fn changed_pieces(&self) -> Vec<String> {
        self.0.off(&self.0.current).into_iter().map(|change| change.path).collect()
    }
}

impl OpenProject {
    pub(crate) fn is_trusted(&self) -> bool {
        self.trust.as_ref().is_some_and(|trust| trust.trusted)
    }

    pub(crate) fn path(&self) -> String {
        self.project.root().display().to_string()
    }

    /// The folder whose files are worked on.
    pub(crate) fn workplace(&self) -> &Arc<Project> {
        self.tree.as_ref().unwrap_or(&self.project)
    }

    /// Returns the path of the folder whose files are worked on, as sessions name it.
    pub(crate) fn place(&self) -> String {
        self.workplace().root().display().to_string()
    }

    /// The same, with what trusting it would enable where it isn't trusted: that isn't looked for when it is opened.
    pub(super) fn scanned(self) -> Result<Self, Error> {
        match self.is_trusted() {
            true => Ok(self),
            false => Ok(Self { current: arki_files::scan(self.project.root(), READERS)?.pins, ..self }),
        }
    }

    /// Returns what the user agreed to; empty while untrusted.
    pub(crate) fn pins(&self) -> Vec<TrustPin> {
        match &self.trust {
            Some(trust) if trust.trusted => trust.pins.iter().map(|record| record.pin.clone()).collect(),
            Some(_) | None => Vec::new(),
        }
    }

    /// A pinned text, if the folder is trusted and the text is still the one that was agreed to.
    pub(crate) fn agreed_text(&self, kind: PinKind, path: &str) -> Option<String> {
        String::from_utf8(self.agreed_bytes(kind, path)?).ok()
    }

    /// The same of what need be no text.
    pub(crate) fn agreed_bytes(&self, kind: PinKind, path: &str) -> Option<Vec<u8>> {
        self.agreed_bytes_up_to(kind, path, MAX_PINNED_TEXT_BYTES)
    }

    pub(crate) fn agreed_bytes_up_to(&self, kind: PinKind, path: &str, limit: u64) -> Option<Vec<u8>> {
        let kind = kind_word(kind);
        let trust = self.trust.as_ref().filter(|trust| trust.trusted)?;
        let record = trust.pins.iter().find(|record| record.pin.path == path && record.pin.kind == kind)?;
        let bytes = self.read(path, limit)?;
        (sha256_hex(&bytes) == record.pin.hash).then_some(bytes)
    }

    /// Returns whether the programs of the project's own that a server's command line names are those that were agreed
    /// to.
    pub(crate) fn has_agreed_programs(&self, command: &str, args: &[String]) -> bool {
        let named = arki_files::command_programs(command, args);
        let paths: Vec<String> =
            named.iter().filter_map(|word| Some(self.project.resolve(word).ok()?.to_string())).collect();
        let word = kind_word(PinKind::McpServer);
        let agreed = self.trust.iter().flat_map(|trust| &trust.pins).map(|record| &record.pin);
        let agreed = agreed.filter(|pin| pin.kind == word && paths.contains(&pin.path));
        let current = self.current.iter().filter(|pin| pin.kind == PinKind::McpServer && paths.contains(&pin.path));
        let agreed: BTreeSet<(&str, &str)> = agreed.map(|pin| (pin.path.as_str(), pin.hash.as_str())).collect();
        // None is gone either, as one is that has become a link out of the project.
        agreed == current.map(|pin| (pin.path.as_str(), pin.hash.as_str())).collect()
    }

    /// How the shell line of a hook or a checker stands to what was agreed to.
    pub(crate) fn line_standing(&self, origin: HookOrigin, line: &str, is_checker: bool) -> LineAgreement {
        match origin {
            HookOrigin::User => LineAgreement::Agreed,
            HookOrigin::Project(file) => line_standing(self.trust.as_ref(), &self.project, (file, line), is_checker),
        }
    }

    /// Returns whether it is of what can't be pinned, and nobody agreed to it.
    pub(super) fn is_left_off(&self, pin: &arki_files::Pin) -> bool {
        pin.kind == PinKind::UnpinnedHook && !self.pins().iter().any(|agreed| agreed.hash == pin.hash)
    }

    /// The text of a hook that stands in a file.
    pub(crate) fn agreed_hook_text(&self, path: &str) -> Option<String> {
        self.agreed_text(PinKind::Hook, self.project.resolve(path).ok()?.as_str())
    }

    /// The hooks' programs in the project: writing them asks, as writing the configuration does.
    pub(crate) fn hook_programs(&self) -> impl Iterator<Item = String> {
        let pins = self.current.iter().filter(|pin| pin.kind == PinKind::Hook && !pin.path.contains('#'));
        pins.map(|pin| pin.path.clone())
    }

    fn read(&self, path: &str, limit: u64) -> Option<Vec<u8>> {
        let path = self.project.resolve(path).ok()?;
        Some(self.project.read_if_present(&path, limit).ok()??.bytes)
    }
}

impl Projects {
    /// A worktree that Arki made is opened as the project that it is of, and worked in.
    pub(crate) fn load_project(&self, path: &Path) -> Result<OpenProject, Error> {
        let Some(origin) = self.trees.origin_of(path) else { return self.load_folder(path) };
        let (open, tree) = (self.load_folder(&origin)?, Arc::new(open_folder(path)?));
        if open.is_trusted() {
            self.leavings.settle_abandoned(tree.root());
        }
        Ok(OpenProject { tree: Some(tree), ..open })
    }

    /// Returns the project that a session's folder belongs to: the folder itself, unless it is a worktree that Arki made.
    pub(crate) fn project_at(&self, folder: &str) -> String {
        self.trees.origin_of(Path::new(folder)).map_or_else(|| folder.to_owned(), |origin| origin.display().to_string())
    }

    pub(super) fn load_folder(&self, path: &Path) -> Result<OpenProject, Error> {
        let project = Arc::new(open_folder(path)?);
        let trust = self.records.decisions().trust(&project.root().display().to_string())?;
        let scan = if trust.as_ref().is_some_and(|trust| trust.trusted) {
            self.leavings.settle_abandoned(project.root());
            // Before anything of it is said, sent or stored.
            self.learn_secrets(&project);
            arki_files::scan(project.root(), READERS)?
        } else {
            TrustScan::default()
        };
        Ok(OpenProject {
            project,
            tree: None,
            trust,
            current: scan.pins,
            git: scan.git,
            guides: OnceLock::new(),
            rules: OnceLock::new(),
        })
    }

    fn learn_secrets(&self, project: &Project) {
        arki_tools::learn_env_files(self.records.redactor(), project, &mut EnvFiles::default());
    }

    /// Opens a folder: says whether it is trusted and what trusting would enable. Reads only what has to be hashed.
    ///
    /// # Errors
    /// `FOLDER_UNAVAILABLE` when it does not exist or cannot be read.
    pub fn project(&self, path: &Path) -> Result<ProjectState, Error> {
        let open = self.load_project(path)?;
        let scanned = if open.is_trusted() { None } else { Some(arki_files::scan(open.project.root(), READERS)?.pins) };
        let current: Vec<_> = scanned.as_ref().unwrap_or(&open.current).iter().map(|pin| noted(&open, pin)).collect();
        let trust = match &open.trust {
            Some(trust) if trust.trusted => TrustState::Trusted,
            Some(_) => TrustState::Untrusted,
            None => TrustState::Undecided,
        };
        let name = open.project.root().file_name();
        Ok(ProjectState {
            path: open.path(),
            name: name.map_or_else(|| open.path(), |name| name.to_string_lossy().into_owned()),
            trust,
            changed: open.changed(&current, self.records.redactor()),
            enables: current.iter().filter(|pin| !open.is_left_off(pin)).map(wire_pin).collect(),
            unpinned: current.iter().filter(|pin| open.is_left_off(pin)).map(wire_pin).collect(),
            notices: self.notices(&open),
            worktree: self.session_worktrees().worktree_at(&open.path()),
        })
    }

    fn notices(&self, open: &OpenProject) -> Vec<String> {
        let is_partial = self.sandbox().available && GitSight::default().is_partial(open.project.root());
        let waiting = if open.is_trusted() { self.leavings.waiting(&open.path()) } else { Vec::new() };
        let skills = guides::left_out_words(open.skills_left_out(&self.records.directories().config));
        let in_force = self.config_in_force(open).ok();
        let servers = in_force.as_ref().map(|in_force| in_force.config.mcp_left_out.clone()).unwrap_or_default();
        let mut warnings = self.rules_of(open).warnings.clone();
        warnings.extend(self.find_commands(Some(open)).warnings);
        warnings.extend(agent_warnings(self, open));
        let warnings = rules::told(&warnings);
        let refused = in_force.and_then(|in_force| in_force.refused);
        let refused = refused.map(|fault| {
            format!("No run can start in this folder until this is fixed. {} {}", fault.message, fault.hint)
        });
        let partly = is_partial.then(|| PARTLY_SEEN.to_owned());
        refused.into_iter().chain(partly).chain(servers).chain(waiting).chain(skills).chain(warnings).collect()
    }

    /// A folder as sessions name it, without looking into it.
    ///
    /// # Errors
    /// `FOLDER_UNAVAILABLE`.
    pub fn folder(&self, path: &Path) -> Result<PathBuf, Error> {
        canonical(path)
    }

    /// Opens a folder to begin a run in it.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn open_folder(&self, path: &Path) -> Result<OpenedFolder, Error> {
        self.load_project(path).map(OpenedFolder)
    }

    /// Opens a project of which there is to be a worktree, and returns what the user has agreed to in it.
    ///
    /// # Errors
    /// `UNTRUSTED`, `FOLDER_UNAVAILABLE`.
    pub(crate) fn open_trusted(&self, folder: &Path) -> Result<(OpenProject, TrustRecord), Error> {
        let open = self.load_project(folder)?;
        let agreed = open.trust.clone().filter(|trust| trust.trusted);
        match agreed {
            Some(agreed) => Ok((open, agreed)),
            None => Err(Error::new(
                Code::UNTRUSTED,
                format!("{} is not trusted, so Arki can't create a worktree for it.", open.path()),
                "Trust the folder first: `arki trust` shows what that enables.",
            )),
        }
    }

    /// The folders opened last, the newest first; those that are gone are left out.
    #[must_use]
    pub fn recent_projects(&self) -> Vec<String> {
        let stored = self.records.reader().meta(RECENT_PROJECTS).ok().flatten().unwrap_or_default();
        let recent: Vec<String> = serde_json::from_str(&stored).unwrap_or_default();
        recent.into_iter().filter(|path| Path::new(path).is_dir()).collect()
    }

    /// Remembers a folder as the one opened last.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub async fn remember_project(self: &Arc<Self>, path: &str) -> Result<(), Error> {
        let mut recent = blocking(self, |projects| Ok(projects.recent_projects())).await?;
        recent.retain(|known| known != path);
        recent.insert(0, path.to_owned());
        recent.truncate(MAX_RECENT_PROJECTS);
        let recent = serde_json::to_string(&recent).map_err(Error::internal)?;
        Ok(self.records.store().set_meta(RECENT_PROJECTS, &recent).await?)
    }

    /// Learns the values that have to be known as secrets before words of the user's are stored in a session. This process
    /// may have read nothing of the session's folder yet, and looked for no key. Where the folder is gone, what has a
    /// secret's form is found all the same.
    pub(crate) fn learn_secrets_of(&self, folder: &str) -> Result<(), Error> {
        if let Ok(config) = self.accounts.user_config() {
            self.accounts.providers(&config);
        }
        if self.records.decisions().trust(folder)?.is_some_and(|trust| trust.trusted)
            && let Ok(project) = open_folder(Path::new(folder))
        {
            self.learn_secrets(&project);
        }
        Ok(())
    }

    /// Returns what can confine commands on this machine; asked once.
    pub(crate) fn sandbox(&self) -> &SandboxStatus {
        self.sandbox.get_or_init(Sandbox::probe)
    }

    /// Returns what neither commands nor servers may see.
    pub(crate) fn hidden_folders(&self) -> Vec<PathBuf> {
        let mut hidden = self.records.directories().own();
        if let Some(home) = std::env::home_dir() {
            hidden.extend(arki_sandbox::home_secrets(&home));
        }
        hidden
    }
}

impl OpenProject {
    /// Returns the items that are off because they differ from what was agreed to; empty while untrusted.
    fn off(&self, current: &[arki_files::Pin]) -> Vec<arki_files::ChangedPin> {
        let Some(trust) = self.trust.as_ref().filter(|trust| trust.trusted) else { return Vec::new() };
        off(trust, current)
    }
}

fn off(trust: &TrustRecord, current: &[arki_files::Pin]) -> Vec<arki_files::ChangedPin> {
    let pinned: Vec<_> = trust.pins.iter().filter_map(|record| workspace_pin(&record.pin)).collect();
    let changes = arki_files::compare(&pinned, current).into_iter();
    changes.filter(arki_files::ChangedPin::puts_off).collect()
}

/// Returns what git would run of a trusted folder that nobody has agreed to; `current` is of git alone.
pub(crate) fn changed_git(trust: &TrustRecord, current: &[arki_files::Pin]) -> ChangedGit {
    let off = off(trust, current);
    let is_hook = |change: &arki_files::ChangedPin| {
        change.kind == PinKind::GitHook && change.change != arki_files::PinChange::Removed
    };
    let programs = off.iter().any(|change| change.kind == PinKind::GitConfig);
    ChangedGit { programs, hooks: off.iter().any(is_hook), ..ChangedGit::default() }
}

/// The text is kept without its secrets: it is only there to show what changed.
pub(super) fn pin_record(project: &Project, pin: &arki_files::Pin, redactor: &Redactor) -> PinRecord {
    let (file, is_programs) = file_of_piece(&pin.path);
    let content = match pin.kind {
        PinKind::GitConfig if is_programs => text_of(project, file).map(|text| beyond_harmless(&text)),
        PinKind::GitConfig | PinKind::GitHook => None,
        // A hook may read settings off one.
        PinKind::Hook if project.resolve(file).is_ok_and(|path| project.is_secret(&path, &GlobSet::empty())) => None,
        _ => text_of(project, file),
    };
    let forbids = content.as_deref().filter(|_| pin.kind == PinKind::Config).and_then(denials_of);
    let content = content.map(|text| redactor.redact(&text).into_owned());
    let pin = TrustPin { kind: kind_word(pin.kind), path: pin.path.clone(), hash: pin.hash.clone() };
    PinRecord { pin, content, forbids }
}

/// The file that a pin's path is about, and whether only of what git may run by it.
fn file_of_piece(path: &str) -> (&str, bool) {
    path.strip_suffix(PROGRAMS_OF_GIT).map_or((path, false), |file| (file, true))
}

fn text_of(project: &Project, path: &str) -> Option<String> {
    let path: ProjectPath = project.resolve(path).ok()?;
    let file = project.read_if_present(&path, MAX_PINNED_TEXT_BYTES).ok()??;
    String::from_utf8(file.bytes).ok()
}

fn wire_pin(pin: &arki_files::Pin) -> Pin {
    Pin { kind: kind_word(pin.kind), path: pin.path.clone(), hash: pin.hash.clone(), note: pin.note.clone() }
}

fn workspace_pin(pin: &TrustPin) -> Option<arki_files::Pin> {
    let kind = serde_json::from_value(serde_json::Value::String(pin.kind.clone())).ok()?;
    Some(arki_files::Pin { kind, path: pin.path.clone(), hash: pin.hash.clone(), note: None })
}

/// The contract's word for a kind of pin.
pub(crate) fn kind_word(kind: PinKind) -> String {
    word(&kind)
}

/// The folder as it is known to the system, without looking into it.
///
/// # Errors
/// `FOLDER_UNAVAILABLE`.
pub(crate) fn canonical(path: &Path) -> Result<PathBuf, Error> {
    path.canonicalize().map_err(|error| unavailable(path, &error))
}

/// A handle can be had even of a folder that may not be looked into; a run in it would fail at every step.
fn open_folder(path: &Path) -> Result<Project, Error> {
    let project = Project::open(path)?;
    std::fs::read_dir(project.root()).map_err(|error| unavailable(path, &error))?;
    Ok(project)
}

fn unavailable(path: &Path, error: &std::io::Error) -> Error {
    let message = format!("The folder {} can't be opened: {}.", path.display(), arki_domain::io_words(error.kind()));
    Error::new(Code::FOLDER_UNAVAILABLE, message, "Check the path and its permissions.")
}
