//! The event log and what is kept beside it, in one SQLite file. Only this crate knows SQL.
//!
//! Everything that is written goes through one thread with one connection, which takes whatever is waiting into one
//! transaction (`writer`); readers have connections of their own and never wait for it (`reader`). An event is hashed
//! and numbered inside the transaction that stores it, since another process may have appended in the meantime
//! (`append`), and the projections that lists need are brought up to date in the same one (`projections`). Nothing
//! here decides anything about runs, trust or approvals: it remembers, and proves that what it remembers was not
//! changed (`verify`).
//!
//! Announcing events to subscribers is the engine's: it wraps a [`Store`] as the domain's `EventLog`.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic))]

mod anchors;
mod append;
mod approvals;
mod blobs;
mod connection;
mod contents;
mod cursor;
mod damage;
mod error;
mod exported;
mod exported_contents;
mod file_events;
mod files;
mod finding;
mod garbage;
mod group;
mod heads;
mod import;
mod lease_requests;
mod leases;
mod memory_events;
mod named_ids;
mod private_copy;
mod project_snapshots;
mod projections;
mod read_events;
mod reader;
mod relay;
mod removal;
mod replay;
mod row;
mod salvage;
mod schema;
mod seal;
mod search;
mod search_index;
mod search_query;
mod searchable;
mod sessions;
mod settings;
mod sizes;
mod snapshots;
mod snippet;
mod state_events;
mod store;
mod tail;
mod traces;
mod unspaced;
mod untouched;
mod usage_events;
mod verify;
mod verify_contents;
mod verify_report;
mod write;
mod writer;
mod writing;

#[cfg(test)]
mod tests;

pub use approvals::{ApprovalRecord, ApprovalStatus};
pub use blobs::{BLOB_COMPRESSION_LEVEL, MAX_BLOB_BYTES};
pub use connection::BUSY_TIMEOUT;
pub use cursor::{LogCursor, LogPage};
pub use error::StoreError;
pub use exported::{ExportedLine, MAX_EXPORT_ID_BYTES, MAX_EXPORT_LINE_BYTES, exported_lines};
pub use exported_contents::{ExportedContents, ExportedPiece, exported_pieces, spoken_content};
pub use finding::MAX_FOUND;
pub use garbage::{Collected, ManifestReader, UNREFERENCED_GRACE};
pub use group::MAX_GROUP;
pub use import::{ImportOutcome, ImportedSession, MAX_IMPORT_BYTES, MAX_IMPORT_EVENTS};
pub use lease_requests::LeaseRequest;
pub use leases::LEASE_TTL;
pub use named_ids::{IdKind, MIN_ID_PART_BYTES, NamedId, is_named};
pub use read_events::{EventPage, MAX_PAGE_BYTES};
pub use reader::{MAX_READERS, Reader};
pub use removal::{REMOVAL_BATCH_EVENTS, RemovedSessions};
pub use salvage::{Salvaged, open_or_salvage};
pub use seal::{MAX_EVENT_BYTES, MAX_EVENT_DEPTH};
pub use search::{MAX_SEARCH_HITS, SearchHit, SearchQuery};
pub use search_index::INDEX_BATCH_EVENTS;
pub use search_query::MAX_SEARCH_WORDS;
pub use searchable::MAX_SEARCHABLE_BYTES;
pub use sessions::RunRecord;
pub use settings::{PinRecord, TrustRecord};
pub use sizes::{MAX_LARGEST_SESSIONS, Sizes};
pub use snapshots::MAX_SNAPSHOT_BYTES;
pub use snippet::{MAX_SNIPPET_CHARACTERS, SnippetPart};
pub use store::{Store, StoreOptions};
pub use tail::{MAX_TAIL_PAGE, Tail};
pub use usage_events::UsageMark;
pub use verify_contents::{ContentsReport, DamagedContent};
pub use verify_report::{AnchorFinding, VerifyReport};
pub use writer::MAX_QUEUED_WRITES;
