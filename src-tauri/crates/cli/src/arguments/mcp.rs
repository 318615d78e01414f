//! The grammar of `arki mcp`.

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum McpCommand {
    /// List the configured servers with their state and number of tools, without starting any
    List,
    /// Start a server and list its tools; if a step fails, show which one and what the server printed
    Test {
        /// The server's name
        name: String,
    },
    /// Show how a server's tools changed, and accept the changes; changed tools are off until you do
    Agree {
        /// The server's name
        name: String,
    },
    /// Add a server to your configuration: a command after `--`, or a URL
    Add {
        /// The server's name: it becomes a part of its tools' names
        name: String,
        /// Set an environment variable for the program; `K='${V}'` passes on your variable V. Repeatable
        #[arg(long, value_name = "K=V", conflicts_with = "url")]
        env: Vec<String>,
        /// Allow the program to use the network
        #[arg(long, conflicts_with = "url")]
        network: bool,
        /// The URL of an HTTP server
        #[arg(long, value_name = "URL", conflicts_with = "command")]
        url: Option<String>,
        /// Send this header with each request; repeatable
        #[arg(long, value_name = "NAME: VALUE", requires = "url")]
        header: Vec<String>,
        /// The program and its arguments
        #[arg(last = true, value_name = "COMMAND")]
        command: Vec<String>,
    },
    /// Remove a server from your configuration
    Rm {
        /// The server's name
        name: String,
    },
    /// Sign in to a server with your browser; the tokens are stored in the keychain
    Login {
        /// The server's name
        name: String,
    },
    /// List a server's prompts, or print one to pipe into `arki exec -`
    Prompts {
        /// The server's name
        name: String,
        /// The prompt to print; default: list them
        prompt: Option<String>,
        /// The prompt's arguments
        #[arg(value_name = "NAME=VALUE")]
        arguments: Vec<String>,
    },
}
