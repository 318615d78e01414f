//! Counts the lines by which two contents of a file differ. Pure.

use arki_edit::{is_text, split_lines};
use similar::{Algorithm, DiffOp, capture_diff_slices};

/// The lines that came and those that went, as the diff of a review shows them; `None` where one isn't text.
#[must_use]
pub fn changed_lines(before: &[u8], after: &[u8]) -> Option<(u32, u32)> {
    if !is_text(before) || !is_text(after) {
        return None;
    }
    let (old, new) = (split_lines(before), split_lines(after));
    let differing = capture_diff_slices(Algorithm::Myers, &old, &new).into_iter().filter(|op| !is_equal(op));
    let (added, removed) =
        differing.fold((0, 0), |(added, removed), op| (added + op.new_range().len(), removed + op.old_range().len()));
    let count = |lines| u32::try_from(lines).unwrap_or(u32::MAX);
    Some((count(added), count(removed)))
}

fn is_equal(op: &DiffOp) -> bool {
    matches!(op, DiffOp::Equal { .. })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_came_and_went_are_counted() {
        assert_eq!(changed_lines(b"a\nb\nc\n", b"a\nB\nc\nd\n"), Some((2, 1)));
        assert_eq!(changed_lines(b"", b"a\nb"), Some((2, 0)));
        assert_eq!(changed_lines(b"a\nb", b""), Some((0, 2)));
        assert_eq!(changed_lines(b"same\n", b"same\n"), Some((0, 0)));
        assert_eq!(changed_lines(b"a\r\n", b"a\n"), Some((1, 1)));
        assert_eq!(changed_lines(b"\0", b"a\n"), None);
    }
}
