//! Lists of words that are written as one text, with a blank between two of them.

/// Returns whether the list has this word.
pub(crate) fn is_in(list: &str, word: &str) -> bool {
    list.split(' ').any(|listed| listed == word)
}
