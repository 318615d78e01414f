//! A prepared sandbox, and what it is asked.

use std::path::Path;
use std::sync::Arc;
#[cfg(unix)]
use std::sync::Mutex;

use arki_process::{Confinement, ProcessError, Result};
use serde::Serialize;

#[cfg(unix)]
use crate::guard::{self, Guard};
#[cfg(unix)]
use crate::listings::Listings;
#[cfg(target_os = "linux")]
use crate::mark;
use crate::network_door::NetworkDoor;
use crate::platform;
#[cfg(unix)]
use crate::sensitive::Sensitive;
use crate::spec::{GitAccess, Network, ProjectAccess, SandboxSpec};
use crate::view::OverlayView;
#[cfg(unix)]
use arki_process::{Meanwhile, WrappedProgram};

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SandboxStatus {
    pub available: bool,
    /// The sandbox's name, such as `landlock ABI 7`, or `none`.
    pub name: String,
    /// A sentence on what is missing.
    pub reason: Option<String>,
}

impl SandboxStatus {
    #[cfg(unix)]
    pub(crate) fn working(name: impl Into<String>) -> Self {
        Self { available: true, name: name.into(), reason: None }
    }

    pub(crate) fn missing(name: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { available: false, name: name.into(), reason: Some(reason.into()) }
    }
}

/// The part of the project that a command reaches.
#[cfg(unix)]
#[derive(Clone, Copy)]
pub(crate) struct CommandReach<'a> {
    pub(crate) found: &'a Sensitive,
    pub(crate) git: GitAccess,
    pub(crate) writes_hooks: bool,
    pub(crate) secrets: SecretSight,
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "there are no views"))]
    pub(crate) view: Option<&'a OverlayView>,
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "there are no doors"))]
    pub(crate) door: Option<&'a NetworkDoor>,
}

/// The files of secrets that a command can't open.
#[cfg_attr(not(unix), expect(dead_code, reason = "there is no sandbox"))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum SecretSight {
    #[default]
    Shown,
    Hidden,
    /// The object stores of the repositories that keep some too.
    HiddenAlsoInStores,
    /// But for those that git keeps: git would take them for changed.
    HiddenFromGit,
}

/// A prepared sandbox: build it once a run, use it for every command. Clones share it.
#[derive(Debug, Clone)]
pub struct Sandbox {
    pub(crate) platform: platform::Restricted,
    name: String,
    notes: Vec<String>,
    #[cfg_attr(not(unix), expect(dead_code, reason = "there is no sandbox"))]
    pub(crate) project: ProjectAccess,
    #[cfg_attr(not(unix), expect(dead_code, reason = "there is no sandbox"))]
    pub(crate) git: GitAccess,
    #[cfg_attr(not(unix), expect(dead_code, reason = "there is no sandbox"))]
    writes_hooks: bool,
    #[cfg_attr(not(unix), expect(dead_code, reason = "there is no sandbox"))]
    pub(crate) secrets: SecretSight,
    #[cfg_attr(not(unix), expect(dead_code, reason = "there is no sandbox"))]
    view: Option<Arc<OverlayView>>,
    #[cfg_attr(not(unix), expect(dead_code, reason = "there is no sandbox"))]
    pub(crate) is_trial: bool,
    #[cfg_attr(not(unix), expect(dead_code, reason = "there is no sandbox"))]
    door: Option<Arc<NetworkDoor>>,
    #[cfg(unix)]
    listings: Arc<Mutex<Listings>>,
}

impl Sandbox {
    /// Returns whether commands can be confined on this machine; asked once, then remembered.
    pub fn probe() -> SandboxStatus {
        platform::probe()
    }

    /// Each way there is, the strongest first, and why one can't be taken.
    pub fn layers() -> Vec<SandboxStatus> {
        platform::layers()
    }

    /// The one that commands get. Asking costs some milliseconds more than [`Sandbox::probe`] does.
    pub fn strongest() -> SandboxStatus {
        Self::layers().into_iter().find(|layer| layer.available).unwrap_or_else(Self::probe)
    }

    /// Returns whether commands can be kept from a project's files of secrets on this machine; asked once.
    pub fn can_hide_secrets() -> bool {
        platform::can_hide_secrets()
    }

