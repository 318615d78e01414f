//! Runs as OpenTelemetry sees them: a trace, metrics and log records for each, made from its events.
//!
//! The log is the source, so nothing here is live: ids are hashes of the log's ids and times are those of its events.
//! The same events make the same bytes, whenever and by whichever process, so that sending or exporting a run again
//! adds nothing. All names of conventions are in `names`; `messages` are OTLP's own messages, as protobuf and as JSON.
//!
//! `destination` and `sender` know where to and how; when, and what of the log, is the engine's. What people and models
//! wrote is left out unless the user asked for it ([`TelemetryContents`]).

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic))]

mod attributes;
mod destination;
mod measures;
mod messages;
mod names;
mod recorder;
mod run_telemetry;
mod sender;
mod spans;

#[cfg(test)]
mod tests;

pub use destination::{Endpoint, TelemetryDestination};
pub use recorder::{MAX_CONTENT_BYTES, RunRecorder, TelemetryContents};
pub use run_telemetry::{Resource, RunTelemetry};
pub use sender::{Delivery, Sender, Wait};
pub use spans::{MAX_RECORDS, root_run};
