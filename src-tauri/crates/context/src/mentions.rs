//! Mentions in a prompt: `@src/main.rs`, `@src/main.rs:10-40`, `@src/`, `@"a name.md"`, `@symbol:parse`, `@session:ID`,
//! `@diff`, `@codebase`, `@https://example.org`.
//!
//! **Use.** [`mentions`] over what the user wrote, with a closure that says what a path is; what it doesn't know stays
//! text, so that e-mail addresses and decorators (`@Override`) are left alone. Code between backticks is never looked at.

use std::ops::Range;

/// The mention `@diff`, which stands for the changes in the working tree. A path of that name takes precedence.
pub const DIFF_MENTION: &str = "diff";
/// The mention `@codebase`, which stands for the passages of the project that fit the prompt. A path of that name takes
/// precedence.
pub const CODEBASE_MENTION: &str = "codebase";
const SESSION: &str = "session:";
const SYMBOL: &str = "symbol:";
/// Trailing characters that end a sentence rather than a path.
const PUNCTUATION: [char; 10] = ['.', ',', ';', ':', '!', '?', ')', ']', '}', '\''];
/// More mentions of one prompt stay text.
pub const MAX_MENTIONS: usize = 100;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathKind {
    File,
    Folder,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// The range in the text, the `@` included.
    pub range: Range<usize>,
    pub target: MentionTarget,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MentionTarget {
    File {
        path: String,
        /// The first and the last line, from 1, both inclusive.
        lines: Option<(u64, u64)>,
    },
    Folder {
        path: String,
    },
    Symbol(String),
    Session(String),
    Diff,
    Codebase,
    Url(String),
}

/// `kind_of` is asked for paths as they are written; `None` where there is nothing.
pub fn mentions(text: &str, kind_of: &mut dyn FnMut(&str) -> Option<PathKind>) -> Vec<Mention> {
    let mut found = Vec::new();
    for plain in outside_code(text) {
        let offset = plain.as_ptr() as usize - text.as_ptr() as usize;
        let mut at = 0;
        while let Some(next) = plain[at..].find('@').map(|place| at + place) {
            at = next + 1;
            if !begins_a_mention(&plain[..next]) || found.len() == MAX_MENTIONS {
                continue;
            }
            if let Some((length, target)) = target_of(&plain[next + 1..], kind_of) {
                let start = offset + next;
                found.push(Mention { range: start..start + 1 + length, target });
                at = next + 1 + length;
            }
        }
    }
    found
}

/// Returns how a path is written so that it's read as one mention.
#[must_use]
pub fn mention_of(path: &str) -> String {
    let is_plain = |c: char| !c.is_whitespace() && !matches!(c, '"' | '`' | '@' | ':');
    if path.chars().all(is_plain) && !path.ends_with(PUNCTUATION) && !path.is_empty() {
        return format!("@{path}");
    }
    format!("@\"{}\"", path.replace('"', "\\\""))
}

/// The stretches of a Markdown text that are no code.
pub(crate) fn outside_code(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut is_in_fence = false;
    for line in text.split_inclusive('\n') {
        if line.trim_start().starts_with("```") {
            is_in_fence = !is_in_fence;
            continue;
        }
        if !is_in_fence {
            let parts: Vec<&str> = line.split('`').collect();
            // What an unpaired backtick stands before is no code.
            let unpaired = parts.len().is_multiple_of(2).then(|| parts.len() - 1);
            found.extend(
                parts.iter().enumerate().filter(|(at, _)| at % 2 == 0 || Some(*at) == unpaired).map(|(_, part)| *part),
            );
        }
    }
    found
}

fn begins_a_mention(before: &str) -> bool {
    before.chars().next_back().is_none_or(|c| c.is_whitespace() || matches!(c, '(' | '[' | '{' | '"' | '\'' | ','))
}

/// Returns how long it is, without the `@`, and what it names.
fn target_of(rest: &str, kind_of: &mut dyn FnMut(&str) -> Option<PathKind>) -> Option<(usize, MentionTarget)> {
    if let Some(quoted) = rest.strip_prefix('"') {
        let (path, length) = unquoted(quoted)?;
        let (suffix, lines) = lines_after(&quoted[length..]);
        return Some((1 + length + suffix, path_target(path, lines, kind_of)?));
    }
    let word = rest.split(|c: char| c.is_whitespace() || matches!(c, '"' | '@')).next()?;
    let word = word.trim_end_matches(PUNCTUATION);
    if word.is_empty() {
        return None;
    }
    if word.starts_with("https://") || word.starts_with("http://") {
        return Some((word.len(), MentionTarget::Url(word.to_owned())));
    }
    let named = |prefix: &str| word.strip_prefix(prefix).filter(|name| !name.is_empty()).map(str::to_owned);
    if let Some(id) = named(SESSION) {
        return Some((word.len(), MentionTarget::Session(id)));
    }
    if let Some(name) = named(SYMBOL) {
        return Some((word.len(), MentionTarget::Symbol(name)));
    }
    let named_alone = match word {
        DIFF_MENTION => Some(MentionTarget::Diff),
        CODEBASE_MENTION => Some(MentionTarget::Codebase),
        _ => None,
    };
    path_word(word, kind_of).or_else(|| Some((word.len(), named_alone?)))
}

/// A file may have the colon in its name; it's asked for as a whole first.
fn path_word(word: &str, kind_of: &mut dyn FnMut(&str) -> Option<PathKind>) -> Option<(usize, MentionTarget)> {
    if let Some(target) = path_target(word.to_owned(), None, kind_of) {
        return Some((word.len(), target));
    }
    let (path, suffix) = word.rsplit_once(':')?;
    let lines = lines_of(suffix)?;
    Some((word.len(), path_target(path.to_owned(), Some(lines), kind_of)?))
}

fn path_target(
    path: String,
    lines: Option<(u64, u64)>,
    kind_of: &mut dyn FnMut(&str) -> Option<PathKind>,
) -> Option<MentionTarget> {
    match kind_of(path.trim_end_matches('/'))? {
        PathKind::File => Some(MentionTarget::File { path, lines }),
        PathKind::Folder => Some(MentionTarget::Folder { path: path.trim_end_matches('/').to_owned() }),
    }
}

/// The text up to the closing quote, and how many bytes that took with it.
fn unquoted(rest: &str) -> Option<(String, usize)> {
    let mut text = String::new();
    let mut chars = rest.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((text, at + 1)).filter(|(text, _)| !text.is_empty()),
            '\n' => return None,
            '\\' if rest[at + 1..].starts_with('"') => {
                text.push('"');
                chars.next();
            }
            c => text.push(c),
        }
    }
    None
}

