//! Each command in a view of the disk that is mounted for it: by Arki's own launcher, or by Bubblewrap where that can't.
//!
//! It has its own process numbers, of which none outlives it, its own shared memory and, unless the network was granted,
//! its own network with nobody else in it.

use std::fs::File;
use std::io::{self, Seek as _, Write as _};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use rustix::fs::{MemfdFlags, memfd_create};
use rustix::thread::CapabilitySet;
use seccompiler::{BpfProgram, sock_filter};

use super::bubblewrap::{self, BubblewrapOptions, complaint};
use super::launch_plan::LaunchPlan;
use super::network_door::NetworkDoor;
use super::syscall_filter::{self, Allowed};
use super::view_plan::{self, text};
use super::{CommandReach, Network, SandboxSpec, SandboxStatus, launcher};
use arki_process::{ProcessError, Result, WrappedProgram};

/// This program, whatever its file is called by now.
const THIS_PROGRAM: &str = "/proc/self/exe";
/// Opens what nobody may open.
const OVERRIDING: &str = "CAP_DAC_OVERRIDE";
/// The powers of root that a command keeps, as in a container; for an Arki that was started as root.
const ROOT_POWERS: &[(&str, CapabilitySet)] = &[
    ("CAP_CHOWN", CapabilitySet::CHOWN),
    (OVERRIDING, CapabilitySet::DAC_OVERRIDE),
    ("CAP_FOWNER", CapabilitySet::FOWNER),
    ("CAP_FSETID", CapabilitySet::FSETID),
    ("CAP_KILL", CapabilitySet::KILL),
    ("CAP_SETGID", CapabilitySet::SETGID),
    ("CAP_SETUID", CapabilitySet::SETUID),
    ("CAP_SETFCAP", CapabilitySet::SETFCAP),
    ("CAP_NET_BIND_SERVICE", CapabilitySet::NET_BIND_SERVICE),
];
/// Descriptors that the command's own do not need.
const ARGUMENTS_FD: u32 = super::FIRST_WRAPPING_FD;
const FILTER_FDS: [u32; 2] = [ARGUMENTS_FD + 1, ARGUMENTS_FD + 2];

/// Who makes the view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ViewMaker {
    Launcher,
    Bubblewrap,
}

#[derive(Debug)]
pub(super) struct Wrapping {
    wrapper: ViewMaker,
    spec: SandboxSpec,
    filters: [BpfProgram; 2],
}

/// Returns whether this way works here; asked once, which takes some milliseconds.
pub(super) fn probe(wrapper: ViewMaker) -> SandboxStatus {
    static LAUNCHER: OnceLock<SandboxStatus> = OnceLock::new();
    if syscall_filter::build(allowed()).is_none() {
        return SandboxStatus::missing(NAMESPACES, "The system call filter is not available for this processor.");
    }
    match wrapper {
        ViewMaker::Bubblewrap => bubblewrap::probe(),
        // A program that has not said so by now may still.
        ViewMaker::Launcher if !launcher::is_program() => {
            SandboxStatus::missing(NAMESPACES, "This program is not its own launcher.")
        }
        ViewMaker::Launcher => LAUNCHER.get_or_init(try_launcher).clone(),
    }
}

/// The first of them that works.
pub(super) fn available() -> Option<ViewMaker> {
    [ViewMaker::Launcher, ViewMaker::Bubblewrap].into_iter().find(|wrapper| probe(*wrapper).available)
}

/// The name of Arki's own launcher as a way to confine commands.
const NAMESPACES: &str = "namespaces";

#[allow(clippy::disallowed_methods, reason = "it is asked whether it works, which nobody's command has a part in")]
fn try_launcher() -> SandboxStatus {
    let tried =
        Command::new(THIS_PROGRAM).args([launcher::FLAG, launcher::TRIAL]).env_clear().stdin(Stdio::null()).output();
    match tried {
        Ok(said) if said.status.success() => SandboxStatus::working(NAMESPACES),
        Ok(said) => {
            let reason = format!("User namespaces may not be used here: {}.{}", complaint(&said), by_whom());
            SandboxStatus::missing(NAMESPACES, reason)
        }
        Err(error) => SandboxStatus::missing(NAMESPACES, format!("Arki does not start itself: {error}.")),
    }
}

