//! Keeps a result within its limit: the head and the tail stay, the middle goes.

use crate::outcome::Output;
use arki_domain::json_text_bytes;
use std::ops::Range;

/// The longest result, in bytes of JSON, whatever the configuration allows: more than any model can read, and well below
/// what the log takes as one event.
pub(super) const MAX_RESULT_BYTES: usize = 4 << 20;

/// Room for the words that say what is missing.
const NOTE_BYTES: usize = 64;

/// Returns as much of it as the log can take: control characters are up to six times as long there.
pub(super) fn storable(output: Output) -> Output {
    if json_text_bytes(&output.text) <= MAX_RESULT_BYTES {
        return output;
    }
    let mut room = MAX_RESULT_BYTES - NOTE_BYTES;
    loop {
        let kept = bounded(Output { text: output.text.clone(), truncated: true }, room);
        if json_text_bytes(&kept.text) <= MAX_RESULT_BYTES {
            return kept;
        }
        room /= 2;
    }
}

/// Cuts at character boundaries; says how much is missing.
pub(super) fn bounded(output: Output, max_bytes: usize) -> Output {
    let Some(middle) = middle(&output.text, max_bytes) else { return output };
    let mut text = output.text;
    text.replace_range(middle.clone(), &left_out(middle.len()));
    Output { text, truncated: true }
}

/// The part that has to go, in bytes.
pub(super) fn middle(text: &str, max_bytes: usize) -> Option<Range<usize>> {
    let half = max_bytes / 2;
    (text.len() > max_bytes).then(|| text.floor_char_boundary(half)..text.ceil_char_boundary(text.len() - half))
}

/// The words in its place.
pub(super) fn left_out(bytes: usize) -> String {
    format!("\n[… {bytes} bytes left out …]\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_that_the_log_would_refuse_is_cut_however_it_is_written() {
        for piece in ["x", "\u{1}", "\"ä", "\n"] {
            let text = piece.repeat(MAX_RESULT_BYTES / json_text_bytes(piece));
            let whole = storable(Output { text: text.clone(), truncated: false });
            assert!(!whole.truncated && whole.text == text);
            let cut = storable(Output { text: text.repeat(16) + "xxxxxx", truncated: false });
            assert!(cut.truncated && json_text_bytes(&cut.text) <= MAX_RESULT_BYTES);
            assert!(cut.text.len() > MAX_RESULT_BYTES / 16 && cut.text.starts_with(piece) && cut.text.ends_with('x'));
        }
    }

    #[test]
    fn head_and_tail_are_kept_at_character_boundaries() {
        let text = format!("{}{}{}", "ä".repeat(50), "x".repeat(1000), "ö".repeat(50));
        let cut = bounded(Output { text, truncated: false }, 101);
        assert!(cut.truncated && cut.text.starts_with("ää") && cut.text.ends_with("öö"));
        assert!(cut.text.len() < 160);
    }
}
