//! The commands and MCP servers that run in this process, as the window shows them.

use arki_api::RunningCommand;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The oldest first. Those of another Arki on the same data are not known here. Blocks for milliseconds.
#[must_use]
pub fn running_commands() -> Vec<RunningCommand> {
    arki_process::running_commands().into_iter().map(shown).collect()
}

fn shown(running: arki_process::RunningCommand) -> RunningCommand {
    let load = running.load;
    RunningCommand {
        id: running.id,
        pid: running.pid,
        command: running.command_line,
        mcp_server: running.name,
        directory: running.directory.display().to_string(),
        started_at: milliseconds(running.started_at.duration_since(UNIX_EPOCH).unwrap_or_default()),
        running_ms: milliseconds(SystemTime::now().duration_since(running.started_at).unwrap_or_default()),
        processes: load.as_ref().map(|load| load.processes),
        memory_bytes: load.as_ref().map(|load| load.memory_bytes),
        cpu_ms: load.as_ref().map(|load| milliseconds(load.cpu)),
        ports: load.map(|load| load.ports),
        own_network: running.own_network,
    }
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
