//! Tables of programs and their options, as text: a line `NAMES = RULES` and below it the options as `flags` has them,
//! short ones behind a dash. Entries are a paragraph each; one that begins with `#` says something about the table.

pub(super) struct ProgramEntry {
    pub(super) names: Vec<&'static str>,
    pub(super) rules: Vec<&'static str>,
    /// See `flags`.
    pub(super) short: &'static str,
    pub(super) long: &'static str,
}

/// All that `make` makes of the entries. The tables are a part of the program, and a test reads each of them whole.
pub(super) fn read<T>(table: &'static str, make: impl Fn(ProgramEntry) -> Option<T>) -> Vec<T> {
    let paragraphs = table.split("\n\n").map(str::trim_end).filter(|paragraph| !paragraph.starts_with('#'));
    let made = paragraphs.map(|paragraph| entry(paragraph).and_then(&make).expect("a test reads the whole table"));
    made.collect()
}

fn entry(paragraph: &'static str) -> Option<ProgramEntry> {
    let (head, options) = paragraph.split_once('\n').unwrap_or((paragraph, ""));
    let (names, rules) = head.split_once(" = ")?;
    let (short, long) = match options.trim_start().strip_prefix('-') {
        Some(short) => short.split_once('\n').unwrap_or((short, "")),
        None => ("", options),
    };
    Some(ProgramEntry { names: names.split(", ").collect(), rules: rules.split(", ").collect(), short, long })
}
