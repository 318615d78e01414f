//! The specification of a sandbox: what it gives to a command and keeps from it.

use std::path::PathBuf;

use globset::GlobSet;

#[cfg(unix)]
use super::spelling::Spellings;

/// The files that only root can read, for an Arki that root started.
#[cfg(unix)]
const ROOT_SECRETS: &[&str] = &[
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/sudoers",
    "/etc/sudoers.d",
    "/etc/ssl/private",
    "/etc/ssh/ssh_host_rsa_key",
    "/etc/ssh/ssh_host_ecdsa_key",
    "/etc/ssh/ssh_host_ed25519_key",
    "/var/lib/docker",
    "/var/lib/containerd",
    "/private/etc/master.passwd",
    "/private/etc/sudoers",
    "/private/etc/sudoers.d",
    "/private/var/db/dslocal",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Network {
    /// No network: nobody can be reached, nor this machine's own services.
    #[default]
    None,
    /// Granted, as for every other program.
    Granted,
}

#[derive(Debug, Clone)]
pub struct SandboxSpec {
    pub project_root: PathBuf,
    pub project: ProjectAccess,
    /// The run's own; see `PrivateTempDir`.
    pub temp_dir: PathBuf,
    /// Invisible, whether they exist or not; see [`crate::home_secrets`]. The project and the temporary folder may lie in one.
    pub hidden: Vec<PathBuf>,
    /// Seen though it lies in what is hidden, and never written; see `ReadersView`.
    pub shown: Vec<PathBuf>,
    /// Writable besides the project and the temporary folder, such as a build cache.
    pub also_writable: Vec<PathBuf>,
    pub network: Network,
    /// The project's files that hold secrets besides those that always do; `None` where none is ever hidden.
    pub secrets: Option<GlobSet>,
    /// The folder for files that a command may not leave behind; commands don't see it. Without it they are removed.
    pub trash: Option<PathBuf>,
    /// The folder for notes on the state before commands, should this process be killed; commands don't see it. Without
    /// it, what they left then stays.
    pub journals: Option<PathBuf>,
}

/// The access of a command to the project itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ProjectAccess {
    #[default]
    Writable,
    /// Nothing in it can be written, made, removed or given other modes and times, by no program and no user.
    ReadOnly,
}

/// The access of a command to the git directories that a project has when it starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GitAccess {
    #[default]
    ReadOnly,
    /// All but what steers git, such as its configuration and hooks.
    Writable,
}

impl SandboxSpec {
    #[cfg(unix)]
    pub(super) fn writable_roots(&self) -> Vec<PathBuf> {
        self.roots().into_iter().filter(|root| root.is_writable).map(|root| root.path).collect()
    }

    /// The folders that are there whatever hides what is around them, with their links followed; the project comes first.
    #[cfg(unix)]
    pub(super) fn roots(&self) -> Vec<Root> {
        let project = (&self.project_root, self.project == ProjectAccess::Writable);
        let others = [&self.temp_dir].into_iter().chain(&self.also_writable).map(|path| (path, true));
        let roots = [project].into_iter().chain(others);
        roots
            .map(|(path, is_writable)| Root { path: path.canonicalize().unwrap_or_else(|_| path.clone()), is_writable })
            .collect()
    }

    /// Returns what is shown although it is hidden, where it is named and where it is.
    #[cfg(unix)]
    pub(super) fn shown(&self) -> Vec<ShownPath> {
        let real = |path: &PathBuf| Some(ShownPath { named: path.clone(), real: path.canonicalize().ok()? });
        self.shown.iter().filter_map(real).collect()
    }

    /// Returns what is hidden, in all spellings.
    #[cfg(unix)]
    pub(super) fn hidden_spellings(&self) -> Spellings {
        let of_root = if rustix::process::geteuid().is_root() { ROOT_SECRETS } else { &[] };
        let hidden: Vec<PathBuf> = self.hidden.iter().cloned().chain(of_root.iter().map(PathBuf::from)).collect();
        Spellings::of(&hidden)
    }
}

/// A file or folder that commands see in what is hidden.
#[cfg(unix)]
#[derive(Debug, Clone)]
pub(super) struct ShownPath {
    pub(super) named: PathBuf,
    pub(super) real: PathBuf,
}

/// A folder that commands see, and may be able to write.
#[cfg(unix)]
#[derive(Debug, Clone)]
pub(super) struct Root {
    pub(super) path: PathBuf,
    pub(super) is_writable: bool,
}
