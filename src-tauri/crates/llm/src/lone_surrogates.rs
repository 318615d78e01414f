//! JSON of senders that cut text between the two halves of a UTF-16 pair.
//!
//! `"\ud83d"` alone stands for no character, and no JSON parser of Rust takes it; what is written in JavaScript sends
//! it all the same, where it cuts an answer into pieces. So a half becomes a mark that a parser takes, and where pieces
//! are put together again, two marks become the character that was meant. A half that stays alone becomes U+FFFD, as a
//! browser would show it, so that the rest of the answer stays.

use serde_json::Value;
use std::borrow::Cow;

/// An escape is `\u` and four digits.
const ESCAPE_BYTES: usize = 6;
/// Stands before the character that stands for a half. It is no character of any text.
const MARK: char = '\u{fdd0}';
/// The first of the private characters that stand for halves.
const FIRST_MARKED: u32 = 0x0010_f000;
const HALVES: std::ops::RangeInclusive<u32> = 0xd800..=0xdfff;

/// The same JSON with each escaped half of a pair that lacks its other half marked. Only escapes are looked at: in
/// UTF-8 itself there are no halves.
pub(crate) fn with_marked_halves(json: &str) -> Cow<'_, str> {
    if !json.contains(r"\ud") && !json.contains(r"\uD") {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let taken = match (half(rest), rest.get(ESCAPE_BYTES..).and_then(half)) {
            (Some(first), Some(second)) if is_pair(first, second) => 2 * ESCAPE_BYTES,
            (Some(half), _) => {
                out.extend([Some(MARK), char::from_u32(FIRST_MARKED + half - HALVES.start())].into_iter().flatten());
                rest = &rest[ESCAPE_BYTES..];
                continue;
            }
            // What follows the backslash belongs to it, also where it is another one.
            (None, _) => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
        };
        out.push_str(&rest[..taken]);
        rest = &rest[taken..];
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The half of a pair that the text begins with, escaped.
fn half(text: &str) -> Option<u32> {
    let digits = text.strip_prefix(r"\u")?.get(..4)?;
    let half = u32::from_str_radix(digits, 16).ok().filter(|_| !digits.starts_with('+'))?;
    HALVES.contains(&half).then_some(half)
}

fn is_pair(first: u32, second: u32) -> bool {
    first < 0xdc00 && second >= 0xdc00
}

/// A text that is put together from pieces, or that nothing follows.
pub(crate) fn joined(text: String) -> String {
    if !text.contains(MARK) {
        return text;
    }
    let mut halves = Halves::default();
    let mut whole = halves.join(&text).into_owned();
    whole.push_str(halves.finish());
    whole
}

/// The same in every text of a value.
pub(crate) fn join_within(value: &mut Value) {
    match value {
        Value::String(text) => *text = joined(std::mem::take(text)),
        Value::Array(values) => values.iter_mut().for_each(join_within),
        Value::Object(fields) => fields.values_mut().for_each(join_within),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Puts the pieces of one text together.
#[derive(Debug, Default)]
pub(crate) struct Halves {
    /// A first half at the end of the last piece.
    held: Option<u32>,
}

impl Halves {
    /// The next piece without marks. A first half at its end is held back for the next one.
    pub(crate) fn join<'a>(&mut self, piece: &'a str) -> Cow<'a, str> {
        if piece.is_empty() || (self.held.is_none() && !piece.contains(MARK)) {
            return Cow::Borrowed(piece);
        }
        let mut out = String::with_capacity(piece.len() + 4);
        let mut characters = piece.chars().peekable();
        while let Some(character) = characters.next() {
            let marked = characters.peek().map_or(0, |next| u32::from(*next).wrapping_sub(FIRST_MARKED));
            // Both wrap around: of a character before the marked ones, the half lies outside.
            let half = HALVES.start().wrapping_add(marked);
            if character != MARK || characters.peek().is_none() || !HALVES.contains(&half) {
                out.push_str(self.finish());
                out.push(character);
                continue;
            }
            characters.next();
            match self.held.take() {
                Some(first) if is_pair(first, half) => {
                    let both = 0x10000 + ((first - 0xd800) << 10) + (half - 0xdc00);
                    out.push(char::from_u32(both).unwrap_or(char::REPLACEMENT_CHARACTER));
                }
                Some(_) => {
                    out.push(char::REPLACEMENT_CHARACTER);
                    self.hold(half, &mut out);
                }
                None => self.hold(half, &mut out),
            }
        }
        Cow::Owned(out)
    }

    fn hold(&mut self, half: u32, out: &mut String) {
        if half < 0xdc00 {
            self.held = Some(half);
        } else {
            out.push(char::REPLACEMENT_CHARACTER);
        }
    }

    /// Returns what stands for a half that nothing came after.
    pub(crate) fn finish(&mut self) -> &'static str {
        if self.held.take().is_some() { "\u{fffd}" } else { "" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(json: &str) -> String {
        joined(serde_json::from_str(&with_marked_halves(json)).unwrap())
    }

    #[test]
    fn a_half_without_its_other_half_is_replaced_and_nothing_else() {
        for (json, expected) in [
            (r#""a\ud83d\ude00b""#, "a\u{1f600}b"),
            (r#""a\uD83Db""#, "a\u{fffd}b"),
            (r#""\ude00\ud83d""#, "\u{fffd}\u{fffd}"),
            (r#""\ud83d\ud83d\ude00""#, "\u{fffd}\u{1f600}"),
            (r#""\\ud83d""#, r"\ud83d"),
            (r#""\\\ud83d""#, "\\\u{fffd}"),
            (r#""\ud83d\n""#, "\u{fffd}\n"),
            ("\"\\ud83d\u{e9}\"", "\u{fffd}\u{e9}"),
            ("\"\u{fdd0}\u{101a00}\"", "\u{fdd0}\u{101a00}"),
        ] {
            assert_eq!(read(json), expected, "{json}");
        }
        for json in [r#""\ud8"#, "\"\\ud83"] {
            assert_eq!(with_marked_halves(json), json);
        }
    }

    proptest! {
        #[test]
        fn any_units_become_the_same_text_however_they_are_cut(
            units in proptest::collection::vec(prop_oneof![any::<u16>(), Just(0xd83d), Just(0xde00), Just(0xfdd0)], 0..20),
            cut in any::<prop::sample::Index>(),
        ) {
            let cut = cut.index(units.len() + 1);
            let piece = |units: &[u16]| {
                let json = format!("\"{}\"", units.iter().map(|unit| format!("\\u{unit:04x}")).collect::<String>());
                serde_json::from_str::<String>(&with_marked_halves(&json)).unwrap()
            };
            let pieces = [piece(&units[..cut]), piece(&units[cut..])];
            let mut halves = Halves::default();
            let mut told: String = pieces.iter().map(|piece| halves.join(piece).into_owned()).collect();
            told.push_str(halves.finish());
            prop_assert_eq!(&told, &String::from_utf16_lossy(&units));
            prop_assert_eq!(joined(pieces.concat()), told);
        }
    }
}
