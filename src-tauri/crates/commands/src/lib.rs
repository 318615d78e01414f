//! Answers the commands of the protocol (`arki_api::commands`) for any client: a window of the desktop app, a browser, a
//! program that speaks HTTP. Each is a thin delegate to the engine. What only some clients have around them (dialogs for
//! files, a clipboard, a file manager) is asked of the port [`Surroundings`].

mod app;
mod asker;
mod configured;
mod context;
mod frames;
mod history;
mod keeping;
mod mcp;
mod memory;
mod page;
mod pictures;
mod pipelines;
mod places;
mod runs;
mod settings;
mod surroundings;
mod windows;

pub use asker::{Asker, CommandAnswer};
pub use page::ClientPage;
pub use surroundings::{Pasted, SavedFile, Surroundings};
