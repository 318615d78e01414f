//! Text cut to what a bounded projection keeps of it. The whole text stays in the log.

use std::borrow::Cow;

const CUT_MARK: &str = "…";

/// Returns at most `max_bytes` of the text, including the mark of the cut, and never cuts a character in two.
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
