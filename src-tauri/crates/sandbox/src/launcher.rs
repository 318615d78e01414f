//! The launcher: this program, started anew, as the way into a command's view. It makes namespaces and mounts, gives up
//! all powers, and becomes the command's first process; so no code of ours runs between a fork of the engine and an
//! exec, and a machine needs nothing installed.
//!
//! Three processes: one that waits outside, one that is number 1 in the view and ends with the command, and the command.
//! The first ends only when nobody in the view is left; until then it keeps the view from showing what is no longer there.
//! All end with the process that asked.
//!
//! *Architecture invariant:* single-threaded, and it reads nothing but its plan.

#![allow(unsafe_code)]
#![allow(clippy::disallowed_methods, reason = "it becomes the command that it was started for")]

mod door;
mod mounts;
mod powers;

use std::convert::Infallible;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::os::fd::{FromRawFd as _, OwnedFd, RawFd};
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, WaitStatus, getegid, geteuid, getppid, pidfd_open,
    set_parent_process_death_signal, wait,
};
use rustix::thread::{UnshareFlags, unshare_unsafe};
use seccompiler::sock_filter;

use super::launch_plan::{LaunchPlan, MountStep};

/// The first argument of a program that is to be a launcher.
pub(super) const FLAG: &str = "--arki-launch";
/// In the place of a command: the view is made, and nothing is started in it.
pub(super) const TRIAL: &str = "--try";
/// The exit code where the view can't be made; the reason is on standard error.
pub(super) const FAILED: i32 = 125;
/// The words before that reason.
pub(super) const FAILED_WORDS: &str = "arki can't make the command's view";
/// Descriptors that the command's own do not need.
const PLAN_FD: RawFd = 4;
const FILTER_FDS: [RawFd; 2] = [5, 6];
const DOOR_FD: RawFd = 7;
/// Left to the command: what a terminal or a stop sends to all.
const LEFT_TO_THE_COMMAND: [i32; 4] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT];

/// Often enough for who waits for a file, and seldom enough to cost a build nothing.
const REFRESHED_EVERY: Timespec = Timespec { tv_sec: 1, tv_nsec: 0 };

static IS_PROGRAM: AtomicBool = AtomicBool::new(false);

/// Makes this process a launcher if it was started as one, until its command has ended, and returns the code to exit
/// with then. The first thing a program does whose commands shall have views.
#[must_use]
pub fn launch_if_asked() -> Option<u8> {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().as_deref() != Some(OsStr::new(FLAG)) {
        IS_PROGRAM.store(true, Ordering::Relaxed);
        return None;
    }
    let command: Vec<OsString> = arguments.collect();
    let is_trial = command.first().is_some_and(|first| first == TRIAL);
    let code = if is_trial { try_out(command.get(1..).unwrap_or_default()) } else { launch(&command) };
    let code = code.unwrap_or_else(|error| {
        // Nobody else is told, if that fails.
        let _ = writeln!(io::stderr(), "{FAILED_WORDS}: {error}");
        FAILED
    });
    Some(u8::try_from(code).unwrap_or(u8::MAX))
}

/// Returns whether this program can be started as a launcher.
pub(super) fn is_program() -> bool {
    IS_PROGRAM.load(Ordering::Relaxed)
}

/// Returns the exit code of the command.
fn launch(command: &[OsString]) -> io::Result<i32> {
    let plan: LaunchPlan = serde_json::from_slice(&read_all(PLAN_FD)?).map_err(io::Error::other)?;
    let filters = FILTER_FDS.map(read_filter);
    let door = plan.has_door.then(|| owned(DOOR_FD));
    end_with(plan.parent)?;
    leave_signals_to_the_command(libc::SIG_IGN);
    enter_namespaces(&plan)?;
    // The other end closes with this process, so that who comes too late to be told of its end sees that.
    let (is_there, stays) = io::pipe()?;
    match fork()? {
        Some(first) => {
            drop(door);
            keep_fresh(&plan, first);
            Ok(code_of_end(first))
        }
        None => {
            drop(stays);
            be_first_process(&plan, filters, door, command, &is_there.into())
        }
    }
}

/// Makes a view with nothing in it, or of the project that is named, with the folders for what is written.
fn try_out(of_project: &[OsString]) -> io::Result<i32> {
    let steps = match of_project {
        [lower, upper, work] => {
            let path = PathBuf::from;
            vec![MountStep::Overlay { lower: path(lower), upper: path(upper), work: path(work), to: path(lower) }]
        }
        _ => Vec::new(),
    };
    let plan = LaunchPlan { own_network: true, steps, ..LaunchPlan::default() };
    enter_namespaces(&plan)?;
    match fork()? {
        Some(first) => Ok(code_of_end(first)),
        None => mounts::make(&plan).and_then(|()| powers::raise_loopback()).map(|()| 0),
    }
}

fn be_first_process(
    plan: &LaunchPlan,
    filters: [io::Result<Vec<sock_filter>>; 2],
    door: Option<OwnedFd>,
    command: &[OsString],
    parent: &OwnedFd,
) -> io::Result<i32> {
    let [first, second] = filters;
    let filters = [first?, second?];
    mounts::make(plan)?;
    if plan.own_network {
        let _ = powers::raise_loopback();
        // Without it nothing is let out.
        let _ = door.map(|door| door::hand_out(&door));
    }
    powers::give_up(plan.root_powers)?;
    set_parent_process_death_signal(Some(Signal::KILL))?;
    ensure_open(parent)?;
    for filter in &filters {
        seccompiler::apply_filter(filter).map_err(io::Error::other)?;
    }
    std::env::set_current_dir(&plan.directory)?;
    match fork()? {
        Some(command) => Ok(code_of_end(command)),
        None => {
            leave_signals_to_the_command(libc::SIG_DFL);
            Err(become_command(command).err().unwrap_or_else(|| io::Error::other("it did not start")))
        }
    }
}

