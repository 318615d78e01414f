//! The files that sessions, and what is of them, are written into.

use crate::{Records, SessionReader};
use arki_api::ExportFormat;
use arki_domain::Error;
use arki_domain::projection::SessionSummary;
use arki_export::{export_session, write_whole};
use arki_files::OutputFile;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

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
        write_whole(&mut file, text)?;
        Ok(file.finish()?)
    }

    /// Writes a session. A fork begins with what it took over from its origin.
    ///
    /// # Errors
    /// When the database cannot be read or `out` not be written. A reader that has gone away is no error.
    pub fn export(&self, session: &SessionSummary, format: ExportFormat, out: &mut dyn Write) -> Result<(), Error> {
        export_session(&*self.reader, session, format, out)
    }
}
