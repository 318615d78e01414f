//! The files of a session as they were at one of its events: read from what was kept, never from the disk.

use crate::{Records, SessionReader};
use arki_api::{ReplayedContent, ReplayedFile, ReviewChange};
use arki_domain::projection::{FileAt, ReplayedFile as Replayed, replayed_files};
use arki_domain::{Code, Error, SessionId};
use arki_files::{ChangeSet, FileChange, FileContent, ProjectPath};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The longest part of a diff, and of a text, that is shown, in bytes.
const MAX_SHOWN_BYTES: usize = 256 << 10;

/// A file at a moment, with its content.
#[derive(Debug, Clone)]
pub struct FileThen {
    pub path: String,
    /// `None` where there was no file.
    pub content: Option<Vec<u8>>,
    /// Unified; from the session's beginning to the moment. Empty where nothing was changed until then.
    pub diff: String,
}

impl From<FileThen> for ReplayedContent {
    fn from(FileThen { path, content, diff }: FileThen) -> Self {
        Self { path, text: content.and_then(|bytes| String::from_utf8(bytes).ok()), diff, is_cut: false }
    }
}

/// Reads files as they were at an event of a session.
pub struct PastFiles {
    records: Arc<Records>,
    reader: Arc<SessionReader>,
}

impl PastFiles {
    pub(crate) fn new(records: Arc<Records>, reader: Arc<SessionReader>) -> Self {
        Self { records, reader }
    }

    /// Returns the files that the session changes at some time, by path, as they were right after event `at_seq`; after
    /// the last one where none is named.
    ///
    /// # Errors
    /// `SESSION_NOT_FOUND`, `EVENT_NOT_FOUND`, or when the database cannot be read.
    pub fn files_then(&self, session_id: &SessionId, at_seq: Option<u64>) -> Result<Vec<ReplayedFile>, Error> {
        let files = self.replayed(session_id, at_seq)?;
        let entry = |(path, file): (String, Replayed)| {
            let change = (!file.is_as_before()).then(|| change_between(&file.began, &file.then));
            ReplayedFile { change, path }
        };
        Ok(files.into_iter().map(entry).collect())
    }

    /// Returns one of these files, as it may be shown: Arki's own keys are not in it.
    ///
    /// # Errors
    /// `FILE_NOT_FOUND` where the session never changes it, `IMAGE_MISSING` where its content was not kept, and those of
    /// [`Self::files_then`].
    pub fn file_then(&self, session_id: &SessionId, at_seq: Option<u64>, path: &str) -> Result<FileThen, Error> {
        let Some(file) = self.replayed(session_id, at_seq)?.remove(path) else {
            let hint = "`arki sessions files` lists the files that it changed.";
            return Err(Error::new(Code::FILE_NOT_FOUND, format!("The session never changed {path}."), hint));
        };
        let content = |at: &FileAt| self.content_at(at).ok_or_else(|| missing(path));
        let then = content(&file.then)?;
        let diff = match file.began == file.then {
            true => String::new(),
            false => diff(path, content(&file.began)?, then.clone())?,
        };
        let shown = |content: FileContent| match std::str::from_utf8(&content) {
            Ok(text) => self.records.redactor().redact(text).into_owned().into_bytes(),
            Err(_) => content.to_vec(),
        };
        let diff = self.records.redactor().redact(&diff).into_owned();
        Ok(FileThen { path: path.to_owned(), content: then.map(shown), diff })
    }

    /// The same for a window: text that is not too long to be shown.
    ///
    /// # Errors
    /// As for [`Self::file_then`].
    pub fn file_then_shown(
        &self,
        session_id: &SessionId,
        at_seq: Option<u64>,
        path: &str,
    ) -> Result<ReplayedContent, Error> {
        let ReplayedContent { path, text, diff, .. } = self.file_then(session_id, at_seq, path)?.into();
        let is_cut = diff.len() > MAX_SHOWN_BYTES || text.as_ref().is_some_and(|text| text.len() > MAX_SHOWN_BYTES);
        Ok(ReplayedContent { path, text: text.map(whole_lines), diff: whole_lines(diff), is_cut })
    }

    /// `None` when it is not kept any more, or never was.
    pub(crate) fn content_at(&self, at: &FileAt) -> Option<Option<FileContent>> {
        match at {
            FileAt::Nothing => Some(None),
            FileAt::File(hash) => Some(Some(FileContent::File(self.image(Some(hash))??))),
            FileAt::Link(hash) => Some(Some(FileContent::Link(self.image(Some(hash))??))),
            FileAt::Unknown => None,
        }
    }

    /// The content with this hash, no file for none; `None` when it is not kept any more.
    pub(crate) fn image(&self, hash: Option<&str>) -> Option<Option<Vec<u8>>> {
        match hash {
            Some(hash) => self.records.reader().contents().blob(hash).ok().flatten().map(Some),
            None => Some(None),
        }
    }

    fn replayed(&self, session_id: &SessionId, at_seq: Option<u64>) -> Result<BTreeMap<String, Replayed>, Error> {
        self.reader.session(session_id)?;
        let last = self.records.reader().log().last_seq(session_id)?;
        let at_seq = at_seq.unwrap_or(last);
        self.reader.ensure_event(session_id, at_seq, last)?;
        Ok(replayed_files(at_seq, &self.records.reader().log().session_file_events(session_id, 0)?))
    }
}

/// How a file changed between two of its states.
pub(crate) fn change_between(before: &FileAt, after: &FileAt) -> ReviewChange {
    match (before, after) {
        (FileAt::Nothing, _) => ReviewChange::Added,
        (_, FileAt::Nothing) => ReviewChange::Deleted,
        _ => ReviewChange::Modified,
    }
}

fn diff(path: &str, before: Option<FileContent>, after: Option<FileContent>) -> Result<String, Error> {
    let Some(path) = ProjectPath::recorded(path) else { return Ok(String::new()) };
    let change =
        ChangeSet::new(vec![FileChange { path, before, after, mode: None, new_mode: None }]).map_err(Error::from)?;
    Ok(change.preview().diff)
}

/// Returns the text up to the last whole line that is not too far.
fn whole_lines(mut text: String) -> String {
    if text.len() > MAX_SHOWN_BYTES {
        let end = text.floor_char_boundary(MAX_SHOWN_BYTES);
        text.truncate(text[..end].rfind('\n').map_or(end, |last| last + 1));
    }
    text
}

fn missing(path: &str) -> Error {
    let message = format!("The content of {path} at that point is no longer stored.");
    Error::new(Code::IMAGE_MISSING, message, "The log only shows that it was changed. Choose another event or file.")
}
