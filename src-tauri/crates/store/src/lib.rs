//! The event log and what is kept beside it, in one SQLite file. Only this crate knows SQL.
//!
//! Everything that is written goes through one thread with one connection, which takes whatever is waiting into one
//! transaction (`writer`); readers have connections of their own and never wait for it (`reader`). An event is hashed
//! and numbered inside the transaction that stores it, since another process may have appended in the meantime
//! (`append`), and the projections that lists need are brought up to date in the same one. Nothing here decides
//! anything about runs, trust or approvals: it remembers, and proves that what it remembers was not changed (`verify`).
//!
//! `database` is the file itself, `chain` a session's events in it, `read` what clients ask for, `contents` what is kept by its hash, `exchange` what goes
//! to and comes from other databases.
//!
//! Announcing events to subscribers is the engine's: it wraps a [`Store`] as the domain's `EventLog`.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic))]

mod answered_requests;
mod append;
mod chain;
mod contents;
mod database;
mod error;
mod exchange;
mod leases;
mod read;
mod reader;
mod removal;
mod salvage;
mod search;
mod settings;
mod store;
mod verify;
mod writer;

#[cfg(test)]
mod tests;

pub use answered_requests::{KEPT_ANSWERS, KeptAnswer};
pub use chain::seal::{MAX_EVENT_BYTES, MAX_EVENT_DEPTH};
pub use contents::blobs::{BLOB_COMPRESSION_LEVEL, MAX_BLOB_BYTES};
pub use contents::garbage::{Collected, ManifestReader, UNREFERENCED_GRACE};
pub use contents::session_snapshots::MAX_SNAPSHOT_BYTES;
pub use database::connection::BUSY_TIMEOUT;
pub use error::StoreError;
pub use exchange::exported::{ExportedLine, MAX_EXPORT_ID_BYTES, MAX_EXPORT_LINE_BYTES, exported_lines};
pub use exchange::exported_contents::{ExportedContents, ExportedPiece, exported_pieces, spoken_content};
pub use exchange::import::{ImportOutcome, ImportedSession, MAX_IMPORT_BYTES, MAX_IMPORT_EVENTS};
pub use leases::LEASE_TTL;
pub use read::approvals::{ApprovalRecord, ApprovalStatus};
pub use read::cursor::{LogCursor, LogPage};
pub use read::event_pages::{EventPage, MAX_PAGE_BYTES};
pub use read::finished_runs::{FinishedRun, FinishedRuns};
pub use read::named_ids::{IdKind, MIN_ID_PART_BYTES, NamedId, is_named};
pub use read::sessions::{ListedRuns, RunRecord};
pub use read::sizes::{MAX_LARGEST_SESSIONS, Sizes};
pub use read::tail::{MAX_TAIL_PAGE, Tail};
pub use read::usage_events::UsageMark;
pub use reader::{ContentReader, LogReader, LogVerifier, MAX_READERS, SessionLists, StoreReader};
pub use removal::{REMOVAL_BATCH_EVENTS, RemovedSessions};
pub use salvage::{Salvaged, open_or_salvage};
pub use search::finding::MAX_FOUND;
pub use search::index::INDEX_BATCH_EVENTS;
pub use search::query::MAX_SEARCH_WORDS;
pub use search::searchable::MAX_SEARCHABLE_BYTES;
pub use search::snippet::{MAX_SNIPPET_CHARACTERS, SnippetPart};
pub use search::{EventSearchHit, EventSearchQuery, MAX_SEARCH_HITS};
pub use settings::{PinRecord, TrustRecord};
pub use store::session_leases::LeaseRequest;
pub use store::{CommitFeed, ContentWriter, SessionLeases, Store, StoreOptions, StoreUpkeep};
pub use verify::contents::{ContentsReport, DamagedContent};
pub use verify::report::{AnchorFinding, VerifyReport};
pub use writer::MAX_QUEUED_WRITES;
pub use writer::group::MAX_GROUP;
