//! Real changes, as models hand them in: each pair of `tests/fixtures/patch_corpus.zst` as edits and as patches, exact and
//! with the slips that models make. What comes out is the real commit's file or an error, never anything else.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "tests fail by panicking, and a rate is read"
)]

use arki_edit::TextEdit;
use arki_files::{ChangeSet, Project, Result, plan_edit, plan_patch};
use serde::Deserialize;
use similar::{Algorithm, DiffTag, capture_diff_slices, group_diff_ops};
use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::Path;

const CONTEXT_LINES: usize = 3;

#[derive(Deserialize)]
struct Pair {
    path: String,
    before: String,
    after: String,
}

/// One line of a hunk: how it is in the file, and how the model writes it.
#[derive(Clone)]
struct Line {
    sign: char,
    file: String,
    model: String,
}

#[derive(Clone)]
struct Hunk {
    old_start: usize,
    /// No line of it was forgotten.
    is_whole: bool,
    lines: Vec<Line>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Slip {
    None,
    /// The file has spaces at the ends of lines, the model has not.
    TrailingSpaceLost,
    /// The other way round.
    TrailingSpaceAdded,
    Dedented,
    Indented,
    TabsForSpaces,
    QuotesCurled,
    DashesAndSpaces,
    ContextMisspelt,
    ContextLineForgotten,
    NumbersOff,
    TrailingSpaceLostAndDedented,
    /// New lines are right.
    OldDedented,
    OldIndented,
    OldInTabs,
    RemovedDedented,
}

const SLIPS: [Slip; 16] = [
    Slip::None,
    Slip::TrailingSpaceLost,
    Slip::TrailingSpaceAdded,
    Slip::Dedented,
    Slip::Indented,
    Slip::TabsForSpaces,
    Slip::QuotesCurled,
    Slip::DashesAndSpaces,
    Slip::ContextMisspelt,
    Slip::ContextLineForgotten,
    Slip::NumbersOff,
    Slip::TrailingSpaceLostAndDedented,
    Slip::OldDedented,
    Slip::OldIndented,
    Slip::OldInTabs,
    Slip::RemovedDedented,
];

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Form {
    Edits,
    Envelope,
    Unified,
}

#[derive(Default)]
struct Count {
    landed: usize,
    refused: usize,
}

#[test]
fn what_lands_is_what_the_real_commit_made_and_nothing_else_ever() {
    let folder = tempfile::tempdir().unwrap();
    let project = Project::open(folder.path()).unwrap();
    let mut by_slip: BTreeMap<(Slip, Form), Count> = BTreeMap::new();
    let mut by_tier: BTreeMap<String, usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for (number, pair) in corpus().iter().enumerate() {
        for slip in SLIPS {
            let Some(case) = Case::new(pair, slip, number) else { continue };
            for form in [Form::Edits, Form::Envelope, Form::Unified] {
                let has_its_turn = slip == Slip::None || (number + slip as usize + form as usize).is_multiple_of(3);
                let is_wanted = if slip == Slip::NumbersOff { form == Form::Unified } else { has_its_turn };
                if !is_wanted {
                    continue;
                }
                fs::write(folder.path().join("file"), &case.before).unwrap();
                let count = by_slip.entry((slip, form)).or_default();
                match case.plan(&project, form) {
                    Err(_) => count.refused += 1,
                    Ok(change) => {
                        let after = change.files().first().and_then(|file| file.after.as_deref().map(<[u8]>::to_vec));
                        let after = after.unwrap_or_else(|| case.before.clone().into_bytes());
                        if is_meant(&after, &case.after, slip, form) {
                            count.landed += 1;
                            *by_tier.entry(tier(&change)).or_default() += 1;
                        } else {
                            wrong.push(format!("{} ({number}) {slip:?} {form:?}", pair.path));
                        }
                    }
                }
            }
        }
    }
    let (mut landed, mut all) = (0, 0);
    for ((slip, form), count) in &by_slip {
        let total = count.landed + count.refused;
        println!(
            "{:<30} {:<9} {:>5} of {total:>5} {:>5.1} %",
            format!("{slip:?}"),
            format!("{form:?}"),
            count.landed,
            rate(count.landed, total)
        );
        (landed, all) = (landed + count.landed, all + total);
    }
    for (tier, count) in &by_tier {
        println!("landed, matched but for {tier:<40} {count:>6} {:>5.1} % of all", rate(*count, all));
    }
    println!("landed in all {landed} of {all}, {:.1} %; wrong {}", rate(landed, all), wrong.len());
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(by_slip[&(Slip::None, Form::Unified)].refused, 0, "an exact diff always lands");
    // Far below what is measured, far above what a tier that does not work leaves.
    let least = |slip: Slip, percent: f64| {
        for ((_, form), count) in by_slip.iter().filter(|((one, _), _)| *one == slip) {
            let landed = rate(count.landed, count.landed + count.refused);
            assert!(landed >= percent, "{slip:?} as {form:?}: only {landed:.1} %");
        }
    };
    least(Slip::None, 95.0);
    least(Slip::TrailingSpaceLost, 90.0);
    least(Slip::TrailingSpaceAdded, 80.0);
    least(Slip::Dedented, 70.0);
    least(Slip::Indented, 70.0);
    least(Slip::QuotesCurled, 80.0);
    least(Slip::OldDedented, 50.0);
    least(Slip::OldIndented, 50.0);
    least(Slip::NumbersOff, 90.0);
    least(Slip::ContextMisspelt, 40.0);
}

/// An edit does not say which of two equal lines it keeps, so not which of them has the file's spaces at its end.
fn is_meant(after: &[u8], meant: &str, slip: Slip, form: Form) -> bool {
    let is_about_spaces =
        matches!(slip, Slip::TrailingSpaceLost | Slip::TrailingSpaceAdded | Slip::TrailingSpaceLostAndDedented);
    let after = String::from_utf8_lossy(after);
    if is_about_spaces && form == Form::Edits {
        return after.lines().map(str::trim_end).eq(meant.lines().map(str::trim_end));
    }
    after == meant
}

fn rate(part: usize, whole: usize) -> f64 {
    part as f64 * 100.0 / whole.max(1) as f64
}

fn corpus() -> Vec<Pair> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/fixtures/patch_corpus.zst");
    let text = String::from_utf8(zstd::decode_all(fs::File::open(file).unwrap()).unwrap()).unwrap();
    let pairs: Vec<Pair> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(pairs.len() >= 200, "only {} pairs", pairs.len());
    pairs
}

