//! Bubblewrap, where it is installed and allowed: each command in namespaces of its own.
//!
//! The command's view of the disk is mounted for it: everything read-only, over it the writable folders, over hidden
//! places nothing. It has its own process numbers, of which none outlives it, its own shared memory and, unless the
//! network was granted, its own network with nobody else in it. Unlike Landlock this can take away from within what is
//! writable: git's directories, or what in them steers git, and Arki's folder.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Seek, Write as _};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use rustix::fs::{MemfdFlags, Mode, OFlags, memfd_create};
use seccompiler::{BpfProgram, sock_filter};

use super::sensitive::secrets_beside_git;
use super::spec::ShownPath;
use super::syscall_filter::{self, Allowed};
use super::{CommandReach, GitAccess, Network, ProjectAccess, Root, SandboxSpec, SandboxStatus, SecretSight};
use arki_process::WrappedProgram;
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
/// Opens what nobody may open.
const OVERRIDING: &str = "CAP_DAC_OVERRIDE";
/// The file in the temporary folder that nobody may open, in the place of those that git sees and doesn't open.
const CLOSED: &str = ".closed";
/// The folders of a git directory that hold those of others.
const HOLDS_GIT: &[&str] = &["modules", "worktrees"];
/// The part of a shared repository that a linked worktree writes.
const SHARED: &[&str] = &["logs", "objects", "packed-refs", "refs", "reftable"];
/// The powers of root to drop, as in a container; for an Arki that was started as root.
const ROOT_POWERS: &[&str] = &[
    "CAP_CHOWN",
    OVERRIDING,
    "CAP_FOWNER",
    "CAP_FSETID",
    "CAP_KILL",
    "CAP_SETGID",
    "CAP_SETUID",
    "CAP_SETFCAP",
    "CAP_NET_BIND_SERVICE",
];

/// Descriptors that the command's own do not need.
const ARGUMENTS_FD: u32 = super::FIRST_WRAPPING_FD;
const FILTER_FDS: [u32; 2] = [ARGUMENTS_FD + 1, ARGUMENTS_FD + 2];

#[derive(Debug)]
pub(super) struct Bubblewrap {
    program: &'static Path,
    spec: SandboxSpec,
    filters: [BpfProgram; 2],
}

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
    let missing = |name: &str, reason: &str| SandboxStatus {
        available: false,
        name: name.to_owned(),
        reason: Some(reason.to_owned()),
    };
    let Some(program) = program() else { return missing("bubblewrap", "Bubblewrap is not installed.") };
    let quiet = |arguments: &[&str]| Command::new(program).args(arguments).env_clear().stdin(Stdio::null()).output();
    let name = quiet(&["--version"])
        .map(|said| String::from_utf8_lossy(&said.stdout).trim().to_owned())
        .ok()
        .filter(|name| !name.is_empty())
        .unwrap_or_else(|| "bubblewrap".to_owned());
    if syscall_filter::build(allowed(Network::None)).is_none() {
        return missing(&name, "The system call filter is not available for this processor.");
    }
    let tried = [ALWAYS, &["--unshare-net", "--", "/bin/sh", "-c", ":"]].concat();
    match quiet(&tried) {
        Ok(said) if said.status.success() => SandboxStatus { available: true, name, reason: None },
        Ok(said) => {
            let words = String::from_utf8_lossy(&said.stderr);
            let words = words.lines().next().unwrap_or("it says nothing");
            missing(&name, &format!("Bubblewrap is installed but may not be used here: {words}."))
        }
        Err(error) => missing(&name, &format!("Bubblewrap is installed but does not start: {error}.")),
    }
}

fn allowed(_: Network) -> Allowed {
    // Without a grant the network is one of its own, and what is mounted read-only keeps its modes and times.
    Allowed { unix_sockets: false, internet: true, shared_memory: true, metadata: true }
}

impl Bubblewrap {
    pub(super) fn new(spec: &SandboxSpec) -> Result<Self> {
        let failed = |reason: &str| ProcessError::SandboxUnavailable { reason: reason.to_owned() };
        let program = program().ok_or_else(|| failed("Bubblewrap is no longer installed."))?;
        let filters =
            syscall_filter::build(allowed(spec.network)).ok_or_else(|| failed("There is no system call filter."))?;
        Ok(Self { program, spec: spec.clone(), filters })
    }

    pub(super) fn has_own_network(&self) -> bool {
        self.spec.network == Network::None
    }

