//! `arki memory`: what sessions propose to remember, and what the user accepted.

use crate::exit::{CommandExit, Exit};
use crate::output::{Printer, dim, visible, word_of};
use arki_api::{MemoryEntry, MemoryState};
use arki_engine::{Engine, refuse_last};
use clap::Subcommand;
use std::path::Path;

/// List, accept, reject, edit or remove what Arki remembers beyond a session
#[derive(Debug, Subcommand)]
pub(crate) enum MemoryCommand {
    /// List proposals from all sessions, and what you accepted for yourself and for this folder
    List,
    /// Accept a proposal: Arki writes it to a Markdown file, prints its new id, and adds it to the prompts of new runs
    Accept {
        /// The proposal's id
        id: String,
        /// Put it in your own words
        #[arg(long, value_name = "TEXT")]
        text: Option<String>,
    },
    /// Reject a proposal
    Reject {
        /// The proposal's id
        id: String,
    },
    /// Change the text of an accepted memory
    Edit {
        /// The memory's id
        id: String,
        /// The new text
        text: String,
    },
    /// Remove an accepted memory
    Rm {
        /// The memory's id
        id: String,
    },
}

pub(crate) async fn run(engine: &Engine, dir: &Path, command: MemoryCommand, output: &Printer) -> CommandExit {
    let memory = engine.memory_reviews();
    let (done, entry) = match command {
        MemoryCommand::List => {
            let entries = memory.memory(Some(dir))?;
            entries.iter().for_each(|entry| show(entry, output));
            output.aside_if_empty(&entries, "No memories. With `memory.reflect` set to true, Arki proposes some.");
            return Ok(Exit::Done);
        }
        MemoryCommand::Accept { id, text } => {
            refuse_last(&id)?;
            ("Accepted", memory.accept_memory(&id, text.as_deref()).await?)
        }
        MemoryCommand::Reject { id } => ("Rejected", memory.reject_memory(&id).await?),
        MemoryCommand::Edit { id, text } => ("Changed", memory.edit_memory(Some(dir), &id, &text).await?),
        MemoryCommand::Rm { id } => {
            refuse_last(&id)?;
            ("Removed", memory.remove_memory(Some(dir), &id).await?)
        }
    };
    output.tell(&entry, || format!("{done}: {}  {}", visible(&entry.id), visible(&entry.text)));
    Ok(Exit::Done)
}

fn show(entry: &MemoryEntry, output: &Printer) {
    output.tell(entry, || {
        let scope = word_of(entry.scope);
        let state = match (entry.state, entry.used) {
            (MemoryState::Pending, _) => "pending",
            (MemoryState::Accepted, true) => "accepted",
            (MemoryState::Accepted, false) => "changed since you trusted the folder: not used",
        };
        let place = entry.path.as_ref().or(entry.project.as_ref()).map(|place| visible(place)).unwrap_or_default();
        format!("{}  {state}  {scope}  {}  {}", visible(&entry.id), visible(&entry.text), dim(&place))
    });
}
