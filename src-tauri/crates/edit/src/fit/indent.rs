//! Bringing new lines to the indentation of the file, when the model indents otherwise. Pure.
//!
//! What is known is how the lines that matched are indented on both sides. A depth that is among them is certain; for
//! another every explanation that fits is asked, and they have to agree.

use std::collections::HashMap;

/// The likely widths of one level where the text itself does not tell.
const LIKELY_WIDTHS: [usize; 3] = [4, 2, 8];

/// A width so large that no number of spaces makes a level.
const TABS_ALONE: usize = usize::MAX;

/// The indentation learned from the lines that matched.
pub(super) struct Indentation<'a> {
    /// The file's indentation for the model's; `None` where it had several.
    known: HashMap<&'a str, Option<&'a str>>,
    pairs: Vec<(&'a str, &'a str)>,
    file: Style,
    model_width: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Tabs,
    Spaces(usize),
}

impl<'a> Indentation<'a> {
    /// `pairs` are lines of the change and of the file that matched; `file` and `model` are all lines of either.
    pub(super) fn learn<'b, 'c>(
        pairs: impl Iterator<Item = (&'a str, &'a str)>,
        file: impl Iterator<Item = &'b str>,
        model: impl Iterator<Item = &'c str>,
    ) -> Self {
        let mut known = HashMap::new();
        let mut distinct = Vec::new();
        for (ours, theirs) in pairs.filter(|(line, _)| !line.trim().is_empty()) {
            let pair = (of(ours), of(theirs));
            let entry = known.entry(pair.0).or_insert(Some(pair.1));
            if *entry != Some(pair.1) {
                *entry = None;
            }
            if !distinct.contains(&pair) {
                distinct.push(pair);
            }
        }
        let model_width = step(model.map(of));
        Self { known, pairs: distinct, file: Style::of(file), model_width }
    }

    /// Returns whether the model indents the lines that matched as the file does.
    pub(super) fn is_the_same(&self) -> bool {
        self.pairs.iter().all(|(ours, theirs)| ours == theirs)
    }

    /// `line` as the file would indent it; `None` where that can't be told for certain.
    pub(super) fn apply(&self, line: &str) -> Option<String> {
        if self.is_the_same() {
            return Some(line.to_owned());
        }
        let text = line.trim_start();
        if text.is_empty() {
            return Some(String::new());
        }
        self.of_depth(of(line)).map(|indentation| indentation + text)
    }

    fn of_depth(&self, indentation: &str) -> Option<String> {
        if let Some(known) = self.known.get(indentation) {
            return known.map(str::to_owned);
        }
        if self.known.values().any(Option::is_none) {
            return None;
        }
        let by_prefix = self.by_prefix(indentation).into_iter();
        let mut answers = by_prefix.chain(self.by_levels(indentation));
        let first = answers.next()?;
        answers.all(|other| other == first).then_some(first)
    }

    /// The same amount more, or less, on every line.
    fn by_prefix(&self, indentation: &str) -> Option<String> {
        let (ours, theirs) = self.pairs.first()?;
        if let Some(more) = theirs.strip_suffix(ours) {
            let explains = self.pairs.iter().all(|(ours, theirs)| theirs.strip_suffix(ours) == Some(more));
            return explains.then(|| format!("{more}{indentation}"));
        }
        let less = ours.strip_suffix(theirs)?;
        let explains = self.pairs.iter().all(|(ours, theirs)| ours.strip_suffix(theirs) == Some(less));
        if explains { indentation.strip_prefix(less).map(str::to_owned) } else { None }
    }

    /// The same level, or so many deeper, in the file's own style.
    fn by_levels(&self, indentation: &str) -> Vec<String> {
        let widths = self.model_width.map_or_else(|| LIKELY_WIDTHS.to_vec(), |width| vec![width]);
        let answer = |width| self.file.write(indentation, width, self.levels_deeper(width)?);
        widths.into_iter().filter_map(answer).collect()
    }

    fn levels_deeper(&self, model_width: usize) -> Option<isize> {
        let mut deeper = self.pairs.iter().map(|(ours, theirs)| {
            let (ours, rest) = levels(ours, model_width)?;
            let (theirs, their_rest) = self.file.levels(theirs)?;
            (rest == their_rest).then(|| theirs.cast_signed() - ours.cast_signed())
        });
        let first = deeper.next()??;
        // Where levels look different on both sides, that they are equally deep is what shows how wide they are.
        let explains = (first == 0 || self.has_the_same_levels(model_width)) && deeper.all(|one| one == Some(first));
        explains.then_some(first)
    }

    fn has_the_same_levels(&self, model_width: usize) -> bool {
        match self.file {
            Style::Tabs => self.pairs.iter().all(|(ours, _)| !ours.contains(' ')),
            Style::Spaces(width) => width == model_width && self.pairs.iter().all(|(ours, _)| !ours.contains('\t')),
        }
    }
}

