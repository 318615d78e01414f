//! What a command may see and change.
//!
//! Writable are the project, the run's private temporary folder and what the specification adds. Everything else can
//! be read and executed, except what is hidden: Arki's own configuration and data, and the keys in a home folder.
//! There is no network unless it was granted, and no Unix socket.
//!
//! *How.* On Linux in one of two ways, of which the stronger that works is taken. *Bubblewrap*, where it is installed
//! and allowed: every command in namespaces of its own. *Landlock*, in this process: one thread a run puts itself under
//! it, for good, and starts every command of that run; a child inherits what its starting thread is under, so that a
//! command costs nothing more than without a sandbox. Both with a system call filter, and in both no code of ours has to run between
//! fork and exec. On macOS by *Seatbelt*, whose profile `seatbelt` makes, once it has shown that it confines. Elsewhere
//! there is no sandbox yet, and `probe` says so.
//!
//! *What Landlock alone does not do.* It only grants. So a folder with something hidden in it is granted child by child:
//! such a folder can't be listed, and what is created in it later can't be read. In the project nothing can be taken
//! away, so that what makes git run something and Arki's folder are put back after each command (`put_back`). The modes
//! and times of files outside can be changed, by their owner.
//!
//! *Commands that only read.* They get a sandbox of their own in which the project is read-only ([`ProjectAccess`]): it
//! is the sandbox that keeps them from writing, not who judged that they only read. Under Bubblewrap by the view of the
//! disk, under Landlock by its grants and a system call filter for modes, owners, times and attributes, which Landlock
//! does not govern. Nothing of theirs can be left behind, so nobody looks for it.
//!
//! *Secrets.* A command that nobody was asked about because it only reads gets a project without its files of secrets
//! ([`Sandbox::without_secrets`]), however it would come by them.
//!
//! *Git.* Whoever writes a git directory says what the user's next `git` runs, where no sandbox is. So all that a project
//! has (`sensitive`) are read-only, but for commands that are git's own ([`GitAccess`]), and then what steers git still
//! is; and what comes into being is looked at when the command has ended, or this process was killed (`guard`). Hooks
//! that lie elsewhere in the project, where `core.hooksPath` points, are read-only too, but for commands that somebody
//! agreed to ([`Sandbox::with_writable_hooks`]): what those change of them is told.

use std::path::{Path, PathBuf};
#[cfg(unix)]
use std::sync::{Arc, Mutex};

use serde::Serialize;

use crate::error::{ProcessError, Result};

#[cfg(target_os = "linux")]
#[path = "sandbox/linux.rs"]
mod platform;
#[cfg(target_os = "macos")]
#[path = "sandbox/macos.rs"]
mod platform;
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
#[path = "sandbox/unsupported.rs"]
mod platform;

#[cfg(target_os = "linux")]
mod bubblewrap;
#[cfg(target_os = "linux")]
mod domain;
#[cfg(unix)]
mod ended;
#[cfg(unix)]
mod explanation;
pub(crate) mod git_config;
mod git_sight;
#[cfg(unix)]
mod git_todo;
#[cfg(target_os = "linux")]
mod grants;
#[cfg(unix)]
mod guard;
#[cfg(unix)]
mod journal;
#[cfg(unix)]
mod leavings;
#[cfg(unix)]
mod listings;
#[cfg(target_os = "linux")]
mod mark;
mod meanwhile;
#[cfg(unix)]
mod put_back;
#[cfg(any(target_os = "macos", all(test, unix)))]
mod seatbelt;
#[cfg(unix)]
mod sensitive;
#[cfg(unix)]
mod settled;
mod spec;
#[cfg(unix)]
mod spelling;
#[cfg(target_os = "linux")]
mod syscall_filter;
#[cfg(unix)]
mod written;

/// In the project, and yet never written by a command.
#[cfg(unix)]
const ARKI_FOLDER: &str = ".arki";
#[cfg(unix)]
const OWN_GIT: &str = ".git";
/// In a git directory: what git runs, what says what it runs, and what says where that stands.
#[cfg(unix)]
const STEERS_GIT: &[&str] = &["config", "config.worktree", "commondir", "hooks", "info/attributes"];
/// How the name of a hook ends that is none.
#[cfg(unix)]
const SAMPLE: &str = ".sample";
/// The first descriptor that a wrapping program may have for itself; those before are the command's.
#[cfg(target_os = "linux")]
const FIRST_WRAPPING_FD: u32 = 4;

#[cfg(unix)]
pub(crate) use guard::{Guard, as_output};
#[cfg(unix)]
pub(crate) use sensitive::Sensitive;
#[cfg(unix)]
pub(crate) use settled::Settled;

