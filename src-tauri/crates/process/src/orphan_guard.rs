//! Commands don't outlive this process, however it ends.
//!
//! A dying process can't clean up after itself, and Linux's parent-death signal reaches only the direct child, the
//! shell, not what it runs. So a small shell, started with the first command, knows every running group by number;
//! when this process is gone its standard input ends, and it kills what is left, and notes in journals when that was (see
//! `sandbox::journal`). One a process, 1 MB, asleep.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::OnceLock;

use rustix::process::Pid;

use super::launch::start_script;

/// The line by which a journal says that the commands of its owner are gone.
pub const ENDED: &str = "ended";

/// Lines are `+ GROUP`, `- GROUP` and `@ FILE`. It must outlive what a terminal sends when it closes.
const SCRIPT: &str = r#"
trap '' HUP INT TERM
groups=' ' journals=
while read -r change what; do
  case $change in
    +) groups="$groups$what " ;;
    -) groups="${groups%% $what *} ${groups#* $what }" ;;
    @) journals="$journals$what
" ;;
  esac
done
for group in $groups; do kill -KILL "-$group"; done
set -f
IFS='
'
for journal in $journals; do [ -f "$journal" ] && { echo; echo ended; } >>"$journal"; done
"#;

/// Makes `group` die with this process: what is in the pipe is read even when its writer is gone.
pub(super) fn watch(group: Pid) {
    tell(&format!("+ {}\n", group.as_raw_nonzero()));
}

/// `group` is gone; its number may become somebody else's.
pub(super) fn forget(group: Pid) {
    tell(&format!("- {}\n", group.as_raw_nonzero()));
}

/// Makes the journal in this place, if there is one then, note when this process and its commands end.
pub fn note_end_in(journal: &Path) {
    let line = journal.to_str().map(|path| format!("@ {path}\n"));
    if let Some(line) = line.filter(|line| line.len() <= libc::PIPE_BUF && line.lines().count() == 1) {
        tell(&line);
    }
}

/// Called before a command is started, so that nothing slow lies between its start and `watch`. Between the two it
/// waits at its gate.
pub(super) fn prepare() {
    if let Err(error) = guard() {
        tracing::warn!(%error, "commands may outlive this process");
    }
}

/// A line this short is written whole or not at all, so threads don't need a lock.
fn tell(line: &str) {
    let Ok((pipe, _)) = guard() else { return };
    let mut guard: &File = pipe;
    if guard.write_all(line.as_bytes()).is_err() {
        tracing::warn!("the guard against orphaned commands has ended");
    }
}

/// A process of this user's that no sandbox confines.
#[cfg(target_os = "linux")]
pub fn number() -> Option<Pid> {
    guard().ok().map(|(_, number)| *number)
}

/// Its standard input, and its number.
fn guard() -> Result<&'static (File, Pid), &'static io::Error> {
    static GUARD: OnceLock<io::Result<(File, Pid)>> = OnceLock::new();
    GUARD.get_or_init(|| start_script(SCRIPT)).as_ref()
}
