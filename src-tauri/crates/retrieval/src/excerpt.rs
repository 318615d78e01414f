//! The lines of a passage that a result shows: those with most of the question's words.

use crate::words::push_words;

const LINES: usize = 4;
/// A longer line is cut, in bytes.
const LINE_BYTES: usize = 160;
/// Words that begin alike count as one, such as `parse` and `parser`.
const SHORTEST_STEM: usize = 4;

/// Chooses lines of `text`, from `first` to `last`, in their order, each with its number.
pub(crate) fn excerpt(text: &str, first: u64, last: u64, terms: &[String]) -> Vec<(u64, String)> {
    let skipped = usize::try_from(first.saturating_sub(1)).unwrap_or(usize::MAX);
    let wanted = usize::try_from(last.saturating_sub(first).saturating_add(1)).unwrap_or(usize::MAX);
    let lines = text.lines().skip(skipped).take(wanted).zip(first..);
    let mut ranked: Vec<(usize, u64, &str)> = lines
        .filter(|(line, _)| !line.trim().is_empty())
        .map(|(line, number)| (matches(line, terms), number, line))
        .collect();
    // Of those that fit alike the first ones.
    ranked.sort_by(|one, other| other.0.cmp(&one.0).then(one.1.cmp(&other.1)));
    let fits = ranked.iter().filter(|(count, ..)| *count > 0).count();
    ranked.truncate(fits.clamp(1, LINES));
    ranked.sort_by_key(|(_, number, _)| *number);
    ranked.into_iter().map(|(_, number, line)| (number, shortened(line))).collect()
}

/// The number of different terms that a line has.
fn matches(line: &str, terms: &[String]) -> usize {
    let mut words = String::new();
    push_words(line, &mut words);
    let is_like = |term: &str, word: &str| {
        term == word
            || (term.len().min(word.len()) >= SHORTEST_STEM && (term.starts_with(word) || word.starts_with(term)))
    };
    terms.iter().filter(|term| words.split(' ').any(|word| is_like(term, word))).count()
}

fn shortened(line: &str) -> String {
    let line = line.trim_end();
    let end = line.floor_char_boundary(LINE_BYTES);
    let cut = if end < line.len() { "…" } else { "" };
    format!("{}{cut}", &line[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(text: &str, first: u64, last: u64, terms: &[&str]) -> Vec<u64> {
        let terms: Vec<String> = terms.iter().map(|term| (*term).to_owned()).collect();
        excerpt(text, first, last, &terms).into_iter().map(|(number, _)| number).collect()
    }

    #[test]
    fn the_lines_with_most_of_the_words_are_shown_in_their_order() {
        let text = "a lease\nnothing\nrelease the lease\n\nthe leases\n";
        assert_eq!(numbers(text, 1, 5, &["lease", "release"]), [1, 3, 5]);
        assert_eq!(numbers(text, 2, 4, &["lease", "release"]), [3]);
        assert_eq!(numbers(text, 2, 5, &["other"]), [2], "something is shown");
        assert_eq!(numbers(text, 9, 12, &["lease"]), [0; 0]);
        let many = "lease\n".repeat(48);
        assert_eq!(numbers(&many, 1, 48, &["lease"]), [1, 2, 3, 4]);
    }

    #[test]
    fn a_long_line_is_cut_between_its_characters() {
        let long = "ä".repeat(200);
        let shown = &excerpt(&long, 1, 1, &["x".to_owned()])[0].1;
        assert!(shown.ends_with('…') && shown.chars().count() == LINE_BYTES / 2 + 1);
    }
}