/// The most forgiving tier that was needed.
fn tier(change: &ChangeSet) -> String {
    let tiers = ["some lines around it", "characters that look alike", "indentation", "spaces at the ends of lines"];
    let used = tiers.into_iter().find(|tier| change.notes().iter().any(|note| note.contains(tier)));
    used.unwrap_or("nothing").to_owned()
}

struct Case {
    before: String,
    after: String,
    hunks: Vec<Hunk>,
    number_shift: isize,
}

impl Case {
    /// `None` where the slip cannot be made, or would ask for something else.
    fn new(pair: &Pair, slip: Slip, number: usize) -> Option<Self> {
        let (old, new) = (pair.before.strip_suffix('\n')?, pair.after.strip_suffix('\n')?);
        let (old, new): (Vec<&str>, Vec<&str>) = (old.split('\n').collect(), new.split('\n').collect());
        let mut random = Random(number as u64 * 31 + slip as u64 + 1);
        let file_has_spaces = matches!(slip, Slip::TrailingSpaceLost | Slip::TrailingSpaceLostAndDedented);
        // By its content, so that a line has them in both files.
        let spaced = |line: &str| {
            let has = file_has_spaces && line.bytes().map(usize::from).sum::<usize>() % 3 == 0;
            if has { format!("{line}  ") } else { line.to_owned() }
        };
        let ops = capture_diff_slices(Algorithm::Myers, &old, &new);
        let mut after = Vec::new();
        for op in &ops {
            let is_kept = op.tag() == DiffTag::Equal;
            after
                .extend(new[op.new_range()].iter().map(|line| if is_kept { spaced(line) } else { (*line).to_owned() }));
        }
        let mut hunks: Vec<Hunk> = group_diff_ops(ops, CONTEXT_LINES)
            .iter()
            .map(|group| {
                let mut lines = Vec::new();
                for op in group {
                    let mut push =
                        |sign, file: String, model: &str| lines.push(Line { sign, file, model: model.to_owned() });
                    if op.tag() == DiffTag::Equal {
                        old[op.old_range()].iter().for_each(|line| push(' ', spaced(line), line));
                    } else {
                        old[op.old_range()].iter().for_each(|line| push('-', spaced(line), line));
                        new[op.new_range()].iter().for_each(|line| push('+', (*line).to_owned(), line));
                    }
                }
                Hunk { old_start: group[0].old_range().start + 1, is_whole: true, lines }
            })
            .collect();
        // Of a patch that curls nobody could tell which of its own curled ones are meant.
        let own = ['\u{2018}', '\u{2019}', '\u{201c}', '\u{201d}', '\u{2013}', '\u{2014}', '\u{a0}'];
        let lines = || hunks.iter().flat_map(|hunk| &hunk.lines);
        if matches!(slip, Slip::QuotesCurled | Slip::DashesAndSpaces)
            && lines().any(|line| line.sign == '+' && line.model.contains(own))
        {
            return None;
        }
        let slipped = hunks.iter_mut().filter_map(|hunk| slip.make(hunk, &mut random)).count();
        let before: Vec<String> = old.iter().map(|line| spaced(line)).collect();
        if slip != Slip::None && slip != Slip::NumbersOff && slipped == 0 {
            return None;
        }
        let number_shift = if slip == Slip::NumbersOff { random.below(40).cast_signed() - 20 } else { 0 };
        let case = Self { before: before.join("\n") + "\n", after: after.join("\n") + "\n", hunks, number_shift };
        case.asks_for_this(slip).then_some(case)
    }

