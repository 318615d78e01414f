//! Folders, and the lines of a JSON Lines file, plain or compressed (`.zst`): each by itself, so that a damaged one costs
//! only itself.

use arki_domain::{Code, Error, io_words};
use serde_json::Value;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use zstd::stream::read::Decoder;

/// The longest file that is read, in bytes, once decompressed.
const MAX_FILE_BYTES: u64 = 256 << 20;
/// The longest line that is read, in bytes; a longer one is left out.
const MAX_LINE_BYTES: u64 = 16 << 20;

pub(crate) struct JsonLines {
    pub(crate) values: Vec<Value>,
    /// Lines that are no JSON object, or too long.
    pub(crate) left_out: usize,
}

/// Reads them all.
///
/// # Errors
/// `HISTORY_UNREADABLE` where the file can't be read, or is too large.
pub(crate) fn read_lines(path: &Path) -> Result<JsonLines, Error> {
    read(path, u64::MAX)
}

/// Reads the first few alone.
///
/// # Errors
/// As [`read_lines`].
pub(crate) fn first_lines(path: &Path, count: u64) -> Result<Vec<Value>, Error> {
    Ok(read(path, count)?.values)
}

fn read(path: &Path, most: u64) -> Result<JsonLines, Error> {
    let unread = |error: std::io::Error| unreadable(path, &format!("can't be read: {}", io_words(error.kind())));
    // Before it is opened: a pipe would be waited for.
    let told = fs::metadata(path).map_err(unread)?;
    if !told.is_file() {
        return Err(unreadable(path, "is no file"));
    }
    let too_large = || unreadable(path, "is larger than 256 MiB");
    if told.len() > MAX_FILE_BYTES && most == u64::MAX {
        return Err(too_large());
    }
    let file = File::open(path).map_err(unread)?;
    let is_compressed = path.extension().is_some_and(|extension| extension == "zst");
    let text: Box<dyn Read> =
        if is_compressed { Box::new(Decoder::new(file).map_err(unread)?) } else { Box::new(file) };
    let mut file = BufReader::new(text.take(MAX_FILE_BYTES + 1));
    let (mut lines, mut line, mut count) = (JsonLines { values: Vec::new(), left_out: 0 }, Vec::new(), 0);
    while count < most && next_line(&mut file, &mut line).map_err(unread)? {
        count += 1;
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        match serde_json::from_slice::<Value>(&line) {
            Ok(value) if value.is_object() => lines.values.push(value),
            _ => lines.left_out += 1,
        }
    }
    let is_whole = file.into_inner().limit() > 0;
    if is_whole || most < u64::MAX { Ok(lines) } else { Err(too_large()) }
}

/// Reads a line, or as much of it as is read of any; false at the end.
fn next_line(file: &mut impl BufRead, line: &mut Vec<u8>) -> std::io::Result<bool> {
    line.clear();
    let read = file.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', line)?;
    if read as u64 == MAX_LINE_BYTES && line.last() != Some(&b'\n') {
        file.skip_until(b'\n')?;
    }
    Ok(read > 0)
}

/// The files and folders in a folder, by name; none where it can't be read.
pub(crate) fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

pub(crate) fn unreadable(path: &Path, why: &str) -> Error {
    let hint = "The other sessions are brought in without it.";
    Error::new(Code::HISTORY_UNREADABLE, format!("{} {why}.", path.display()), hint)
}
