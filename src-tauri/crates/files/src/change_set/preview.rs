//! Rendering a change set as `git diff` would, and the hash that binds a decision to it. Pure.

use arki_domain::WholeChange;
use sha2::{Digest, Sha256};
use similar::{DiffOp, DiffTag};

use super::diff::{DiffEntry, FileDiff, LineDiff, entries, extent};
use super::{ChangeSet, Hunk, Preview};
use crate::file_content::FileContent;
use crate::project::ProjectPath;

/// Git's mode for a file without and with the executable bit.
const PLAIN_MODE: &str = "100644";
const EXECUTABLE_MODE: &str = "100755";
const LINK_MODE: &str = "120000";
const FOLDER_MODE: &str = "040000";

impl ChangeSet {
    /// Returns what would be written, for a user to judge.
    pub fn preview(&self) -> Preview {
        let mut rendering = Rendering::default();
        for entry in entries(self) {
            rendering.add(&entry);
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
            if let Some(mode) = change.new_mode {
                // No length begins so.
                hasher.update([2]);
                hasher.update(mode.to_be_bytes());
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
    fn add(&mut self, entry: &DiffEntry<'_>) {
        let diff = FileDiff::of(entry);
        self.file_header(entry, &diff);
        for what in &diff.wholes {
            if *what == WholeChange::Binary {
                self.binary(entry);
            }
            self.push_hunk(entry, [0; 4], Some(*what));
        }
        let Some(lines) = &diff.lines else { return };
        let (old, new) = side_names(entry);
        self.diff.push_str(&format!("--- {}\n+++ {}\n", tabbed(&old), tabbed(&new)));
        for group in &lines.groups {
            let numbers = self.hunk(lines, group);
            if !diff.groups().is_empty() {
                self.push_hunk(entry, numbers, None);
            }
        }
    }

    fn file_header(&mut self, entry: &DiffEntry<'_>, diff: &FileDiff<'_>) {
        let (old_path, path) = (entry.old_path().as_str(), entry.path().as_str());
        self.diff.push_str(&format!("diff --git {} {}\n", quoted("a/", old_path), quoted("b/", path)));
        let (old, new) = (entry.old_mode(), entry.change.mode);
        match (entry.before(), entry.after()) {
            (None, Some(after)) => self.diff.push_str(&format!("new file mode {}\n", git_mode(after, new))),
            (Some(before), None) => self.diff.push_str(&format!("deleted file mode {}\n", git_mode(before, old))),
            (Some(before), Some(after)) if before.is_link() != after.is_link() => {
                self.modes(git_mode(before, old), git_mode(after, new));
            }
            _ if entry.changes_mode() => {
                let (old, new) = changed_modes(old.unwrap_or_default(), entry.change.new_mode.unwrap_or_default());
                self.modes(&old, &new);
            }
            _ => {}
        }
        if entry.moved.is_some() {
            self.diff.push_str(&format!(
                "similarity index {}%\nrename from {}\nrename to {}\n",
                diff.similarity(),
                quoted("", old_path),
                quoted("", path)
            ));
        }
    }

    fn modes(&mut self, old: &str, new: &str) {
        self.diff.push_str(&format!("old mode {old}\nnew mode {new}\n"));
    }

    fn binary(&mut self, entry: &DiffEntry<'_>) {
        let (old, new) = side_names(entry);
        let size =
            |content: Option<&FileContent>| content.map_or("none".to_owned(), |bytes| format!("{} bytes", bytes.len()));
        let (before, after) = (size(entry.before()), size(entry.after()));
        self.diff.push_str(&format!("Binary files {old} and {new} differ ({before} before, {after} after)\n"));
    }

    /// Returns the hunk's numbers.
    fn hunk(&mut self, lines: &LineDiff<'_>, group: &[DiffOp]) -> [usize; 4] {
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
        numbers
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

    fn push_hunk(&mut self, entry: &DiffEntry<'_>, numbers: [usize; 4], what: Option<WholeChange>) {
        let [old_start, old_lines, new_start, new_lines] = numbers;
        let index = self.hunks.len() + 1;
        let path = entry.path().to_string();
        self.hunks.push(Hunk { index, path, old_start, old_lines, new_start, new_lines, what, call_id: None });
    }
}

/// Git's mode of a content, of which it knows only whether it's a program.
fn git_mode(content: &FileContent, mode: Option<u32>) -> &'static str {
    match content {
        FileContent::Link(_) => LINK_MODE,
        FileContent::Folder => FOLDER_MODE,
        FileContent::File(_) if mode.is_some_and(|mode| mode & 0o111 != 0) => EXECUTABLE_MODE,
        FileContent::File(_) => PLAIN_MODE,
    }
}

/// The modes as git has them where that tells all, else every bit.
fn changed_modes(old: u32, new: u32) -> (String, String) {
    // What a umask leaves to the group.
    const OF_UMASK: u32 = 0o022;
    let is_ordinary = |mode: u32| matches!(mode & !OF_UMASK, 0o644 | 0o755) && mode & 0o002 == 0;
    let shown = if is_ordinary(old) && is_ordinary(new) && (old ^ new) & !OF_UMASK != 0 { !OF_UMASK } else { !0 };
    (format!("100{:03o}", old & shown), format!("100{:03o}", new & shown))
}

/// An empty range names the line before it, as in every unified diff.
fn start(range: &std::ops::Range<usize>) -> usize {
    if range.is_empty() { range.start } else { range.start + 1 }
}

fn header_range(start: usize, count: usize) -> String {
    if count == 1 { start.to_string() } else { format!("{start},{count}") }
}

fn side_names(entry: &DiffEntry<'_>) -> (String, String) {
    let name = |side: &str, path: &ProjectPath, content: Option<&FileContent>| match content {
        Some(_) => quoted(side, path.as_str()),
        None => "/dev/null".to_owned(),
    };
    (name("a/", entry.old_path(), entry.before()), name("b/", entry.path(), entry.after()))
}

/// Git quotes a name that holds a quote or a backslash; controls were refused with the path.
fn quoted(side: &str, path: &str) -> String {
    if path.contains(['"', '\\']) {
        return format!("\"{side}{}\"", path.replace('\\', "\\\\").replace('"', "\\\""));
    }
    format!("{side}{path}")
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
