//! Canonical JSON (RFC 8785) and the hashes over it.

use serde::Serialize;
use serde_json::{Number, Value};
use sha2::{Digest, Sha256};

/// 2^53 − 1: the largest integer that every JSON reader keeps exactly.
pub const SAFE_INTEGER: u64 = (1 << 53) - 1;

#[derive(Debug, thiserror::Error)]
#[error("not representable as canonical JSON: {0}")]
pub struct CanonicalError(#[from] serde_json::Error);

/// The one byte form of a value: sorted keys, no spaces, ECMAScript numbers.
///
/// # Errors
/// When the value has no JSON form (a map with keys that are not strings, a number that is not finite).
pub fn canonical_json(value: &impl Serialize) -> Result<String, CanonicalError> {
    Ok(serde_json_canonicalizer::to_string(value)?)
}

/// The bytes that a text takes in canonical JSON, without its quotes: up to six for a character of one.
#[must_use]
pub fn json_text_bytes(text: &str) -> usize {
    text.chars().map(json_char_bytes).sum()
}

/// The length of one character in [`json_text_bytes`].
#[must_use]
pub fn json_char_bytes(character: char) -> usize {
    match character {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        control if control < ' ' => 6,
        other => other.len_utf8(),
    }
}

/// SHA-256 of the bytes, in 64 lower-case hexadecimal digits.
#[must_use]
pub fn sha256_hex(bytes: &[u8]) -> String {
    sha256_hex_of(&[bytes])
}

/// The same of several pieces one after the other.
#[must_use]
pub fn sha256_hex_of(pieces: &[&[u8]]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digest = pieces.iter().fold(Sha256::new(), |hasher, piece| hasher.chain_update(piece)).finalize();
    let mut text = String::with_capacity(2 * digest.len());
    for byte in digest {
        text.push(char::from(DIGITS[usize::from(byte >> 4)]));
        text.push(char::from(DIGITS[usize::from(byte & 0xf)]));
    }
    text
}

/// Numbers beyond ±(2^53 − 1) become strings of the same digits, so that a reader in any language computes the same hash.
#[must_use]
pub fn with_safe_numbers(value: Value) -> Value {
    match value {
        Value::Number(number) if !is_safe(&number) => Value::String(number.to_string()),
        Value::Array(items) => items.into_iter().map(with_safe_numbers).collect(),
        Value::Object(map) => map.into_iter().map(|(key, item)| (key, with_safe_numbers(item))).collect(),
        other => other,
    }
}

fn is_safe(number: &Number) -> bool {
    if let Some(positive) = number.as_u64() {
        return positive <= SAFE_INTEGER;
    }
    if let Some(integer) = number.as_i64() {
        return integer.unsigned_abs() <= SAFE_INTEGER;
    }
    number.as_f64().is_some_and(|float| float.abs() <= SAFE_INTEGER as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn keys_are_sorted_and_numbers_are_ecmascript() {
        let value = json!({"b": 1.0, "a": 1e21, "é": "x", "Z": [0.000_000_1, -0.0]});
        assert_eq!(canonical_json(&value).unwrap(), r#"{"Z":[1e-7,0],"a":1e+21,"b":1,"é":"x"}"#);
    }

    #[test]
    fn pieces_have_the_hash_of_the_whole() {
        let whole = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256_hex(b"abc"), whole);
        assert_eq!(sha256_hex_of(&[b"", b"a", b"bc"]), whole);
    }

    #[test]
    fn a_text_is_measured_as_it_is_written() {
        let every: String = ('\0'..='\u{2000}').chain(['\u{2028}', '\u{ffff}', '😀']).collect();
        assert_eq!(json_text_bytes(&every) + 2, canonical_json(&every).unwrap().len());
        assert_eq!(json_text_bytes(&every) + 2, serde_json::to_string(&every).unwrap().len());
    }

    #[test]
    fn large_numbers_become_strings_of_the_same_digits() {
        let value = json!({"max": 9_007_199_254_740_991_u64, "over": 9_007_199_254_740_992_u64, "deep": [[-9_007_199_254_740_993_i64]]});
        let safe = with_safe_numbers(value);
        assert_eq!(
            safe,
            json!({"max": 9_007_199_254_740_991_u64, "over": "9007199254740992", "deep": [["-9007199254740993"]]})
        );
    }
}
