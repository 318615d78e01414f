//! The typing of a model whose patch differs from the files: quotes curled, tabs for spaces. Pure.
//!
//! A model slips in the same way all through a patch, but shows it only where an old line has such a character. So it is
//! learned from every hunk, and every new line follows its file.

use std::collections::{HashMap, HashSet};

use super::fold::{fold, pieces};
use super::indent::{self, Style};
use super::{Fit, Haystack, Op, look_alikes};

/// The kind of a plain character: who curls quotes may well mean a dash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum CharacterKind {
    Quote,
    Dash,
    Space,
    Other,
}

impl CharacterKind {
    fn of(plain: &str) -> Self {
        match plain {
            "'" | "\"" => Self::Quote,
            "-" => Self::Dash,
            " " | "" => Self::Space,
            _ => Self::Other,
        }
    }
}

#[derive(Debug, Default)]
pub struct Typing {
    /// The model's characters, and those of the files that they stand for.
    meant: HashMap<String, HashSet<String>>,
    /// Some hunk was found by look-alikes.
    differs: bool,
    /// The kinds of characters that the model curls where the files have the plain ones.
    curls: HashSet<CharacterKind>,
    /// The number of a file's spaces that one tab of the model's stands for, and the other way round.
    tab_widths: HashSet<Option<usize>>,
    space_widths: HashSet<Option<usize>>,
}

impl Typing {
    pub(crate) fn learn(&mut self, haystack: &Haystack<'_>, ops: &[Op<'_>], fit: &Fit) {
        let old = ops.iter().filter_map(|op| op.old());
        let rows = old.zip(&fit.rows).filter_map(|(line, row)| Some((line, haystack.line((*row)?))));
        for (ours, theirs) in rows.filter(|(ours, theirs)| fold(ours).trim() == fold(theirs).trim()) {
            self.learn_text(ours, theirs);
            self.learn_indentation(indent::of(ours), indent::of(theirs));
        }
    }

    /// Learns from a text of the model's and one of the file's that are alike.
    pub(crate) fn learn_text(&mut self, ours: &str, theirs: &str) {
        for (our, their) in look_alikes::aligned(ours.trim(), theirs.trim()) {
            self.differs |= our != their;
            if our != their && fold(our) == their {
                self.curls.insert(CharacterKind::of(their));
            }
            self.meant.entry(our.to_owned()).or_default().insert(their.to_owned());
        }
    }

    fn learn_indentation(&mut self, ours: &str, theirs: &str) {
        let (tabs, spaces) = (|text: &str| text.matches('\t').count(), |text: &str| text.matches(' ').count());
        if tabs(ours) == ours.len() && spaces(theirs) == theirs.len() && !ours.is_empty() && !theirs.is_empty() {
            self.tab_widths.insert(theirs.len().is_multiple_of(ours.len()).then(|| theirs.len() / ours.len()));
        }
        if spaces(ours) == ours.len() && tabs(theirs) == theirs.len() && !ours.is_empty() && !theirs.is_empty() {
            self.space_widths.insert(ours.len().is_multiple_of(theirs.len()).then(|| ours.len() / theirs.len()));
        }
    }

    pub(crate) fn differs(&self) -> bool {
        self.differs
    }

    /// New text in place of `old`, which is in the file as it is: what is in that is meant as it is.
    pub(crate) fn followed(&self, new: &str, old: &str, haystack: &Haystack<'_>) -> Option<String> {
        if !self.differs {
            return Some(new.to_owned());
        }
        let mut followed = String::with_capacity(new.len());
        for (index, line) in new.split_inclusive('\n').enumerate() {
            let (indentation, text) = line.split_at(indent::of(line).len());
            let is_known = index == 0 || old.contains('\t');
            match is_known {
                true => followed.push_str(indentation),
                false => followed.push_str(&self.indentation(indentation, haystack)?),
            }
            for (_, piece) in pieces(text) {
                match old.contains(piece) || piece == "\n" {
                    true => followed.push_str(piece),
                    false => followed.push_str(&self.meant_by(piece, haystack.text)?),
                }
            }
        }
        Some(followed)
    }

    /// Returns what a character stands for that the lines about it tell nothing of; `None` where that can't be told.
    pub(super) fn meant_by(&self, piece: &str, file: &str) -> Option<String> {
        if !self.differs {
            return Some(piece.to_owned());
        }
        match self.meant.get(piece) {
            Some(meant) if meant.len() == 1 => meant.iter().next().cloned(),
            Some(meant) => (piece.is_ascii() && meant.contains(piece)).then(|| piece.to_owned()),
            None => self.straightened(piece, file),
        }
    }

    fn straightened(&self, piece: &str, file: &str) -> Option<String> {
        let plain = fold(piece);
        if plain == piece || !self.curls.contains(&CharacterKind::of(&plain)) {
            return Some(piece.to_owned());
        }
        match (file.contains(piece), file.contains(&plain)) {
            (true, true) if !plain.is_empty() => None,
            (true, _) => Some(piece.to_owned()),
            (false, _) => Some(plain),
        }
    }

    /// The indentation of a new line in the file's tabs or spaces, where the lines about it are indented as the file's
    /// are; `None` where it can't be told.
    pub(super) fn indentation(&self, indentation: &str, haystack: &Haystack<'_>) -> Option<String> {
        let shows = self.differs || !self.tab_widths.is_empty() || !self.space_widths.is_empty();
        if !shows || indentation.is_empty() {
            return Some(indentation.to_owned());
        }
        let begins = |first: char| haystack.lines().any(|line| line.starts_with(first) && !line.trim().is_empty());
        let (has_tabs, has_spaces) = (begins('\t'), begins(' '));
        if indentation.contains('\t') && has_spaces && !has_tabs {
            let width = match Style::of(haystack.lines()) {
                _ if !self.tab_widths.is_empty() => only(&self.tab_widths)?,
                Style::Spaces(width) => width,
                Style::Tabs => return None,
            };
            return Some(indentation.replace('\t', &" ".repeat(width)));
        }
        if indentation.starts_with(' ') && has_tabs && !has_spaces && !self.space_widths.is_empty() {
            let width = only(&self.space_widths)?;
            return indentation.len().is_multiple_of(width).then(|| "\t".repeat(indentation.len() / width));
        }
        Some(indentation.to_owned())
    }
}

fn only(widths: &HashSet<Option<usize>>) -> Option<usize> {
    let mut widths = widths.iter();
    widths.next().copied().flatten().filter(|width| widths.next().is_none() && *width > 0)
}
