//! Reading a window of lines without loading the file.
//!
//! The file is scanned from its beginning, at most `SCAN_LIMIT_BYTES` of it: a log of gigabytes can be read at its
//! head, a window behind the limit is refused, and no file makes memory grow.

use std::io::{self, BufRead, BufReader, Read};
use std::str;

use serde::Serialize;

use crate::error::{FileAction, FileError, Result, io_error};
use crate::project::{Project, ProjectPath};
use arki_edit::not_text;

/// The position in a file up to which a window may lie and lines are counted.
const SCAN_LIMIT_BYTES: u64 = 64 * 1024 * 1024;
/// A longer line is cut.
const LINE_LIMIT_BYTES: usize = 16 * 1024;
const BUFFER_BYTES: usize = 64 * 1024;
/// A NUL among the first bytes means binary, wherever the window is; git looks at as many.
const SNIFFED_BYTES: usize = 8000;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReadLine {
    /// Counted from 1.
    pub number: u64,
    /// The text without its line ending.
    pub text: String,
    /// The number of bytes left out at the end of a very long line.
    pub cut_bytes: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LineWindow {
    /// Empty when `offset` is behind the last line.
    pub lines: Vec<ReadLine>,
    /// `None` when the file is too long to be counted.
    pub total_lines: Option<u64>,
    pub total_bytes: u64,
    /// There are lines after the window, or lines in it were cut.
    pub truncated: bool,
    /// True if the file's last byte is a newline; `None` if its end was not reached.
    pub final_newline: Option<bool>,
}

/// Reads at most `limit` lines from line `offset` (counted from 1; 0 is 1), and at most `max_bytes` of text.
pub fn read_lines(
    project: &Project,
    path: &ProjectPath,
    offset: u64,
    limit: u64,
    max_bytes: usize,
) -> Result<LineWindow> {
    let (file, metadata) = project.open_regular(path)?;
    window(path.as_str(), file, metadata.len(), offset, limit, max_bytes)
}

/// Returns the lines like [`read_lines`], of a text that is no file; `name` is for errors.
pub fn lines_of(name: &str, text: &[u8], offset: u64, limit: u64, max_bytes: usize) -> Result<LineWindow> {
    window(name, text, text.len() as u64, offset, limit, max_bytes)
}

fn window(
    path: &str,
    content: impl Read,
    total_bytes: u64,
    offset: u64,
    limit: u64,
    max_bytes: usize,
) -> Result<LineWindow> {
    let mut scan = LineScan {
        path,
        reader: BufReader::with_capacity(BUFFER_BYTES, content.take(SCAN_LIMIT_BYTES)),
        consumed: 0,
        line: 1,
        last_byte: None,
    };
    scan.refuse_binary()?;
    scan.skip_to(offset.max(1))?;
    let (lines, is_full) = scan.window(limit, max_bytes)?;
    let window_end = scan.line;
    while scan.skip_line()? {}
    let is_complete = scan.consumed < SCAN_LIMIT_BYTES || total_bytes <= SCAN_LIMIT_BYTES;
    let has_more = is_full || scan.line > window_end || !is_complete;
    Ok(LineWindow {
        truncated: has_more || lines.iter().any(|line| line.cut_bytes > 0),
        lines,
        total_lines: is_complete.then_some(scan.line - 1),
        total_bytes,
        final_newline: is_complete.then_some(scan.last_byte == Some(b'\n')),
    })
}

struct LineScan<'a, R> {
    path: &'a str,
    reader: BufReader<R>,
    consumed: u64,
    /// The line that comes next.
    line: u64,
    last_byte: Option<u8>,
}