    /// A slip by which the text is, exactly, that of another place is no slip but another change.
    fn asks_for_this(&self, slip: Slip) -> bool {
        slip == Slip::None
            || self.hunks.iter().all(|hunk| {
                let model = hunk.text(|line| line.sign != '+', |line| &line.model);
                let file = hunk.text(|line| line.sign != '+', |line| &line.file);
                let is_whole = slip != Slip::ContextLineForgotten || hunk.is_whole;
                // Also of what an edit before it has made.
                let is_elsewhere = self.before.contains(&model) || self.after.contains(&model);
                (model == file && is_whole) || !is_elsewhere
            })
    }

    fn plan(&self, project: &Project, form: Form) -> Result<ChangeSet> {
        match form {
            Form::Edits => {
                let edit = |hunk: &Hunk| TextEdit {
                    old_text: hunk.text(|line| line.sign != '+', |line| &line.model),
                    new_text: hunk.text(|line| line.sign != '-', |line| &line.model),
                    replace_all: false,
                };
                let edits: Vec<TextEdit> = self.hunks.iter().map(edit).collect();
                plan_edit(project, &project.resolve("file").unwrap(), &edits)
            }
            Form::Envelope => {
                plan_patch(project, &self.patch("*** Begin Patch\n*** Update File: file\n", |_| "@@".to_owned()))
            }
            Form::Unified => {
                let shift = self.number_shift;
                let header = |hunk: &Hunk| {
                    let start = hunk.old_start.saturating_add_signed(shift).max(1);
                    let wrong = usize::from(shift != 0);
                    let count = |sign| hunk.lines.iter().filter(|line| line.sign != sign).count() + wrong;
                    format!("@@ -{start},{} +{start},{} @@", count('+'), count('-'))
                };
                plan_patch(project, &self.patch("--- a/file\n+++ b/file\n", header))
            }
        }
    }

    fn patch(&self, head: &str, header: impl Fn(&Hunk) -> String) -> String {
        let mut patch = head.to_owned();
        for hunk in &self.hunks {
            patch.push_str(&header(hunk));
            patch.push('\n');
            hunk.lines.iter().for_each(|line| patch.push_str(&format!("{}{}\n", line.sign, line.model)));
        }
        patch
    }
}

impl Hunk {
    fn text<'a>(&'a self, which: impl Fn(&Line) -> bool, text: impl Fn(&'a Line) -> &'a String) -> String {
        self.lines.iter().filter(|line| which(line)).map(|line| format!("{}\n", text(line))).collect()
    }
}

