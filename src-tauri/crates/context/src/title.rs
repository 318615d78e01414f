//! A session's title, from its prompt.

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
    let is_shown = |c: &char| {
        !c.is_control()
            && !matches!(c, '`' | '*' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
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
    let Some((end, _)) = line.char_indices().nth(MAX_TITLE_CHARS) else { return line.to_owned() };
    let head = &line[..end];
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

    proptest! {
        #[test]
        fn a_title_is_one_short_line(prompt in "\\PC{0,300}|[a-z.\n`# ]{0,300}") {
            let title = title_from_prompt(&prompt);
            prop_assert!(!title.is_empty() && title.chars().count() <= MAX_TITLE_CHARS + 1);
            prop_assert!(!title.chars().any(char::is_control));
        }
    }
}