impl<R: Read> LineScan<'_, R> {
    fn refuse_binary(&mut self) -> Result<()> {
        let path = self.path;
        let start = self.reader.fill_buf().map_err(|error| failed(path, error))?;
        let start = &start[..start.len().min(SNIFFED_BYTES)];
        if start.contains(&0) {
            return Err(not_text(path, start).into());
        }
        Ok(())
    }

    /// Stops early when the file ends before `line`.
    fn skip_to(&mut self, line: u64) -> Result<()> {
        while self.line < line {
            if !self.skip_line()? {
                break;
            }
        }
        if self.line < line && self.consumed >= SCAN_LIMIT_BYTES {
            return Err(FileError::TooLarge { path: self.path.to_owned(), limit: SCAN_LIMIT_BYTES }.into());
        }
        Ok(())
    }

    /// False at the end.
    fn skip_line(&mut self) -> Result<bool> {
        let mut skipped = 0;
        loop {
            let buffer = self.reader.fill_buf().map_err(|error| failed(self.path, error))?;
            let (length, is_end) = line_end(buffer);
            self.last_byte = buffer[..length].last().copied().or(self.last_byte);
            self.reader.consume(length);
            self.consumed += length as u64;
            skipped += length;
            if is_end {
                self.line += u64::from(skipped > 0);
                return Ok(skipped > 0);
            }
        }
    }

    /// The lines, and whether one more was there but did not fit.
    fn window(&mut self, limit: u64, max_bytes: usize) -> Result<(Vec<ReadLine>, bool)> {
        let mut lines: Vec<ReadLine> = Vec::new();
        let mut room = max_bytes;
        while (lines.len() as u64) < limit {
            let number = self.line;
            let Some((bytes, length)) = self.read_line(max_bytes.min(LINE_LIMIT_BYTES))? else { break };
            if bytes.len() > room {
                return Ok((lines, true));
            }
            room -= bytes.len();
            let line = self.decode(number, &bytes, length)?;
            lines.push(line);
        }
        Ok((lines, false))
    }

    /// Reads at most `keep` bytes of the next line without its ending, and its whole length without it.
    fn read_line(&mut self, keep: usize) -> Result<Option<(Vec<u8>, u64)>> {
        let mut kept = Vec::new();
        let before = self.consumed;
        // One more than is kept, for the `\r` of a line that just fits.
        let ceiling = keep as u64 + 2;
        let read =
            (&mut self.reader).take(ceiling).read_until(b'\n', &mut kept).map_err(|error| failed(self.path, error))?;
        if read == 0 {
            return Ok(None);
        }
        self.consumed += read as u64;
        self.last_byte = kept.last().copied();
        // Skipping the rest of a longer line counts it.
        let is_whole = kept.ends_with(b"\n") || !self.skip_line()?;
        self.line += u64::from(is_whole);
        let whole = self.consumed - before;
        let mut ending = u64::from(self.last_byte == Some(b'\n'));
        if kept.ends_with(b"\n") {
            kept.pop();
            if kept.ends_with(b"\r") {
                kept.pop();
                ending += 1;
            }
        }
        kept.truncate(keep);
        Ok(Some((kept, whole - ending)))
    }

    fn decode(&self, number: u64, bytes: &[u8], length: u64) -> Result<ReadLine> {
        let is_cut = length > bytes.len() as u64;
        let text = match str::from_utf8(bytes) {
            Ok(text) => text,
            // A cut may fall into a character.
            Err(error) if is_cut && error.error_len().is_none() => {
                str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default()
            }
            Err(_) => return Err(not_text(self.path, bytes).into()),
        };
        if text.contains('\0') {
            return Err(not_text(self.path, bytes).into());
        }
        let cut_bytes = length - text.len() as u64;
        let text = if number == 1 { text.trim_start_matches('\u{feff}') } else { text };
        Ok(ReadLine { number, text: text.to_owned(), cut_bytes })
    }
}

/// Returns how much of `buffer` belongs to the line, and whether the line ends there (an empty buffer is the end).
fn line_end(buffer: &[u8]) -> (usize, bool) {
    match buffer.iter().position(|byte| *byte == b'\n') {
        Some(at) => (at + 1, true),
        None => (buffer.len(), buffer.is_empty()),
    }
}

