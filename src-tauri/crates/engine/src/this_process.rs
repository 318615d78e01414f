//! Protects this process itself.

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

/// Makes this process the reader of a document (`arki-tools`) or the launcher of a command (`arki-sandbox`) if it was
/// started as one, and returns the code to exit with. The first thing that a program of Arki's does. It launches nothing
/// where commands have no views.
#[must_use]
pub fn launch_if_asked() -> Option<std::process::ExitCode> {
    if let Some(code) = arki_tools::read_document_if_asked() {
        return Some(code.into());
    }
    #[cfg(target_os = "linux")]
    return arki_sandbox::launch_if_asked().map(std::process::ExitCode::from);
    #[cfg(not(target_os = "linux"))]
    None
}

/// Returns whether a process of this machine is alive. One that has ended and that nobody has waited for yet is not,
/// where the system tells.
pub(crate) fn is_alive(pid: u32) -> bool {
    #[cfg(unix)]
    {
        let Some(id) = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw) else { return false };
        // Not permitted to ask means that it is there.
        let is_there = !matches!(rustix::process::test_kill_process(id), Err(rustix::io::Errno::SRCH));
        is_there && !has_ended(pid)
    }
    #[cfg(not(unix))]
    {
        let _ = pid;
        true
    }
}

/// The state stands behind the program's name, which is in brackets and may hold anything, brackets too.
#[cfg(target_os = "linux")]
fn has_ended(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat.rsplit_once(')').and_then(|(_, rest)| rest.trim_start().chars().next());
    matches!(state, Some('Z' | 'X' | 'x'))
}

#[cfg(all(unix, not(target_os = "linux")))]
fn has_ended(_: u32) -> bool {
    false
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

    #[test]
    fn who_has_ended_is_not_alive_even_before_somebody_has_waited_for_it() {
        assert!(is_alive(std::process::id()));
        #[expect(clippy::disallowed_methods, reason = "the test needs a process that has ended")]
        let mut child = std::process::Command::new("true").spawn().unwrap();
        waitid(WaitId::Pid(Pid::from_child(&child)), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT).unwrap();
        let id = child.id();
        assert!(rustix::process::test_kill_process(Pid::from_child(&child)).is_ok(), "it is still there");
        assert!(!is_alive(id));
        child.wait().unwrap();
        assert!(!is_alive(id));
    }
}
