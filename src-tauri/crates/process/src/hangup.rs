//! Handles the closing of this process's terminal.

#![allow(unsafe_code)]

/// Returns whether whoever started it wants it to outlive its terminal, as `nohup` does.
#[cfg(unix)]
pub fn outlives_terminal() -> bool {
    // SAFETY: a zeroed `sigaction` is a valid one, and nothing but it is written.
    unsafe {
        let mut now: libc::sigaction = std::mem::zeroed();
        libc::sigaction(libc::SIGHUP, std::ptr::null(), &raw mut now) == 0 && now.sa_sigaction == libc::SIG_IGN
    }
}
