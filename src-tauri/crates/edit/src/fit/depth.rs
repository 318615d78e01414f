//! Decides the indentation of a change's new lines where its old lines are indented differently from the file's. Pure.
//!
//! Mostly a whole hunk is shifted, and its new lines with it. But a model may also quote the old lines wrongly and write
//! the new ones as they have to be; shifting these would spoil them. What tells is how deep the new lines are beside the
//! old ones that they replace or stand between, as the model wrote those and as the file has them.

use std::cmp::Ordering;

use super::{Fit, Haystack, Op, indent};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    /// They are shifted as the old lines are.
    TheModels,
    /// They are right as they are.
    TheFiles,
    Unclear,
}

/// An old line's indentation as the model has it, and as the file has it.
type Pair<'a> = (&'a str, &'a str);

/// Returns the change of depth. Where nothing tells it for certain, the change is refused: shifted lines look as right
/// as others.
pub(super) fn depth(haystack: &Haystack<'_>, ops: &[Op<'_>], fit: &Fit) -> Depth {
    let groups = groups(haystack, ops, fit);
    if let Some(depth) = by_style(&groups) {
        return depth;
    }
    let votes: Vec<Vote> = groups.iter().filter_map(ChangedLines::vote).collect();
    let side = |is_it: fn(&Vote) -> bool| votes.iter().filter(|vote| is_it(vote)).map(|vote| vote.weight).max();
    let (models, files) = (side(|vote| vote.is_models), side(|vote| !vote.is_models));
    let [shifted, as_it_is] = [true, false].map(|is_shifted| groups.iter().map(|group| group.jumps(is_shifted)).sum());
    let is_smooth = |weight: Option<Weight>, own: usize, other: usize| weight == Some(Weight::Block) || own <= other;
    match models.cmp(&files) {
        Ordering::Greater if is_smooth(models, shifted, as_it_is) => Depth::TheModels,
        Ordering::Less if is_smooth(files, as_it_is, shifted) => Depth::TheFiles,
        _ => Depth::Unclear,
    }
}

/// Tabs in place of the file's spaces, or the other way round, are nobody's but the model's.
fn by_style(groups: &[ChangedLines<'_>]) -> Option<Depth> {
    let pairs = || groups.iter().flat_map(|group| group.beside().chain(group.removed.iter().copied()));
    let (model, file) = match () {
        () if pairs().any(|(ours, theirs)| ours.contains('\t') && theirs.starts_with(' ')) => ('\t', ' '),
        () if pairs().any(|(ours, theirs)| ours.starts_with(' ') && theirs.contains('\t')) => (' ', '\t'),
        () => return None,
    };
    let has = |style: char| groups.iter().flat_map(|group| &group.added).any(|(one, _)| one.starts_with(style));
    match (has(model), has(file)) {
        (true, false) => Some(Depth::TheModels),
        (false, true) => Some(Depth::TheFiles),
        (true, true) => Some(Depth::Unclear),
        (false, false) => None,
    }
}

/// The vote of a group for all of its lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Vote {
    is_models: bool,
    weight: Weight,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Weight {
    /// They are as deep as the lines that they replace, or stand beside.
    Level,
    /// They stand in a block that is opened or closed beside them.
    Block,
}

/// The ends of lines that open a block, and the beginnings of those that close one.
const OPENING: [char; 4] = ['{', '(', '[', ':'];
const CLOSING: [char; 3] = ['}', ')', ']'];

/// Lines that change together, between lines that are kept.
#[derive(Default)]
struct ChangedLines<'a> {
    removed: Vec<Pair<'a>>,
    /// Each with its indentation and its text.
    added: Vec<(&'a str, &'a str)>,
    /// The kept lines about them, with the text of each.
    before: Option<(Pair<'a>, &'a str)>,
    after: Option<(Pair<'a>, &'a str)>,
    /// The depth of the file before and behind them.
    depths: (Option<usize>, Option<usize>),
}

