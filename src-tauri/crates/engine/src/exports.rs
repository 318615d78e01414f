//! A session as a file for others: every event for programs, or the conversation for people.
//!
//! One walk over the log feeds every format, a page at a time, so that a session of any length is never in memory as a
//! whole. Nothing here opens a file or a terminal: it writes to whatever it is handed. What was stored is exported as
//! it was stored; what people read has its invisible characters made visible, because it quotes models and files.

pub(crate) mod arkai;
mod blocks;
mod fold;
mod html;
mod jsonl;
mod markdown;

#[cfg(test)]
mod tests;

use crate::records::Records;
use crate::session_reader::SessionReader;
use crate::session_reader::lineage::{EventSource, Stretch, lineage};
use arki_domain::projection::SessionSummary;
use arki_domain::{Code, Error, Event};
use arki_files::OutputFile;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportFormat {
    /// Every event as it is stored, one a line.
    JsonLines,
    /// The conversation, for people.
    Markdown,
    /// The conversation as one page that needs nothing else.
    Html,
}

impl From<arki_api::ExportFormat> for ExportFormat {
    fn from(format: arki_api::ExportFormat) -> Self {
        match format {
            arki_api::ExportFormat::Jsonl => Self::JsonLines,
            arki_api::ExportFormat::Markdown => Self::Markdown,
            arki_api::ExportFormat::Html => Self::Html,
        }
    }
}

/// The files that sessions, and what is of them, are written into.
pub struct Exports {
    records: Arc<Records>,
    reader: Arc<SessionReader>,
}

impl Exports {
    pub(crate) fn new(records: Arc<Records>, reader: Arc<SessionReader>) -> Self {
        Self { records, reader }
    }

    /// A file that an export is to be written into.
    ///
    /// # Errors
    /// When no file can be written there.
    pub fn output_file(&self, path: &Path) -> Result<OutputFile, Error> {
        Ok(OutputFile::create(path, &self.records.directories().unfinished_exports())?)
    }

    /// Writes a text to a file. Where that fails, what was there before stays.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn save_text(&self, path: &Path, text: &str) -> Result<(), Error> {
        let mut file = self.output_file(path)?;
        match file.write_all(text.as_bytes()).map_err(Stop::from) {
            Err(Stop::Error(fault)) => Err(fault),
            Ok(()) | Err(Stop::ReaderGone) => Ok(file.finish()?),
        }
    }

    /// Writes a session. A fork begins with what it took over from its origin.
    ///
    /// # Errors
    /// When the database cannot be read or `out` not be written. A reader that has gone away is no error.
    pub fn export(&self, session: &SessionSummary, format: ExportFormat, out: &mut dyn Write) -> Result<(), Error> {
        match write(&*self.reader, session, format, out) {
            Ok(()) | Err(Stop::ReaderGone) => Ok(()),
            Err(Stop::Error(fault)) => Err(fault),
        }
    }
}

fn write(source: &dyn EventSource, session: &SessionSummary, format: ExportFormat, out: Out<'_>) -> Result<(), Stop> {
    let stretches = lineage(source, &session.session_id)?;
    match format {
        ExportFormat::JsonLines => jsonl::write(source, &stretches, out)?,
        ExportFormat::Markdown => markdown::write(source, session, &stretches, out)?,
        ExportFormat::Html => html::write(source, session, &stretches, out)?,
    }
    Ok(out.flush()?)
}

type Out<'a> = &'a mut dyn Write;

/// Why an export ends early.
enum Stop {
    ReaderGone,
    Error(Error),
}

impl From<Error> for Stop {
    fn from(fault: Error) -> Self {
        Self::Error(fault)
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        let (code, message, hint) = match error.kind() {
            io::ErrorKind::BrokenPipe => return Self::ReaderGone,
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                (Code::DISK_FULL, "The disk is full: the file was not written.", "Free some space and try again.")
            }
            _ => (Code::IO_FAILED, "The file can't be written there.", "Choose another place and try again."),
        };
        Self::Error(Error::new(code, message, hint))
    }
}

/// Hands over every event of the stretches, oldest first.
fn each_event(
    source: &dyn EventSource,
    stretches: &[Stretch],
    mut take: impl FnMut(&Event) -> Result<(), Stop>,
) -> Result<(), Stop> {
    stretches.iter().try_for_each(|stretch| crate::session_reader::lineage::each_event(source, stretch, 0, &mut take))
}

/// A moment, the same wherever it is read.
fn utc(ts: i64) -> String {
    let moment = jiff::Timestamp::from_millisecond(ts).unwrap_or_default();
    moment.strftime("%Y-%m-%d %H:%M:%S UTC").to_string()
}
