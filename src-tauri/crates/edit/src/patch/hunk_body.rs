//! The lines of a hunk. Pure.

use super::wrapping::PatchLine;
use crate::error::PatchError;
use crate::fit::{FinalNewline, Op};

/// Lines of a hunk, and how many lines of the patch they took.
pub(super) struct Body<'a> {
    pub(super) ops: Vec<Op<'a>>,
    pub(super) final_newline: FinalNewline,
    pub(super) taken: usize,
}

/// Reads as many lines as the header counts, if it counts right: after them comes what `is_end` of a hunk.
pub(super) fn by_counts<'a>(
    lines: &[PatchLine<'a>],
    (mut old, mut new): (usize, usize),
    is_end: impl Fn(&[PatchLine<'_>]) -> bool,
) -> Option<Body<'a>> {
    let mut reading = HunkReading::default();
    let mut taken = 0;
    while old > 0 || new > 0 {
        let (_, line) = lines.get(taken)?;
        match reading.line(line)? {
            Sides::Old => old = old.checked_sub(1)?,
            Sides::New => new = new.checked_sub(1)?,
            Sides::Both => (old, new) = (old.checked_sub(1)?, new.checked_sub(1)?),
            Sides::None => {}
        }
        taken += 1;
    }
    while lines.get(taken).is_some_and(|(_, line)| line.starts_with('\\')) {
        reading.line(lines[taken].1);
        taken += 1;
    }
    let rest = &lines[taken..];
    let ends = rest.first().is_none_or(|(_, line)| line.trim().is_empty()) || is_end(rest);
    ends.then(|| reading.into_body(taken))
}

/// Lines up to the end of the hunk, whatever its header counts.
pub(super) fn by_looks<'a>(
    lines: &[PatchLine<'a>],
    is_end: impl Fn(&[PatchLine<'_>]) -> bool,
) -> Result<Body<'a>, PatchError> {
    let mut reading = HunkReading::default();
    let mut taken = 0;
    while taken < lines.len() && !is_end(&lines[taken..]) {
        let (number, line) = lines[taken];
        if reading.line(line).is_none() {
            return Err(PatchError::syntax(number, "isn't a line of a hunk; each begins with a space, + or -"));
        }
        taken += 1;
    }
    // Blank lines before the next header, without even a space, are not the file's.
    let blank = lines[..taken].iter().rev().take_while(|(_, line)| line.is_empty()).count();
    reading.ops.truncate(reading.ops.len() - blank);
    Ok(reading.into_body(taken))
}

enum Sides {
    Old,
    New,
    Both,
    None,
}

#[derive(Default)]
struct HunkReading<'a> {
    ops: Vec<Op<'a>>,
    old_unended: bool,
    new_unended: bool,
}

impl<'a> HunkReading<'a> {
    /// `None` for what is no line of a hunk.
    fn line(&mut self, line: &'a str) -> Option<Sides> {
        let (op, sides) = match line.as_bytes().first() {
            None => (Op::Keep(""), Sides::Both),
            Some(b' ') => (Op::Keep(&line[1..]), Sides::Both),
            Some(b'-') => (Op::Remove(&line[1..]), Sides::Old),
            Some(b'+') => (Op::Add(&line[1..]), Sides::New),
            Some(b'\r') if line == "\r" => (Op::Keep(line), Sides::Both),
            Some(b'\\') => {
                self.unended();
                return Some(Sides::None);
            }
            Some(_) => return None,
        };
        self.ops.push(op);
        Some(sides)
    }

    /// `\ No newline at end of file`
    fn unended(&mut self) {
        match self.ops.last() {
            Some(Op::Keep(_)) => (self.old_unended, self.new_unended) = (true, true),
            Some(Op::Remove(_)) => self.old_unended = true,
            Some(Op::Add(_)) => self.new_unended = true,
            None => {}
        }
    }

    fn into_body(self, taken: usize) -> Body<'a> {
        let final_newline = match (self.old_unended, self.new_unended) {
            (_, true) => FinalNewline::No,
            (true, false) => FinalNewline::Yes,
            (false, false) => FinalNewline::AsItIs,
        };
        Body { ops: self.ops, final_newline, taken }
    }
}
