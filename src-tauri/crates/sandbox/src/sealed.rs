//! A process that only computes: it reads what it was given, answers, and reaches nothing else.
//!
//! For the programs of our own that take strangers' bytes apart. It is the process itself that gives everything up,
//! before it reads the first byte: of the system calls it keeps those for its three descriptors, for memory and for its
//! end. So it can open no file, start nothing, and speak to nobody, whatever those bytes make of it.

#![allow(unsafe_code)]

use std::collections::BTreeMap;
use std::io;

use rustix::process::{Resource, Rlimit, setrlimit};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter};

/// The first descriptor that is not standard input, output or error.
const FIRST_OTHER_FD: libc::c_uint = 3;

/// The calls that stay; each other fails as not permitted.
const KEPT: &[i64] = &[
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_write,
    libc::SYS_writev,
    libc::SYS_close,
    libc::SYS_mmap,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_mprotect,
    libc::SYS_madvise,
    libc::SYS_brk,
    libc::SYS_futex,
    libc::SYS_sched_yield,
    libc::SYS_getrandom,
    libc::SYS_clock_gettime,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    libc::SYS_restart_syscall,
    libc::SYS_exit,
    libc::SYS_exit_group,
];

/// Gives up everything but reading, answering and `max_memory_bytes`, for good. The processor's time is limited too.
///
/// # Errors
/// Where it can't: nothing may be read then.
pub fn seal_this_process(max_memory_bytes: u64, max_seconds: u64) -> io::Result<()> {
    // SAFETY: takes three numbers; whatever has such a descriptor is not used any more.
    if unsafe { libc::syscall(libc::SYS_close_range, FIRST_OTHER_FD, libc::c_uint::MAX, 0) } != 0 {
        return Err(io::Error::last_os_error());
    }
    let limits = [(Resource::Data, max_memory_bytes), (Resource::Cpu, max_seconds), (Resource::Core, 0)];
    for (resource, limit) in limits {
        setrlimit(resource, Rlimit { current: Some(limit), maximum: Some(limit) })?;
    }
    seccompiler::apply_filter(&filter().ok_or(io::ErrorKind::Unsupported)?).map_err(io::Error::other)
}

/// `None` where the filter is not known for this processor.
fn filter() -> Option<BpfProgram> {
    let kept: BTreeMap<i64, Vec<_>> = KEPT.iter().map(|call| (*call, Vec::new())).collect();
    let refuse = SeccompAction::Errno(libc::EPERM.cast_unsigned());
    let processor = std::env::consts::ARCH.try_into().ok()?;
    SeccompFilter::new(kept, refuse, SeccompAction::Allow, processor).ok()?.try_into().ok()
}
