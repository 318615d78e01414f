//! Unified diffs, as `diff -u` and git write them. Pure.

use super::envelope::{section, unexpected};
use super::hunk_body;
use super::parse::{FilePatch, PatchAction, PatchHunk};
use super::wrapping::PatchLine;
use crate::error::PatchError;
use crate::fit::{FinalNewline, Op};

const NO_FILE: &str = "/dev/null";
/// Git's modes of what is no regular file.
const LINK_MODE: u32 = 0o120_000;
const FILE_KIND: u32 = 0o170_000;
const PERMISSIONS: u32 = 0o777;
/// Lines of a header that say nothing of what is to be done.
const SILENT: &[&str] =
    &["index ", "similarity index ", "dissimilarity index ", "old mode ", "new mode ", "Index: ", "==="];

pub(super) fn parse<'a>(lines: &[PatchLine<'a>]) -> Result<Vec<FilePatch<'a>>, PatchError> {
    let mut reading = UnifiedReading { lines, at: 0, files: Vec::new(), file: None };
    while reading.at < lines.len() {
        reading.step()?;
    }
    reading.close()?;
    Ok(reading.files)
}

/// `@@ -3,7 +3,8 @@`
pub(super) struct HunkHeader {
    pub(super) old_start: usize,
    pub(super) counts: (usize, usize),
}

impl HunkHeader {
    pub(super) fn parse(line: &str) -> Option<Self> {
        let (old, rest) = line.strip_prefix("@@ -")?.split_once(" +")?;
        let (new, _) = rest.split_once(" @@")?;
        let range = |text: &str| -> Option<(usize, usize)> {
            let (start, count) = text.split_once(',').unwrap_or((text, "1"));
            Some((start.trim().parse().ok()?, count.trim().parse().ok()?))
        };
        let ((old_start, old), (_, new)) = (range(old)?, range(new)?);
        Some(Self { old_start, counts: (old, new) })
    }
}

/// The part of a patch that is about one file.
#[derive(Default)]
struct Section<'a> {
    line: usize,
    /// The path in the line `---` or `+++`; `None` without such a line.
    old: Option<String>,
    new: Option<String>,
    /// The paths in `diff --git`, where they can be told apart.
    git: Option<(String, String)>,
    rename: (Option<String>, Option<String>),
    is_new: bool,
    is_deleted: bool,
    mode: Option<u32>,
    hunks: Vec<PatchHunk<'a>>,
}

struct UnifiedReading<'a, 'lines> {
    lines: &'lines [PatchLine<'a>],
    at: usize,
    files: Vec<FilePatch<'a>>,
    file: Option<Section<'a>>,
}

