//! The cores by the names that `--core` and the configuration use.
//!
//! A new core is a file with an `impl Core` and its line in [`CORES`].

use crate::core::Core;
use crate::pes::PlanExecuteSynthesize;
use crate::tool_loop::ToolLoop;
use arki_domain::{Code, Error};

/// Every core there is; the first is used where none is named.
pub(crate) static CORES: &[&dyn Core] = &[&ToolLoop, &PlanExecuteSynthesize];

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
