//! Files that went from one path and came to another. Pure.
//!
//! Like git, this looks at contents alone: first those that are the same, then texts of which most lines are. A pair is
//! one only where no other file would do as well, and where finding that out is cheap.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{BuildHasher, RandomState};

use super::FileChange;
use crate::file_content::FileContent;
use crate::project::ProjectPath;
use arki_edit::{is_text, split_lines};

/// The share of lines that a moved text keeps at least, in per cent.
const LEAST_SIMILARITY: usize = 60;
/// The most pairs of files that are compared: of one content by their names, and of others by their lines.
const MAX_PAIRS: usize = 10_000;
/// A larger text is moved only where all of it is.
const MAX_LINES: usize = 5_000;

/// A path that goes and one that comes.
type MovedPaths<'a> = [&'a ProjectPath; 2];

/// Returns the old path of each moved file, by the new one.
pub(super) fn moves_among(files: &[FileChange]) -> BTreeMap<ProjectPath, ProjectPath> {
    let gone = files.iter().filter(|change| change.after.is_none());
    let came = files.iter().filter(|change| change.before.is_none());
    let mut gone: Vec<SideFile<'_>> = gone.filter_map(|change| SideFile::of(change, &change.before)).collect();
    let mut came: Vec<SideFile<'_>> = came.filter_map(|change| SideFile::of(change, &change.after)).collect();
    let mut pairs = same_contents(&gone, &came);
    let taken: BTreeSet<&ProjectPath> = pairs.iter().flatten().copied().collect();
    gone.retain(|file| !taken.contains(file.path));
    came.retain(|file| !taken.contains(file.path));
    pairs.extend(similar_texts(&gone, &came));
    pairs.into_iter().map(|[old, new]| (new.clone(), old.clone())).collect()
}

/// A file that goes or comes, with the content it has where it is.
#[derive(Clone, Copy)]
struct SideFile<'a> {
    path: &'a ProjectPath,
    content: &'a FileContent,
}

impl<'a> SideFile<'a> {
    /// None of an empty file: that is no other file's content more than this one's.
    fn of(change: &'a FileChange, content: &'a Option<FileContent>) -> Option<Self> {
        let content = content.as_ref().filter(|content| !content.is_empty())?;
        Some(Self { path: &change.path, content })
    }

    /// Returns how many names at the end of both paths are the same.
    fn common_names(&self, other: &Self) -> usize {
        let names = self.path.as_str().rsplit('/').zip(other.path.as_str().rsplit('/'));
        names.take_while(|(one, other)| one == other).count()
    }
}

fn same_contents<'a>(gone: &[SideFile<'a>], came: &[SideFile<'a>]) -> Vec<MovedPaths<'a>> {
    let mut by_content: HashMap<(bool, &[u8]), [Vec<SideFile<'a>>; 2]> = HashMap::new();
    for file in gone {
        by_content.entry((file.content.is_link(), file.content)).or_default()[0].push(*file);
    }
    for file in came {
        if let Some(sides) = by_content.get_mut(&(file.content.is_link(), &**file.content)) {
            sides[1].push(*file);
        }
    }
    let mut pairs = Vec::new();
    for [gone, came] in by_content.values() {
        match (&gone[..], &came[..]) {
            ([old], [new]) => pairs.push([old.path, new.path]),
            _ => pairs.extend(best_pairs(gone, came, SideFile::common_names)),
        }
    }
    pairs
}

fn similar_texts<'a>(gone: &[SideFile<'a>], came: &[SideFile<'a>]) -> Vec<MovedPaths<'a>> {
    if gone.len().saturating_mul(came.len()) > MAX_PAIRS {
        return Vec::new();
    }
    let hasher = RandomState::new();
    let texts =
        [gone, came].map(|side| side.iter().map(|file| HashedLines::of(file.content, &hasher)).collect::<Vec<_>>());
    let by_path: BTreeMap<&ProjectPath, &HashedLines> = [gone, came]
        .into_iter()
        .zip(&texts)
        .flat_map(|(side, texts)| side.iter().map(|file| file.path).zip(texts))
        .collect();
    best_pairs(gone, came, |old, new| {
        let similarity = by_path[old.path].similarity(by_path[new.path]);
        if similarity < LEAST_SIMILARITY { 0 } else { similarity }
    })
}

/// The pairs of which each is the best for both, and no other is as good for either. 0 is no pair.
fn best_pairs<'a>(
    gone: &[SideFile<'a>],
    came: &[SideFile<'a>],
    score: impl Fn(&SideFile<'a>, &SideFile<'a>) -> usize,
) -> Vec<MovedPaths<'a>> {
    if gone.len().saturating_mul(came.len()) > MAX_PAIRS {
        return Vec::new();
    }
    let mut best = [vec![Best::default(); gone.len()], vec![Best::default(); came.len()]];
    for (old_at, old) in gone.iter().enumerate() {
        for (new_at, new) in came.iter().enumerate() {
            let score = score(old, new);
            best[0][old_at].offer(score, new_at);
            best[1][new_at].offer(score, old_at);
        }
    }
    let is_pair = |(old_at, best_new): &(usize, &Best)| {
        best_new.is_clear() && best[1][best_new.at].is_clear() && best[1][best_new.at].at == *old_at
    };
    best[0].iter().enumerate().filter(is_pair).map(|(old_at, new)| [gone[old_at].path, came[new.at].path]).collect()
}

/// The best partner so far.
#[derive(Clone, Default)]
struct Best {
    score: usize,
    at: usize,
    is_shared: bool,
}

impl Best {
    fn offer(&mut self, score: usize, at: usize) {
        if score > self.score {
            *self = Self { score, at, is_shared: false };
        } else {
            self.is_shared |= score == self.score;
        }
    }

    fn is_clear(&self) -> bool {
        self.score > 0 && !self.is_shared
    }
}

/// The lines of a text as sorted hashes; none of what is no text, or too large.
struct HashedLines(Vec<u64>);

impl HashedLines {
    fn of(content: &FileContent, hasher: &RandomState) -> Self {
        let lines = match content {
            FileContent::File(bytes) if is_text(bytes) => split_lines(bytes),
            _ => Vec::new(),
        };
        let mut hashes: Vec<u64> =
            if lines.len() > MAX_LINES { Vec::new() } else { lines.iter().map(|line| hasher.hash_one(line)).collect() };
        hashes.sort_unstable();
        Self(hashes)
    }

    /// Returns how many of the lines both have, in per cent of the longer one's.
    fn similarity(&self, other: &Self) -> usize {
        let (mut rest, most) = (&other.0[..], self.0.len().max(other.0.len()));
        if self.0.len().min(other.0.len()) * 100 < most * LEAST_SIMILARITY {
            return 0;
        }
        let is_common = |hash: &&u64| {
            rest = &rest[rest.partition_point(|other| other < *hash)..];
            let is_common = rest.first() == Some(hash);
            rest = &rest[usize::from(is_common)..];
            is_common
        };
        self.0.iter().filter(is_common).count() * 100 / most.max(1)
    }
}
