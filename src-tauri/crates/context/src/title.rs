//! A session's title, from its prompt.

use unicode_segmentation::UnicodeSegmentation as _;

/// The longest title that a list has room for.
const MAX_TITLE_CHARS: usize = 60;
/// The title of a session in which nothing was said yet, or nothing that makes one.
pub const UNTITLED: &str = "New session";

/// One line, without the marks of Markdown, cut between words.
#[must_use]
pub fn title_from_prompt(prompt: &str) -> String {
    let mut is_in_fence = false;
    let mut lines = prompt.lines().filter(|line| {
        let is_fence = line.trim_start().starts_with("```");
        is_in_fence ^= is_fence;
        !is_fence && !is_in_fence
    });
    let said = lines.find_map(|line| Some(clean(line)).filter(|line| !line.is_empty()));
    let any = || prompt.lines().find_map(|line| Some(clean(line)).filter(|line| !line.is_empty()));
    let line = said.or_else(any).unwrap_or_else(|| UNTITLED.to_owned());
    cut(&first_sentence(&line))
}

fn clean(line: &str) -> String {
    let line = line.trim_start_matches(['#', '>', '-', '*', ' ', '\t']);
    // A joiner (U+200D) stays: it makes several emoji one, and letters of some scripts another shape.
    let is_shown = |c: &char| {
        !c.is_control()
            && !matches!(c, '`' | '*' | '\u{200b}' | '\u{200c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    let line: String = line.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).filter(is_shown).collect();
    let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().any(char::is_alphanumeric) { line } else { String::new() }
}

/// Returns the first sentence, if it ends early and says enough.
fn first_sentence(line: &str) -> String {
    let end = line.match_indices(['.', '!', '?']).find(|(at, mark)| {
        let after = &line[at + mark.len()..];
        *at >= 12 && after.starts_with(' ')
    });
    end.map_or(line, |(at, mark)| if mark == "." { &line[..at] } else { &line[..at + 1] }).to_owned()
}

fn cut(line: &str) -> String {
    let line = line.trim_end_matches(['.', ',', ':', ';', ' ']);
    let Some((most, _)) = line.char_indices().nth(MAX_TITLE_CHARS) else { return line.to_owned() };
    // Between what people see as characters: an emoji may be several of them.
    let ends = line.grapheme_indices(true).map(|(at, _)| at).take_while(|at| *at <= most);
    let head = &line[..ends.last().filter(|end| *end > 0).unwrap_or(most)];
    let head = head.rsplit_once(' ').map_or(head, |(words, _)| if words.len() * 2 > head.len() { words } else { head });
    format!("{}…", head.trim_end_matches(['.', ',', ':', ';', ' ']))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_title_is_the_first_line_that_says_something() {
        for (prompt, title) in [
            ("Fix the login bug.", "Fix the login bug"),
            ("\n\n# Fix  the `login`\tbug\n\nIt fails.", "Fix the login bug"),
            ("```rust\nfn main() {}\n```\nWhat does this do?", "What does this do?"),
            ("Please fix the parser. It fails on tabs.", "Please fix the parser"),
            ("- [ ] write docs", "[ ] write docs"),
            ("   ", "New session"),
            ("---\n***\nGo", "Go"),
            ("`x`", "x"),
        ] {
            assert_eq!(title_from_prompt(prompt), title, "{prompt:?}");
        }
    }

    #[test]
    fn a_long_one_is_cut_between_words() {
        let title = title_from_prompt(&"wordy ".repeat(30));
        assert!(title.ends_with("wordy…") && title.chars().count() <= MAX_TITLE_CHARS + 1, "{title}");
        assert_eq!(title_from_prompt(&"x".repeat(200)).chars().count(), MAX_TITLE_CHARS + 1);
    }

    #[test]
    fn an_emoji_of_several_characters_is_kept_whole() {
        let family = "\u{1f469}\u{200d}\u{1f469}\u{200d}\u{1f467}";
        assert_eq!(title_from_prompt(&format!("Draw {family}.")), format!("Draw {family}"));
        let title = title_from_prompt(&format!("x{}", family.repeat(20)));
        assert_eq!(title, format!("x{}…", family.repeat(11)));
    }

    proptest! {
        #[test]
        fn a_title_is_one_short_line(prompt in "\\PC{0,300}|[a-z.\n`# ]{0,300}") {
            let title = title_from_prompt(&prompt);
            prop_assert!(!title.is_empty() && title.chars().count() <= MAX_TITLE_CHARS + 1);
            prop_assert!(!title.chars().any(char::is_control));
        }
    }
}