fn failed(path: &str, error: io::Error) -> crate::error::FilesError {
    io_error(path, FileAction::Read, error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::Project;
    use arki_domain::Code;

    fn read(content: &[u8], offset: u64, limit: u64, max_bytes: usize) -> Result<LineWindow> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.txt"), content).unwrap();
        let project = Project::open(folder.path()).unwrap();
        read_lines(&project, &project.resolve("a.txt").unwrap(), offset, limit, max_bytes)
    }

    fn texts(window: &LineWindow) -> Vec<(u64, &str)> {
        window.lines.iter().map(|line| (line.number, line.text.as_str())).collect()
    }

    #[test]
    fn a_window_says_what_is_around_it() {
        let window = read(b"\xef\xbb\xbfone\r\ntwo\nthree\nfour", 2, 2, 1000).unwrap();
        assert_eq!(texts(&window), [(2, "two"), (3, "three")]);
        assert_eq!((window.total_lines, window.truncated, window.final_newline), (Some(4), true, Some(false)));
        let whole = read(b"\xef\xbb\xbfone\r\ntwo\n", 0, 100, 1000).unwrap();
        assert_eq!(texts(&whole), [(1, "one"), (2, "two")]);
        assert_eq!((whole.total_lines, whole.truncated, whole.final_newline), (Some(2), false, Some(true)));
    }

    #[test]
    fn an_empty_file_and_a_window_behind_the_end_are_empty() {
        let empty = read(b"", 1, 10, 1000).unwrap();
        assert_eq!((empty.lines.len(), empty.total_lines, empty.truncated), (0, Some(0), false));
        let behind = read(b"a\nb\n", 9, 10, 1000).unwrap();
        assert_eq!((behind.lines.len(), behind.total_lines), (0, Some(2)));
    }

    #[test]
    fn max_bytes_ends_the_window_before_the_line_that_does_not_fit() {
        let window = read(b"12345\n12345\n12345\n", 1, 10, 11).unwrap();
        assert_eq!(texts(&window), [(1, "12345"), (2, "12345")]);
        assert!(window.truncated);
        assert_eq!(window.total_lines, Some(3));
    }

    #[test]
    fn a_long_line_is_cut_at_a_character_and_says_by_how_much() {
        let long = "é".repeat(LINE_LIMIT_BYTES);
        let window = read(format!("x{long}\nnext\n").as_bytes(), 1, 10, 1 << 20).unwrap();
        assert_eq!(window.lines[0].text.len(), LINE_LIMIT_BYTES - 1);
        assert_eq!(window.lines[0].cut_bytes as usize, long.len() + 1 - (LINE_LIMIT_BYTES - 1));
        assert_eq!(texts(&window)[1], (2, "next"));
        assert!(window.truncated);
    }

    #[test]
    fn a_line_that_just_fits_is_not_cut() {
        for ending in ["", "\n", "\r\n"] {
            let content = format!("{}{ending}", "a".repeat(LINE_LIMIT_BYTES));
            let window = read(content.as_bytes(), 1, 10, 1 << 20).unwrap();
            assert_eq!(window.lines[0].cut_bytes, 0, "{ending:?}");
            assert_eq!((window.total_lines, window.truncated), (Some(1), false), "{ending:?}");
        }
    }

    #[test]
    fn binary_content_is_refused() {
        assert_eq!(read(b"a\0b\n", 1, 10, 1000).unwrap_err().code(), Code::FILE_NOT_TEXT);
        assert_eq!(read(b"ok\n\xff\xfe\n", 2, 1, 1000).unwrap_err().code(), Code::FILE_NOT_TEXT);
    }

    #[test]
    fn of_a_gigabyte_the_head_can_be_read_and_the_depths_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("big.log");
        std::fs::write(&path, "first line\n".repeat(SNIFFED_BYTES / 8)).unwrap();
        let file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
        file.set_len(1 << 30).unwrap();
        let project = Project::open(folder.path()).unwrap();
        let path = project.resolve("big.log").unwrap();
        let head = read_lines(&project, &path, 1, 3, 1000).unwrap();
        assert_eq!((head.lines.len(), head.total_lines, head.truncated), (3, None, true));
        let error = read_lines(&project, &path, 1_000_000, 3, 1000).unwrap_err();
        assert_eq!(error.code(), Code::FILE_TOO_LARGE);
    }
}
