//! The diff of a change that waits for review, file by file and in pages: a large one lies beside the log.

use arki_api::ReviewChange;
use arki_domain::{ChangePreview, Code, Error, Hunk};
use std::ops::Range;
use std::sync::Arc;

/// A diff with its files, in the order of their hunks.
#[derive(Debug, Clone)]
pub struct ReviewDiff {
    text: Arc<str>,
    files: Arc<[ReviewFile]>,
}

/// A file of a diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewFile {
    pub path: String,
    pub change: ReviewChange,
    /// The number of its first hunk.
    pub first_hunk: usize,
    pub hunks: usize,
    /// Lines.
    pub added: usize,
    pub removed: usize,
    bytes: Range<usize>,
    /// The start of each hunk's text; a change without lines has none.
    hunk_starts: Vec<usize>,
}

/// A piece of a diff, from one hunk on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewPart {
    /// The file that it is about.
    pub path: String,
    pub first_hunk: usize,
    bytes: Range<usize>,
}

impl ReviewDiff {
    pub(crate) fn new(text: String, preview: &ChangePreview) -> Self {
        let mut files: Vec<ReviewFile> = Vec::new();
        let (mut at, mut next_hunk) = (0, 1);
        let hunks_from = |index: usize| {
            let hunks = preview.hunks.get(index.saturating_sub(1)..).unwrap_or_default();
            hunks.chunk_by(Hunk::is_beside).next().unwrap_or_default()
        };
        for line in text.split_inclusive('\n') {
            match line.as_bytes().first() {
                Some(b'd') if line.starts_with("diff --git ") => {
                    if let Some(file) = files.last_mut() {
                        next_hunk = file.end_at(at, hunks_from(next_hunk).len());
                    }
                    let path = hunks_from(next_hunk).first().map(|hunk| &hunk.path);
                    let path = path.or_else(|| preview.files_affected.get(files.len())).cloned().unwrap_or_default();
                    files.push(ReviewFile {
                        path,
                        change: ReviewChange::default(),
                        first_hunk: next_hunk,
                        hunks: 0,
                        added: 0,
                        removed: 0,
                        bytes: at..at,
                        hunk_starts: Vec::new(),
                    });
                }
                _ => {
                    if let Some(file) = files.last_mut() {
                        file.take(line, at);
                    }
                }
            }
            at += line.len();
        }
        if let Some(file) = files.last_mut() {
            file.end_at(at, hunks_from(next_hunk).len());
        }
        Self { text: text.into(), files: files.into() }
    }

    #[must_use]
    pub fn files(&self) -> &[ReviewFile] {
        &self.files
    }

    #[must_use]
    pub fn bytes(&self) -> usize {
        self.text.len()
    }

    #[must_use]
    pub fn text(&self, part: &ReviewPart) -> &str {
        self.text.get(part.bytes.clone()).unwrap_or_default()
    }

    /// Everything, a file a part.
    #[must_use]
    pub fn all(&self) -> Vec<ReviewPart> {
        self.files.iter().map(ReviewFile::part).collect()
    }

    /// # Errors
    /// `FILE_NOT_FOUND` where the change is not about it.
    pub fn file(&self, path: &str) -> Result<Vec<ReviewPart>, Error> {
        let file = self.files.iter().find(|file| file.path == path).ok_or_else(|| {
            let message = format!("The change doesn't include the file {path}.");
            Error::new(Code::FILE_NOT_FOUND, message, "`arki approvals show` lists the files of the change.")
        })?;
        Ok(vec![file.part()])
    }

