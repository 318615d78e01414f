//! A session as a file for others: every event for programs, or the conversation for people; and the proof that such a
//! file is what was appended.
//!
//! One walk over the log feeds every format, a page at a time, so that a session of any length is never in memory as a
//! whole. Nothing here opens a database or a terminal: events come from an [`EventSource`], and it writes to whatever it
//! is handed. What was stored is exported as it was stored; what people read has its invisible characters made visible,
//! because it quotes models and files.

mod arkai;
mod blocks;
mod export;
mod fold;
mod html;
mod jsonl;
mod lineage;
mod markdown;
mod otlp;
mod proposed_change;
mod verify_file;
mod writing;

#[cfg(test)]
mod tests;

pub use arkai::{Arkai, ArkaiEvent, event_summary};
pub use export::{export_session, write_whole};
pub use lineage::{EVENTS_A_PIECE, EventSource, MAX_LINEAGE, Origin, Stretch, each_event, lineage, origin};
pub use proposed_change::new_diff;
pub use verify_file::{FileReport, verify_export, verify_file};