/// Makes the view of a project in which nothing runs, and fails where a command's could not be made.
#[allow(clippy::disallowed_methods, reason = "it is asked whether it works, which nobody's command has a part in")]
pub(super) fn try_view(project: &Path, upper: &Path, work: &Path) -> io::Result<()> {
    let mut launcher = Command::new(THIS_PROGRAM);
    launcher.args([launcher::FLAG, launcher::TRIAL]).args([project, upper, work]);
    let said = launcher.env_clear().stdin(Stdio::null()).output()?;
    if said.status.success() {
        return Ok(());
    }
    let words = complaint(&said);
    Err(io::Error::other(words.trim_start_matches(launcher::FAILED_WORDS).trim_start_matches(": ").to_owned()))
}

/// Names the setting that forbids them, where it is a known one.
fn by_whom() -> &'static str {
    let is_set = |path: &str, to: &str| std::fs::read_to_string(path).is_ok_and(|text| text.trim() == to);
    if is_set("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1") {
        return " AppArmor restricts them (kernel.apparmor_restrict_unprivileged_userns=1): give Arki a profile with `userns,`.";
    }
    if is_set("/proc/sys/kernel/unprivileged_userns_clone", "0") || is_set("/proc/sys/user/max_user_namespaces", "0") {
        return " The kernel's settings forbid them (kernel.unprivileged_userns_clone, user.max_user_namespaces).";
    }
    ""
}

fn allowed() -> Allowed {
    // Without a grant the network is one of its own, and what is mounted read-only keeps its modes and times.
    Allowed { unix_sockets: false, internet: true, shared_memory: true, metadata: true }
}

impl Wrapping {
    pub(super) fn new(wrapper: ViewMaker, spec: &SandboxSpec) -> Result<Self> {
        let no_filter = || ProcessError::SandboxUnavailable { reason: "There is no system call filter.".to_owned() };
        let filters = syscall_filter::build(allowed()).ok_or_else(no_filter)?;
        if wrapper == ViewMaker::Bubblewrap {
            bubblewrap::existing_program()?;
        }
        Ok(Self { wrapper, spec: spec.clone(), filters })
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
        let steps = view_plan::steps(&self.spec, reach)?;
        let shows_closed = view_plan::shows_closed_files(&self.spec, reach);
        let powers: Vec<_> = ROOT_POWERS.iter().filter(|(name, _)| *name != OVERRIDING || !shows_closed).collect();
        let has_door = self.wrapper == ViewMaker::Launcher && self.has_own_network();
        let door = reach.door.filter(|_| has_door).and_then(NetworkDoor::take);
        let (program, mut arguments, plan) = match self.wrapper {
            ViewMaker::Bubblewrap => {
                let names: Vec<&str> = powers.iter().map(|(name, _)| *name).collect();
                let mut options = BubblewrapOptions::of(&steps, &names, self.has_own_network())?;
                for filter in FILTER_FDS {
                    options.add(&["--add-seccomp-fd", &filter.to_string()]);
                }
                options.add(&["--chdir", text(directory)?]);
                let arguments = vec!["--args".to_owned(), ARGUMENTS_FD.to_string(), "--".to_owned()];
                (bubblewrap::existing_program().map_err(io::Error::other)?, arguments, options.as_bytes().to_vec())
            }
            ViewMaker::Launcher => {
                let is_root = rustix::process::geteuid().is_root();
                let kept = powers.iter().filter(|_| is_root).fold(0, |bits, (_, power)| bits | power.bits());
                let plan = LaunchPlan {
                    steps,
                    directory: directory.to_owned(),
                    own_network: self.has_own_network(),
                    has_door: door.is_some(),
                    parent: std::process::id(),
                    root_powers: kept,
                };
                (Path::new(THIS_PROGRAM), vec![launcher::FLAG.to_owned()], serde_json::to_vec(&plan)?)
            }
        };
        arguments.extend(command.iter().map(|part| (*part).to_owned()));
        let mut descriptors = vec![nameless(&plan)?];
        for filter in &self.filters {
            descriptors.push(nameless(&bytes_of(filter))?);
        }
        descriptors.extend(door);
        Ok(WrappedProgram { program: program.to_owned(), arguments, descriptors })
    }
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
