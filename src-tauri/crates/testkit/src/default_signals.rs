//! The signals' dispositions of a program when it begins. The standard library has no call for that.

use std::process::Command;

/// Has a program begin as from a terminal, also where whoever started the tests ignores signals, as `nohup` and a
/// shell's background jobs do.
#[cfg(unix)]
#[allow(unsafe_code)]
pub fn with_default_signals(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    let restore = || {
        for signal in [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM] {
            // SAFETY: `signal` may be called between fork and exec.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        }
        Ok(())
    };
    // SAFETY: it allocates nothing and takes no lock.
    unsafe { command.pre_exec(restore) };
}

/// There are no such signals.
#[cfg(not(unix))]
pub fn with_default_signals(_command: &mut Command) {}
