//! JSON of senders that cut text between the two halves of a UTF-16 pair.
//!
//! `"\ud83d"` alone stands for no character, and no JSON parser of Rust takes it; what is written in JavaScript sends
//! it all the same, where it cuts an answer into pieces. It becomes U+FFFD, as a browser would show it, so that the
//! rest of the answer stays.

use std::borrow::Cow;

/// An escape is `\u` and four digits.
const ESCAPE_BYTES: usize = 6;
const REPLACEMENT: &str = r"\ufffd";

/// The same JSON with each escaped half of a pair that lacks its other half replaced. Only escapes are looked at: in
/// UTF-8 itself there are no halves.
pub(crate) fn without_lone_surrogates(json: &str) -> Cow<'_, str> {
    if !json.contains(r"\ud") && !json.contains(r"\uD") {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let taken = match (half(rest), rest.get(ESCAPE_BYTES..).and_then(half)) {
            (Some(Half::First), Some(Half::Second)) => 2 * ESCAPE_BYTES,
            (Some(_), _) => {
                out.push_str(REPLACEMENT);
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

#[derive(Debug, PartialEq, Eq)]
enum Half {
    First,
    Second,
}

/// Which half of a pair the text begins with, if any.
fn half(text: &str) -> Option<Half> {
    let digits = text.strip_prefix(r"\u")?.get(..4)?;
    match u16::from_str_radix(digits, 16).ok()? {
        0xd800..=0xdbff => Some(Half::First),
        0xdc00..=0xdfff => Some(Half::Second),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_half_without_its_other_half_is_replaced_and_nothing_else() {
        for (json, expected) in [
            (r#""a\ud83d\ude00b""#, r#""a\ud83d\ude00b""#),
            (r#""a\uD83Db""#, r#""a\ufffdb""#),
            (r#""\ude00\ud83d""#, r#""\ufffd\ufffd""#),
            (r#""\ud83d\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#),
            (r#""\\ud83d""#, r#""\\ud83d""#),
            (r#""\\\ud83d""#, r#""\\\ufffd""#),
            (r#""\ud83d\n""#, r#""\ufffd\n""#),
            (r#""\ud8"#, r#""\ud8"#),
            ("\"\\ud83d\u{e9}\\", "\"\\ufffd\u{e9}\\"),
        ] {
            assert_eq!(without_lone_surrogates(json), expected);
        }
    }

    proptest! {
        #[test]
        fn any_units_become_a_string_that_can_be_read(units in proptest::collection::vec(any::<u16>(), 0..20)) {
            let json = format!("\"{}\"", units.iter().map(|unit| format!("\\u{unit:04x}")).collect::<String>());
            let read: String = serde_json::from_str(&without_lone_surrogates(&json)).unwrap();
            prop_assert_eq!(read, String::from_utf16_lossy(&units));
        }
    }
}