pub use git_sight::GitSight;
pub use meanwhile::Meanwhile;
#[cfg(unix)]
use spec::Root;
pub use spec::{GitAccess, Network, ProjectAccess, SandboxSpec};

const HOME_SECRETS: &[&str] = &[
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".oci",
    ".kaggle",
    ".tsh",
    ".netrc",
    ".git-credentials",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".my.cnf",
    ".s3cfg",
    ".boto",
    ".databrickscfg",
    ".vault-token",
    ".password-store",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".composer/auth.json",
    ".gem/credentials",
    ".gradle/gradle.properties",
    ".m2/settings.xml",
    ".m2/settings-security.xml",
    ".pulumi/credentials.json",
    ".terraform.d/credentials.tfrc.json",
    ".claude/.credentials.json",
    ".codex/auth.json",
    ".gemini/oauth_creds.json",
    ".cache/huggingface/token",
    ".bash_history",
    ".zsh_history",
    ".python_history",
    ".node_repl_history",
    ".mysql_history",
    ".psql_history",
    ".local/share/fish/fish_history",
    ".viminfo",
    ".config/gcloud",
    ".config/gh",
    ".config/glab-cli",
    ".config/hub",
    ".config/github-copilot",
    ".config/composer/auth.json",
    ".config/git/credentials",
    ".config/op",
    ".config/sops",
    ".config/rclone",
    ".config/containers",
    ".config/google-chrome",
    ".config/chromium",
    ".config/BraveSoftware",
    ".config/microsoft-edge",
    ".config/vivaldi",
    ".config/Bitwarden",
    ".config/1Password",
    ".config/KeePassXC",
    ".config/Signal",
    ".config/Slack",
    ".mozilla",
    ".thunderbird",
    "Mail",
    ".var/app",
    "snap/firefox",
    "snap/chromium",
    ".local/share/keyrings",
    ".local/share/kwalletd",
    ".local/share/gnupg",
    ".local/share/mail",
    "Library/Keychains",
    "Library/Application Support/Google/Chrome",
    "Library/Application Support/Firefox",
    "Library/Application Support/BraveSoftware",
    "Library/Application Support/Microsoft Edge",
    "Library/Containers",
    "Library/Group Containers",
    "Library/Cookies",
    "Library/Mail",
    "Library/Messages",
    "Library/Safari",
];

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SandboxStatus {
    pub available: bool,
    /// Such as `landlock ABI 7`, or `none`.
    pub name: String,
    /// A sentence on what is missing.
    pub reason: Option<String>,
}

/// What a command gets of what the project has.
#[cfg(unix)]
#[derive(Clone, Copy)]
struct Reach<'a> {
    found: &'a Sensitive,
    git: GitAccess,
    writes_hooks: bool,
    hides_secrets: bool,
}

/// A program with its arguments, and the descriptors it gets from number 4 on.
#[cfg(unix)]
pub(crate) struct Wrapped {
    pub(crate) program: PathBuf,
    pub(crate) arguments: Vec<String>,
    pub(crate) descriptors: Vec<std::os::fd::OwnedFd>,
}

/// A prepared sandbox: build it once a run, use it for every command. Clones share it.
#[derive(Debug, Clone)]
pub struct Sandbox {
    platform: platform::Restricted,
    name: String,
    notes: Vec<String>,
    #[cfg_attr(not(unix), expect(dead_code, reason = "there is no sandbox"))]
    project: ProjectAccess,
    #[cfg_attr(not(unix), expect(dead_code, reason = "there is no sandbox"))]
    git: GitAccess,
    #[cfg_attr(not(unix), expect(dead_code, reason = "there is no sandbox"))]
    writes_hooks: bool,
    #[cfg_attr(not(unix), expect(dead_code, reason = "there is no sandbox"))]
    hides_secrets: bool,
    #[cfg(unix)]
    listings: Arc<Mutex<listings::Listings>>,
}

impl Sandbox {
    /// Whether commands can be confined on this machine; asked once, then remembered.
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

    /// Fails rather than protecting less than [`SandboxStatus`] promised. Takes some milliseconds.
    pub fn prepare(spec: &SandboxSpec) -> Result<Self> {
        let status = Self::probe();
        if let Some(reason) = status.reason {
            return Err(ProcessError::SandboxUnavailable { reason }.into());
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
            hides_secrets: false,
            #[cfg(unix)]
            listings: Arc::new(Mutex::new(listings::Listings::with_secrets(spec.secrets.clone()))),
        }
    }

