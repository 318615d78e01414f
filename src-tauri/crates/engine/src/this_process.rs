//! What this process does for its own safety.

/// Makes the process not dumpable: others of the same user can neither attach to it nor read its memory, where keys are.
/// Does nothing where the system has no such switch.
pub fn protect_this_process() {
    #[cfg(target_os = "linux")]
    {
        let not_dumpable = rustix::process::DumpableBehavior::NotDumpable;
        if let Err(error) = rustix::process::set_dumpable_behavior(not_dumpable) {
            tracing::warn!(%error, "this process stays dumpable");
        }
    }
}

/// Whether a process of this machine is alive.
pub(crate) fn is_alive(pid: u32) -> bool {
    #[cfg(unix)]
    {
        let Some(pid) = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw) else { return false };
        // Not permitted to ask means that it is there.
        !matches!(rustix::process::test_kill_process(pid), Err(rustix::io::Errno::SRCH))
    }
    #[cfg(not(unix))]
    {
        let _ = pid;
        true
    }
}
