//! The lines around the hunks of a pending change, read from the file itself. They are for reading only: what is decided
//! is bound to the preview's hash, whatever they say.

use crate::approvals::review::ApprovalReviews;
use arki_api::ReviewContext;
use arki_domain::{ApprovalId, Code, Error};
use arki_files::read_lines;
use std::path::Path;

/// Lines that one question gets.
const MAX_LINES: usize = 200;
const MAX_BYTES: usize = 256 * 1024;

impl ApprovalReviews {
    /// Lines of a file that a pending change is about, as they stand in it now; `from` counts from 1. Blocking.
    ///
    /// # Errors
    /// `APPROVAL_NOT_FOUND`, `FILE_NOT_FOUND` for a file that the change isn't about or that is gone, and those of reading
    /// it.
    pub fn review_context(
        &self,
        approval_id: &ApprovalId,
        path: &str,
        from: usize,
        lines: usize,
    ) -> Result<ReviewContext, Error> {
        let record = self.pending.approval(approval_id)?;
        let preview = record.request().and_then(|requested| requested.preview);
        if !preview.is_some_and(|preview| preview.files_affected.iter().any(|affected| affected == path)) {
            let message = format!("The change doesn't include the file {path}.");
            return Err(Error::new(Code::FILE_NOT_FOUND, message, "Open the review again."));
        }
        let session = self.reader.session(&record.session_id)?;
        let open = self.projects.load_project(Path::new(&session.project))?;
        let place = open.workplace().resolve(path)?;
        let window = read_lines(open.workplace(), &place, from as u64, lines.min(MAX_LINES) as u64, MAX_BYTES)?;
        let text: Vec<String> = window.lines.into_iter().map(|line| line.text).collect();
        // As the diff beside it: secrets are shown to the user, Arki's own keys are not.
        let redacted = self.records.redactor().redact(&text.join("\n")).into_owned();
        let shown = self.revealed_text(&record, path, &redacted);
        let lines = if text.is_empty() { Vec::new() } else { shown.split('\n').map(str::to_owned).collect() };
        let total = window.total_lines.unwrap_or(u64::MAX);
        Ok(ReviewContext { lines, total: usize::try_from(total).unwrap_or(usize::MAX) })
    }
}
