//! Rendering a change set as `git diff` would, and the hash that binds a decision to it. Pure.

use sha2::{Digest, Sha256};
use similar::{DiffOp, DiffTag};

use super::diff::{FileDiff, LineDiff, extent};
use super::{ChangeSet, FileChange, Hunk, Preview};
use crate::file_content::FileContent;

/// Git's mode for a file without and with the executable bit.
const PLAIN_MODE: &str = "100644";
const EXECUTABLE_MODE: &str = "100755";
const LINK_MODE: &str = "120000";

impl ChangeSet {
    /// Returns what would be written, for a user to judge.
    pub fn preview(&self) -> Preview {
        let mut rendering = Rendering::default();
        for change in &self.files {
            rendering.add(change);
        }
        let Rendering { diff, hunks, lines_changed } = rendering;
        Preview {
            files_affected: self.files.iter().map(|change| change.path.to_string()).collect(),
            lines_changed,
            preview_hash: self.preview_hash(&diff),
            diff,
            hunks,
        }
    }

    /// Every field is preceded by its length or a tag, so no two change sets share an encoding.
    fn preview_hash(&self, diff: &str) -> String {
        let mut hasher = Sha256::new();
        hasher.update(b"arki-preview-1\n");
        hasher.update((self.files.len() as u64).to_be_bytes());
        for change in &self.files {
            hash_bytes(&mut hasher, change.path.as_str().as_bytes());
            hash_content(&mut hasher, change.before.as_deref());
            hash_content(&mut hasher, change.after.as_deref());
            match change.mode {
                None => hasher.update([0]),
                Some(mode) => {
                    hasher.update([1]);
                    hasher.update(mode.to_be_bytes());
                }
            }
        }
        hash_bytes(&mut hasher, diff.as_bytes());
        for (path, place) in &self.places {
            hash_bytes(&mut hasher, path.as_str().as_bytes());
            hash_bytes(&mut hasher, place.as_str().as_bytes());
        }
        hex::encode(hasher.finalize())
    }
}

#[derive(Default)]
struct Rendering {
    diff: String,
    hunks: Vec<Hunk>,
    lines_changed: usize,
}

impl Rendering {
    fn add(&mut self, change: &FileChange) {
        self.file_header(change);
        match FileDiff::of(change) {
            FileDiff::Whole { binary } => self.whole(change, binary),
            FileDiff::Lines(lines) => {
                let (old, new) = side_names(change);
                self.diff.push_str(&format!("--- {}\n+++ {}\n", tabbed(&old), tabbed(&new)));
                for group in &lines.groups {
                    self.hunk(change, &lines, group);
                }
            }
        }
    }

    fn file_header(&mut self, change: &FileChange) {
        let path = change.path.as_str();
        let mode = |content: &FileContent| match content {
            FileContent::Link(_) => LINK_MODE,
            FileContent::File(_) if change.mode.is_some_and(|mode| mode & 0o111 != 0) => EXECUTABLE_MODE,
            FileContent::File(_) => PLAIN_MODE,
        };
        self.diff.push_str(&format!("diff --git {} {}\n", quoted("a", path), quoted("b", path)));
        match (&change.before, &change.after) {
            (None, Some(after)) => self.diff.push_str(&format!("new file mode {}\n", mode(after))),
            (Some(before), None) => self.diff.push_str(&format!("deleted file mode {}\n", mode(before))),
            (Some(before), Some(after)) if before.is_link() != after.is_link() => {
                self.diff.push_str(&format!("old mode {}\nnew mode {}\n", mode(before), mode(after)));
            }
            _ => {}
        }
    }

    fn whole(&mut self, change: &FileChange, binary: bool) {
        if binary {
            let (old, new) = side_names(change);
            let size = |content: &Option<FileContent>| {
                content.as_ref().map_or("none".to_owned(), |bytes| format!("{} bytes", bytes.len()))
            };
            let (before, after) = (size(&change.before), size(&change.after));
            self.diff.push_str(&format!("Binary files {old} and {new} differ ({before} before, {after} after)\n"));
        }
        self.push_hunk(change, [0; 4]);
    }

    fn hunk(&mut self, change: &FileChange, lines: &LineDiff<'_>, group: &[DiffOp]) {
        let (old, new) = extent(group);
        let numbers = [start(&old), old.len(), start(&new), new.len()];
        let [old_start, old_lines, new_start, new_lines] = numbers;
        self.diff.push_str(&format!(
            "@@ -{} +{} @@\n",
            header_range(old_start, old_lines),
            header_range(new_start, new_lines)
        ));
        for op in group {
            let removed = &lines.old[op.old_range()];
            let added = &lines.new[op.new_range()];
            if op.tag() == DiffTag::Equal {
                self.lines(' ', removed);
            } else {
                self.lines('-', removed);
                self.lines('+', added);
                self.lines_changed += removed.len() + added.len();
            }
        }
        self.push_hunk(change, numbers);
    }

    fn lines(&mut self, sign: char, lines: &[&[u8]]) {
        for line in lines {
            self.diff.push(sign);
            self.diff.push_str(&String::from_utf8_lossy(line));
            if !line.ends_with(b"\n") {
                self.diff.push_str("\n\\ No newline at end of file\n");
            }
        }
    }

    fn push_hunk(&mut self, change: &FileChange, numbers: [usize; 4]) {
        let [old_start, old_lines, new_start, new_lines] = numbers;
        let index = self.hunks.len() + 1;
        let path = change.path.to_string();
        self.hunks.push(Hunk { index, path, old_start, old_lines, new_start, new_lines });
    }
}

/// An empty range names the line before it, as in every unified diff.
fn start(range: &std::ops::Range<usize>) -> usize {
    if range.is_empty() { range.start } else { range.start + 1 }
}

fn header_range(start: usize, count: usize) -> String {
    if count == 1 { start.to_string() } else { format!("{start},{count}") }
}

fn side_names(change: &FileChange) -> (String, String) {
    let name = |side: &str, content: &Option<FileContent>| match content {
        Some(_) => quoted(side, change.path.as_str()),
        None => "/dev/null".to_owned(),
    };
    (name("a", &change.before), name("b", &change.after))
}

/// Git quotes a name that holds a quote or a backslash; controls were refused with the path.
fn quoted(side: &str, path: &str) -> String {
    if path.contains(['"', '\\']) {
        return format!("\"{side}/{}\"", path.replace('\\', "\\\\").replace('"', "\\\""));
    }
    format!("{side}/{path}")
}

/// Git ends a name with spaces by a tab, so that `patch` does not take what follows for a date.
fn tabbed(name: &str) -> String {
    if name.contains(' ') { format!("{name}\t") } else { name.to_owned() }
}

fn hash_bytes(hasher: &mut Sha256, bytes: &[u8]) {
    hasher.update((bytes.len() as u64).to_be_bytes());
    hasher.update(bytes);
}

fn hash_content(hasher: &mut Sha256, content: Option<&[u8]>) {
    match content {
        None => hasher.update([0]),
        Some(bytes) => {
            hasher.update([1]);
            hasher.update(Sha256::digest(bytes));
        }
    }
}
