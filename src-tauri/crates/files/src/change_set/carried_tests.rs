//! A decision on what was shown holds for the change as it has followed since.

use super::effects_tests::{effects, file, link, project, put};
use super::*;
use std::fs;

fn numbered(replaced: &[(usize, &str)]) -> String {
    let line = |number: usize| {
        replaced.iter().find(|(at, _)| *at == number).map_or(format!("{number}"), |(_, text)| (*text).to_owned())
    };
    (1..=60).map(|number| line(number) + "\n").collect()
}

fn accepting(accepted: &[usize]) -> HunkSelection {
    HunkSelection { accepted: accepted.iter().copied().collect(), edited: BTreeMap::new() }
}

/// The decision as it holds after the user's edits, and the files that are to be asked anew.
fn carried(
    set: &ChangeSet,
    project: &Project,
    shown: &Preview,
    selection: &HunkSelection,
) -> (HunkSelection, Vec<String>) {
    let now = follow_edits(set, project).unwrap().set;
    let carried = carry_selection(shown, &now.preview(), selection);
    (carried.selection, carried.changed.into_iter().collect())
}

#[test]
fn a_hunk_whose_lines_are_as_shown_is_the_same_wherever_it_stands() {
    let (folder, project) = project();
    let proposed = numbered(&[(10, "ten"), (30, "thirty"), (50, "fifty")]);
    put(folder.path(), "a", &numbered(&[]), 0o644);
    let set = effects(
        &project,
        vec![("a", file(&numbered(&[]), 0o644), file(&proposed, 0o755)), ("b", None, file("b\n", 0o644))],
    );
    let shown = set.preview();
    assert_eq!(shown.hunks.len(), 5);
    assert_eq!(carried(&set, &project, &shown, &accepting(&[1, 3, 5])), (accepting(&[1, 3, 5]), vec![]));
    // A line further up moves all of them; the first hunk is done.
    put(folder.path(), "a", &numbered(&[(1, "0\nmine\n1"), (10, "ten")]), 0o644);
    assert_eq!(carried(&set, &project, &shown, &accepting(&[3, 4, 5])), (accepting(&[2, 3, 4]), vec![]));
    let edited = HunkSelection { accepted: [5].into(), edited: [(3, "x\n".to_owned())].into() };
    let wanted = HunkSelection { accepted: [4].into(), edited: [(2, "x\n".to_owned())].into() };
    assert_eq!(carried(&set, &project, &shown, &edited), (wanted, vec![]));
    // A line of its context is another.
    put(folder.path(), "a", &numbered(&[(28, "mine")]), 0o644);
    assert_eq!(carried(&set, &project, &shown, &accepting(&[3, 4, 5])), (accepting(&[5]), vec!["a".to_owned()]));
    assert_eq!(carried(&set, &project, &shown, &accepting(&[4, 5])), (accepting(&[4, 5]), vec![]));
    fs::remove_file(folder.path().join("a")).unwrap();
    assert_eq!(carried(&set, &project, &shown, &accepting(&[1, 5])), (accepting(&[1]), vec!["a".to_owned()]));
}

#[test]
fn changes_without_lines_are_the_same_where_they_say_the_same() {
    let (folder, project) = project();
    let text = numbered(&[]);
    put(folder.path(), "bin", "\0a", 0o644);
    put(folder.path(), "old", &text, 0o644);
    std::os::unix::fs::symlink("a", folder.path().join("to")).unwrap();
    let set = effects(
        &project,
        vec![
            ("bin", file("\0a", 0o644), file("\0b", 0o755)),
            ("new", None, file(&numbered(&[(30, "thirty")]), 0o644)),
            ("old", file(&text, 0o644), None),
            ("to", link("a"), link("b")),
        ],
    );
    let shown = set.preview();
    let all = HunkSelection::all(&shown);
    assert_eq!((shown.hunks.len(), carried(&set, &project, &shown, &all)), (5, (all.clone(), vec![])));
    put(folder.path(), "bin", "\0a", 0o755);
    put(folder.path(), "old", &numbered(&[(1, "mine")]), 0o644);
    assert_eq!(carried(&set, &project, &shown, &all), (accepting(&[2, 3, 4]), vec!["bin".to_owned()]));
    assert_eq!(carried(&set, &project, &shown, &accepting(&[2])), (accepting(&[1]), vec![]));
}

#[test]
fn of_hunks_that_say_the_same_each_is_its_own() {
    let (folder, project) = project();
    let block = |mark: &str| format!("{}a\nb\nc\n{mark}\nd\ne\nf\n", "-\n".repeat(9));
    let (before, after) = (block("x").repeat(3), block("y").repeat(3));
    put(folder.path(), "a", &before, 0o644);
    let set = effects(&project, vec![("a", file(&before, 0o644), file(&after, 0o644))]);
    let shown = set.preview();
    assert_eq!(shown.hunks.len(), 3);
    assert_eq!(carried(&set, &project, &shown, &accepting(&[2])), (accepting(&[2]), vec![]));
    put(folder.path(), "a", &format!("mine\n{before}"), 0o644);
    assert_eq!(carried(&set, &project, &shown, &accepting(&[2])), (accepting(&[2]), vec![]));
    // The first one is done: which of the others was meant is no longer clear.
    put(folder.path(), "a", &(block("y") + &block("x").repeat(2)), 0o644);
    assert_eq!(carried(&set, &project, &shown, &accepting(&[2])), (accepting(&[]), vec!["a".to_owned()]));
}