    /// Fails rather than protecting less than [`SandboxStatus`] promised. Takes some milliseconds.
    pub fn prepare(spec: &SandboxSpec) -> Result<Self> {
        let status = Self::probe();
        if let Some(reason) = status.reason {
            return Err(ProcessError::SandboxUnavailable { reason });
        }
        let (platform, name, notes) = platform::prepare(spec)?;
        Ok(Self::new(spec, platform, name, notes))
    }

    /// One for each way that works here, the strongest first: for those who check that all of them hold.
    pub fn prepare_each(spec: &SandboxSpec) -> Result<Vec<Self>> {
        let each = platform::prepare_each(spec)?;
        Ok(each.into_iter().map(|(platform, name, notes)| Self::new(spec, platform, name, notes)).collect())
    }

    fn new(spec: &SandboxSpec, platform: platform::Restricted, mut name: String, notes: Vec<String>) -> Self {
        if spec.project == ProjectAccess::ReadOnly {
            name.push_str(", project read-only");
        }
        if spec.network == Network::Granted {
            name.push_str(", with network");
        }
        Self {
            platform,
            name,
            notes,
            project: spec.project,
            git: GitAccess::default(),
            writes_hooks: false,
            secrets: SecretSight::Shown,
            view: None,
            is_trial: false,
            door: None,
            #[cfg(unix)]
            listings: Arc::new(Mutex::new(Listings::with_secrets(spec.secrets.clone()))),
        }
    }

    #[cfg(all(test, target_os = "linux"))]
    pub(crate) fn is_wrapping(&self) -> bool {
        self.platform.is_wrapping()
    }

    #[cfg(all(test, target_os = "linux"))]
    pub(crate) fn bubblewrap(spec: &SandboxSpec) -> Result<Self> {
        let is_wrapping = |sandbox: &Self| sandbox.is_wrapping();
        let missing = || ProcessError::SandboxUnavailable { reason: "Bubblewrap does not work here.".to_owned() };
        Self::prepare_each(spec)?.into_iter().find(is_wrapping).ok_or_else(missing)
    }

    /// The same with another access to git directories, which are read-only at first.
    #[must_use]
    pub fn with_git(&self, git: GitAccess) -> Self {
        Self { git, ..self.clone() }
    }

    /// The same where git's hooks outside its directories may be written, for what somebody agreed to.
    #[must_use]
    pub fn with_writable_hooks(&self) -> Self {
        Self { writes_hooks: true, ..self.clone() }
    }

    /// The same for a command that is asked about if it fails: its output explains nothing to the model.
    #[must_use]
    pub fn for_trial(&self) -> Self {
        Self { is_trial: true, ..self.clone() }
    }

    /// The same without the project's files of secrets, as they are when a command starts. Landlock alone can't hide them.
    #[must_use]
    pub fn without_secrets(&self) -> Self {
        Self { secrets: SecretSight::Hidden, ..self.clone() }
    }

    /// As [`Sandbox::without_secrets`], and no program it runs reads them out of the repositories that keep them: for a line in a view that is
    /// not known to run git, which then can't read any of their contents.
    #[must_use]
    pub fn without_secrets_of_stores(&self) -> Self {
        Self { secrets: SecretSight::HiddenAlsoInStores, ..self.clone() }
    }

    /// The same for a line in which git alone reads files: those that it keeps stay.
    #[must_use]
    pub fn without_secrets_of_git(&self) -> Self {
        Self { secrets: SecretSight::HiddenFromGit, ..self.clone() }
    }

    /// The same for one command whose writes go aside. Only where [`Sandbox::has_views`].
    #[must_use]
    pub fn in_view(&self, view: Arc<OverlayView>) -> Self {
        Self { view: Some(view), ..self.clone() }
    }

    /// The same for one command with a door in its own network. Only where [`Sandbox::has_views`].
    #[must_use]
    pub fn with_door(&self, door: NetworkDoor) -> Self {
        Self { door: Some(Arc::new(door)), ..self.clone() }
    }

    /// Returns whether commands can have views of their own here.
    pub fn has_views() -> bool {
        platform::has_views()
    }

