//! What a command may see and change.
//!
//! Writable are the project, the run's private temporary folder and what the specification adds. Everything else can
//! be read and executed, except what is hidden: Arki's own configuration and data, and the keys in a home folder.
//!
//! *How.* On Linux one thread a run puts itself under Landlock and seccomp, for good, and starts every command of
//! that run; a child inherits what its starting thread is under. So a command costs nothing more than without a sandbox,
//! and no code of ours has to run between fork and exec. Elsewhere there is no sandbox yet, and `probe` says so.
//!
//! *What it does not do.* It does not restrict the network. Landlock only grants, so a folder with something
//! hidden in it is granted child by child: such a folder can't be listed, and what is created in it
//! later can't be read. Without Landlock ABI 9 no Unix socket can be opened at all, not even in the project.

use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::error::{ProcessError, Result};

#[cfg(target_os = "linux")]
#[path = "sandbox/linux.rs"]
mod platform;
#[cfg(not(target_os = "linux"))]
#[path = "sandbox/unsupported.rs"]
mod platform;

#[cfg(target_os = "linux")]
mod grants;
#[cfg(target_os = "linux")]
mod syscall_filter;

const HOME_SECRETS: &[&str] = &[
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".netrc",
    ".git-credentials",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".my.cnf",
    ".vault-token",
    ".password-store",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".gem/credentials",
    ".terraform.d/credentials.tfrc.json",
    ".bash_history",
    ".zsh_history",
    ".config/gcloud",
    ".config/gh",
    ".config/glab-cli",
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
    ".var/app",
    "snap/firefox",
    "snap/chromium",
    ".local/share/keyrings",
    ".local/share/kwalletd",
    ".local/share/gnupg",
    "Library/Keychains",
    "Library/Application Support/Google/Chrome",
    "Library/Application Support/Firefox",
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

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxSpec {
    pub project_root: PathBuf,
    /// The run's own; see [`crate::PrivateTempDir`].
    pub temp_dir: PathBuf,
    /// Invisible, whether they exist or not; see [`home_secrets`]. The project and the temporary folder may lie in one.
    pub hidden: Vec<PathBuf>,
    /// Writable besides the project and the temporary folder, such as a build cache.
    pub also_writable: Vec<PathBuf>,
}

/// A prepared sandbox: build it once a run, use it for every command. Clones share it.
#[derive(Debug, Clone)]
pub struct Sandbox {
    platform: platform::Restricted,
    name: String,
    notes: Vec<String>,
}

impl Sandbox {
    /// What this machine can do; asked once, then remembered.
    pub fn probe() -> SandboxStatus {
        platform::probe()
    }

    /// Fails rather than protecting less than [`SandboxStatus`] promised. Takes some milliseconds.
    pub fn prepare(spec: &SandboxSpec) -> Result<Self> {
        let status = Self::probe();
        if let Some(reason) = status.reason {
            return Err(ProcessError::SandboxUnavailable { reason }.into());
        }
        let (platform, notes) = platform::prepare(spec)?;
        Ok(Self { platform, name: status.name, notes })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// Sentences on what is not exactly as asked, for the user.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Does `job` under the restrictions, which the processes that it starts inherit.
    pub(crate) async fn perform<T: Send + 'static>(&self, job: impl FnOnce() -> T + Send + 'static) -> Result<T> {
        self.platform.perform(job).await
    }
}

/// What in a home folder commands never see: keys, credential stores, browser profiles, mail.
pub fn home_secrets(home: &Path) -> Vec<PathBuf> {
    HOME_SECRETS.iter().map(|secret| home.join(secret)).collect()
}

#[cfg(all(test, target_os = "linux"))]
mod tests;
