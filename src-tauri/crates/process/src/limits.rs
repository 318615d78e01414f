//! The limits of a command, before it is ended. Pure.

use std::fmt;

/// The limits for a command with all that it started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommandLimits {
    /// The limit for processes at the same time.
    pub max_processes: usize,
    /// The limit for private memory; shared memory, such as the code of its programs, does not count.
    pub max_memory_bytes: u64,
    /// Written to its standard output and error, kept or not.
    pub max_written_bytes: u64,
}

impl CommandLimits {
    pub const MAX_PROCESSES: usize = 1_000;
    pub const MAX_WRITTEN_BYTES: u64 = 1 << 30;
    /// The default memory limit, as a percentage of the machine's memory.
    pub const MAX_MEMORY_PER_CENT: u64 = 75;
}

impl Default for CommandLimits {
    fn default() -> Self {
        let max_memory_bytes = machine_memory().map_or(u64::MAX, |bytes| bytes / 100 * Self::MAX_MEMORY_PER_CENT);
        Self { max_processes: Self::MAX_PROCESSES, max_memory_bytes, max_written_bytes: Self::MAX_WRITTEN_BYTES }
    }
}

#[cfg(target_os = "linux")]
fn machine_memory() -> Option<u64> {
    let system = rustix::system::sysinfo();
    Some(u64::from(system.mem_unit) * system.totalram)
}

#[cfg(windows)]
use super::job::machine_memory;

/// Elsewhere nobody looks at what a command takes.
#[cfg(not(any(target_os = "linux", windows)))]
fn machine_memory() -> Option<u64> {
    None
}

/// The limit that a command was ended at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overrun {
    Processes(usize),
    MemoryBytes(u64),
    WrittenBytes(u64),
}

impl fmt::Display for Overrun {
    /// Completes "it …".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Processes(limit) => write!(f, "had more than {limit} processes"),
            Self::MemoryBytes(limit) => write!(f, "took more than {} MiB of memory", limit >> 20),
            Self::WrittenBytes(limit) => write!(f, "wrote more than {} MiB", limit >> 20),
        }
    }
}
