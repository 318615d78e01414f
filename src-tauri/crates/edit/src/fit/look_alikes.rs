//! Giving new text the file's own quotes, dashes and spaces, when the model types others. Pure.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use similar::{Algorithm, DiffTag, capture_diff_slices};

use super::fold::{FoldedText, pieces};
use super::typing::Typing;

/// Longer lines are not compared character by character.
const COMPARED_PIECES: usize = 2000;

/// The model's characters, and those of the file that they stand for.
pub(crate) struct Characters<'a> {
    meant: HashMap<&'a str, HashSet<&'a str>>,
    /// Asked for what these lines don't show.
    typing: &'a Typing,
    file: &'a str,
    differ: bool,
}

impl<'a> Characters<'a> {
    /// `pairs` are lines of the change and of the file that are alike, indentation apart.
    pub(crate) fn learn(pairs: impl Iterator<Item = (&'a str, &'a str)>, typing: &'a Typing, file: &'a str) -> Self {
        let mut learned = Self { meant: HashMap::new(), typing, file, differ: typing.differs() };
        for (ours, theirs) in pairs {
            for (our, their) in aligned(ours.trim(), theirs.trim()) {
                learned.differ |= our != their;
                learned.meant.entry(our).or_default().insert(their);
            }
        }
        learned
    }

    /// A line without a counterpart; `None` where a character of it stood for several.
    pub(crate) fn apply(&self, line: &str) -> Option<String> {
        if !self.differ {
            return Some(line.to_owned());
        }
        pieces(line).map(|(_, piece)| self.meant_by(piece)).collect()
    }

    /// A line that takes the place of one that matched: what is the same in both is the file's.
    pub(crate) fn carry(&self, old: &str, file: &str, new: &str) -> Option<String> {
        if !self.differ {
            return Some(new.to_owned());
        }
        let theirs: HashMap<usize, &str> = positions(old, file);
        let (old, new): (Vec<&str>, Vec<&str>) = (only(old), only(new));
        if old.len() > COMPARED_PIECES || new.len() > COMPARED_PIECES {
            return None;
        }
        let mut line = String::new();
        for op in capture_diff_slices(Algorithm::Myers, &old, &new) {
            for (offset, piece) in new[op.new_range()].iter().enumerate() {
                let kept = (op.tag() == DiffTag::Equal).then(|| theirs.get(&(op.old_range().start + offset)));
                match kept.flatten() {
                    Some(their) => line.push_str(their),
                    None => line.push_str(&self.meant_by(piece)?),
                }
            }
        }
        Some(line)
    }

    fn meant_by<'b>(&'b self, piece: &'b str) -> Option<Cow<'b, str>> {
        match self.meant.get(piece) {
            None => self.typing.meant_by(piece, self.file).map(Cow::Owned),
            Some(meant) if meant.len() == 1 => meant.iter().next().map(|meant| Cow::Borrowed(*meant)),
            Some(_) => None,
        }
    }
}

fn only(text: &str) -> Vec<&str> {
    pieces(text).map(|(_, piece)| piece).collect()
}

/// The file's piece for each numbered piece of `old`, as far as they can be told apart.
fn positions<'b>(old: &str, file: &'b str) -> HashMap<usize, &'b str> {
    let skipped = pieces(old).take_while(|(_, piece)| piece.trim().is_empty()).count();
    let (ours, theirs) = (FoldedText::new(old.trim()), FoldedText::new(file.trim()));
    let by_place: HashMap<_, _> = theirs.ranges().filter(|(folded, _)| !folded.is_empty()).collect();
    let numbered = (skipped..).zip(ours.ranges());
    numbered.filter_map(|(index, (folded, _))| Some((index, &file.trim()[by_place.get(&folded)?.clone()]))).collect()
}

/// Pieces that fold to the same place.
pub(super) fn aligned<'b>(ours: &'b str, theirs: &'b str) -> Vec<(&'b str, &'b str)> {
    let (our, their) = (FoldedText::new(ours), FoldedText::new(theirs));
    let by_place: HashMap<_, _> = their.ranges().filter(|(folded, _)| !folded.is_empty()).collect();
    our.ranges().filter_map(|(folded, range)| Some((&ours[range], &theirs[by_place.get(&folded)?.clone()]))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::LazyLock;

    static PLAIN: LazyLock<Typing> = LazyLock::new(Typing::default);

    fn learned(pairs: &[(&'static str, &'static str)]) -> Characters<'static> {
        Characters::learn(pairs.iter().copied(), &PLAIN, "")
    }

    #[test]
    fn what_always_stood_for_the_same_does_so_in_new_lines() {
        let curled = learned(&[("\u{201c}a\u{201d}", "\"a\"")]);
        assert_eq!(curled.apply("\u{201c}b\u{201d}").as_deref(), Some("\"b\""));
        let straightened = learned(&[("\"a\"", "\u{201c}a\u{201d}")]);
        assert_eq!(straightened.apply("\"b\""), None);
        assert_eq!(straightened.apply("b").as_deref(), Some("b"));
    }

    #[test]
    fn what_is_the_same_in_a_changed_line_is_the_files() {
        let (old, file) = ("  say \"hi\" to Bob - now", "    say \u{201c}hi\u{201d} to Bob \u{2013} now");
        let characters = learned(&[(old, file)]);
        let carried = characters.carry(old, file, "  say \"hi\" to Alice - now");
        assert_eq!(carried.as_deref(), Some("  say \u{201c}hi\u{201d} to Alice \u{2013} now"));
        assert_eq!(characters.carry(old, file, "  say \"hi\" to \"Bob\""), None);
    }

    #[test]
    fn without_a_difference_nothing_is_touched() {
        let same = learned(&[("\"a\" - b", "\"a\" - b")]);
        assert_eq!(same.apply("\u{201c}new\u{201d}").as_deref(), Some("\u{201c}new\u{201d}"));
    }
}
