//! Files that went and came again: shown, accepted and written as moves.

use super::effects_tests::{effects, file, link, project, put, select, told};
use super::*;
use arki_domain::{Code, WholeChange};
use std::fs;

fn text(lines: std::ops::Range<usize>) -> String {
    lines.map(|line| format!("line {line}\n")).collect()
}

fn moves(set: &ChangeSet) -> Vec<(&str, &str)> {
    set.moves.iter().map(|(new, old)| (old.as_str(), new.as_str())).collect()
}

#[test]
fn a_moved_file_reads_like_git_and_is_one_hunk() {
    let (folder, project) = project();
    put(folder.path(), "old.txt", "a\nb\n", 0o644);
    let set =
        effects(&project, vec![("old.txt", file("a\nb\n", 0o644), None), ("sub/new.txt", None, file("a\nb\n", 0o644))]);
    let preview = set.preview();
    assert_eq!(
        preview.diff,
        "diff --git a/old.txt b/sub/new.txt\nsimilarity index 100%\nrename from old.txt\nrename to sub/new.txt\n"
    );
    assert_eq!(told(&set), [("sub/new.txt".into(), Some(WholeChange::Move))]);
    assert_eq!(
        (preview.files_affected, preview.lines_changed),
        (vec!["old.txt".to_owned(), "sub/new.txt".to_owned()], 0)
    );
    assert!(select(&set, &[]).is_empty());
    set.select(&HunkSelection::all(&set.preview())).unwrap().apply(&project).unwrap();
    assert!(!folder.path().join("old.txt").exists());
    assert_eq!(fs::read_to_string(folder.path().join("sub/new.txt")).unwrap(), "a\nb\n");
}

#[test]
fn the_edits_of_a_moved_file_need_its_move() {
    let (folder, project) = project();
    let old = text(0..40);
    let new = old.replace("line 3\n", "three\n").replace("line 30\n", "thirty\n");
    let set = effects(&project, vec![("old", file(&old, 0o644), None), ("new", None, file(&new, 0o755))]);
    use WholeChange::{Mode, Move};
    let kinds: Vec<_> = told(&set).into_iter().map(|(_, what)| what).collect();
    assert_eq!(kinds, [Some(Move), Some(Mode), None, None]);
    let diff = set.preview().diff;
    assert!(
        diff.starts_with(
            "diff --git a/old b/new\nold mode 100644\nnew mode 100755\nsimilarity index 95%\nrename from old\nrename to new\n--- a/old\n+++ b/new\n@@ -1,7 +1,7 @@\n"
        ),
        "{diff}"
    );
    for accepted in [vec![2], vec![3], vec![2, 3, 4]] {
        let selection = HunkSelection { accepted: accepted.into_iter().collect(), edited: BTreeMap::new() };
        let error = set.select(&selection).unwrap_err();
        assert_eq!(error.code(), Code::HUNK_NEEDS_MOVE);
        assert!(error.hint().contains("hunk 1"), "{error}");
    }
    let edited = HunkSelection { accepted: BTreeSet::new(), edited: [(3, "x".to_owned())].into() };
    assert_eq!(set.select(&edited).unwrap_err().code(), Code::HUNK_NEEDS_MOVE);
    for (accepted, wanted, mode) in [
        (&[1][..], old.clone(), 0o644),
        (&[1, 2], old.clone(), 0o755),
        (&[1, 4], old.replace("line 30\n", "thirty\n"), 0o644),
        (&[1, 2, 3, 4], new.clone(), 0o755),
    ] {
        put(folder.path(), "old", &old, 0o644);
        let _ = fs::remove_file(folder.path().join("new"));
        select(&set, accepted).apply(&project).unwrap();
        assert!(!folder.path().join("old").exists());
        assert_eq!(fs::read_to_string(folder.path().join("new")).unwrap(), wanted);
        assert_eq!(super::effects_tests::mode(folder.path(), "new"), mode);
    }
}