    /// The command line that starts `command` in it. What is hidden is looked for anew.
    pub(super) fn wrap(
        &self,
        directory: &Path,
        command: &[&str],
        reach: CommandReach<'_>,
    ) -> io::Result<WrappedProgram> {
        let mut arguments = vec!["--args".to_owned(), ARGUMENTS_FD.to_string(), "--".to_owned()];
        arguments.extend(command.iter().map(|part| (*part).to_owned()));
        let mut descriptors = vec![nameless(self.plan(directory, reach)?.as_bytes())?];
        for filter in &self.filters {
            descriptors.push(nameless(&bytes_of(filter))?);
        }
        Ok(WrappedProgram { program: self.program.to_owned(), arguments, descriptors })
    }

    /// Bubblewrap's options, each ended by NUL. They are carried out in order.
    fn plan(&self, directory: &Path, reach: CommandReach<'_>) -> io::Result<String> {
        let mut plan = BubblewrapPlan::default();
        plan.add(ALWAYS);
        if rustix::process::geteuid().is_root() {
            let powers = ROOT_POWERS.iter().filter(|power| **power != OVERRIDING || !self.shows_closed_files(reach));
            powers.for_each(|power| plan.add(&["--cap-add", power]));
            // The kernel's settings are root's to write, whatever powers it has.
            plan.add(&["--ro-bind", "/proc/sys", "/proc/sys"]);
        }
        if self.spec.network == Network::None {
            plan.add(&["--unshare-net"]);
        }
        let roots = self.spec.roots();
        let hidden = self.spec.hidden_spellings().existing;
        let shown = self.spec.shown();
        let places = || roots.iter().map(|root| &root.path).chain(shown.iter().map(|shown| &shown.named));
        let is_inside = |path: &&PathBuf| places().any(|place| path.starts_with(place) && *path != place);
        let is_hidden_anyway =
            |path: &&PathBuf| hidden.iter().any(|around| path != &around && path.starts_with(around));
        let outer = hidden.iter().filter(|path| !is_inside(path) && !is_hidden_anyway(path));
        outer.into_iter().try_for_each(|path| plan.hide(path))?;
        for ShownPath { named, real } in &shown {
            plan.add(&["--ro-bind", text(real)?, text(named)?]);
        }
        let bind = |root: &Root| plan.bind(if root.is_writable { "--bind" } else { "--ro-bind" }, &root.path);
        roots.iter().filter(|root| root.path.exists()).try_for_each(bind)?;
        hidden.iter().filter(is_inside).try_for_each(|path| plan.hide(path))?;
        if self.spec.project == ProjectAccess::Writable {
            self.protect(&mut plan, reach)?;
        }
        self.hide_secrets(&mut plan, reach)?;
        plan.close_hidden();
        for filter in FILTER_FDS {
            plan.add(&["--add-seccomp-fd", &filter.to_string()]);
        }
        plan.add(&["--chdir", text(directory)?]);
        Ok(plan.options)
    }

    fn hide_secrets(&self, plan: &mut BubblewrapPlan, reach: CommandReach<'_>) -> io::Result<()> {
        if reach.secrets == SecretSight::Shown {
            return Ok(());
        }
        if reach.found.has_more_secrets && self.spec.project == ProjectAccess::Writable {
            return Err(io::Error::other("the project has more files than Arki looks through for secret ones to hide"));
        }
        let root = self.spec.project_root.canonicalize()?;
        if reach.secrets == SecretSight::Hidden {
            return reach.found.secrets.iter().try_for_each(|path| plan.hide(&root.join(path)));
        }
        let closed = self.spec.temp_dir.join(CLOSED);
        for path in secrets_beside_git(&root, reach.found).iter().map(|path| root.join(path)) {
            if path.is_dir() || !self.shows_closed_files(reach) {
                plan.hide(&path)?;
                continue;
            }
            let made = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
            match rustix::fs::open(&closed, made, Mode::empty()) {
                Ok(_) | Err(rustix::io::Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            }
            plan.add(&["--ro-bind", text(&closed)?, text(&path)?]);
        }
        Ok(())
    }

    /// Returns whether hidden files still appear as files. Git that only reads would otherwise not see that they exist.
    fn shows_closed_files(&self, reach: CommandReach<'_>) -> bool {
        reach.secrets == SecretSight::HiddenFromGit && self.spec.project == ProjectAccess::ReadOnly
    }

    fn protect(&self, plan: &mut BubblewrapPlan, reach: CommandReach<'_>) -> io::Result<()> {
        let (git, access) = (reach.found, reach.git);
        let root = self.spec.project_root.canonicalize()?;
        for folder in git.folders.keys() {
            let place = root.join(folder);
            // A project that is a repository without a `.git` is there to be written.
            if access == GitAccess::ReadOnly && place != root {
                plan.bind("--ro-bind-try", &place)?;
                continue;
            }
            if *folder == Path::new(super::OWN_GIT) {
                // A place something is mounted on can't be renamed, so that no other `.git` takes its place.
                plan.bind("--bind", &place)?;
                if !place.join("hooks").exists() {
                    plan.hide_folder(&place.join("hooks"))?;
                }
            }
            super::STEERS_GIT.iter().try_for_each(|name| plan.protect(&place.join(name)))?;
        }
        let others: Vec<PathBuf> = self.spec.roots().into_iter().skip(1).map(|root| root.path).collect();
        for place in others.iter().filter(|place| place.join("HEAD").exists()) {
            let is_around = others.iter().any(|other| other != place && other.starts_with(place));
            plan.protect_git_outside(place, is_around)?;
        }
        let is_held = |path: &&PathBuf| access == GitAccess::ReadOnly || **path == Path::new(super::OWN_GIT);
        git.pointers.keys().filter(is_held).try_for_each(|path| plan.protect(&root.join(path)))?;
        git.included.iter().try_for_each(|path| plan.protect(&root.join(path)))?;
        let hooks = git.hooks.iter().filter(|_| !reach.writes_hooks);
        hooks.map(|path| root.join(path)).try_for_each(|path| plan.protect(&path))?;
        plan.protect(&root.join(super::ARKI_FOLDER))
    }
}

#[derive(Default)]
struct BubblewrapPlan {
    options: String,
    hidden_folders: Vec<PathBuf>,
}

impl BubblewrapPlan {
    fn add(&mut self, options: &[&str]) {
        for option in options {
            // Writing to a string does not fail.
            let _ = write!(self.options, "{option}\0");
        }
    }

