//! Characters that people don't see and a model, a shell or a file system does.

/// Returns whether the character can't be seen, or makes two texts look alike that aren't: controls (line breaks and tabs
/// included), bidirectional controls, characters of no width, fillers, tags, variation selectors and the spaces that are
/// not a space. The ideographic space (U+3000) is common in East Asian text and plainly wide, so it isn't.
#[must_use]
pub fn is_hidden(character: char) -> bool {
    matches!(character,
        '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{a0}' | '\u{ad}' | '\u{34f}' | '\u{61c}'
        | '\u{115f}' | '\u{1160}' | '\u{1680}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{2000}'..='\u{200f}' | '\u{2028}'..='\u{202f}' | '\u{205f}'..='\u{206f}'
        | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// Returns the text on one line, without hidden characters; longer than `max_chars` it is cut, with `…` as its last.
#[must_use]
pub fn one_plain_line(text: &str, max_chars: usize) -> String {
    let words = text.split(char::is_whitespace).map(|word| word.replace(is_hidden, ""));
    let line = words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(max_chars) {
        Some(_) => line.chars().take(max_chars.saturating_sub(1)).chain(['…']).collect(),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_nothing_in_it_that_nobody_sees() {
        let text = " two\nlines\u{202e}\u{e0041}\u{ad}\u{115f}\u{fe0f} \u{1b}[31m of\u{a0}it ";
        assert_eq!(one_plain_line(text, 99), "two lines [31m of it");
        assert_eq!(one_plain_line("ééééé", 5), "ééééé");
        assert_eq!(one_plain_line("éééééé", 5), "éééé…");
    }
}
