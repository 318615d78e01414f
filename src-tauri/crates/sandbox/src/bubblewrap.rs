//! Bubblewrap: the mounts of a view as its options. Taken where this program can't be its own launcher.

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use super::SandboxStatus;
use super::launch_plan::{BindAccess, MountStep};
use super::view_plan::text;
use arki_process::{ProcessError, Result};

/// The programs' places. They are not looked up in `PATH`, which a project may influence.
const PROGRAMS: &[&str] = &["/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap", "/run/current-system/sw/bin/bwrap"];

/// The options of every sandbox. A command dies with the thread that started it, and all that it started with it.
const ALWAYS: &[&str] = &[
    "--unshare-ipc",
    "--unshare-pid",
    "--unshare-uts",
    "--unshare-cgroup-try",
    "--die-with-parent",
    "--cap-drop",
    "ALL",
    "--ro-bind",
    "/",
    "/",
    "--dev",
    "/dev",
    "--proc",
    "/proc",
];
/// Returns whether it is there and works; asked once, which takes some milliseconds.
pub(super) fn probe() -> SandboxStatus {
    static STATUS: OnceLock<SandboxStatus> = OnceLock::new();
    STATUS.get_or_init(find_out).clone()
}

fn program() -> Option<&'static Path> {
    PROGRAMS.iter().map(Path::new).find(|program| program.is_file())
}

#[allow(clippy::disallowed_methods, reason = "it is asked whether it works, which nobody's command has a part in")]
fn find_out() -> SandboxStatus {
    let Some(program) = program() else {
        return SandboxStatus::missing("bubblewrap", "Bubblewrap is not installed.");
    };
    let quiet = |arguments: &[&str]| Command::new(program).args(arguments).env_clear().stdin(Stdio::null()).output();
    let name = quiet(&["--version"])
        .map(|said| String::from_utf8_lossy(&said.stdout).trim().to_owned())
        .ok()
        .filter(|name| !name.is_empty())
        .unwrap_or_else(|| "bubblewrap".to_owned());
    let tried = [ALWAYS, &["--unshare-net", "--", "/bin/sh", "-c", ":"]].concat();
    match quiet(&tried) {
        Ok(said) if said.status.success() => SandboxStatus::working(name),
        Ok(said) => {
            let words = complaint(&said);
            SandboxStatus::missing(name, format!("Bubblewrap is installed but may not be used here: {words}."))
        }
        Err(error) => SandboxStatus::missing(name, format!("Bubblewrap is installed but does not start: {error}.")),
    }
}

/// The first line that a program said of its failure.
pub(super) fn complaint(said: &Output) -> String {
    String::from_utf8_lossy(&said.stderr).lines().next().unwrap_or("it says nothing").to_owned()
}

pub(super) fn existing_program() -> Result<&'static Path> {
    let gone = || ProcessError::SandboxUnavailable { reason: "Bubblewrap is no longer installed.".to_owned() };
    program().ok_or_else(gone)
}

/// The options for a view, each ended by NUL. They are carried out in order.
#[derive(Default)]
pub(super) struct BubblewrapOptions(String);

impl BubblewrapOptions {
    /// `None` for what it can't do.
    pub(super) fn of(steps: &[MountStep], powers: &[&str], own_network: bool) -> io::Result<Self> {
        let mut options = Self::default();
        options.add(ALWAYS);
        if rustix::process::geteuid().is_root() {
            powers.iter().for_each(|power| options.add(&["--cap-add", power]));
            // The kernel's settings are root's to write, whatever powers it has.
            options.add(&["--ro-bind", "/proc/sys", "/proc/sys"]);
        }
        if own_network {
            options.add(&["--unshare-net"]);
        }
        steps.iter().try_for_each(|step| options.add_step(step))?;
        Ok(options)
    }

    fn add_step(&mut self, step: &MountStep) -> io::Result<()> {
        match step {
            MountStep::Bind { from, to, access } => self.bind(["--ro-bind", "--bind"], (from, to), *access)?,
            MountStep::BindIfThere { from, to, access } => {
                self.bind(["--ro-bind-try", "--bind-try"], (from, to), *access)?;
            }
            // Mounted without devices it can't be opened.
            MountStep::HideFile(path) => self.add(&["--ro-bind", "/dev/null", text(path)?]),
            MountStep::HideFolder(path) => self.add(&["--perms", "0111", "--tmpfs", text(path)?]),
            MountStep::Close(path) => self.add(&["--remount-ro", text(path)?]),
            MountStep::Overlay { .. } | MountStep::Aside { .. } => {
                return Err(io::Error::other("Bubblewrap makes no such view here"));
            }
        }
        Ok(())
    }

    fn bind(
        &mut self,
        [read_only, writable]: [&str; 2],
        (from, to): (&PathBuf, &PathBuf),
        access: BindAccess,
    ) -> io::Result<()> {
        let how = if access == BindAccess::ReadOnly { read_only } else { writable };
        self.add(&[how, text(from)?, text(to)?]);
        Ok(())
    }

    pub(super) fn add(&mut self, options: &[&str]) {
        for option in options {
            // Writing to a string does not fail.
            let _ = write!(self.0, "{option}\0");
        }
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}