    fn bind(&mut self, how: &str, path: &Path) -> io::Result<()> {
        let path = text(path)?;
        self.add(&[how, path, path]);
        Ok(())
    }

    /// A link is protected where it leads, if that is in the project, by being no way to its own place.
    fn protect(&mut self, path: &Path) -> io::Result<()> {
        if path.symlink_metadata().is_ok() && path.canonicalize().is_ok_and(|real| real == path) {
            self.bind("--ro-bind", path)?;
        }
        Ok(())
    }

    /// A git directory outside the project, which is already writable: all but what steers git; if the project's own lies
    /// in it, all but what both share.
    fn protect_git_outside(&mut self, place: &Path, is_around: bool) -> io::Result<()> {
        self.bind("--bind", place)?;
        if !place.join("hooks").exists() {
            self.hide_folder(&place.join("hooks"))?;
        }
        if !is_around {
            let names = super::STEERS_GIT.iter().chain(HOLDS_GIT);
            return names.map(|name| place.join(name)).try_for_each(|path| self.protect(&path));
        }
        for entry in place.read_dir()? {
            let entry = entry?;
            if !SHARED.iter().any(|name| entry.file_name() == *name) {
                self.protect(&entry.path())?;
            }
        }
        Ok(())
    }

    fn hide(&mut self, path: &Path) -> io::Result<()> {
        if path.is_dir() {
            return self.hide_folder(path);
        }
        // Mounted without devices it can't be opened.
        self.add(&["--ro-bind", "/dev/null", text(path)?]);
        Ok(())
    }

    /// Nothing is in it, and only root, whom permissions don't hold up, sees that. What is mounted in it later stays
    /// writable when it is closed.
    fn hide_folder(&mut self, path: &Path) -> io::Result<()> {
        self.add(&["--perms", "0111", "--tmpfs", text(path)?]);
        self.hidden_folders.push(path.to_owned());
        Ok(())
    }

    fn close_hidden(&mut self) {
        for path in std::mem::take(&mut self.hidden_folders) {
            if let Ok(path) = text(&path) {
                self.add(&["--remount-ro", path]);
            }
        }
    }
}

/// A path that can't be said can't be hidden or protected, so nothing is started then.
fn text(path: &Path) -> io::Result<&str> {
    path.to_str().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidFilename, "a path is not UTF-8"))
}

fn bytes_of(filter: &BpfProgram) -> Vec<u8> {
    let one = |instruction: &sock_filter| {
        let [code_0, code_1] = instruction.code.to_ne_bytes();
        let [k_0, k_1, k_2, k_3] = instruction.k.to_ne_bytes();
        [code_0, code_1, instruction.jt, instruction.jf, k_0, k_1, k_2, k_3]
    };
    filter.iter().flat_map(one).collect()
}

fn nameless(content: &[u8]) -> io::Result<OwnedFd> {
    let mut file = File::from(memfd_create("arki-sandbox", MemfdFlags::CLOEXEC)?);
    file.write_all(content)?;
    file.rewind()?;
    Ok(file.into())
}
