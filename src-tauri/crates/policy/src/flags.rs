//! Options as programs read them: clusters of short ones, long ones with and without a value.
//!
//! Each program's options are an allow-list in two short strings. Short ones are written as for `getopts`: `a` alone,
//! `a:` with a value, `a?` with one that is attached or absent, and `#` for numbers (`-20`). Long ones are words: `name`
//! alone, `name=` with a value, `name?` with one after `=` or none. Shortened long names are not known.

use super::plain_shell::Word;

/// The marks of a long option's value, and of an optional one.
const VALUES: [char; 2] = ['=', '?'];

/// An option as it was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Flag<'a> {
    Short(char, Option<String>),
    Long(&'a str, Option<String>),
}

/// Options, and where they end.
pub(super) struct Flags<'a> {
    pub(super) found: Vec<Flag<'a>>,
    /// The first word that is no option.
    pub(super) end: usize,
}

/// The options up to the first operand; `None` where one is not known.
pub(super) fn leading<'a>(short: &str, long: &'a str, words: &[Word]) -> Option<Flags<'a>> {
    let mut flags = Flags { found: Vec::new(), end: 0 };
    while let Some(word) = words.get(flags.end) {
        if word.text == "--" {
            flags.end += 1;
            break;
        }
        if !word.text.starts_with('-') || word.text == "-" {
            break;
        }
        if word.expands && !is_filter(word) {
            return None;
        }
        let next = words.get(flags.end + 1).filter(|next| !next.expands).map(|next| next.text.as_str());
        flags.end += match word.text.strip_prefix("--") {
            Some(name) => long_option(name, next, long, &mut flags.found)?,
            None => short_options(&word.text[1..], next, short, &mut flags.found)?,
        };
    }
    Some(flags)
}

/// `--include=*.rs`, as people write it: whatever it becomes begins so, and takes any value.
pub(super) fn is_filter(word: &Word) -> bool {
    let name = word.text.split_once('=').map_or("", |(name, _)| name);
    matches!(name, "--include" | "--exclude" | "--exclude-dir")
}

/// Returns how many words it took.
fn long_option<'a>(given: &str, next: Option<&str>, known: &'a str, found: &mut Vec<Flag<'a>>) -> Option<usize> {
    let (name, value) = match given.split_once('=') {
        Some((name, value)) => (name, Some(value.to_owned())),
        None => (given, None),
    };
    let entry = known.split_ascii_whitespace().find(|entry| entry.trim_end_matches(VALUES) == name)?;
    let (value, taken) = match (entry.as_bytes().last(), value) {
        (Some(b'='), None) => (Some(next?.to_owned()), 2),
        (Some(b'=' | b'?'), value) => (value, 1),
        (_, None) => (None, 1),
        (_, Some(_)) => return None,
    };
    found.push(Flag::Long(entry.trim_end_matches(VALUES), value));
    Some(taken)
}

fn short_options(cluster: &str, next: Option<&str>, known: &str, found: &mut Vec<Flag<'_>>) -> Option<usize> {
    if known.contains('#') && !cluster.is_empty() && cluster.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(1);
    }
    for (place, letter) in cluster.char_indices() {
        if !letter.is_ascii_alphanumeric() {
            return None;
        }
        let mut after = known.chars().skip_while(|known| *known != letter);
        after.next()?;
        let attached = &cluster[place + 1..];
        let (value, taken) = match after.next() {
            Some(':') if attached.is_empty() => (Some(next?.to_owned()), 2),
            Some(':') => (Some(attached.to_owned()), 1),
            Some('?') => (Some(attached.to_owned()).filter(|value| !value.is_empty()), 1),
            _ => {
                found.push(Flag::Short(letter, None));
                continue;
            }
        };
        found.push(Flag::Short(letter, value));
        return Some(taken);
    }
    Some(1)
}
