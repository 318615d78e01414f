//! Text cut to what a bounded projection keeps of it. The whole text stays in the log.

use std::borrow::Cow;

const CUT_MARK: &str = "…";

/// At most `max_bytes` of the text, the mark of the cut included, never in the middle of a character.
pub(crate) fn cut(text: &str, max_bytes: usize) -> Cow<'_, str> {
    if text.len() <= max_bytes {
        return Cow::Borrowed(text);
    }
    let end = text.floor_char_boundary(max_bytes.saturating_sub(CUT_MARK.len()));
    Cow::Owned(format!("{}{CUT_MARK}", &text[..end]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_between_characters_and_says_so() {
        assert_eq!(cut("short", 5), "short");
        assert_eq!(cut("longer", 5), "lo…");
        assert_eq!(cut("ööööö", 8), "öö…");
    }
}
