//! Long text is folded: its beginning is shown, and what is left out is counted.

/// The limit for the shown part of a text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ShownLimit {
    pub(crate) lines: usize,
    pub(crate) chars: usize,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Folded<'a> {
    pub(crate) shown: &'a str,
    /// Both 0 where everything is shown.
    pub(crate) hidden_lines: usize,
    pub(crate) hidden_chars: usize,
}

impl Folded<'_> {
    /// Describes what is left out; `None` if nothing is.
    pub(crate) fn left_out(&self) -> Option<String> {
        let what = match (self.hidden_lines, self.hidden_chars) {
            (0, 0) => return None,
            (0 | 1, chars) => format!("{} more characters", grouped(chars as u64)),
            (lines, _) => format!("{} more lines", grouped(lines as u64)),
        };
        Some(format!("{what} are left out here. The export as JSON Lines has all of it."))
    }
}

/// Cuts at the end of a line where one is near the limit, else in the middle of a line.
pub(crate) fn fold(text: &str, limit: ShownLimit) -> Folded<'_> {
    let text = text.trim_end_matches(['\n', '\r']);
    let by_lines = text.match_indices('\n').nth(limit.lines.saturating_sub(1)).map_or(text.len(), |(at, _)| at);
    let by_chars = text.char_indices().nth(limit.chars).map_or(text.len(), |(at, _)| at);
    let (shown, hidden) = text.split_at(by_lines.min(by_chars));
    let hidden = hidden.strip_prefix('\n').unwrap_or(hidden);
    Folded { shown, hidden_lines: hidden.split_terminator('\n').count(), hidden_chars: hidden.chars().count() }
}

/// Digits in groups of three.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() * 2);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: ShownLimit = ShownLimit { lines: 2, chars: 10 };

    #[test]
    fn what_fits_is_shown_whole() {
        for text in ["", "one", "one\ntwo\n", "0123456789"] {
            let folded = fold(text, LIMIT);
            assert_eq!((folded.shown, folded.left_out()), (text.trim_end(), None));
        }
    }

    #[test]
    fn more_lines_than_the_limit_are_counted() {
        let folded = fold("1\n2\n\n4\n5\n", LIMIT);
        assert_eq!((folded.shown, folded.hidden_lines), ("1\n2", 3));
        assert!(folded.left_out().unwrap().starts_with("3 more lines"));
    }

    #[test]
    fn a_line_longer_than_the_limit_is_cut_between_characters() {
        let folded = fold("ääääääääääää", LIMIT);
        assert_eq!((folded.shown.chars().count(), folded.hidden_chars), (10, 2));
        assert!(folded.left_out().unwrap().starts_with("2 more characters"));
    }

    #[test]
    fn digits_stand_in_groups() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }
}
