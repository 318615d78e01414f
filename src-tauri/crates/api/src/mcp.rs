//! MCP servers, as lists, tests and the settings show them.

use crate::{CommandError, PinChange};

words! {
    McpServerState { Disabled, Untrusted, Idle, Starting, Running, Failed }
    McpTestStepName { Start, Initialize, Tools }
}

wire! {
    McpServerEntry {
        pub name: String,
        /// `stdio` or `http`.
        pub transport: String,
        /// The command line, or the address.
        pub place: String,
        /// The configuration that it's in: `user` or `project`.
        pub origin: String,
        pub state: McpServerState,
        /// Why it has failed.
        pub failure: Option<CommandError>,
        /// The default category of its tools, where the configuration sets no other for one of them.
        pub category: String,
        /// The tools in force by the server's own names; `null` where it was never met.
        #[ts(inline)]
        pub tools: Option<Vec<String>>,
        /// Its tools take too much of a request and are searched instead.
        pub is_searched: bool,
        #[ts(type = "number")]
        pub estimated_tokens: u64,
        /// Off until the user agrees to them.
        pub changed: Vec<McpChangedTool>,
        pub refused: Vec<McpRefusedTool>,
        /// The hash of the tools as the server listed them last. The user's approval covers exactly these.
        pub digest: String,
        pub settings: McpServerSettings,
    }
    /// The way to reach a server: `command` or `url`.
    McpServerSettings {
        pub command: Option<String>,
        pub args: Vec<String>,
        pub env: Vec<McpVariable>,
        pub network: bool,
        pub url: Option<String>,
        pub headers: Vec<McpVariable>,
    }
    McpVariable {
        pub name: String,
        /// `null`: what stands in the configuration and may be a secret, which is neither shown nor changed.
        pub value: Option<String>,
    }
    McpChangedTool {
        pub name: String,
        pub change: PinChange,
        /// The description that models were given before.
        pub before: Option<String>,
        pub now: Option<String>,
    }
    McpRefusedTool {
        pub name: String,
        pub reason: String,
    }
    /// One step of a test, as it ended.
    McpTestStep {
        pub step: McpTestStepName,
        pub ok: bool,
        #[ts(type = "number")]
        pub duration_ms: u64,
        pub message: String,
        pub code: Option<String>,
        pub hint: Option<String>,
        /// The last of what the server printed.
        pub trail: Option<String>,
    }
}