impl<'a> ChangedLines<'a> {
    fn beside(&self) -> impl Iterator<Item = Pair<'a>> {
        [self.before, self.after].into_iter().flatten().map(|(pair, _)| pair)
    }

    fn vote(&self) -> Option<Vote> {
        let ((first, _), least) =
            (self.added.first()?, self.added.iter().map(|(one, _)| *one).min_by_key(|one| one.len())?);
        let vote = |is_ours: bool, is_theirs: bool, weight| {
            (is_ours != is_theirs).then_some(Vote { is_models: is_ours, weight })
        };
        let block = vote(self.is_in_block(|(ours, _)| ours), self.is_in_block(|(_, theirs)| theirs), Weight::Block);
        let level = || match (self.removed.first(), self.removed.iter().min_by_key(|(ours, _)| ours.len())) {
            (Some((first_ours, first_theirs)), Some((ours, theirs))) => {
                vote(first == first_ours && least == *ours, first == first_theirs && least == *theirs, Weight::Level)
            }
            _ => vote(
                self.beside().any(|(ours, _)| ours == least),
                self.beside().any(|(_, theirs)| theirs == least),
                Weight::Level,
            ),
        };
        block.or_else(level)
    }

    /// Returns whether the new lines are deeper than a line before that opens a block, and than one behind that closes
    /// it.
    fn is_in_block(&self, of: impl Fn(Pair<'a>) -> &'a str) -> bool {
        let Some(((first, begins), (last, ends))) = self.added.first().zip(self.added.last()) else { return true };
        let opened = self.before.filter(|(_, text)| text.ends_with(OPENING) && !begins.starts_with(CLOSING));
        let closed = self.after.filter(|(_, text)| text.starts_with(CLOSING) && !ends.ends_with(OPENING));
        opened.is_none_or(|(pair, _)| first.len() > of(pair).len())
            && closed.is_none_or(|(pair, _)| last.len() > of(pair).len() || ends.starts_with(CLOSING))
    }

    /// Returns how much depth changes from the file to the new lines and back.
    fn jumps(&self, is_shifted: bool) -> usize {
        let Some(((first, _), (last, _))) = self.added.first().zip(self.added.last()) else { return 0 };
        let pair = self.removed.iter().copied().min_by_key(|(ours, _)| ours.len()).or_else(|| self.beside().next());
        let (ours, theirs) = pair.filter(|_| is_shifted).map_or((0, 0), |(ours, theirs)| (ours.len(), theirs.len()));
        let depth = |indentation: &str| (indentation.len() + theirs).saturating_sub(ours);
        let jump =
            |indentation: &str, beside: Option<usize>| beside.map_or(0, |beside| depth(indentation).abs_diff(beside));
        jump(first, self.depths.0) + jump(last, self.depths.1)
    }
}

fn groups<'a>(haystack: &'a Haystack<'_>, ops: &[Op<'a>], fit: &Fit) -> Vec<ChangedLines<'a>> {
    let mut groups: Vec<ChangedLines<'a>> = vec![ChangedLines::default()];
    let mut rows = fit.rows.iter();
    let mut next = fit.span.start;
    let has_text = |line: &str| !line.trim().is_empty();
    let depth = |row: usize| indent::of(haystack.line(row)).len();
    let above = |row: usize| (0..row).rev().find(|row| has_text(haystack.line(*row))).map(depth);
    let below = |row: usize| (row..haystack.len()).find(|row| has_text(haystack.line(*row))).map(depth);
    groups[0].depths.0 = above(next);
    for op in ops {
        let row = if op.old().is_some() { rows.next().copied().flatten() } else { None };
        let pair = |line: &'a str| Some((indent::of(line), indent::of(haystack.line(row?)))).filter(|_| has_text(line));
        next = row.map_or(next, |row| row + 1);
        let Some(group) = groups.last_mut() else { continue };
        group.depths.1 = below(if matches!(op, Op::Keep(_)) { next.saturating_sub(1) } else { next });
        match *op {
            Op::Add(line) if has_text(line) => group.added.push((indent::of(line), line.trim())),
            Op::Add(_) => {}
            Op::Remove(line) => group.removed.extend(pair(line)),
            Op::Keep(line) => {
                let Some(pair) = pair(line) else { continue };
                let beside = Some((pair, line.trim()));
                group.after = beside;
                // It stands before the next ones too.
                groups.push(ChangedLines { before: beside, depths: (above(next), None), ..ChangedLines::default() });
            }
        }
    }
    groups
}
