//! A view around each command, or Landlock on one thread a run; seccomp with both.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock, mpsc};
use std::thread;
use std::time::Duration;

use async_trait::async_trait;
use landlock::{
    ABI, Access, AccessFs, BitFlags, PathBeneath, Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr,
    RulesetError, RulesetStatus, Scope,
};
use rustix::fs::{FileType, Mode, OFlags};
use rustix::process::Pid;
use rustix::thread::{CapabilitySet, CapabilitySets, capabilities, set_capabilities};
use seccompiler::BpfProgram;
use tokio::sync::oneshot;

use super::domain;
use super::grants::{self, Visible};
use super::leavings::Held;
use super::syscall_filter::{self, Allowed};
use super::wrapping::{self, ViewMaker, Wrapping};
use super::{CommandReach, GitAccess, Network, ProjectAccess, SandboxSpec, SandboxStatus};
use arki_process::{ConfinedStart, Launch, ProcessError, Result, Streams, WrappedProgram, orphan_guard_number};

/// The oldest supported version: before it (Linux 6.2) a file outside the project could be emptied.
const OLDEST_ABI: ABI = ABI::V3;
/// The first version with which processes in a domain can signal nobody outside.
const SIGNALS_ABI: ABI = ABI::V6;
/// The first version with which sockets are governed by path.
const SOCKETS_ABI: ABI = ABI::V9;

/// The only devices below `/dev` that can be written: none that leads to a person or another process, such as
/// terminals, cameras or shared memory.
const WRITABLE_DEVICES: &[&str] = &["/dev/null", "/dev/zero", "/dev/full"];
const READABLE_DEVICES: &[&str] = &["/dev/random", "/dev/urandom"];
/// The terminal of a session; which one it is depends on who opens it.
const SESSION_TERMINAL: &str = "/dev/tty";

/// The time the thread may take to answer; its commands may leave it no time.
const PATIENCE: Duration = Duration::from_millis(100);

type ThreadJob = Box<dyn FnOnce() + Send>;

/// The thread that starts the commands; it ends when the last clone is dropped. It is restricted itself, or what it
/// starts is wrapped.
#[derive(Debug, Clone)]
pub(super) struct Restricted {
    jobs: mpsc::Sender<ThreadJob>,
    wrapping: Option<Arc<Wrapping>>,
    spec: Arc<SandboxSpec>,
    /// Its thread is in a domain with one command's processes and no others.
    is_one_commands: bool,
    /// The handle that keeps going what is in the domain around that one.
    when_gone: Arc<OnceLock<Option<File>>>,
}

impl Restricted {
    fn new(jobs: mpsc::Sender<ThreadJob>, wrapping: Option<Arc<Wrapping>>, spec: &SandboxSpec) -> Self {
        Self { jobs, wrapping, spec: Arc::new(spec.clone()), is_one_commands: false, when_gone: Arc::default() }
    }

    pub(super) async fn perform<T: Send + 'static>(&self, job: impl FnOnce() -> T + Send + 'static) -> Result<T> {
        let (sender, receiver) = oneshot::channel();
        let job = Box::new(move || {
            // Nobody waits any more when the caller gave up.
            let _ = sender.send(job());
        });
        self.jobs.send(job).map_err(|_| gone())?;
        receiver.await.map_err(|_| gone())
    }

    /// Returns a confinement with a thread of its own in a domain within this one's. What is wrapped needs none: it
    /// ends with its first process, and gets its terminal before it is.
    pub(super) async fn for_one_command(&self, terminal: Option<&Path>) -> Result<Self> {
        if self.is_wrapping() {
            return Ok(self.clone());
        }
        let around = match terminal {
            Some(device) => self.at_terminal(device)?,
            None => self.clone(),
        };
        if kernel_abi() < SIGNALS_ABI {
            return Ok(around);
        }
        let when_gone = around.when_gone.clone();
        let enter = || domain::enter().then_some(()).ok_or_else(|| failed("A command's own domain is not enforced."));
        let prepared = around.perform(move || {
            when_gone.get_or_init(end_all_when_gone);
            start_thread(enter)
        });
        let jobs = prepared.await??;
        Ok(Self { jobs, is_one_commands: true, ..around })
    }

    /// A domain only narrows the one it is in, which grants no terminal. So this one stands beside it.
    fn at_terminal(&self, device: &Path) -> Result<Self> {
        let (mut grants, _) = grants_of(&self.spec);
        let terminals = [device, Path::new(SESSION_TERMINAL)];
        grants.extend(terminals.map(|path| PathGrant { path: path.to_owned(), is_writable: true }));
        let jobs = start_restricted(&grants, &self.spec)?;
        Ok(Self { jobs, when_gone: Arc::default(), ..self.clone() })
    }

    /// A terminal is opened before it is wrapped, and granted by `for_one_command`.
    pub(super) fn wrap(
        &self,
        directory: &Path,
        command: &[&str],
        _: Option<&Path>,
        reach: CommandReach<'_>,
    ) -> io::Result<WrappedProgram> {
        if let Some(wrapping) = &self.wrapping {
            return wrapping.wrap(directory, command, reach);
        }
        let (program, arguments) = command.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let arguments = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        Ok(WrappedProgram { program: program.into(), arguments, descriptors: Vec::new() })
    }

    pub(super) fn spec(&self) -> Arc<SandboxSpec> {
        self.spec.clone()
    }

    pub(super) fn held(&self, git: GitAccess) -> Held {
        if self.is_wrapping() { Held::by_view(git) } else { Held::Nothing }
    }

    pub(super) fn has_own_network(&self) -> bool {
        self.wrapping.as_ref().is_some_and(|wrapping| wrapping.has_own_network())
    }

    pub(super) fn is_wrapping(&self) -> bool {
        self.wrapping.is_some()
    }
}

