//! The programs that are known to only read, with what they may be given: a table (`programs.txt`), and by code those of
//! which a function has to say more.

use super::super::flags::Given;
use super::super::table::{self, ProgramEntry};
use super::{developer_tools, unix_tools};
use std::sync::LazyLock;

/// A program, and what it may be given.
pub(super) struct Program {
    /// The name with its subcommands: `git log`.
    pub(super) name: &'static str,
    /// See `flags`.
    pub(super) short: &'static str,
    pub(super) long: &'static str,
    pub(super) operands: ReadOperands,
    pub(super) shows: Shows,
}

#[derive(Clone, Copy)]
pub(super) enum ReadOperands {
    Any,
    AtMost(usize),
    /// One at most, and last: whatever follows it is the file that is written.
    OneAtTheEnd,
    /// Each is one of these words.
    Among(&'static str),
    /// Judged by a function, together with the flags.
    Checked(fn(&Given<'_>) -> bool),
}

#[derive(Clone, Copy)]
pub(super) enum Shows {
    /// Nothing of what files contain, whatever it is given.
    Names,
    /// Reads the files it is given.
    Contents,
    /// Also what git keeps of files that are not named, where this function says so.
    Kept(fn(&Given<'_>) -> bool),
    /// Reads files like `Contents`, and also the folders it is given.
    Below(Below),
}

/// The way a program reads folders.
#[derive(Clone, Copy)]
pub(super) struct Below {
    /// Only with one of these short flags and long words.
    pub(super) flags: Option<&'static str>,
    pub(super) first_is_pattern: bool,
}

static IN_TABLE: LazyLock<Vec<Program>> = LazyLock::new(|| {
    let entries = table::read(include_str!("programs.txt"), programs);
    entries.into_iter().flatten().collect()
});

pub(super) fn all() -> impl Iterator<Item = &'static Program> {
    IN_TABLE.iter().chain(unix_tools::PROGRAMS).chain(developer_tools::PROGRAMS)
}

/// One for each name.
fn programs(entry: ProgramEntry) -> Option<Vec<Program>> {
    let ProgramEntry { names, rules, short, long } = entry;
    let (shows, operands) = match rules.as_slice() {
        [shows] => (shows, ReadOperands::Any),
        [shows, "none"] => (shows, ReadOperands::AtMost(0)),
        [shows, "one at the end"] => (shows, ReadOperands::OneAtTheEnd),
        [shows, limit] => (shows, ReadOperands::AtMost(limit.strip_prefix("at most ")?.parse().ok()?)),
        _ => return None,
    };
    let shows = match *shows {
        "names" => Shows::Names,
        "contents" => Shows::Contents,
        _ => return None,
    };
    Some(names.into_iter().map(|name| Program { name, short, long, operands, shows }).collect())
}

/// Every entry: its name, its short options and its long ones.
#[cfg(all(test, target_os = "linux"))]
pub(in super::super) fn tables() -> Vec<(&'static str, &'static str, &'static str)> {
    all().map(|program| (program.name, program.short, program.long)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_table_is_read_and_names_each_program_once() {
        let mut names: Vec<&str> = all().map(|program| program.name).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert!(count > 300 && names.len() == count, "{count} {}", names.len());
        assert!(all().all(|program| !program.short.contains(['\n', ' ']) && !program.long.contains(" -")));
    }
}
