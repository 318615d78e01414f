//! Scripts that write words without blanks between them, such as Chinese, Japanese and Thai.
//!
//! FTS5 takes what stands between two blanks for one word. Here each character of these scripts is set apart, in what is
//! indexed and in what is searched for alike, so that a word is found wherever its characters follow each other. Korean
//! has blanks, but its words grow at their ends, and is treated the same way.

use std::borrow::Cow;

/// The separator between characters; to the tokenizer it is no part of a word, and it is never shown.
pub(crate) const APART: char = '\u{200b}';

pub(crate) fn set_apart(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_unspaced) {
        return Cow::Borrowed(text);
    }
    let mut apart = String::with_capacity(text.len() * 2);
    let mut was_unspaced = false;
    for character in text.chars() {
        let is_unspaced = is_unspaced(character);
        if is_unspaced || was_unspaced {
            apart.push(APART);
        }
        apart.push(character);
        was_unspaced = is_unspaced;
    }
    Cow::Owned(apart)
}

/// Tells the scripts by Unicode's blocks.
fn is_unspaced(character: char) -> bool {
    matches!(character,
        // Thai and Lao, Burmese, Khmer
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        // Iteration marks; Hiragana and Katakana
        | '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{ff66}'..='\u{ff9f}'
        // Chinese characters
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}'
        // Korean syllables
        | '\u{ac00}'..='\u{d7a3}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_characters_of_these_scripts_are_set_apart() {
        for (text, expected) in [
            ("src/main.rs größe Москва 12", "src/main.rs größe Москва 12"),
            ("中文", "|中|文"),
            ("用Rust写", "|用|Rust|写"),
            ("ひらカナ, 한글", "|ひ|ら|カ|ナ|, |한|글"),
        ] {
            assert_eq!(set_apart(text), expected.replace('|', &APART.to_string()));
        }
    }
}