    #[cfg(all(test, target_os = "linux"))]
    fn bubblewrap(spec: &SandboxSpec) -> Result<Self> {
        let is_wrapping = |sandbox: &Self| sandbox.platform.is_wrapping();
        let missing = || ProcessError::SandboxUnavailable { reason: "Bubblewrap does not work here.".to_owned() };
        Ok(Self::prepare_each(spec)?.into_iter().find(is_wrapping).ok_or_else(missing)?)
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

    /// The same without the project's files of secrets, as they are when a command starts. Landlock alone can't hide them.
    #[must_use]
    pub fn without_secrets(&self) -> Self {
        Self { hides_secrets: true, ..self.clone() }
    }

    /// What confines a command, and whether it has the network, as the user is told.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether nobody outside reaches what listens in it.
    pub(crate) fn has_own_network(&self) -> bool {
        self.platform.has_own_network()
    }

    /// Sentences on what is not exactly as asked, for the user.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Does `job` under the restrictions, which the processes that it starts inherit.
    pub(crate) async fn perform<T: Send + 'static>(&self, job: impl FnOnce() -> T + Send + 'static) -> Result<T> {
        self.platform.perform(job).await
    }

    /// The same for one command alone, of which it then knows all processes, if it can. Its terminal, if it has one, is
    /// the only one in reach.
    #[cfg(target_os = "linux")]
    pub(crate) async fn for_one_command(&self, terminal: Option<&Path>) -> Result<Self> {
        Ok(Self { platform: self.platform.for_one_command(terminal).await?, ..self.clone() })
    }

    /// Which of these belong to the command; none where it is not known. Blocks for a moment.
    #[cfg(target_os = "linux")]
    pub(crate) fn own(&self, processes: Vec<i32>) -> Vec<i32> {
        self.platform.own(processes)
    }

    /// Ends all processes of the command, where they are known.
    #[cfg(target_os = "linux")]
    pub(crate) async fn end_all(&self) {
        self.platform.end_all().await;
    }

    /// The same without waiting for it.
    #[cfg(target_os = "linux")]
    pub(crate) fn end_all_soon(&self) {
        self.platform.end_all_soon();
    }

    #[cfg(all(unix, not(target_os = "linux")))]
    pub(crate) async fn for_one_command(&self, _: Option<&Path>) -> Result<Self> {
        Ok(self.clone())
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
    ) -> std::io::Result<Wrapped> {
        let reach = Reach { found, git: self.git, writes_hooks: self.writes_hooks, hides_secrets: self.hides_secrets };
        self.platform.wrap(directory, command, terminal, reach)
    }

    /// To be held while a command runs.
    #[cfg(unix)]
    pub(crate) async fn guard(&self, meanwhile: Option<Meanwhile>) -> Result<Guard> {
        let (spec, held) = (self.platform.spec(), self.platform.held(self.git));
        let listings = self.listings.clone();
        let (project, writes_hooks) = (self.project, self.writes_hooks);
        let begin = move || match project {
            ProjectAccess::Writable => Guard::begin(&spec, held, writes_hooks, listings, meanwhile),
            ProjectAccess::ReadOnly => Guard::of_reading(&spec, listings),
        };
        let looked = tokio::task::spawn_blocking(begin).await;
        let looked = looked.unwrap_or_else(|_| Err(std::io::ErrorKind::Other.into()));
        Ok(looked.map_err(|error| {
            let reason = format!("What commands may not change can't be looked after: {error}.");
            ProcessError::SandboxUnavailable { reason }
        })?)
    }

    /// Whether the process that is started is the wrapping program, which must outlive a polite stop of the rest.
    #[cfg(target_os = "linux")]
    pub(crate) fn is_wrapping(&self) -> bool {
        self.platform.is_wrapping()
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

/// Where nobody can stop for a look that did not come to its end.
pub(crate) fn unfinished_words(why: &str) -> String {
    format!("Not all that commands left could be looked at: {why}. Look there before you use git in the folder.")
}

/// Whether this process runs in a sandbox of Arki's, whatever its environment says. Only Linux tells; elsewhere
/// `false`.
pub fn runs_in_sandbox() -> bool {
    #[cfg(target_os = "linux")]
    return mark::is_refused();
    #[cfg(not(target_os = "linux"))]
    false
}

/// What in a home folder commands never see: keys, credential stores, browser profiles, mail.
pub fn home_secrets(home: &Path) -> Vec<PathBuf> {
    HOME_SECRETS.iter().map(|secret| home.join(secret)).collect()
}

#[cfg(all(test, target_os = "linux"))]
mod tests;