fn lines_after(rest: &str) -> (usize, Option<(u64, u64)>) {
    let Some(suffix) = rest.strip_prefix(':') else { return (0, None) };
    let end = suffix.find(|c: char| !c.is_ascii_digit() && c != '-').unwrap_or(suffix.len());
    let lines = lines_of(suffix[..end].trim_end_matches('-'));
    (lines.map_or(0, |_| 1 + suffix[..end].trim_end_matches('-').len()), lines)
}

/// `10`, or `10-40`.
fn lines_of(text: &str) -> Option<(u64, u64)> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let lines = (first.parse().ok()?, last.parse().ok()?);
    (lines.0 >= 1 && lines.0 <= lines.1).then_some(lines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn kind_of(path: &str) -> Option<PathKind> {
        match path {
            "src/main.rs" | "a name.md" | "README.md" | "odd:1" => Some(PathKind::File),
            "src" => Some(PathKind::Folder),
            _ => None,
        }
    }

    fn found(text: &str) -> Vec<(String, MentionTarget)> {
        let mentions = mentions(text, &mut kind_of);
        mentions.into_iter().map(|mention| (text[mention.range].to_owned(), mention.target)).collect()
    }

    fn file(path: &str, lines: Option<(u64, u64)>) -> MentionTarget {
        MentionTarget::File { path: path.into(), lines }
    }

    #[test]
    fn each_kind_is_read() {
        for (text, written, target) in [
            ("see @src/main.rs.", "@src/main.rs", file("src/main.rs", None)),
            ("(@src/main.rs:10-40)", "@src/main.rs:10-40", file("src/main.rs", Some((10, 40)))),
            ("@README.md:7, then", "@README.md:7", file("README.md", Some((7, 7)))),
            ("in @src/ now", "@src/", MentionTarget::Folder { path: "src".into() }),
            ("read @\"a name.md\":2-3!", "@\"a name.md\":2-3", file("a name.md", Some((2, 3)))),
            ("@odd:1", "@odd:1", file("odd:1", None)),
            ("what is @symbol:parse_line?", "@symbol:parse_line", MentionTarget::Symbol("parse_line".into())),
            ("as in @session:01ab", "@session:01ab", MentionTarget::Session("01ab".into())),
            ("review @diff", "@diff", MentionTarget::Diff),
            ("@codebase: where is it?", "@codebase", MentionTarget::Codebase),
            (
                "@https://example.org/a?b=c.",
                "@https://example.org/a?b=c",
                MentionTarget::Url("https://example.org/a?b=c".into()),
            ),
        ] {
            assert_eq!(found(text), [(written.to_owned(), target)], "{text}");
        }
    }

    #[test]
    fn what_leads_nowhere_stays_text() {
        for text in [
            "me@README.md",
            "@Override public",
            "@missing.rs",
            "@",
            "@ src",
            "`@README.md`",
            "```\n@README.md\n```\n",
            "@README.md:40-10",
            "@README.md:0",
            "@\"\"",
            "@\"a name.md",
            "@session:",
            "@different",
        ] {
            assert_eq!(found(text), [], "{text}");
        }
    }

    #[test]
    fn several_are_found_in_order_and_there_is_a_most() {
        let text = "`x` @src and\n```\n@src\n```\n@README.md `@src` @diff";
        let written: Vec<String> = found(text).into_iter().map(|(written, _)| written).collect();
        assert_eq!(written, ["@src", "@README.md", "@diff"]);
        assert_eq!(found(&"@diff ".repeat(MAX_MENTIONS + 5)).len(), MAX_MENTIONS);
    }

    proptest! {
        #[test]
        fn a_path_written_as_a_mention_is_read_back(path in "[a-zA-Z0-9 ._/\":@äé-]{1,30}") {
            prop_assume!(!path.ends_with('/') && !path.contains('`') && !path.contains('\\'));
            let text = format!("see {} now", mention_of(&path));
            let mut known = |asked: &str| (asked == path).then_some(PathKind::File);
            let found = mentions(&text, &mut known);
            prop_assert_eq!(found.len(), 1, "{}", text);
            prop_assert_eq!(&found[0].target, &file(&path, None));
        }

        #[test]
        fn no_text_makes_it_fail_and_ranges_are_in_the_text(text in "[@a-z:\"` \n/.\\\\0-9-]{0,100}") {
            for mention in mentions(&text, &mut |_| Some(PathKind::File)) {
                prop_assert!(text[mention.range].starts_with('@'));
            }
        }
    }
}