impl<'a> UnifiedReading<'a, '_> {
    fn step(&mut self) -> Result<(), PatchError> {
        let (number, line) = self.lines[self.at];
        let line = line.strip_suffix('\r').unwrap_or(line);
        if let Some(names) = line.strip_prefix("diff --git ") {
            self.close()?;
            self.file = Some(Section { line: number, git: git_names(names), ..Section::default() });
        } else if line.starts_with("--- ") && self.follows("+++ ") {
            let (old, new) = (name(&line[4..]), name(&self.lines[self.at + 1].1[4..]));
            if self.file.as_ref().is_none_or(|file| !file.is_about(&old, &new)) {
                self.close()?;
                self.file = Some(Section { line: number, ..Section::default() });
            }
            if let Some(file) = &mut self.file {
                (file.old, file.new) = (Some(old), Some(new));
            }
            self.at += 1;
        } else if line.starts_with("@@") {
            return self.hunk(number);
        } else if self.file.is_some() {
            self.header(number, line)?;
        }
        self.at += 1;
        Ok(())
    }

    fn follows(&self, start: &str) -> bool {
        self.lines.get(self.at + 1).is_some_and(|(_, line)| line.starts_with(start))
    }

    /// A line between a file's name and its first hunk, or after its last.
    fn header(&mut self, number: usize, line: &str) -> Result<(), PatchError> {
        let syntax = |problem: &str| Err(PatchError::syntax(number, problem));
        let Some(file) = &mut self.file else { return Ok(()) };
        if let Some(from) = line.strip_prefix("rename from ") {
            file.rename.0 = Some(unquoted(from.trim_end()));
        } else if let Some(to) = line.strip_prefix("rename to ") {
            file.rename.1 = Some(unquoted(to.trim_end()));
        } else if let Some(mode) = line.strip_prefix("new file mode ") {
            file.is_new = true;
            let mode = u32::from_str_radix(mode.trim(), 8).unwrap_or_default();
            if mode & FILE_KIND == LINK_MODE {
                return syntax("makes a link, which a patch can't do here");
            }
            file.mode = Some(mode & PERMISSIONS).filter(|mode| *mode != 0);
        } else if line.starts_with("deleted file mode ") {
            file.is_deleted = true;
        } else if line.starts_with("copy from ") || line.starts_with("copy to ") {
            return syntax("copies a file; add the new file instead");
        } else if line.starts_with("Binary files ") || line.starts_with("GIT binary patch") {
            return syntax("changes a binary file, which a patch can't do here");
        } else if line.trim().is_empty() || SILENT.iter().any(|silent| line.starts_with(silent)) {
            return Ok(());
        } else if !file.hunks.is_empty() && is_signature(&self.lines[self.at..]) {
            self.at = self.lines.len();
        } else {
            return syntax(&unexpected(line));
        }
        Ok(())
    }

    fn hunk(&mut self, number: usize) -> Result<(), PatchError> {
        let header_line = self.lines[self.at].1;
        let Some(file) = self.file.as_mut() else {
            return Err(PatchError::syntax(number, "begins a hunk, but no file is named before"));
        };
        let header = HunkHeader::parse(header_line);
        let rest = &self.lines[self.at + 1..];
        let counted = header.as_ref().and_then(|header| hunk_body::by_counts(rest, header.counts, is_end));
        let body = match counted {
            Some(body) => body,
            None => hunk_body::by_looks(rest, is_end)?,
        };
        if body.ops.is_empty() {
            return Err(PatchError::syntax(number, "begins a hunk without lines"));
        }
        self.at += 1 + body.taken;
        // What git puts behind the numbers may be cut, so it is no hint.
        let sections = if header.is_none() { section(&header_line[2..]).into_iter().collect() } else { Vec::new() };
        file.hunks.push(PatchHunk {
            line: number,
            old_start: header.map(|header| header.old_start),
            sections,
            ops: body.ops,
            final_newline: body.final_newline,
            at_end: false,
        });
        Ok(())
    }

    fn close(&mut self) -> Result<(), PatchError> {
        if let Some(file) = self.file.take() {
            let line = file.line;
            let action = file.into_action()?;
            self.files.push(FilePatch { action, line });
        }
        Ok(())
    }
}

impl<'a> Section<'a> {
    /// Returns whether the lines `---` and `+++` belong to what `diff --git` began.
    fn is_about(&self, old: &str, new: &str) -> bool {
        if self.old.is_some() || !self.hunks.is_empty() {
            return false;
        }
        let Some((known_old, known_new)) = self.names() else { return true };
        let (old, new) = without_prefixes(old.to_owned(), new.to_owned());
        let is_same =
            |name: &Option<String>, known: &Option<String>| name.is_none() || known.is_none() || name == known;
        is_same(&old, &known_old) && is_same(&new, &known_new)
    }

    fn into_action(self) -> Result<PatchAction<'a>, PatchError> {
        let line = self.line;
        let syntax = |problem: &str| PatchError::syntax(line, problem);
        let (old, new) = self.names().ok_or_else(|| syntax("names no file"))?;
        let hunks = self.hunks;
        match (old, new) {
            (None, None) => Err(syntax("names no file")),
            (None, Some(path)) => Ok(PatchAction::Add { path, content: content(&hunks)?, mode: self.mode }),
            (Some(path), None) => Ok(PatchAction::Delete { path, hunks }),
            (Some(old), Some(new)) if old != new && self.rename == (None, None) => {
                Err(syntax("names two files; a file that moves needs the lines `rename from` and `rename to`"))
            }
            (Some(path), Some(new)) => {
                let move_to = (path != new).then_some(new);
                if hunks.is_empty() && move_to.is_none() {
                    return Err(syntax("changes nothing of the file's content"));
                }
                Ok(PatchAction::Update { path, move_to, hunks })
            }
        }
    }

    /// The file before and after; `None` where there is none.
    fn names(&self) -> Option<(Option<String>, Option<String>)> {
        if let (Some(from), Some(to)) = &self.rename {
            return Some((Some(from.clone()), Some(to.clone())));
        }
        let (old, new) = match (&self.old, &self.new, &self.git) {
            (Some(old), Some(new), _) => (old.clone(), new.clone()),
            (_, _, Some((old, new))) => (old.clone(), new.clone()),
            _ => return None,
        };
        let (old, new) = without_prefixes(old, new);
        Some((old.filter(|_| !self.is_new), new.filter(|_| !self.is_deleted)))
    }
}