fn become_command(command: &[OsString]) -> io::Result<Infallible> {
    let (program, arguments) = command.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    close_from(PLAN_FD);
    Err(Command::new(program).args(arguments).exec())
}

/// Enters new namespaces; root without one of users where the kernel lets it, so that files of all users stay theirs.
fn enter_namespaces(plan: &LaunchPlan) -> io::Result<()> {
    let network = if plan.own_network { UnshareFlags::NEWNET } else { UnshareFlags::empty() };
    let parts = UnshareFlags::NEWNS | UnshareFlags::NEWPID | UnshareFlags::NEWIPC | UnshareFlags::NEWUTS | network;
    let (user, group) = (geteuid(), getegid());
    if !(user.is_root() && unshare(parts).is_ok()) {
        unshare(parts | UnshareFlags::NEWUSER)?;
        let (user, group) = (user.as_raw(), group.as_raw());
        fs::write("/proc/self/setgroups", "deny")?;
        fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
        fs::write("/proc/self/gid_map", format!("{group} {group} 1"))?;
    }
    // Not every kernel has them.
    let _ = unshare(UnshareFlags::NEWCGROUP);
    Ok(())
}

fn unshare(parts: UnshareFlags) -> rustix::io::Result<()> {
    // SAFETY: descriptors stay shared, and this process has one thread.
    unsafe { unshare_unsafe(parts) }
}

/// `None` in the child.
fn fork() -> io::Result<Option<Pid>> {
    // SAFETY: this process has one thread, so that a child can go on with all that it has.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        number => Ok(Pid::from_raw(number)),
    }
}

fn end_with(parent: u32) -> io::Result<()> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    let is_there = getppid().is_some_and(|now| now.as_raw_nonzero().get().cast_unsigned() == parent);
    if is_there { Ok(()) } else { Err(io::Error::other("who asked has ended")) }
}

fn ensure_open(pipe: &OwnedFd) -> io::Result<()> {
    rustix::io::ioctl_fionbio(pipe, true)?;
    match rustix::io::read(pipe, &mut [0_u8; 1]) {
        Err(rustix::io::Errno::AGAIN) => Ok(()),
        _ => Err(io::Error::other("who asked has ended")),
    }
}

/// Forgets what the view remembers of names, again and again until the process ends. The kernel looks up a name of an
/// overlay once, so that a file which the user makes, or puts in another's place, would else stay unseen.
fn keep_fresh(plan: &LaunchPlan, first: Pid) {
    let overlays = || plan.steps.iter().filter_map(MountStep::overlay);
    let Ok(process) = pidfd_open(first, PidfdFlags::empty()) else { return };
    while overlays().next().is_some() {
        let mut ended = [PollFd::new(&process, PollFlags::IN)];
        match poll(&mut ended, Some(&REFRESHED_EVERY)) {
            Ok(0) => overlays().for_each(|place| drop(mounts::forget_names(place))),
            Err(rustix::io::Errno::INTR) => {}
            Ok(_) | Err(_) => return,
        }
    }
}

/// Waits until this child ends; in the view also for whoever becomes an orphan there, until the command ends; then the
/// kernel ends the rest.
fn code_of_end(child: Pid) -> i32 {
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((ended, status))) if ended == child => return code_of(status),
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => return FAILED,
        }
    }
}

/// As a shell says it.
fn code_of(status: WaitStatus) -> i32 {
    let signal = || status.terminating_signal().map(|signal| 128 + signal);
    status.exit_status().or_else(signal).unwrap_or(FAILED)
}

fn leave_signals_to_the_command(handler: libc::sighandler_t) {
    for signal in LEFT_TO_THE_COMMAND {
        // SAFETY: no handler of ours is set, only what the kernel does by itself.
        unsafe { libc::signal(signal, handler) };
    }
}

fn close_from(first: RawFd) {
    // SAFETY: takes three numbers; nothing here uses these descriptors any more.
    unsafe { libc::syscall(libc::SYS_close_range, first, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC) };
}

fn owned(number: RawFd) -> OwnedFd {
    // SAFETY: whoever started this program gave it the descriptor, and nothing else here owns it.
    unsafe { OwnedFd::from_raw_fd(number) }
}

fn read_all(number: RawFd) -> io::Result<Vec<u8>> {
    let mut file = File::from(owned(number));
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn read_filter(number: RawFd) -> io::Result<Vec<sock_filter>> {
    let bytes = read_all(number)?;
    let (instructions, rest) = bytes.as_chunks::<8>();
    if instructions.is_empty() || !rest.is_empty() {
        return Err(io::Error::other("the system call filter is not whole"));
    }
    let instruction = |bytes: &[u8; 8]| {
        let [code_0, code_1, jt, jf, k_0, k_1, k_2, k_3] = *bytes;
        let (code, k) = (u16::from_ne_bytes([code_0, code_1]), u32::from_ne_bytes([k_0, k_1, k_2, k_3]));
        sock_filter { code, jt, jf, k }
    };
    Ok(instructions.iter().map(instruction).collect())
}
