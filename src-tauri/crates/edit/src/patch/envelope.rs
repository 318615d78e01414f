//! The form `*** Begin Patch` … `*** End Patch`. Pure.

use super::hunk_body;
use super::parse::{FilePatch, PatchAction, PatchHunk};
use super::unified::HunkHeader;
use super::wrapping::PatchLine;
use crate::error::PatchError;
use crate::fit::FinalNewline;

const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";
const ADD: &str = "*** Add File:";
const DELETE: &str = "*** Delete File:";
const UPDATE: &str = "*** Update File:";
const MOVE: &str = "*** Move to:";
const END_OF_FILE: &str = "*** End of File";

pub(super) fn is_start(line: &str) -> bool {
    [BEGIN, ADD, DELETE, UPDATE].iter().any(|start| line.starts_with(start))
}

pub(super) fn parse<'a>(lines: &[PatchLine<'a>]) -> Result<Vec<FilePatch<'a>>, PatchError> {
    let mut reading = EnvelopeReading { lines, at: 0 };
    let first = lines.iter().position(|(_, line)| is_start(line)).unwrap_or(0);
    reading.at = first;
    let mut files = Vec::new();
    while let Some((number, line)) = reading.next() {
        let action = if let Some(path) = line.strip_prefix(ADD) {
            PatchAction::Add { path: named(path, number)?, content: reading.content()?, mode: None }
        } else if let Some(path) = line.strip_prefix(DELETE) {
            PatchAction::Delete { path: named(path, number)?, hunks: Vec::new() }
        } else if let Some(path) = line.strip_prefix(UPDATE) {
            reading.update(named(path, number)?, number)?
        } else if is_mark(line, BEGIN) || is_mark(line, END) || line.trim().is_empty() {
            continue;
        } else {
            return Err(PatchError::syntax(number, unexpected(line)));
        };
        files.push(FilePatch { action, line: number });
    }
    Ok(files)
}

struct EnvelopeReading<'a, 'lines> {
    lines: &'lines [PatchLine<'a>],
    at: usize,
}

impl<'a> EnvelopeReading<'a, '_> {
    fn next(&mut self) -> Option<PatchLine<'a>> {
        let line = self.lines.get(self.at).copied();
        self.at += 1;
        line
    }

    fn peek(&self) -> Option<&'a str> {
        self.lines.get(self.at).map(|(_, line)| *line)
    }

    /// The lines of a new file, each with a `+`.
    fn content(&mut self) -> Result<String, PatchError> {
        let mut content = String::new();
        let mut blank = 0;
        while let Some(line) = self.peek().filter(|line| !line.starts_with("*** ")) {
            if let Some(text) = line.strip_prefix('+') {
                content.push_str(&"\n".repeat(blank));
                content.push_str(text);
                content.push('\n');
                blank = 0;
            } else if line.is_empty() {
                blank += 1;
            } else {
                let problem = "isn't a line of a new file; each begins with +";
                return Err(PatchError::syntax(self.lines[self.at].0, problem));
            }
            self.at += 1;
        }
        Ok(content)
    }

    fn update(&mut self, path: String, number: usize) -> Result<PatchAction<'a>, PatchError> {
        let mut move_to = None;
        if let Some(target) = self.peek().and_then(|line| line.strip_prefix(MOVE)) {
            let (number, _) = self.lines[self.at];
            move_to = Some(named(target, number)?);
            self.at += 1;
        }
        if self.peek().is_some_and(|line| line.starts_with("--- ")) {
            let second = self.lines.get(self.at + 1).is_some_and(|(_, line)| line.starts_with("+++ "));
            self.at += if second { 2 } else { 0 };
        }
        let mut hunks = Vec::new();
        loop {
            while self.peek().is_some_and(str::is_empty) {
                self.at += 1;
            }
            match self.peek() {
                Some(line) if !line.starts_with("*** ") => hunks.push(self.hunk()?),
                _ => break,
            }
        }
        if hunks.is_empty() && move_to.is_none() {
            return Err(PatchError::syntax(number, format!("updates {path} but has no hunks")));
        }
        Ok(PatchAction::Update { path, move_to, hunks })
    }

    fn hunk(&mut self) -> Result<PatchHunk<'a>, PatchError> {
        let (line, _) = self.lines[self.at];
        let mut hunk = PatchHunk {
            line,
            old_start: None,
            sections: Vec::new(),
            ops: Vec::new(),
            final_newline: FinalNewline::AsItIs,
            at_end: false,
        };
        while let Some(header) = self.peek().and_then(|line| line.strip_prefix("@@")) {
            match HunkHeader::parse(self.lines[self.at].1) {
                Some(header) => hunk.old_start = Some(header.old_start),
                None => hunk.sections.extend(section(header)),
            }
            self.at += 1;
        }
        let is_end = |rest: &[PatchLine<'_>]| rest[0].1.starts_with("@@") || rest[0].1.starts_with("*** ");
        let body = hunk_body::by_looks(&self.lines[self.at..], is_end)?;
        self.at += body.taken;
        if self.peek().is_some_and(|line| is_mark(line, END_OF_FILE)) {
            hunk.at_end = true;
            self.at += 1;
        }
        if body.ops.is_empty() {
            return Err(PatchError::syntax(line, "begins a hunk without lines"));
        }
        Ok(PatchHunk { ops: body.ops, final_newline: body.final_newline, ..hunk })
    }
}

/// Returns what a hunk comes after; nothing where there are only dots.
pub(super) fn section(header: &str) -> Option<&str> {
    let header = header.trim();
    let header = header.strip_suffix("@@").unwrap_or(header).trim();
    header.chars().any(char::is_alphanumeric).then_some(header)
}

fn named(path: &str, line: usize) -> Result<String, PatchError> {
    let path = path.trim();
    if path.is_empty() {
        return Err(PatchError::syntax(line, "names no file"));
    }
    Ok(path.to_owned())
}

fn is_mark(line: &str, mark: &str) -> bool {
    line.trim_end() == mark
}

pub(super) fn unexpected(line: &str) -> String {
    let start: String = line.chars().take(60).collect();
    format!("is not expected here: {start}")
}