    /// These hunks, each with what names its file.
    ///
    /// # Errors
    /// `HUNK_UNKNOWN`.
    pub fn hunks(&self, numbers: &[usize]) -> Result<Vec<ReviewPart>, Error> {
        let mut parts = Vec::new();
        for number in numbers {
            let file = self.files.iter().find(|file| file.numbers().contains(number)).ok_or_else(|| {
                let message = format!("The preview has no hunk {number}.");
                Error::new(Code::HUNK_UNKNOWN, message, "`arki approvals show` numbers the hunks.")
            })?;
            let place = number - file.first_hunk;
            let starts = &file.hunk_starts;
            let start = starts.get(place).copied().unwrap_or(file.bytes.end);
            let end = starts.get(place + 1).copied().unwrap_or(file.bytes.end);
            let head = file.bytes.start..starts.first().copied().unwrap_or(file.bytes.end);
            parts.push(ReviewPart { path: file.path.clone(), first_hunk: *number, bytes: head });
            parts.push(ReviewPart { path: file.path.clone(), first_hunk: *number, bytes: start..end });
        }
        Ok(parts)
    }

    /// Returns whole lines of a file's part of the diff, about `limit` bytes from `from` on, and the start of the next
    /// page unless this is the last.
    ///
    /// # Errors
    /// `FILE_NOT_FOUND` for a file that there is not.
    pub fn page(&self, file: usize, from: usize, limit: usize) -> Result<(&str, Option<usize>), Error> {
        let file = self.files.get(file).ok_or_else(|| {
            Error::new(Code::FILE_NOT_FOUND, "The change has no such file.", "Open the review again.")
        })?;
        let text = self.text.get(file.bytes.clone()).unwrap_or_default();
        let rest = text.get(from..).unwrap_or_default();
        if rest.len() <= limit {
            return Ok((rest, None));
        }
        let head = &rest[..rest.floor_char_boundary(limit)];
        // A line that is longer than a page goes over several.
        let end = head.rfind('\n').map_or(head.len(), |at| at + 1);
        Ok((&rest[..end], Some(from + end)))
    }
}

/// Returns the kind of change that a line before the first hunk tells.
fn change_of_head(line: &str) -> Option<ReviewChange> {
    let heads = [
        ("new file mode", ReviewChange::Added),
        ("deleted file mode", ReviewChange::Deleted),
        ("rename to ", ReviewChange::Renamed),
    ];
    heads.into_iter().find(|(head, _)| line.starts_with(head)).map(|(_, change)| change)
}

impl ReviewFile {
    #[must_use]
    pub fn numbers(&self) -> Range<usize> {
        self.first_hunk..self.first_hunk + self.hunks
    }

    /// Returns the size of the file's part of the diff.
    #[must_use]
    pub fn diff_bytes(&self) -> usize {
        self.bytes.len()
    }

    fn part(&self) -> ReviewPart {
        ReviewPart { path: self.path.clone(), first_hunk: self.first_hunk, bytes: self.bytes.clone() }
    }

    /// Takes in the next line of the file's diff. Within a hunk, only lines with these beginnings are no lines of the
    /// file; a file name comes before the first hunk.
    fn take(&mut self, line: &str, at: usize) {
        match line.as_bytes().first() {
            Some(b'@') => self.hunk_starts.push(at),
            Some(b'+') if !self.hunk_starts.is_empty() => self.added += 1,
            Some(b'-') if !self.hunk_starts.is_empty() => self.removed += 1,
            Some(_) if self.hunk_starts.is_empty() => self.change = change_of_head(line).unwrap_or(self.change),
            _ => {}
        }
    }

