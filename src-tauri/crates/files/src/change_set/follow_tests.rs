//! The user edits the files of a change that waits for a decision.

use super::effects_tests::{effects, file, link, mode, project, put};
use super::*;
use arki_domain::WholeChange;
use std::fs;
use std::os::unix::fs::symlink;

fn numbered(replaced: &[(usize, &str)]) -> String {
    let line = |number: usize| {
        replaced.iter().find(|(at, _)| *at == number).map_or(format!("{number}"), |(_, text)| (*text).to_owned())
    };
    (1..=20).map(|number| line(number) + "\n").collect()
}

/// The state of the only file after a change of it was followed and applied, and what was said.
fn followed(project: &Project, set: &ChangeSet) -> Vec<String> {
    let FollowedChange { set, conflicts } = follow_edits(set, project).unwrap();
    set.apply(project).unwrap();
    conflicts.into_iter().map(|conflict| conflict.sentence).collect()
}

fn text(project: &Project, path: &str) -> String {
    fs::read_to_string(project.root().join(path)).unwrap()
}

#[test]
fn a_file_that_nobody_touched_stays_as_proposed_and_one_that_is_so_already_is_dropped() {
    let (folder, project) = project();
    put(folder.path(), "a", "1\n", 0o644);
    put(folder.path(), "b", "2\n", 0o644);
    put(folder.path(), "made", "x", 0o644);
    let set = effects(
        &project,
        vec![
            ("a", file("1\n", 0o644), file("2\n", 0o644)),
            ("b", file("1\n", 0o644), file("2\n", 0o644)),
            ("gone", file("1\n", 0o644), None),
            ("made", None, file("x", 0o644)),
        ],
    );
    let followed = follow_edits(&set, &project).unwrap();
    assert_eq!(followed.conflicts, []);
    assert_eq!(followed.set.files(), &set.files()[..1]);
}

#[test]
fn other_lines_are_merged_and_the_same_lines_stay_the_users() {
    let (folder, project) = project();
    let set = effects(
        &project,
        vec![("a", file(&numbered(&[]), 0o644), file(&numbered(&[(3, "three"), (12, "twelve")]), 0o644))],
    );
    put(folder.path(), "a", &numbered(&[(18, "mine")]), 0o644);
    let followed_set = follow_edits(&set, &project).unwrap();
    assert_eq!((followed_set.set.preview().hunks.len(), followed_set.conflicts.len()), (2, 0));
    assert!(!followed_set.set.preview().diff.contains("-mine"));
    assert!(followed(&project, &set).is_empty());
    assert_eq!(text(&project, "a"), numbered(&[(3, "three"), (12, "twelve"), (18, "mine")]));
    put(folder.path(), "a", &numbered(&[(3, "mine")]), 0o644);
    assert_eq!(followed(&project, &set), ["You changed the same lines of a; yours stay."]);
    assert_eq!(text(&project, "a"), numbered(&[(3, "mine"), (12, "twelve")]));
}

#[test]
fn what_can_not_be_merged_stays_the_users_and_is_said() {
    let (folder, project) = project();
    let set = effects(
        &project,
        vec![
            ("binary", file("\0a", 0o644), file("\0b", 0o644)),
            ("both", None, file("theirs", 0o644)),
            ("folder", None, file("theirs", 0o644)),
            ("gone", file("a\n", 0o644), file("b\n", 0o644)),
            ("link", link("a"), link("b")),
            ("removed", file("a\n", 0o644), None),
        ],
    );
    put(folder.path(), "binary", "\0mine", 0o644);
    put(folder.path(), "both", "mine", 0o644);
    put(folder.path(), "folder/mine", "mine", 0o644);
    symlink("mine", folder.path().join("link")).unwrap();
    put(folder.path(), "removed", "mine\n", 0o644);
    let followed = follow_edits(&set, &project).unwrap();
    assert!(followed.set.is_empty());
    let said: Vec<_> = followed.conflicts.iter().map(|conflict| conflict.sentence.as_str()).collect();
    assert_eq!(
        said,
        [
            "You changed binary too, and the two can't be merged; yours stays.",
            "You created both too; yours stays.",
            "folder can't be merged with what is there now; it stays as it is.",
            "You removed gone; it stays removed.",
            "You changed link too, and the two can't be merged; yours stays.",
            "You changed removed, which was to be removed; it stays.",
        ]
    );
}

#[test]
fn the_permissions_follow_too() {
    let (folder, project) = project();
    let only_mode = effects(&project, vec![("a", file("x\n", 0o644), file("x\n", 0o755))]);
    put(folder.path(), "a", "mine\n", 0o644);
    assert!(followed(&project, &only_mode).is_empty());
    assert_eq!((text(&project, "a").as_str(), mode(folder.path(), "a")), ("mine\n", 0o755));
    assert!(follow_edits(&only_mode, &project).unwrap().set.is_empty());
    put(folder.path(), "a", "x\n", 0o600);
    assert_eq!(followed(&project, &only_mode), ["You changed the permissions of a; yours stay."]);
    assert_eq!(mode(folder.path(), "a"), 0o600);
    let lines = effects(&project, vec![("a", file("x\n", 0o600), file("y\n", 0o600))]);
    put(folder.path(), "a", "x\n", 0o755);
    assert!(followed(&project, &lines).is_empty());
    assert_eq!((text(&project, "a").as_str(), mode(folder.path(), "a")), ("y\n", 0o755));
}

#[test]
fn a_moved_file_takes_the_users_edits_along() {
    let (folder, project) = project();
    let set = effects(
        &project,
        vec![("old", file(&numbered(&[]), 0o644), None), ("new", None, file(&numbered(&[(3, "three")]), 0o644))],
    );
    assert_eq!(set.moves.len(), 1);
    put(folder.path(), "old", &numbered(&[(12, "mine")]), 0o755);
    let moved = follow_edits(&set, &project).unwrap();
    assert_eq!(moved.set.preview().hunks[0].what, Some(WholeChange::Move));
    assert!(followed(&project, &set).is_empty());
    assert_eq!((text(&project, "new"), mode(folder.path(), "new")), (numbered(&[(3, "three"), (12, "mine")]), 0o755));
    assert!(!folder.path().join("old").exists());
    // Both are done by now.
    fs::write(folder.path().join("new"), numbered(&[(3, "three")])).unwrap();
    assert!(follow_edits(&set, &project).unwrap().set.is_empty());
}

#[test]
fn a_move_onto_a_file_of_the_users_or_from_one_that_is_gone_is_left_out() {
    let (folder, project) = project();
    let set = effects(&project, vec![("old", file("a\n", 0o644), None), ("new", None, file("a\n", 0o644))]);
    assert_eq!(followed(&project, &set), ["You removed old; it stays removed."]);
    put(folder.path(), "old", "a\n", 0o644);
    put(folder.path(), "new", "mine\n", 0o644);
    assert_eq!(followed(&project, &set), ["You created new too; yours stays."]);
    assert_eq!((text(&project, "old").as_str(), text(&project, "new").as_str()), ("a\n", "mine\n"));
    put(folder.path(), "new", "a\n", 0o644);
    assert!(followed(&project, &set).is_empty());
    assert!(!folder.path().join("old").exists());
}
