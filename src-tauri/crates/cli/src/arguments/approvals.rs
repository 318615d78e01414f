//! The grammar of `arki approvals`.

use clap::Subcommand;
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(crate) enum ApprovalsCommand {
    /// List pending approvals, newest first
    List,
    /// Show the diff or command that needs approval
    Show {
        /// The approval's id; default: the only pending one
        id: Option<String>,
        /// Show the diff of this file only
        #[arg(long, value_name = "PATH", conflicts_with_all = ["hunks", "all"])]
        file: Option<String>,
        /// Show only these hunks, such as 1,3
        #[arg(long, value_delimiter = ',', value_name = "NUMBERS", conflicts_with = "all")]
        hunks: Option<Vec<usize>>,
        /// Show the whole diff of a large change, not just its list of files
        #[arg(long)]
        all: bool,
    },
    /// Approve, and continue the run to its next stop
    Approve {
        /// The approval's id (not `last`); default: the only pending one
        id: Option<String>,
        /// Also allow similar calls for the rest of this session, by the narrowest rule that fits; `show` prints the
        /// rule
        #[arg(long, conflicts_with_all = ["always", "hunks", "command"])]
        session: bool,
        /// Also add that rule to your configuration, so that it always applies in this folder
        #[arg(long, conflicts_with_all = ["hunks", "command"])]
        always: bool,
        /// Approve only these hunks, such as 1,3
        #[arg(long, value_delimiter = ',', value_name = "NUMBERS")]
        hunks: Option<Vec<usize>>,
        /// Run this command instead of the proposed one
        #[arg(long, value_name = "LINE", conflicts_with = "hunks")]
        command: Option<String>,
        /// Approve a plan with the steps in this file instead, one a line; `-` reads standard input
        #[arg(long, value_name = "FILE", conflicts_with_all = ["hunks", "command", "session", "always"])]
        plan: Option<PathBuf>,
        /// Add a note for the model
        #[arg(long, value_name = "TEXT")]
        note: Option<String>,
    },
    /// Show what is allowed for the rest of a session
    Granted {
        /// The id of a session or run
        session: String,
    },
    /// Withdraw everything allowed for the rest of a session, and print it
    Withdraw {
        /// The id of a session or run
        session: String,
    },
    /// Reject, and continue the run to its next stop
    Reject {
        /// The approval's id; default: the only pending one
        id: Option<String>,
        /// Add a note for the model
        #[arg(long, value_name = "TEXT")]
        note: Option<String>,
    },
}