/// Git's `a/` and `b/`, where both sides have theirs.
fn without_prefixes(old: String, new: String) -> (Option<String>, Option<String>) {
    let (old, new) = (Some(old).filter(|name| name != NO_FILE), Some(new).filter(|name| name != NO_FILE));
    let plain = |name: &Option<String>, prefix: &str| match name {
        None => Some(None),
        Some(name) => name.strip_prefix(prefix).map(|name| Some(name.to_owned())),
    };
    match (plain(&old, "a/"), plain(&new, "b/")) {
        (Some(old), Some(new)) => (old, new),
        _ => (old, new),
    }
}

/// All lines of a new file.
fn content(hunks: &[PatchHunk<'_>]) -> Result<String, PatchError> {
    let mut content = String::new();
    for hunk in hunks {
        for op in &hunk.ops {
            match op {
                Op::Add(line) => content.extend([line, "\n"]),
                Op::Keep("") => content.push('\n'),
                Op::Keep(_) | Op::Remove(_) => {
                    return Err(PatchError::syntax(hunk.line, "shows lines of a file that doesn't exist yet"));
                }
            }
        }
    }
    if hunks.last().is_some_and(|hunk| hunk.final_newline == FinalNewline::No) {
        content.pop();
    }
    Ok(content)
}

/// Returns whether a hunk ends before these lines.
fn is_end(rest: &[PatchLine<'_>]) -> bool {
    let line = |index: usize| rest.get(index).map(|(_, line)| *line).unwrap_or_default();
    let is_file = line(0).starts_with("--- ") && line(1).starts_with("+++ ") && line(2).starts_with("@@");
    is_file
        || ["@@", "diff --git ", "*** End", "Index: ", "```"].iter().any(|start| line(0).starts_with(start))
        || is_signature(rest)
}

/// Returns whether the line begins the end of a `git format-patch`: two dashes and its version.
fn is_signature(rest: &[PatchLine<'_>]) -> bool {
    if rest.first().is_none_or(|(_, line)| line.trim_end() != "--") {
        return false;
    }
    let mut after = rest[1..].iter().map(|(_, line)| line.trim()).filter(|line| !line.is_empty());
    after.next().is_some_and(|version| version.starts_with(|first: char| first.is_ascii_digit()))
        && after.next().is_none()
}

/// A name with what may follow it taken off: a tab and a date.
fn name(text: &str) -> String {
    let text = text.strip_suffix('\r').unwrap_or(text);
    let text = text.split('\t').next().unwrap_or(text);
    unquoted(text.trim_end())
}

/// Both names of `diff --git`. Without quotes they can only be told apart where they are the same but for the prefix.
fn git_names(text: &str) -> Option<(String, String)> {
    let text = text.trim_end();
    if text.contains('"') {
        let (old, new) = text.split_once(" \"b/").map(|(old, new)| (old, format!("\"b/{new}")))?;
        return Some((unquoted(old), unquoted(&new)));
    }
    let same = |(at, _): (usize, &str)| {
        let (old, new) = (&text[..at], &text[at + 1..]);
        (old.strip_prefix("a/")? == new.strip_prefix("b/")?).then(|| (old.to_owned(), new.to_owned()))
    };
    text.match_indices(' ').find_map(same)
}

/// Git quotes names with unusual characters as C does.
fn unquoted(name: &str) -> String {
    let Some(inner) = name.strip_prefix('"').and_then(|name| name.strip_suffix('"')) else { return name.to_owned() };
    let mut bytes = Vec::new();
    let mut rest = inner.bytes().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next() {
            Some(b't') => bytes.push(b'\t'),
            Some(b'n') => bytes.push(b'\n'),
            Some(digit @ b'0'..=b'7') => {
                let mut value = u32::from(digit - b'0');
                for _ in 0..2 {
                    let Some(next) = rest.next_if(|next| matches!(next, b'0'..=b'7')) else { break };
                    value = value * 8 + u32::from(next - b'0');
                }
                bytes.push(u8::try_from(value).unwrap_or(b'?'));
            }
            Some(other) => bytes.push(other),
            None => {}
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
