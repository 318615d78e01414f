//! How many files this process may have open at the same time. Many systems start programs with few; a run needs more.

use crate::error::{MIN_OPEN_FILES, ProcessError};
use std::sync::OnceLock;

/// More are of no use.
#[cfg(unix)]
const ENOUGH: u64 = 65_536;

/// The limit that this process was started with. Commands get it back.
static INHERITED: OnceLock<Option<u64>> = OnceLock::new();

/// Raises the limit of open files to what the system allows this process, once, at its start.
pub fn raise_open_files() {
    INHERITED.get_or_init(|| {
        #[cfg(unix)]
        {
            use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
            let found = getrlimit(Resource::Nofile);
            let most = found.maximum.unwrap_or(ENOUGH).min(ENOUGH);
            if found.current.is_some_and(|current| current < most) {
                let raised = Rlimit { current: Some(most), maximum: found.maximum };
                // Where the system refuses it, `doctor` says how many there are.
                let _ = setrlimit(Resource::Nofile, raised);
            }
            found.current
        }
        #[cfg(not(unix))]
        None
    });
}

/// The limit as a shell takes it.
#[cfg(unix)]
pub(crate) fn inherited_open_files() -> String {
    let limit = INHERITED.get().copied().unwrap_or_else(open_files);
    limit.map_or_else(|| "unlimited".to_owned(), |files| files.to_string())
}

/// Returns the error where this process may have too few files open for a run.
pub fn open_files_problem() -> Option<ProcessError> {
    open_files().filter(|most| *most < MIN_OPEN_FILES).map(|most| ProcessError::TooFewOpenFiles { most })
}

/// The most files that this process may have open; `None` where there is no limit.
#[must_use]
pub fn open_files() -> Option<u64> {
    #[cfg(unix)]
    {
        rustix::process::getrlimit(rustix::process::Resource::Nofile).current
    }
    #[cfg(not(unix))]
    None
}
