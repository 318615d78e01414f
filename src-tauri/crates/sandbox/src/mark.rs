//! Tells a program that it runs in the sandbox, whatever its environment says.
//!
//! A system call filter can't be taken off, and everything that a process starts inherits it. So the filter refuses one
//! question that nobody asks, and that the kernel answers to everyone else: whether the process is dumpable, with a
//! second argument, which the kernel does not look at. This tells an honest program; another may be lied to.

#![allow(unsafe_code)]

/// The second argument: "ARKI".
pub(super) const MARK: u32 = 0x4152_4b49;

/// Returns whether this thread is in a sandbox of Arki's.
pub(super) fn is_refused() -> bool {
    is_answered(0) && !is_answered(MARK)
}

fn is_answered(argument: u32) -> bool {
    // SAFETY: takes two numbers and changes nothing.
    unsafe { libc::prctl(libc::PR_GET_DUMPABLE, libc::c_ulong::from(argument)) >= 0 }
}