#[async_trait]
impl ConfinedStart for Restricted {
    async fn start(&self, launch: Launch, streams: Streams) -> Result<io::Result<Pid>> {
        self.perform(move || launch.start(&streams)).await
    }

    fn own(&self, processes: Vec<i32>) -> Vec<i32> {
        if !self.is_one_commands {
            return Vec::new();
        }
        let (sender, receiver) = mpsc::channel();
        let job = Box::new(move || {
            let _ = sender.send(domain::own(&processes));
        });
        self.jobs.send(job).ok().and_then(|()| receiver.recv_timeout(PATIENCE).ok()).unwrap_or_default()
    }

    async fn end_all(&self) {
        if let Some(outside) = orphan_guard_number().filter(|_| self.is_one_commands) {
            let _ = self.perform(move || domain::end_all(outside)).await;
        }
    }

    fn end_all_soon(&self) {
        if let Some(outside) = orphan_guard_number().filter(|_| self.is_one_commands) {
            let _ = self.jobs.send(Box::new(move || domain::end_all(outside)));
        }
    }

    fn is_wrapping(&self) -> bool {
        self.wrapping.is_some()
    }
}

/// The others are asked only where Landlock is not to be had: it costs milliseconds, and Arki starts in less.
pub(super) fn probe() -> SandboxStatus {
    let landlock = landlock();
    if landlock.available {
        return landlock;
    }
    wrapping::available().map_or(landlock, wrapping::probe)
}

/// Landlock alone can't take anything away from a folder that it grants.
pub(super) fn can_hide_secrets() -> bool {
    wrapping::available().is_some()
}

/// Only this program's own launcher mounts what a view needs.
pub(super) fn has_views() -> bool {
    wrapping::probe(ViewMaker::Launcher).available
}

pub(super) fn layers() -> Vec<SandboxStatus> {
    vec![wrapping::probe(ViewMaker::Launcher), wrapping::probe(ViewMaker::Bubblewrap), landlock()]
}

pub(super) fn landlock() -> SandboxStatus {
    static STATUS: OnceLock<SandboxStatus> = OnceLock::new();
    STATUS.get_or_init(|| status_of(kernel_abi())).clone()
}

fn status_of(abi: ABI) -> SandboxStatus {
    if abi == ABI::Unsupported {
        let reason = "This Linux kernel has Landlock switched off. Add `landlock` to its `lsm=` boot parameter.";
        return SandboxStatus::missing("none", reason);
    }
    let name = format!("landlock ABI {}", abi as i32);
    if abi < OLDEST_ABI {
        let reason = "This Linux kernel's Landlock is too old. Linux 6.2 or newer is needed.";
        return SandboxStatus::missing(name, reason);
    }
    if syscall_filter::build(allowed_under(abi, Network::None, ProjectAccess::ReadOnly)).is_none() {
        let reason = "The system call filter is not available for this processor.";
        return SandboxStatus::missing(name, reason);
    }
    SandboxStatus::working(name)
}

