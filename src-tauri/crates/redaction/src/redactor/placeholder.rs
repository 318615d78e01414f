//! The placeholder of a secret: `[secret:NAME#TAG]`, the same for the same secret wherever it turns up.
//!
//! The tag is a keyed hash of the value, so that it says nothing of the value to whoever lacks the key, and nobody can
//! make up the placeholder of a secret that was not shown. Square brackets, because angle ones are links in Markdown.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use zeroize::Zeroizing;

pub(super) const OPENING: &str = "[secret:";
const MAX_NAME_CHARS: usize = 40;
/// 48 bits: among a thousand secrets two tags meet once in some hundred million times.
const TAG_BYTES: usize = 6;

/// The key of the tags. Wiped from memory when dropped; kept by whoever wants the same placeholders again.
#[derive(Clone)]
pub struct PlaceholderKey(Zeroizing<[u8; 32]>);

impl PlaceholderKey {
    #[must_use]
    pub fn new(bytes: Zeroizing<[u8; 32]>) -> Self {
        Self(bytes)
    }

    /// Makes a placeholder that nobody has to recognize again.
    #[must_use]
    pub fn random() -> Self {
        let mut bytes = Zeroizing::new([0; 32]);
        let (left, right) = bytes.split_at_mut(16);
        left.copy_from_slice(uuid::Uuid::new_v4().as_bytes());
        right.copy_from_slice(uuid::Uuid::new_v4().as_bytes());
        Self(bytes)
    }

    pub(super) fn tag(&self, value: &str) -> String {
        // HMAC takes a key of any length.
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(self.0.as_slice()) else { return String::new() };
        mac.update(value.as_bytes());
        hex::encode(&mac.finalize().into_bytes()[..TAG_BYTES])
    }
}

pub(super) fn written(name: &str, tag: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    let name: String = name.chars().take(MAX_NAME_CHARS).map(|c| if is_plain(c) { c } else { '_' }).collect();
    format!("{OPENING}{name}#{tag}]")
}

/// A piece of text that is a placeholder or looks like one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Lookalike<'a> {
    pub(super) start: usize,
    pub(super) text: &'a str,
    /// Only of the exact form.
    pub(super) tag: Option<&'a str>,
}

/// The first at or after `from`.
pub(super) fn find(text: &str, from: usize) -> Option<Lookalike<'_>> {
    let mut from = from;
    while let Some(found) = text.get(from..)?.find(OPENING) {
        let start = from + found;
        if let Some(lookalike) = at(text, start) {
            return Some(lookalike);
        }
        from = start + OPENING.len();
    }
    None
}

/// Returns what begins at `start`, which is known to begin with [`OPENING`].
pub(super) fn at(text: &str, start: usize) -> Option<Lookalike<'_>> {
    let inner = text.get(start + OPENING.len()..)?;
    let length = inner.bytes().take(2 * MAX_NAME_CHARS).take_while(|byte| is_inside(*byte)).count();
    if length == 0 || inner.as_bytes().get(length) != Some(&b']') {
        return None;
    }
    let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    let is_tag = |tag: &&str| tag.len() == 2 * TAG_BYTES && tag.bytes().all(is_hex);
    let tag = inner[..length].split_once('#').map(|(_, tag)| tag).filter(is_tag);
    Some(Lookalike { start, text: &text[start..start + OPENING.len() + length + 1], tag })
}

/// Returns whether the byte may be between the colon and the closing bracket.
pub(super) fn is_inside(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_.-#".contains(&byte)
}

/// The longest placeholder, in bytes.
pub(super) const MAX_BYTES: usize = OPENING.len() + 2 * MAX_NAME_CHARS + 1;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_value_has_the_same_tag_under_one_key_only() {
        let (key, other) = (PlaceholderKey::new(Zeroizing::new([1; 32])), PlaceholderKey::random());
        assert_eq!(key.tag("hunter2"), key.tag("hunter2"));
        assert_ne!(key.tag("hunter2"), key.tag("hunter3"));
        assert_ne!(key.tag("hunter2"), other.tag("hunter2"));
    }

    #[test]
    fn a_name_is_made_plain() {
        assert_eq!(written("my key]", "0123456789ab"), "[secret:my_key_#0123456789ab]");
    }

    #[test]
    fn the_exact_form_has_a_tag_and_what_is_near_it_has_none() {
        let tag_of = |text| find(text, 0).map(|found| found.tag);
        assert_eq!(tag_of("x [secret:A_B#0123456789ab] y"), Some(Some("0123456789ab")));
        for near in ["[secret:A]", "[secret:A#0123]", "[secret:A#0123456789AB]", "[secret:A#0123456789abc]"] {
            assert_eq!(tag_of(near), Some(None), "{near}");
        }
        for other in ["[secret: A]", "[secret:]", "secret:A#0123456789ab", "[secret:A#0123456789ab"] {
            assert_eq!(tag_of(other), None, "{other}");
        }
    }
}
