//! Counts the lines that a session's changes come to: each file before its first change beside how the last one left
//! it. What was taken back counts as never done, and what others changed in between is part of it.

use crate::Records;
use arki_api::SessionLines;
use arki_domain::projection::{FileAt, FilesAt, WantedFile};
use arki_domain::{Error, SessionId};
use arki_files::changed_lines;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Sessions that one question may name.
const MAX_SESSIONS: usize = 200;
/// Files of a session whose lines are counted; with more only the files are.
const MAX_FILES: usize = 200;
/// A larger file's lines are not counted.
const MAX_FILE_BYTES: u64 = 1 << 20;
/// Nor those of files that are more than this together, before and after.
const MAX_BYTES: u64 = 16 << 20;

/// The sizes of what sessions changed.
pub struct LineCounts {
    records: Arc<Records>,
}

impl LineCounts {
    pub(crate) fn new(records: Arc<Records>) -> Self {
        Self { records }
    }

    /// Counts the lines that sessions changed; one that changed no file, or isn't there, is not named. Blocking.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn of(&self, sessions: &[SessionId]) -> Result<Vec<SessionLines>, Error> {
        let lines = sessions.iter().take(MAX_SESSIONS).map(|session_id| self.lines_of(session_id));
        lines.filter_map(Result::transpose).collect()
    }

    fn lines_of(&self, session_id: &SessionId) -> Result<Option<SessionLines>, Error> {
        let events = self.records.reader().log().session_file_events(session_id, 0)?;
        let mut files = FilesAt::fold(0, &events);
        files.retain(|file| file.wanted != file.last_known || file.wanted == FileAt::Unknown);
        if files.is_empty() {
            return Ok(None);
        }
        let moved = take_moved(&mut files);
        let count = u32::try_from(files.len() + moved).unwrap_or(u32::MAX);
        let lines = if files.len() <= MAX_FILES && self.is_small(&files)? { self.sum(&files)? } else { None };
        let (added, removed) = lines.unzip();
        Ok(Some(SessionLines { session_id: session_id.to_string(), files: count, added, removed }))
    }

    /// `None` where a file's lines can't be told.
    fn sum(&self, files: &[WantedFile]) -> Result<Option<(u32, u32)>, Error> {
        let mut sum = (0_u32, 0_u32);
        for file in files {
            let (Some(before), Some(after)) = (self.text_of(&file.wanted)?, self.text_of(&file.last_known)?) else {
                return Ok(None);
            };
            let Some((added, removed)) = changed_lines(&before, &after) else { return Ok(None) };
            sum = (sum.0.saturating_add(added), sum.1.saturating_add(removed));
        }
        Ok(Some(sum))
    }

    /// Looks at sizes alone.
    fn is_small(&self, files: &[WantedFile]) -> Result<bool, Error> {
        let mut together = 0_u64;
        for hash in files.iter().flat_map(|file| [&file.wanted, &file.last_known]).filter_map(FileAt::hash) {
            let size = self.records.reader().contents().blob_size(hash)?.unwrap_or_default();
            together = together.saturating_add(size);
            if size > MAX_FILE_BYTES || together > MAX_BYTES {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Nothing has no lines; `None` where nobody knows the content.
    fn text_of(&self, file: &FileAt) -> Result<Option<Vec<u8>>, Error> {
        match file {
            FileAt::Nothing => Ok(Some(Vec::new())),
            FileAt::File(hash) | FileAt::Link(hash) => Ok(self.records.reader().contents().blob(hash)?),
            FileAt::Unknown => Ok(None),
        }
    }
}

/// Takes out the files that are elsewhere now and otherwise as they were: each is one file at two paths, and none of its
/// lines changed. Returns how many there are.
fn take_moved(files: &mut Vec<WantedFile>) -> usize {
    let mut made = ContentCounts::new();
    for hash in files.iter().filter_map(made_content) {
        *made.entry(hash.to_owned()).or_default() += 1;
    }
    let moved = take(files, made, removed_content);
    take(files, moved, made_content).values().sum()
}

/// How many files have a content, by its hash.
type ContentCounts = BTreeMap<String, usize>;

/// Takes out as many files with each of these contents as there are, and returns which it took.
fn take(files: &mut Vec<WantedFile>, mut wanted: ContentCounts, of: fn(&WantedFile) -> Option<&str>) -> ContentCounts {
    let mut taken = ContentCounts::new();
    files.retain(|file| {
        let Some((hash, left)) = of(file).and_then(|hash| Some((hash, wanted.get_mut(hash)?))) else { return true };
        if *left == 0 {
            return true;
        }
        *left -= 1;
        *taken.entry(hash.to_owned()).or_default() += 1;
        false
    });
    taken
}

fn made_content(file: &WantedFile) -> Option<&str> {
    file.last_known.hash().filter(|_| file.wanted == FileAt::Nothing)
}

fn removed_content(file: &WantedFile) -> Option<&str> {
    file.wanted.hash().filter(|_| file.last_known == FileAt::Nothing)
}