    /// Returns the sandbox in the form for a command's specification.
    pub fn as_confinement(&self) -> &dyn Confinement {
        self
    }

    /// Returns what confines a command, and whether it has the network, as the user is told.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Sentences on what is not exactly as asked, for the user.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Returns sentences on what a command can do in it all the same, for who is asked about one.
    pub fn gaps(&self) -> Vec<String> {
        #[cfg(target_os = "linux")]
        if !self.platform.is_wrapping() {
            let gap = "Landlock alone can't keep it from changing modes and times of your other files.".to_owned();
            return [gap].into_iter().chain(self.notes.iter().cloned()).collect();
        }
        self.notes.clone()
    }

    /// The program to start for `command`, of which the first part is a program itself, at that terminal, in
    /// a project with that in it.
    #[cfg(unix)]
    pub(crate) fn wrap(
        &self,
        directory: &Path,
        command: &[&str],
        terminal: Option<&Path>,
        found: &Sensitive,
    ) -> std::io::Result<WrappedProgram> {
        let reach = CommandReach {
            found,
            git: self.git,
            writes_hooks: self.writes_hooks,
            secrets: self.secrets,
            view: self.view.as_deref(),
            door: self.door.as_deref(),
        };
        self.platform.wrap(directory, command, terminal, reach)
    }

    #[cfg(unix)]
    pub(crate) fn root(&self) -> std::path::PathBuf {
        let root = &self.platform.spec().project_root;
        root.canonicalize().unwrap_or_else(|_| root.clone())
    }

    /// Returns whether a command in it can't write the project's git directories.
    pub fn holds_git(&self) -> bool {
        #[cfg(target_os = "linux")]
        let is_held = self.platform.is_wrapping();
        #[cfg(not(target_os = "linux"))]
        let is_held = true;
        is_held && self.git == GitAccess::ReadOnly && self.project == ProjectAccess::Writable
    }

    /// Returns the guard, which is held while a command runs.
    #[cfg(unix)]
    pub(crate) async fn guard(&self, meanwhile: Option<Meanwhile>) -> Result<Guard> {
        let (spec, held) = (self.platform.spec(), self.platform.held(self.git));
        let listings = self.listings.clone();
        let (project, writes_hooks, all) = (self.project, self.writes_hooks, self.secrets != SecretSight::Shown);
        // What is left in a view is no part of the project, but in what is bound through.
        let is_apart = self.view.as_ref().is_some_and(|view| view.bound().is_empty());
        let project = if is_apart { ProjectAccess::ReadOnly } else { project };
        let begin = move || match project {
            ProjectAccess::Writable => Guard::begin(&spec, held, writes_hooks, listings, meanwhile, all),
            ProjectAccess::ReadOnly => Guard::of_reading(&spec, listings),
        };
        let looked = tokio::task::spawn_blocking(begin).await;
        let looked = looked.unwrap_or_else(|_| Err(std::io::ErrorKind::Other.into()));
        looked.map_err(|error| {
            let reason = format!("The files that commands may not change can't be protected: {error}.");
            ProcessError::SandboxUnavailable { reason }
        })
    }
}

/// Takes away and puts back in a project what commands left there whose Arki was killed, but for what changed later; see
/// [`SandboxSpec::journals`] and [`SandboxSpec::trash`]. What was done, and what was left, in a sentence each. Blocks
/// for a moment, longer where there is something.
#[cfg_attr(not(unix), expect(unused_variables, reason = "there is no sandbox"))]
pub fn settle_abandoned(project_root: &Path, journals: &Path, trash: &Path) -> Vec<String> {
    #[cfg(unix)]
    if let Ok(root) = project_root.canonicalize() {
        return guard::settle_abandoned(&root, journals, Some(trash), &Mutex::default());
    }
    Vec::new()
}

/// Returns whether this process runs in a sandbox of Arki's, whatever its environment says. Only Linux tells; elsewhere
/// `false`.
pub fn runs_in_sandbox() -> bool {
    #[cfg(target_os = "linux")]
    return mark::is_refused();
    #[cfg(not(target_os = "linux"))]
    false
}