impl Style {
    pub(super) fn of<'b>(lines: impl Iterator<Item = &'b str>) -> Self {
        let (mut tabs, mut spaces) = (0usize, 0usize);
        let mut widths = Vec::new();
        for indentation in lines.filter(|line| !line.trim().is_empty()).map(of) {
            match indentation.chars().next() {
                Some('\t') => tabs += 1,
                Some(_) => spaces += 1,
                None => {}
            }
            widths.push(indentation);
        }
        if tabs > spaces { Self::Tabs } else { Self::Spaces(common_step(&widths).unwrap_or(LIKELY_WIDTHS[0])) }
    }

    fn levels(self, indentation: &str) -> Option<(usize, usize)> {
        match self {
            Self::Tabs => {
                let tabs = indentation.chars().take_while(|character| *character == '\t').count();
                let rest = &indentation[tabs..];
                rest.chars().all(|character| character == ' ').then_some((tabs, rest.len()))
            }
            Self::Spaces(width) => levels(indentation, width).filter(|_| !indentation.contains('\t')),
        }
    }

    fn write(self, indentation: &str, model_width: usize, deeper: isize) -> Option<String> {
        let (level, rest) = levels(indentation, model_width)?;
        let level = level.checked_add_signed(deeper)?;
        let whole = match self {
            Self::Tabs => "\t".repeat(level),
            Self::Spaces(width) => " ".repeat(level * width),
        };
        Some(whole + &" ".repeat(rest))
    }
}

pub(super) fn of(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// Whole levels and the spaces over; `None` where tabs follow spaces.
fn levels(indentation: &str, width: usize) -> Option<(usize, usize)> {
    let tabs = indentation.chars().take_while(|character| *character == '\t').count();
    let spaces = indentation.len() - tabs;
    indentation[tabs..].chars().all(|character| character == ' ').then(|| (tabs + spaces / width, spaces % width))
}

/// Returns what all depths of these lines are multiples of, seen from the least; `None` if they have one depth. Beside
/// tabs, spaces only align.
fn step<'b>(indentations: impl Iterator<Item = &'b str>) -> Option<usize> {
    let indentations: Vec<&str> = indentations.collect();
    if indentations.iter().any(|one| one.contains('\t')) {
        return Some(TABS_ALONE);
    }
    let widths: Vec<usize> = indentations.iter().map(|one| one.len()).collect();
    let least = widths.iter().min()?;
    let step = widths.iter().fold(0, |step, width| greatest_common_divisor(width - least, step));
    (step > 1).then_some(step)
}

fn greatest_common_divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

/// Returns the number of columns by which lines most often go deeper than the one before.
fn common_step(indentations: &[&str]) -> Option<usize> {
    let mut counts: HashMap<usize, usize> = HashMap::new();
    for pair in indentations.windows(2) {
        if let Some(step) = pair[1].len().checked_sub(pair[0].len()).filter(|step| *step > 1) {
            *counts.entry(step).or_default() += 1;
        }
    }
    counts.into_iter().max_by_key(|(step, count)| (*count, usize::MAX - step)).map(|(step, _)| step)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The model's and the file's lines that matched, one deeper line of each kind in the file, and the new line.
    fn check(ours: &[&str], theirs: &[&str], file: &[&str], new: &str, expected: Option<&str>) {
        let pairs = ours.iter().copied().zip(theirs.iter().copied());
        let file = file.iter().chain(theirs).copied();
        let model = ours.iter().copied().chain([new]);
        let learned = Indentation::learn(pairs, file, model);
        assert_eq!(learned.apply(new).as_deref(), expected, "{new:?}");
    }

    #[test]
    fn a_depth_that_matched_is_certain() {
        check(&["a", "  b"], &["\ta", "\t\t\tb"], &[], "  new", Some("\t\t\tnew"));
        check(&["  a", "  b"], &["    a", "      b"], &[], "  new", None);
        check(&["a"], &["    a"], &[], "   ", Some(""));
    }

    #[test]
    fn a_block_that_is_shifted_is_shifted_back() {
        let file = ["fn f() {", "    a", "        b"];
        check(&["a"], &["    a"], &file, "    new", Some("        new"));
        check(&["        a"], &["    a"], &file, "            new", Some("        new"));
        check(&["        a"], &["    a"], &file, "  new", None);
    }

    #[test]
    fn spaces_become_the_files_tabs_and_tabs_its_spaces() {
        check(&["    a", "        b"], &["\ta", "\t\tb"], &[], "            new", Some("\t\t\tnew"));
        check(&["\ta"], &["  a"], &["x {", "  a", "    b"], "\t\tnew", Some("    new"));
        check(&["    a"], &["\ta"], &[], "        new", Some("\t\tnew"));
        check(&["\ta"], &["    a"], &["x {", "    a"], "  new", Some("  new"));
        check(&["\t\ta"], &["    a"], &["x {", "    a"], "\tnew", None);
    }

    #[test]
    fn another_width_of_levels_is_translated() {
        check(&["  a", "    b"], &["    a", "        b"], &["x {"], "      new", Some("            new"));
        check(&["  a"], &["    a"], &["x {"], "    new", None);
    }
}
