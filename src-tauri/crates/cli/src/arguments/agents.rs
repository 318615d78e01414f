//! The grammar of `arki agents` and `arki artifacts`.

use clap::Subcommand;
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(crate) enum AgentsCommand {
    /// List the agents that can be used in this folder, with their models and where they are configured
    List,
    /// Add an agent to your configuration, or change the one of this name
    Add {
        /// The agent's name
        name: String,
        /// The model, as PROVIDER/MODEL; default: that of the agent `arki`
        #[arg(long, value_name = "PROVIDER/MODEL")]
        model: Option<String>,
        /// Say in one line when to use it
        #[arg(long, value_name = "TEXT")]
        description: Option<String>,
        /// Choose how it works: tool-loop or pes
        #[arg(long, value_name = "NAME")]
        core: Option<String>,
    },
    /// Remove an agent from your configuration
    Rm {
        /// The agent's name
        name: String,
    },
    /// Test an agent: ask its model for a word, which costs a few tokens; exit 1 if a step fails
    Test {
        /// The agent's name
        name: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum ArtifactsCommand {
    /// List artifacts, newest first: id, time, size, type, name and session
    List {
        /// The id of a session or run; default: all sessions
        session: Option<String>,
    },
    /// Print an artifact's content, or write it to a file
    Get {
        /// The artifact's id, or its name if only one has it
        id: String,
        /// The file to write, relative to the folder of -C; default, or `-`: standard output
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
}
