//! The labelled shell lines of `tests/fixtures/commands`; its README says what the labels mean.

use std::io::{self, Error, ErrorKind};
use std::path::Path;

const FILES: &[&str] = &["read.txt", "script.txt", "look.txt", "build.txt", "everyday.txt", "ask.txt", "dangerous.txt"];

pub struct LabelledCommand {
    pub label: String,
    pub line: String,
}

/// # Errors
/// When a file can't be read, or has a line without a label.
pub fn labelled_commands() -> io::Result<Vec<LabelledCommand>> {
    labelled_in(FILES)
}

/// The everyday lines that no rule of the policy was made for, with labels of their own.
///
/// # Errors
/// When the file can't be read, or has a line without a label.
pub fn unseen_commands() -> io::Result<Vec<LabelledCommand>> {
    labelled_in(&["unseen.txt"])
}

fn labelled_in(files: &[&str]) -> io::Result<Vec<LabelledCommand>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/fixtures/commands");
    let mut all = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(folder.join(file))?;
        for entry in text.lines().filter(|line| !line.is_empty() && !line.starts_with("# ")) {
            all.push(labelled(entry).ok_or_else(|| Error::new(ErrorKind::InvalidData, format!("{file}: {entry}")))?);
        }
    }
    Ok(all)
}

fn labelled(entry: &str) -> Option<LabelledCommand> {
    let (label, line) = entry.split_once('\t')?;
    Some(LabelledCommand { label: label.to_owned(), line: characters(line)? })
}

/// `⟨U+000A⟩` is the character of that number.
fn characters(text: &str) -> Option<String> {
    let mut parts = text.split("⟨U+");
    let mut line = parts.next()?.to_owned();
    for part in parts {
        let (number, rest) = part.split_once('⟩')?;
        line.push(char::from_u32(u32::from_str_radix(number, 16).ok()?)?);
        line.push_str(rest);
    }
    Some(line)
}