/// Found out by restricting a thread that does nothing else.
fn kernel_abi() -> ABI {
    static ABI_FOUND: OnceLock<ABI> = OnceLock::new();
    let try_it = || -> Result<ABI, RulesetError> {
        let ruleset = Ruleset::default().handle_access(AccessFs::from_all(ABI::V1))?.create()?;
        Ok(ruleset.restrict_self()?.landlock.into())
    };
    *ABI_FOUND.get_or_init(|| match thread::spawn(try_it).join() {
        Ok(Ok(abi)) => abi,
        _ => ABI::Unsupported,
    })
}

fn allowed_under(abi: ABI, network: Network, project: ProjectAccess) -> Allowed {
    Allowed {
        unix_sockets: abi >= SOCKETS_ABI,
        internet: network == Network::Granted,
        shared_memory: false,
        metadata: project == ProjectAccess::Writable,
    }
}

type PreparedSandbox = (Restricted, String, Vec<String>);

pub(super) fn prepare(spec: &SandboxSpec) -> Result<PreparedSandbox> {
    wrapping::available().map_or_else(|| prepare_landlock(spec), |wrapper| prepare_wrapping(wrapper, spec))
}

pub(super) fn prepare_each(spec: &SandboxSpec) -> Result<Vec<PreparedSandbox>> {
    let wrappers = [ViewMaker::Launcher, ViewMaker::Bubblewrap].into_iter();
    let wrapping = wrappers.filter(|wrapper| wrapping::probe(*wrapper).available);
    let landlock = landlock().available.then(|| prepare_landlock(spec));
    wrapping.map(|wrapper| prepare_wrapping(wrapper, spec)).chain(landlock).collect()
}

fn prepare_wrapping(wrapper: ViewMaker, spec: &SandboxSpec) -> Result<PreparedSandbox> {
    let wrapping = Some(Arc::new(Wrapping::new(wrapper, spec)?));
    let restricted = Restricted::new(start_thread(|| Ok(()))?, wrapping, spec);
    Ok((restricted, wrapping::probe(wrapper).name, Vec::new()))
}

fn prepare_landlock(spec: &SandboxSpec) -> Result<PreparedSandbox> {
    let (grants, notes) = grants_of(spec);
    Ok((Restricted::new(start_restricted(&grants, spec)?, None, spec), landlock().name, notes))
}

/// Arranges, on the thread of the domain, that all commands end with this process.
fn end_all_when_gone() -> Option<File> {
    domain::end_all_when_gone(orphan_guard_number()?).unwrap_or_else(|error| {
        tracing::warn!(%error, "commands that detach themselves may outlive this process");
        None
    })
}

fn start_restricted(grants: &[PathGrant], spec: &SandboxSpec) -> Result<mpsc::Sender<ThreadJob>> {
    let abi = kernel_abi();
    let ruleset = ruleset(abi, grants).map_err(|_| failed("Landlock refused its rules."))?;
    let allowed = allowed_under(abi, spec.network, spec.project);
    let filters = syscall_filter::build(allowed).ok_or_else(|| failed("There is no system call filter."))?;
    start_thread(move || restrict(ruleset, &filters))
}

/// A thread that restricts itself and then does what it is sent.
fn start_thread(
    restrict: impl FnOnce() -> Result<(), ProcessError> + Send + 'static,
) -> Result<mpsc::Sender<ThreadJob>> {
    let (jobs, work) = mpsc::channel::<ThreadJob>();
    let (ready, is_ready) = mpsc::channel();
    thread::Builder::new()
        .name("arki-sandbox".to_owned())
        .spawn(move || {
            let restricted = restrict();
            let is_restricted = restricted.is_ok();
            if ready.send(restricted).is_ok() && is_restricted {
                work.into_iter().for_each(|job| job());
            }
        })
        .map_err(|_| failed("There are too many threads."))?;
    is_ready.recv().unwrap_or_else(|_| Err(failed("Its thread ended.")))?;
    Ok(jobs)
}

/// Under both, or an error; the thread must not start anything then.
fn restrict(ruleset: RulesetCreated, filters: &[BpfProgram]) -> Result<(), ProcessError> {
    let status = ruleset.restrict_self().map_err(|_| failed("Landlock could not be switched on."))?;
    if status.ruleset == RulesetStatus::NotEnforced || !status.no_new_privs {
        return Err(failed("Landlock is not enforced."));
    }
    give_up_powers().map_err(|_| failed("Administrator rights could not be dropped."))?;
    for filter in filters {
        seccompiler::apply_filter(filter).map_err(|_| failed("The system call filter could not be switched on."))?;
    }
    Ok(())
}

