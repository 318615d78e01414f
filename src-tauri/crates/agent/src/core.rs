//! The cores: the ways in which an agent can work, by the names that `--core` and the configuration use.
//!
//! A new core is a file with an `impl Core` and its line in [`CORES`].

use crate::pes::PlanExecuteSynthesize;
use crate::run_host::{RunEnd, RunHost};
use crate::tool_loop::ToolLoop;
use arki_domain::{Code, Error};
use async_trait::async_trait;

/// Every core there is; the first is used where none is named.
pub(crate) static CORES: &[&dyn Core] = &[&ToolLoop, &PlanExecuteSynthesize];

/// Decides a run's next step, again and again. It keeps nothing of its own: whatever it goes by is in the log and folded
/// by the host, so that a run goes on after a crash as after an approval.
#[async_trait]
pub trait Core: Send + Sync {
    fn name(&self) -> &'static str;

    /// Returns the text of its runs' system prompts that says how to work; it stands behind the base prompt.
    fn instructions(&self) -> Option<&'static str> {
        None
    }

    /// Goes on until the run ends or has to wait.
    ///
    /// # Errors
    /// Only those of the log.
    async fn run(&self, host: &mut RunHost) -> Result<RunEnd, Error>;
}

/// The core of that name.
///
/// # Errors
/// `USAGE`, with the names that there are.
pub fn core(name: &str) -> Result<&'static dyn Core, Error> {
    find(CORES, name)
}

/// The names of all cores, the default first.
pub fn core_names() -> impl Iterator<Item = &'static str> {
    CORES.iter().map(|core| core.name())
}

pub(crate) fn find<'a>(cores: &[&'a dyn Core], name: &str) -> Result<&'a dyn Core, Error> {
    cores.iter().find(|core| core.name() == name).copied().ok_or_else(|| {
        let known: Vec<&str> = cores.iter().map(|core| core.name()).collect();
        Error::new(Code::USAGE, format!("There is no core {name:?}."), format!("Use one of: {}.", known.join(", ")))
    })
}
