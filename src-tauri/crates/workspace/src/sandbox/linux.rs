//! Landlock and seccomp, on one thread a run.

use std::path::{Path, PathBuf};
use std::sync::{OnceLock, mpsc};
use std::thread;

use landlock::{
    ABI, Access, AccessFs, BitFlags, PathBeneath, Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr,
    RulesetError, RulesetStatus, Scope,
};
use rustix::fs::{FileType, Mode, OFlags};
use rustix::thread::{CapabilitySet, CapabilitySets, capabilities, set_capabilities};
use seccompiler::BpfProgram;
use tokio::sync::oneshot;

use super::grants::{self, Visible};
use super::syscall_filter::{self, UnixSockets};
use super::{SandboxSpec, SandboxStatus};
use crate::error::{ProcessError, Result};

/// Before it (Linux 6.2) a file outside the project could be emptied.
const OLDEST_ABI: ABI = ABI::V3;
/// With it, sockets are governed by path.
const SOCKETS_ABI: ABI = ABI::V9;

/// Of `/dev` only what is no way to a person or to another process: no terminals, cameras, shared memory.
const WRITABLE_DEVICES: &[&str] = &["/dev/null", "/dev/zero", "/dev/full"];
const READABLE_DEVICES: &[&str] = &["/dev/random", "/dev/urandom"];

type Job = Box<dyn FnOnce() + Send>;

/// The restricted thread; it ends when the last clone is dropped.
#[derive(Debug, Clone)]
pub(super) struct Restricted {
    jobs: mpsc::Sender<Job>,
}

impl Restricted {
    pub(super) async fn perform<T: Send + 'static>(&self, job: impl FnOnce() -> T + Send + 'static) -> Result<T> {
        let (sender, receiver) = oneshot::channel();
        let job = Box::new(move || {
            // Nobody waits any more when the caller gave up.
            let _ = sender.send(job());
        });
        self.jobs.send(job).map_err(|_| gone())?;
        receiver.await.map_err(|_| gone().into())
    }
}

pub(super) fn probe() -> SandboxStatus {
    static STATUS: OnceLock<SandboxStatus> = OnceLock::new();
    STATUS.get_or_init(|| status_of(kernel_abi())).clone()
}

fn status_of(abi: ABI) -> SandboxStatus {
    if abi == ABI::Unsupported {
        let reason = "This Linux kernel has Landlock switched off. Add `landlock` to its `lsm=` boot parameter.";
        return SandboxStatus { available: false, name: "none".to_owned(), reason: Some(reason.to_owned()) };
    }
    let name = format!("landlock ABI {}", abi as i32);
    if abi < OLDEST_ABI {
        let reason = "This Linux kernel's Landlock is too old. Linux 6.2 or newer is needed.";
        return SandboxStatus { available: false, name, reason: Some(reason.to_owned()) };
    }
    if syscall_filter::build(sockets_under(abi)).is_none() {
        let reason = "The system call filter is not available for this processor.";
        return SandboxStatus { available: false, name, reason: Some(reason.to_owned()) };
    }
    SandboxStatus { available: true, name, reason: None }
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

fn sockets_under(abi: ABI) -> UnixSockets {
    if abi >= SOCKETS_ABI { UnixSockets::GovernedByLandlock } else { UnixSockets::Refused }
}

pub(super) fn prepare(spec: &SandboxSpec) -> Result<(Restricted, Vec<String>)> {
    let abi = kernel_abi();
    let (grants, notes) = grants_of(spec);
    let ruleset = ruleset(abi, &grants).map_err(|_| failed("Landlock refused its rules."))?;
    let filter = syscall_filter::build(sockets_under(abi)).ok_or_else(|| failed("There is no system call filter."))?;
    let (jobs, work) = mpsc::channel::<Job>();
    let (ready, is_ready) = mpsc::channel();
    thread::Builder::new()
        .name("arki-sandbox".to_owned())
        .spawn(move || {
            let restricted = restrict(ruleset, &filter);
            let is_restricted = restricted.is_ok();
            if ready.send(restricted).is_ok() && is_restricted {
                work.into_iter().for_each(|job| job());
            }
        })
        .map_err(|_| failed("There are too many threads."))?;
    is_ready.recv().unwrap_or_else(|_| Err(failed("Its thread ended.")))?;
    Ok((Restricted { jobs }, notes))
}

/// Under both, or an error; the thread must not start anything then.
fn restrict(ruleset: RulesetCreated, filter: &BpfProgram) -> Result<(), ProcessError> {
    let status = ruleset.restrict_self().map_err(|_| failed("Landlock could not be switched on."))?;
    if status.ruleset == RulesetStatus::NotEnforced || !status.no_new_privs {
        return Err(failed("Landlock is not enforced."));
    }
    give_up_powers().map_err(|_| failed("Administrator rights could not be given up."))?;
    seccompiler::apply_filter(filter).map_err(|_| failed("The system call filter could not be switched on."))
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

struct Grant {
    path: PathBuf,
    is_writable: bool,
}

fn grants_of(spec: &SandboxSpec) -> (Vec<Grant>, Vec<String>) {
    let hidden = grants::spellings(&spec.hidden);
    let mut notes = Vec::new();
    let mut grants = Vec::new();
    let hidden_or_device: Vec<PathBuf> = hidden.iter().cloned().chain([PathBuf::from("/dev")]).collect();
    let readable = grants::visible(Path::new("/"), &hidden_or_device);
    add(&mut grants, readable, false, &mut notes);
    for root in [&spec.project_root, &spec.temp_dir].into_iter().chain(&spec.also_writable) {
        let root = root.canonicalize().unwrap_or_else(|_| root.clone());
        if grants::hides_below(&root, &hidden) {
            notes.push(format!(
                "{} contains folders that commands must not see, so they can't create or remove anything directly in it.",
                root.display()
            ));
        }
        add(&mut grants, grants::visible(&root, &hidden), true, &mut notes);
    }
    let device = |is_writable| move |path: &&str| Grant { path: PathBuf::from(path), is_writable };
    grants.extend(WRITABLE_DEVICES.iter().map(device(true)));
    grants.extend(READABLE_DEVICES.iter().map(device(false)));
    (grants, notes)
}

fn add(grants: &mut Vec<Grant>, visible: Visible, is_writable: bool, notes: &mut Vec<String>) {
    if visible.is_cut {
        notes.push("There are too many files beside hidden ones; commands don't see all of them.".to_owned());
    }
    grants.extend(visible.paths.into_iter().map(|path| Grant { path, is_writable }));
}

fn ruleset(abi: ABI, grants: &[Grant]) -> Result<RulesetCreated, RulesetError> {
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

/// What vanished or became a link since it was listed is left out.
fn allow(ruleset: RulesetCreated, abi: ABI, grant: &Grant) -> Result<RulesetCreated, RulesetError> {
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