/// Started as root, Arki could otherwise be looked into by its commands: Landlock does not stand against some powers
/// (`CAP_PERFMON` reads any process's memory map and environment). What a container's root usually has stays.
fn give_up_powers() -> rustix::io::Result<()> {
    let kept = CapabilitySet::CHOWN
        | CapabilitySet::DAC_OVERRIDE
        | CapabilitySet::FOWNER
        | CapabilitySet::FSETID
        | CapabilitySet::KILL
        | CapabilitySet::SETGID
        | CapabilitySet::SETUID
        | CapabilitySet::SETFCAP
        | CapabilitySet::NET_BIND_SERVICE;
    let current = capabilities(None)?;
    set_capabilities(
        None,
        CapabilitySets {
            effective: current.effective & kept,
            permitted: current.permitted & kept,
            inheritable: current.inheritable & kept,
        },
    )
}

struct PathGrant {
    path: PathBuf,
    is_writable: bool,
}

fn grants_of(spec: &SandboxSpec) -> (Vec<PathGrant>, Vec<String>) {
    let hidden = spec.hidden_spellings().all;
    let mut notes = Vec::new();
    let mut grants = Vec::new();
    let hidden_or_device: Vec<PathBuf> = hidden.iter().cloned().chain([PathBuf::from("/dev")]).collect();
    let readable = grants::visible(Path::new("/"), &hidden_or_device);
    add(&mut grants, readable, false, &mut notes);
    for root in spec.roots() {
        if root.is_writable && grants::hides_below(&root.path, &hidden) {
            notes.push(format!(
                "{} contains folders that commands must not see, so they can't create or remove anything directly in it.",
                root.path.display()
            ));
        }
        add(&mut grants, grants::visible(&root.path, &hidden), root.is_writable, &mut notes);
    }
    for shown in spec.shown() {
        add(&mut grants, grants::visible(&shown.real, &hidden), false, &mut notes);
    }
    let device = |is_writable| move |path: &&str| PathGrant { path: PathBuf::from(path), is_writable };
    grants.extend(WRITABLE_DEVICES.iter().map(device(true)));
    grants.extend(READABLE_DEVICES.iter().map(device(false)));
    (grants, notes)
}

fn add(grants: &mut Vec<PathGrant>, visible: Visible, is_writable: bool, notes: &mut Vec<String>) {
    if visible.is_cut {
        notes.push("There are too many files beside hidden ones; commands don't see all of them.".to_owned());
    }
    grants.extend(visible.paths.into_iter().map(|path| PathGrant { path, is_writable }));
}

fn ruleset(abi: ABI, grants: &[PathGrant]) -> Result<RulesetCreated, RulesetError> {
    let mut ruleset = Ruleset::default().handle_access(AccessFs::from_all(abi))?;
    if !Scope::from_all(abi).is_empty() {
        ruleset = ruleset.scope(Scope::from_all(abi))?;
    }
    let mut created = ruleset.create()?.no_new_privs(true);
    for grant in grants {
        created = allow(created, abi, grant)?;
    }
    Ok(created)
}

/// Allows the paths; one that vanished or became a link since it was listed is left out.
fn allow(ruleset: RulesetCreated, abi: ABI, grant: &PathGrant) -> Result<RulesetCreated, RulesetError> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let Ok(file) = rustix::fs::open(&grant.path, flags, Mode::empty()) else { return Ok(ruleset) };
    let Ok(metadata) = rustix::fs::fstat(&file) else { return Ok(ruleset) };
    let wanted = if grant.is_writable { AccessFs::from_all(abi) } else { AccessFs::from_read(abi) };
    let access: BitFlags<AccessFs> = match FileType::from_raw_mode(metadata.st_mode) {
        FileType::Symlink => return Ok(ruleset),
        FileType::Directory => wanted,
        _ => wanted & AccessFs::from_file(abi),
    };
    ruleset.add_rule(PathBeneath::new(file, access))
}

fn failed(reason: &str) -> ProcessError {
    ProcessError::SandboxUnavailable { reason: reason.to_owned() }
}

fn gone() -> ProcessError {
    failed("Its thread ended.")
}
