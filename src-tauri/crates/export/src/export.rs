//! One session in one format.

use crate::lineage::{EventSource, lineage};
use crate::writing::{Out, Stop};
use crate::{html, jsonl, markdown, otlp};
use arki_api::ExportFormat;
use arki_domain::Error;
use arki_domain::projection::SessionSummary;
use std::io::Write;

/// Writes a session. A fork begins with what it took over from its origin.
///
/// # Errors
/// When its events cannot be read or `out` not be written. A reader that has gone away is no error.
pub fn export_session(
    source: &dyn EventSource,
    session: &SessionSummary,
    format: ExportFormat,
    out: &mut dyn Write,
) -> Result<(), Error> {
    Stop::outcome(write(source, session, format, out))
}

/// Writes a text; a reader that has gone away is no error.
///
/// # Errors
/// When it cannot be written.
pub fn write_whole(out: &mut dyn Write, text: &str) -> Result<(), Error> {
    Stop::outcome(out.write_all(text.as_bytes()).map_err(Stop::from))
}

pub(crate) fn write(
    source: &dyn EventSource,
    session: &SessionSummary,
    format: ExportFormat,
    out: Out<'_>,
) -> Result<(), Stop> {
    let stretches = lineage(source, &session.session_id)?;
    match format {
        ExportFormat::Jsonl => jsonl::write(source, &stretches, out)?,
        ExportFormat::Markdown => markdown::write(source, session, &stretches, out)?,
        ExportFormat::Html => html::write(source, session, &stretches, out)?,
        ExportFormat::Otlp => otlp::write(source, &stretches, out)?,
    }
    Ok(out.flush()?)
}