#[test]
fn a_narrowed_move_is_still_one() {
    let (_folder, project) = project();
    let old = text(0..40);
    let new = old.replace("line 3\n", "three\n").replace("line 30\n", "thirty\n");
    let set = effects(&project, vec![("old", file(&old, 0o644), None), ("new", None, file(&new, 0o644))]);
    assert_eq!(moves(&select(&set, &[1, 2])), [("old", "new")]);
    assert_eq!(set.select(&HunkSelection::all(&set.preview())).unwrap(), set);
}

#[test]
fn a_folder_with_files_of_one_content_moves_file_by_file() {
    let (_folder, project) = project();
    let mut moved = Vec::new();
    let paths: Vec<String> =
        ["a/x.rs", "b/x.rs", "b/y.rs"].iter().flat_map(|path| [format!("old/{path}"), format!("new/{path}")]).collect();
    for pair in paths.chunks(2) {
        moved.push((pair[0].as_str(), file("same\n", 0o644), None));
        moved.push((pair[1].as_str(), None, file("same\n", 0o644)));
    }
    let set = effects(&project, moved);
    assert_eq!(moves(&set), [("old/a/x.rs", "new/a/x.rs"), ("old/b/x.rs", "new/b/x.rs"), ("old/b/y.rs", "new/b/y.rs")]);
}

#[test]
fn what_could_as_well_be_another_file_is_no_move() {
    let (_folder, project) = project();
    let same = || file("same\n", 0o644);
    let set = effects(&project, vec![("gone", same(), None), ("one", None, same()), ("two", None, same())]);
    assert!(moves(&set).is_empty() && set.preview().hunks.len() == 3);
    let one = text(0..10);
    let other = one.replace("line 9", "nine");
    let set = effects(
        &project,
        vec![
            ("gone", file(&text(0..11), 0o644), None),
            ("one", None, file(&one, 0o644)),
            ("two", None, file(&one, 0o644)),
        ],
    );
    assert!(moves(&set).is_empty());
    let set = effects(
        &project,
        vec![
            ("gone", file(&one, 0o644), None),
            ("one", None, file(&other, 0o644)),
            ("two", None, file(&text(5..15), 0o644)),
        ],
    );
    assert_eq!(moves(&set), [("gone", "one")]);
}

#[test]
fn little_in_common_empty_files_and_a_link_for_a_file_are_no_moves() {
    let (_folder, project) = project();
    for (before, after) in [
        (file(&text(0..10), 0o644), file(&text(5..15), 0o644)),
        (file("", 0o644), file("", 0o644)),
        (file("a", 0o644), link("a")),
        (file("\0one", 0o644), file("\0two", 0o644)),
    ] {
        let set = effects(&project, vec![("old", before, None), ("new", None, after)]);
        assert!(moves(&set).is_empty());
    }
    let set = effects(&project, vec![("old", link("a"), None), ("new", None, link("a"))]);
    assert_eq!(told(&set), [("new".into(), Some(WholeChange::Move))]);
}

#[test]
fn twenty_thousand_files_move_in_a_moment() {
    let (_folder, project) = project();
    let paths: Vec<String> = (0..10_000).map(|file| format!("dir{}/{file}.txt", file % 100)).collect();
    let moved: Vec<String> = paths.iter().map(|path| format!("new/{path}")).collect();
    let text = |at: usize| file(&format!("line {}\n", at / 2), 0o644);
    let gone = paths.iter().enumerate().map(|(at, path)| (path.as_str(), text(at), None));
    let came = moved.iter().enumerate().map(|(at, path)| (path.as_str(), None, text(at)));
    let started = std::time::Instant::now();
    let set = effects(&project, gone.chain(came).collect());
    assert_eq!(set.moves.len(), 10_000);
    assert!(started.elapsed() < std::time::Duration::from_secs(10), "{:?}", started.elapsed());
}
