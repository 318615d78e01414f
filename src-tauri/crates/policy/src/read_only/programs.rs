//! The table of commands that only read (`programs.txt`): what they are given may be anything but some options.

use super::super::SimpleCommand;
use super::super::plain_shell::Word;
use std::sync::LazyLock;

/// A command by its first words, and what it may be given.
pub(super) struct Program {
    /// The name with its subcommands: `git log`.
    pub(super) name: &'static str,
    pub(super) takes: Takes,
    /// The options with which it does more than read.
    pub(super) forbidden: Vec<&'static str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    Anything,
    Options,
    One,
    /// Operands only behind an option that has it list.
    Lists,
    Nothing,
}

/// A cluster of more letters is an option with its value.
const MAX_CLUSTER: usize = 4;
const LISTING: &[&str] = &["-l", "--contains", "--list", "--merged", "--no-contains", "--no-merged", "--points-at"];

static PROGRAMS: LazyLock<Vec<Program>> = LazyLock::new(|| {
    let lines = include_str!("programs.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.flat_map(programs).collect()
});

/// One for each name.
fn programs(line: &'static str) -> Vec<Program> {
    let (takes, rest) = line.split_once(": ").unwrap_or_default();
    let takes = match takes {
        "anything" => Takes::Anything,
        "options" => Takes::Options,
        "one" => Takes::One,
        "lists" => Takes::Lists,
        _ => Takes::Nothing,
    };
    let (names, forbidden) = rest.split_once(" ! ").unwrap_or((rest, ""));
    let forbidden: Vec<&'static str> = forbidden.split_ascii_whitespace().collect();
    names.split(", ").map(|name| Program { name, takes, forbidden: forbidden.clone() }).collect()
}

/// The entry, and how many words its name has.
pub(super) fn program_of(command: &SimpleCommand) -> Option<(&'static Program, usize)> {
    let entries = PROGRAMS.iter().filter(|program| is_named(program.name, &command.words));
    entries.map(|program| (program, program.name.split(' ').count())).max_by_key(|(_, words)| *words)
}

/// Returns whether a program is there, whatever it is given.
pub(super) fn has(name: &str) -> bool {
    PROGRAMS.iter().any(|program| program.name.split(' ').next() == Some(name))
}

pub(crate) fn is_named(name: &str, words: &[Word]) -> bool {
    let mut words = words.iter();
    name.split(' ').all(|part| words.next().is_some_and(|word| word.text == part && !word.expands))
}

impl Program {
    pub(super) fn takes(&self, arguments: &[Word], is_open_ended: bool) -> bool {
        // `sleep 5`, `-n 3`: a number is no file.
        let is_number = |word: &&Word| word.text.bytes().all(|byte| byte.is_ascii_digit());
        let is_operand = |word: &&Word| (!word.text.starts_with('-') || word.text == "-") && !is_number(word);
        let operands = arguments.iter().filter(is_operand).count();
        let says_to_list = |word: &Word| LISTING.iter().any(|option| word.text.split('=').next() == Some(option));
        let fits = match self.takes {
            Takes::Anything => true,
            Takes::Options => operands == 0,
            // What follows it is written.
            Takes::One if operands == 1 => arguments.last().is_some_and(|last| is_operand(&last) && !last.expands),
            Takes::One => operands == 0,
            Takes::Lists => operands == 0 || arguments.iter().any(says_to_list),
            Takes::Nothing => arguments.is_empty(),
        };
        // What nobody knows yet could be such an option, or one operand more.
        let may_be_option = |word: &Word| word.expands && word.text.starts_with(['*', '?', '[', '{', '-']);
        let is_unsure = is_open_ended || arguments.iter().any(may_be_option);
        let may_do_more = !self.forbidden.is_empty() || self.takes != Takes::Anything;
        fits && !(is_unsure && may_do_more)
            && !arguments.iter().any(|word| self.forbidden.iter().any(|option| is_option(&word.text, option)))
    }
}

/// Returns whether a word may be this option, shortened, among others or with its value. `@` stands for any word
/// that begins so, `~TEXT` for one that has it.
fn is_option(word: &str, option: &str) -> bool {
    let name = word.split('=').next().unwrap_or_default();
    let letters = || name.strip_prefix('-').filter(|letters| !letters.starts_with('-')).unwrap_or_default();
    match option {
        "@" => word.starts_with('@'),
        _ if option.starts_with('~') => word.contains(&option[1..]),
        _ if option.starts_with("--") => name.len() > 3 && option.starts_with(name),
        _ if option.len() == 2 => {
            let letter = &option[1..];
            letters().starts_with(letter) || (letters().len() <= MAX_CLUSTER && letters().contains(letter))
        }
        _ => word == option,
    }
}

/// Every entry: its name, and the options with which it does more.
#[cfg(all(test, target_os = "linux"))]
pub(in super::super) fn tables() -> Vec<(&'static str, &'static [&'static str])> {
    PROGRAMS.iter().map(|program| (program.name, program.forbidden.as_slice())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_table_is_read_and_names_each_command_once() {
        let mut names: Vec<&str> = PROGRAMS.iter().map(|program| program.name).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert!(count > 200 && names.len() == count, "{count} {}", names.len());
        assert!(names.iter().all(|name| !name.contains(['!', ':', '~']) || *name == ":"), "{names:?}");
    }

    #[test]
    fn an_option_is_found_however_it_is_written() {
        for word in ["-o", "-oout", "-no", "--output", "--output=x", "--outp", "--ou=x"] {
            assert!(["-o", "--output"].iter().any(|option| is_option(word, option)), "{word}");
        }
        for word in ["-n", "--only", "out", "--", "-", "--o-x", "-k2,2nor"] {
            assert!(!["-o", "--output"].iter().any(|option| is_option(word, option)), "{word}");
        }
    }
}
