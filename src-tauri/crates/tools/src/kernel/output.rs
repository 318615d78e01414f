//! Keeps a result within its limit: the head and the tail stay, the middle goes.

use crate::tool::Output;

/// Cuts at character boundaries; says how much is missing.
pub(super) fn bounded(output: Output, max_bytes: usize) -> Output {
    if output.text.len() <= max_bytes {
        return output;
    }
    let half = max_bytes / 2;
    let head = output.text.floor_char_boundary(half);
    let tail = output.text.ceil_char_boundary(output.text.len() - half);
    let cut = tail - head;
    let text = format!("{}\n[… {cut} bytes left out …]\n{}", &output.text[..head], &output.text[tail..]);
    Output { text, truncated: true }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn head_and_tail_are_kept_at_character_boundaries() {
        let text = format!("{}{}{}", "ä".repeat(50), "x".repeat(1000), "ö".repeat(50));
        let cut = bounded(Output { text, truncated: false }, 101);
        assert!(cut.truncated && cut.text.starts_with("ää") && cut.text.ends_with("öö"));
        assert!(cut.text.len() < 160);
    }
}
