//! Ranks the paths that somebody may mean who has typed a few letters of one.
//!
//! In two passes, for speed: a greedy one over all paths, and one that finds the best way to fit over those that the
//! first one left.

use nucleo_matcher::pattern::{Atom, AtomKind, CaseMatching, Normalization};
use nucleo_matcher::{Config, Matcher, Utf32Str};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Longer paths are not looked at; nor is more of a query.
const MAX_PATH_BYTES: usize = 4096;
const MAX_QUERY_CHARS: usize = 200;
/// The number of paths that the greedy pass leaves.
const MAX_RESCORED: usize = 2000;

/// The rank of a path: how well it matches, its length and its place; the worst is the greatest.
type Rank = Reverse<(u16, Reverse<usize>, Reverse<usize>)>;

/// The best `most` of the paths, as their places in `paths`, the best first. Of two that fit alike the shorter one goes
/// first, then the earlier one. An empty query fits all.
#[must_use]
pub fn rank_paths<T: AsRef<str>>(query: &str, paths: &[T], most: usize) -> Vec<usize> {
    let query: String = query.trim().chars().take(MAX_QUERY_CHARS).collect();
    if query.is_empty() || most == 0 {
        return (0..paths.len().min(most)).collect();
    }
    let atom = Atom::new(&query, CaseMatching::Smart, Normalization::Smart, AtomKind::Fuzzy, false);
    let mut matcher = Matcher::new(Config::DEFAULT.match_paths());
    matcher.config.ignore_case = !query.chars().any(char::is_uppercase);
    let mut buffer = Vec::new();
    let all = (0..paths.len()).filter(|at| paths[*at].as_ref().len() <= MAX_PATH_BYTES);
    let likely = best(all, paths, MAX_RESCORED, |path| {
        matcher.fuzzy_match_greedy(Utf32Str::new(path, &mut buffer), atom.needle_text())
    });
    best(likely.into_iter(), paths, most, |path| atom.score(Utf32Str::new(path, &mut buffer), &mut matcher))
}

fn best<T: AsRef<str>>(
    places: impl Iterator<Item = usize>,
    paths: &[T],
    most: usize,
    mut score: impl FnMut(&str) -> Option<u16>,
) -> Vec<usize> {
    let mut best: BinaryHeap<Rank> = BinaryHeap::with_capacity(most.min(paths.len()) + 1);
    for at in places {
        let path = paths[at].as_ref();
        let Some(score) = score(path) else { continue };
        let rank = Reverse((score, Reverse(path.len()), Reverse(at)));
        if best.len() < most {
            best.push(rank);
        } else if best.peek().is_some_and(|worst| rank < *worst) {
            best.pop();
            best.push(rank);
        }
    }
    best.into_sorted_vec().into_iter().map(|Reverse((_, _, Reverse(at)))| at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ranked<'a>(query: &str, paths: &[&'a str]) -> Vec<&'a str> {
        rank_paths(query, paths, 10).into_iter().map(|at| paths[at]).collect()
    }

    #[test]
    fn the_name_counts_more_than_letters_in_between() {
        let paths = ["src/maximal/index.rs", "src/main.rs", "docs/remains.md", "tests/main.rs"];
        assert_eq!(ranked("main.rs", &paths)[..2], ["src/main.rs", "tests/main.rs"]);
        assert_eq!(ranked("tmain", &paths)[0], "tests/main.rs");
        assert_eq!(ranked("nothing", &paths), Vec::<&str>::new());
    }

    #[test]
    fn of_two_alike_the_shorter_goes_first() {
        assert_eq!(ranked("lib", &["a/b/c/lib.rs", "a/lib.rs"]), ["a/lib.rs", "a/b/c/lib.rs"]);
        assert_eq!(ranked("lib", &["b/lib.rs", "a/lib.rs"]), ["b/lib.rs", "a/lib.rs"]);
    }

    #[test]
    fn an_empty_query_gives_the_first_paths_and_long_ones_are_skipped() {
        assert_eq!(rank_paths(" ", &["a", "b", "c"], 2), [0, 1]);
        assert_eq!(rank_paths("x", &["x".repeat(MAX_PATH_BYTES + 1), "x".to_owned()], 5), [1]);
        assert_eq!(rank_paths("x", &["x"], 0), Vec::<usize>::new());
    }

    proptest! {
        #[test]
        fn a_short_list_is_the_beginning_of_a_long_one(
            query in "[a-cé/]{1,4}", paths in prop::collection::vec("[a-cé/._]{0,12}", 0..40), most in 0usize..10
        ) {
            let all = rank_paths(&query, &paths, paths.len());
            let few = rank_paths(&query, &paths, most);
            prop_assert_eq!(&few[..], &all[..most.min(all.len())]);
        }
    }
}
