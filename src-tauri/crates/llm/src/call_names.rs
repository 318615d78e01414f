//! Names and ids of past calls, as APIs take them back: models also call what does not exist, and other vendors' ids may
//! be longer. The same one always becomes the same.

use arki_domain::{CallId, sha256_hex};
use std::borrow::Cow;

/// The longest name of a function that every vendor takes.
const MAX_NAME_CHARS: usize = 64;
/// The length of the hash that stands for an id that is longer.
const HASH_CHARS: usize = 32;

pub(crate) fn acceptable_name(name: &str) -> Cow<'_, str> {
    let fits = |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-');
    if !name.is_empty() && name.len() <= MAX_NAME_CHARS && name.chars().all(fits) {
        return Cow::Borrowed(name);
    }
    let name: String =
        name.chars().map(|character| if fits(character) { character } else { '_' }).take(MAX_NAME_CHARS).collect();
    if name.is_empty() { Cow::Borrowed("unnamed") } else { Cow::Owned(name) }
}

/// The id itself where it has up to so many bytes.
pub(crate) fn acceptable_id(id: &CallId, max_bytes: usize) -> Cow<'_, str> {
    if id.as_str().len() <= max_bytes {
        return Cow::Borrowed(id.as_str());
    }
    Cow::Owned(format!("call_{}", &sha256_hex(id.as_str().as_bytes())[..HASH_CHARS]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_the_characters_and_the_length_that_every_api_takes() {
        assert_eq!(acceptable_name("read_file"), "read_file");
        assert_eq!(acceptable_name("functions.read file é"), "functions_read_file__");
        assert_eq!(acceptable_name(""), "unnamed");
        assert_eq!(acceptable_name(&"x".repeat(100)).len(), MAX_NAME_CHARS);
    }

    #[test]
    fn a_long_id_becomes_a_short_one_that_is_its_own() {
        let (one, other) = (CallId::from("a".repeat(53)), CallId::from("b".repeat(53)));
        assert_eq!(acceptable_id(&one, 64), one.as_str());
        assert_eq!(acceptable_id(&one, 40).len(), 37);
        assert_eq!(acceptable_id(&one, 40), acceptable_id(&one, 40));
        assert_ne!(acceptable_id(&one, 40), acceptable_id(&other, 40));
    }
}
