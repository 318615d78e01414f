//! A known secret in the forms that the usual programs give it: base64, hexadecimal, backwards.
//!
//! Each is a secret of its own, so that its placeholder stands for exactly the encoded text and never for the plain
//! value. What was taken apart (`cut`, `fold`, blanks between the bytes, a line break within) is not known again, nor
//! what a whole file became that was compressed or encrypted.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD_NO_PAD;
use zeroize::Zeroizing;

/// The shortest value whose encoded forms are searched for. Those of a shorter one might be part of something else.
const SHORTEST_BYTES: usize = 8;
/// Longer values are only searched for as they are: a key of one line has about 3,200 bytes.
const LONGEST_BYTES: usize = 4 << 10;

/// Returns what the form is called, and the value in it. What a value has in common with its neighbours in a longer
/// encoded text (up to a character at each end) is left out, so that it is found wherever it stands in one.
pub(super) fn forms(value: &str) -> Vec<(&'static str, Zeroizing<String>)> {
    if !(SHORTEST_BYTES..=LONGEST_BYTES).contains(&value.len()) {
        return Vec::new();
    }
    let lower = hex::encode(value);
    let mut forms =
        vec![("reversed", value.chars().rev().collect()), ("hex", lower.to_ascii_uppercase()), ("hex", lower)];
    for before in 0..3 {
        let standard = within_base64(value, before);
        let url_safe = standard.replace('+', "-").replace('/', "_");
        forms.extend([("base64", standard), ("base64", url_safe)]);
    }
    let mut distinct: Vec<(&'static str, Zeroizing<String>)> = Vec::with_capacity(forms.len());
    for (name, form) in forms.into_iter().map(|(name, form)| (name, Zeroizing::new(form))) {
        if *form != value && !distinct.iter().any(|(_, other)| *other == form) {
            distinct.push((name, form));
        }
    }
    distinct
}

/// The characters that are the value's alone where so many bytes of a group of three stand before it.
fn within_base64(value: &str, before: usize) -> String {
    let mut bytes = Zeroizing::new(vec![0; before]);
    bytes.extend_from_slice(value.as_bytes());
    let encoded = Zeroizing::new(BASE64_STANDARD_NO_PAD.encode(&*bytes));
    let (first, end) = ((before * 8).div_ceil(6), bytes.len() * 8 / 6);
    encoded[first..end].to_owned()
}
