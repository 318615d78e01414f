//! Characters that look alike, made one: quotes, dashes, spaces, and letters with their accents apart. Pure.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// A text with look-alikes made one, and where in the original each piece comes from.
pub(crate) struct FoldedText {
    pub(crate) text: String,
    /// Offset in `text` and in the original at which each piece begins, and both ends.
    pieces: Vec<(usize, usize)>,
}

impl FoldedText {
    pub(crate) fn new(original: &str) -> Self {
        let mut folded = Self { text: String::with_capacity(original.len()), pieces: Vec::new() };
        for (start, piece) in pieces(original) {
            folded.pieces.push((folded.text.len(), start));
            fold_piece(piece, &mut folded.text);
        }
        folded.pieces.push((folded.text.len(), original.len()));
        folded
    }

    /// The original's offset; `None` in the middle of a piece.
    pub(crate) fn original_offset(&self, offset: usize) -> Option<usize> {
        let index = self.pieces.binary_search_by_key(&offset, |(folded, _)| *folded).ok()?;
        Some(self.pieces[index].1)
    }

    /// Each piece's range in `text` and in the original.
    pub(crate) fn ranges(&self) -> impl Iterator<Item = (std::ops::Range<usize>, std::ops::Range<usize>)> + '_ {
        self.pieces.windows(2).map(|pair| (pair[0].0..pair[1].0, pair[0].1..pair[1].1))
    }
}

pub(crate) fn fold(text: &str) -> String {
    if text.is_ascii() { text.to_owned() } else { FoldedText::new(text).text }
}

/// A character together with the marks that belong to it.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut rest = text.char_indices().peekable();
    std::iter::from_fn(move || {
        let (start, first) = rest.next()?;
        let mut end = start + first.len_utf8();
        while let Some((at, mark)) = rest.next_if(|(_, next)| is_combining_mark(*next)) {
            end = at + mark.len_utf8();
        }
        Some((start, &text[start..end]))
    })
}

fn fold_piece(piece: &str, into: &mut String) {
    let mut characters = piece.chars();
    match (characters.next(), characters.next()) {
        (Some(character), None) => match look_alike(character) {
            Some(plain) => into.push_str(plain),
            None => into.extend(character.nfc()),
        },
        _ => into.extend(piece.nfc()),
    }
}

/// Returns what is typed in place of it.
fn look_alike(character: char) -> Option<&'static str> {
    Some(match character {
        '\u{2018}'..='\u{201b}' | '\u{2032}' | '\u{2035}' | '\u{02bc}' | '\u{00b4}' | '\u{ff07}' => "'",
        '\u{201c}'..='\u{201f}' | '\u{2033}' | '\u{2036}' | '\u{ff02}' => "\"",
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}' => "-",
        '\u{00a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => " ",
        '\u{2026}' => "...",
        '\u{200b}' | '\u{2060}' | '\u{feff}' | '\u{00ad}' => "",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn look_alikes_become_what_is_typed() {
        let text = "\u{201c}a\u{201d} \u{2018}b\u{2019} c\u{2014}d\u{a0}e\u{2026} n\u{e9} ne\u{301} x\u{200b}y";
        assert_eq!(fold(text), "\"a\" 'b' c-d e... n\u{e9} n\u{e9} xy");
    }

    #[test]
    fn offsets_lead_back_to_whole_characters() {
        let folded = FoldedText::new("\u{201c}a\u{2026}e\u{301}");
        assert_eq!(folded.text, "\"a...\u{e9}");
        let back: Vec<Option<usize>> = (0..=7).map(|at| folded.original_offset(at)).collect();
        assert_eq!(back, [Some(0), Some(3), Some(4), None, None, Some(7), None, Some(10)]);
    }
}