    /// Returns the number of the hunk after its last. Of `hunks`, those without lines come first.
    fn end_at(&mut self, end: usize, hunks: usize) -> usize {
        self.bytes.end = end;
        let first = self.hunk_starts.first().copied().unwrap_or(end);
        let whole = hunks.saturating_sub(self.hunk_starts.len());
        self.hunk_starts.splice(0..0, std::iter::repeat_n(first, whole));
        self.hunks = self.hunk_starts.len().max(1);
        self.first_hunk + self.hunks
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arki_domain::WholeChange;

    const DIFF: &str = "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,1 +1,1 @@\n-one\n+1\n@@ -9,0 +9,1 @@\n+--- nine\n\
                        diff --git a/b b/b\nnew file mode 100644\n\
                        diff --git a/c b/c\n--- a/c\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-x\n--- y\n";

    fn review() -> ReviewDiff {
        let hunk = |index, path: &str| Hunk {
            index,
            path: path.to_owned(),
            old_start: 0,
            old_lines: 0,
            new_start: 0,
            new_lines: 0,
            what: None,
            call_id: None,
        };
        let preview = ChangePreview {
            files_affected: vec!["a".into(), "b".into(), "c".into()],
            lines_changed: 5,
            diff: String::new(),
            diff_hash: None,
            hunks: vec![hunk(1, "a"), hunk(2, "a"), hunk(3, "b"), hunk(4, "c")],
            preview_hash: String::new(),
        };
        ReviewDiff::new(DIFF.to_owned(), &preview)
    }

    #[test]
    fn files_know_their_hunks_and_how_many_lines_change() {
        let told = |file: &ReviewFile| (file.path.clone(), file.numbers(), file.added, file.removed);
        let files: Vec<_> = review().files().iter().map(told).collect();
        assert_eq!(files, [("a".to_owned(), 1..3, 2, 1), ("b".to_owned(), 3..4, 0, 0), ("c".to_owned(), 4..5, 0, 2)]);
    }

    #[test]
    fn all_parts_together_are_the_diff_and_so_are_all_pages() {
        let review = review();
        let parts: String = review.all().iter().map(|part| review.text(part)).collect();
        assert_eq!(parts, DIFF);
        for limit in [1, 7, 20, 1000] {
            let mut paged = String::new();
            for file in 0..review.files().len() {
                let mut from = Some(0);
                while let Some(at) = from {
                    let (page, next) = review.page(file, at, limit).unwrap();
                    assert!(page.len() <= limit);
                    paged.push_str(page);
                    from = next;
                }
            }
            assert_eq!(paged, DIFF, "{limit}");
        }
        assert!(review.page(3, 0, 10).is_err());
    }

    #[test]
    fn a_change_of_the_mode_is_a_hunk_in_front_of_those_of_the_lines() {
        let diff = "diff --git a/a b/a\nold mode 100644\nnew mode 100755\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+1\n\
                    diff --git a/b b/c\nsimilarity index 100%\nrename from b\nrename to c\n";
        let hunk = |index, path: &str, lines, what| Hunk {
            index,
            path: path.to_owned(),
            old_start: lines,
            old_lines: lines,
            new_start: lines,
            new_lines: lines,
            what,
            call_id: None,
        };
        let preview = ChangePreview {
            files_affected: vec!["a".into(), "b".into(), "c".into()],
            lines_changed: 2,
            diff: String::new(),
            diff_hash: None,
            hunks: vec![
                hunk(1, "a", 0, Some(WholeChange::Mode)),
                hunk(2, "a", 1, None),
                hunk(3, "c", 0, Some(WholeChange::Move)),
            ],
            preview_hash: String::new(),
        };
        let review = ReviewDiff::new(diff.to_owned(), &preview);
        let files: Vec<_> =
            review.files().iter().map(|file| (file.path.as_str(), file.numbers(), file.change)).collect();
        assert_eq!(files, [("a", 1..3, ReviewChange::Modified), ("c", 3..4, ReviewChange::Renamed)]);
        let text =
            |number| -> String { review.hunks(&[number]).unwrap().iter().map(|part| review.text(part)).collect() };
        let head = "diff --git a/a b/a\nold mode 100644\nnew mode 100755\n--- a/a\n+++ b/a\n";
        assert_eq!((text(1), text(2)), (head.to_owned(), format!("{head}@@ -1 +1 @@\n-one\n+1\n")));
        assert!(text(3).ends_with("rename from b\nrename to c\n"));
    }

    #[test]
    fn a_hunk_is_shown_with_what_names_its_file() {
        let review = review();
        let text = |numbers: &[usize]| -> String {
            review.hunks(numbers).unwrap().iter().map(|part| review.text(part)).collect()
        };
        assert_eq!(text(&[2]), "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -9,0 +9,1 @@\n+--- nine\n");
        assert_eq!(text(&[3]), "diff --git a/b b/b\nnew file mode 100644\n");
        assert!(review.hunks(&[5]).is_err_and(|fault| fault.is(Code::HUNK_UNKNOWN)));
        assert!(review.file("d").is_err());
    }
}
