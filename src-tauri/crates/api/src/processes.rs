//! Commands that run, as the window lists them.

wire! {
    /// A command or MCP server that runs, with all that it started.
    RunningCommand {
        pub id: u64,
        /// The process ID of its first process.
        pub pid: u32,
        pub command: String,
        /// The name of the MCP server that it is; null of a command.
        pub mcp_server: Option<String>,
        pub directory: String,
        pub started_at: u64,
        pub running_ms: u64,
        /// These are null where the system does not tell.
        pub processes: Option<usize>,
        pub memory_bytes: Option<u64>,
        pub cpu_ms: Option<u64>,
        /// TCP ports it listens on.
        pub ports: Option<Vec<u16>>,
        /// True if nobody outside its sandbox can reach its ports.
        pub own_network: bool,
    }
}
