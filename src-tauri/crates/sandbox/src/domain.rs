//! A Landlock domain of one command's own, by which everything that the command started is known for certain.
//!
//! A process in a domain cannot leave it, whatever session, parent or environment it gives itself, and with signals
//! scoped (Linux 6.12) a thread in the domain can signal those in it and no others. So the thread that starts the
//! command is asked which processes are the command's, and told to end them all.

#![allow(unsafe_code)]

use std::fs::File;
use std::io;

use landlock::{Ruleset, RulesetAttr, RulesetStatus, Scope};
use rustix::io::Errno;
use rustix::process::{Pid, WaitOptions, test_kill_process, waitpid};

use arki_process::start_script;

/// Its input ends when nobody holds the other end any more.
const END_ALL: &str = "trap '' HUP INT TERM; exec 3<&0; (read -r _ <&3; kill -KILL -1) &";

/// Puts this thread, and all it starts, into a domain in its present one. Whether that is in force.
pub(super) fn enter() -> bool {
    let entered = Ruleset::default().scope(Scope::Signal).and_then(|ruleset| ruleset.create());
    let entered = entered.and_then(landlock::RulesetCreated::restrict_self);
    entered.is_ok_and(|status| status.ruleset == RulesetStatus::FullyEnforced)
}

/// Returns the processes that are in this thread's domain.
pub(super) fn own(processes: &[i32]) -> Vec<i32> {
    let is_own = |number: &i32| Pid::from_raw(*number).is_some_and(|pid| test_kill_process(pid).is_ok());
    processes.iter().copied().filter(is_own).collect()
}

/// Kills every process in this thread's domain at once, so that none can start another meanwhile; never this one.
/// `outside` runs as the same user outside any domain: that it is out of reach proves that the others are.
pub(super) fn end_all(outside: Pid) {
    if test_kill_process(outside) != Err(Errno::PERM) {
        return;
    }
    // SAFETY: takes two numbers. -1 is every process that may be signalled, but for the caller's own.
    unsafe { libc::kill(-1, libc::SIGKILL) };
}

/// A program that does the same once this process is gone, or has dropped what is returned; for what detached itself so
/// soon that no guard knows it. 1 MB, asleep. `None` where nothing proves that it would reach no other.
pub(super) fn end_all_when_gone(outside: Pid) -> io::Result<Option<File>> {
    if test_kill_process(outside) != Err(Errno::PERM) {
        return Ok(None);
    }
    let (input, starts) = start_script(END_ALL)?;
    // What it started is nobody's to wait for.
    waitpid(Some(starts), WaitOptions::empty())?;
    Ok(Some(input))
}