impl Slip {
    /// `None` where there is nothing to slip on.
    fn make(self, hunk: &mut Hunk, random: &mut Random) -> Option<()> {
        match self {
            Self::None | Self::NumbersOff => None,
            Self::TrailingSpaceLost => hunk.lines.iter().any(|line| line.file != line.model).then_some(()),
            Self::TrailingSpaceAdded => {
                let lines = hunk.lines.iter_mut().filter(|line| line.sign != '+' && !line.model.is_empty());
                // In a context line it would stay there in the edit's new text too, which asks for nothing.
                lines.step_by(2).map(|line| line.model.push_str("  ")).last()
            }
            Self::Dedented | Self::TrailingSpaceLostAndDedented => {
                let depths =
                    hunk.lines.iter().filter(|line| !line.model.trim().is_empty()).map(|line| depth(&line.model));
                let common = depths.min().filter(|depth| *depth > 0)?;
                each(hunk, |line| line.get(common..).unwrap_or_default().to_owned())
            }
            Self::Indented => {
                each(hunk, |line| if line.trim().is_empty() { line.to_owned() } else { format!("    {line}") })
            }
            Self::TabsForSpaces => {
                hunk.lines.iter().any(|line| line.sign != '+' && depth(&line.model) >= 4).then_some(())?;
                each(hunk, |line| {
                    let depth = depth(line);
                    format!("{}{}{}", "\t".repeat(depth / 4), " ".repeat(depth % 4), &line[depth..])
                })
            }
            Self::OldDedented => {
                let old = hunk.lines.iter().filter(|line| line.sign != '+' && !line.model.trim().is_empty());
                let common = old.map(|line| depth(&line.model)).min().filter(|depth| *depth > 0)?;
                each_of(hunk, |sign| sign != '+', |line| line.get(common..).unwrap_or_default().to_owned())
            }
            Self::OldIndented => each_of(
                hunk,
                |sign| sign != '+',
                |line| if line.trim().is_empty() { line.to_owned() } else { format!("    {line}") },
            ),
            Self::OldInTabs => {
                hunk.lines.iter().any(|line| line.sign != '+' && depth(&line.model) >= 4).then_some(())?;
                each_of(
                    hunk,
                    |sign| sign != '+',
                    |line| {
                        let depth = depth(line);
                        format!("{}{}{}", "\t".repeat(depth / 4), " ".repeat(depth % 4), &line[depth..])
                    },
                )
            }
            Self::RemovedDedented => {
                hunk.lines.iter().any(|line| line.sign == '-' && depth(&line.model) > 0).then_some(())?;
                each_of(hunk, |sign| sign == '-', |line| line.trim_start_matches(' ').to_owned())
            }
            Self::QuotesCurled => curl(hunk, &[('"', '\u{201d}'), ('\'', '\u{2019}')]),
            Self::DashesAndSpaces => curl(hunk, &[('-', '\u{2013}'), (' ', '\u{a0}')]),
            Self::ContextMisspelt => {
                let kept: Vec<usize> = hunk
                    .lines
                    .iter()
                    .enumerate()
                    .filter(|(_, line)| line.sign == ' ' && line.model.trim().len() > 8)
                    .map(|(index, _)| index)
                    .collect();
                let line = &mut hunk.lines[*kept.get(random.below(kept.len().max(1)))?];
                let middle = line.model.floor_char_boundary(line.model.len() / 2);
                line.model.insert_str(middle, "xy");
                Some(())
            }
            Self::ContextLineForgotten => {
                let kept: Vec<usize> = (0..hunk.lines.len()).filter(|index| hunk.lines[*index].sign == ' ').collect();
                let index = *kept.get(random.below(kept.len().max(1)))?;
                hunk.lines.remove(index);
                hunk.is_whole = false;
                Some(())
            }
        }
    }
}

fn depth(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

fn each(hunk: &mut Hunk, slip: impl Fn(&str) -> String) -> Option<()> {
    hunk.lines.iter_mut().for_each(|line| line.model = slip(&line.model));
    Some(())
}

fn each_of(hunk: &mut Hunk, which: impl Fn(char) -> bool, slip: impl Fn(&str) -> String) -> Option<()> {
    let lines = hunk.lines.iter_mut().filter(|line| which(line.sign));
    lines.for_each(|line| line.model = slip(&line.model));
    Some(())
}

/// In every line, but for characters of new lines that no old one shows as well: what those should be nobody could tell.
fn curl(hunk: &mut Hunk, pairs: &[(char, char)]) -> Option<()> {
    let inside = |line: &str| line[depth(line)..].to_owned();
    let shown: HashSet<char> = hunk
        .lines
        .iter()
        .filter(|line| line.sign != '+')
        .flat_map(|line| inside(&line.model).chars().collect::<Vec<_>>())
        .collect();
    let pairs: Vec<(char, char)> =
        pairs.iter().copied().filter(|(plain, curled)| shown.contains(plain) && !shown.contains(curled)).collect();
    pairs.first()?;
    each(hunk, |line| {
        let (indentation, text) = line.split_at(depth(line));
        let text: String = text
            .chars()
            .map(|c| pairs.iter().find(|(plain, _)| *plain == c).map_or(c, |(_, curled)| *curled))
            .collect();
        format!("{indentation}{text}")
    })
}

/// The same numbers every time.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }
}
