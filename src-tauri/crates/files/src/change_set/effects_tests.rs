//! What a command changed as one change: modes, links, folders and binaries beside lines.

use super::*;
use crate::project::FileFound;
use arki_domain::{Code, WholeChange};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

pub(super) fn project() -> (tempfile::TempDir, Project) {
    let folder = tempfile::tempdir().unwrap();
    let project = Project::open(folder.path()).unwrap();
    (folder, project)
}

pub(super) fn file(text: &str, mode: u32) -> Option<FileFound> {
    Some(FileFound { content: text.as_bytes().to_vec().into(), mode: Some(mode) })
}

pub(super) fn link(target: &str) -> Option<FileFound> {
    Some(FileFound { content: FileContent::Link(target.into()), mode: None })
}

pub(super) const FOLDER: Option<FileFound> = Some(FileFound { content: FileContent::Folder, mode: None });

pub(super) fn effects(project: &Project, effects: Vec<(&str, Option<FileFound>, Option<FileFound>)>) -> ChangeSet {
    let effects = effects.into_iter().map(|(path, before, after)| {
        let path = project.resolve(path).unwrap();
        Effect { path, before, after }
    });
    plan_effects(effects.collect()).unwrap()
}

pub(super) fn put(root: &Path, path: &str, text: &str, mode: u32) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
}

pub(super) fn mode(root: &Path, path: &str) -> u32 {
    fs::symlink_metadata(root.join(path)).unwrap().mode() & 0o7777
}

pub(super) fn select(set: &ChangeSet, accepted: &[usize]) -> ChangeSet {
    set.select(&HunkSelection { accepted: accepted.iter().copied().collect(), edited: BTreeMap::new() }).unwrap()
}

pub(super) fn told(set: &ChangeSet) -> Vec<(String, Option<WholeChange>)> {
    set.preview().hunks.into_iter().map(|hunk| (hunk.path, hunk.what)).collect()
}

#[test]
fn a_mode_alone_is_a_change_that_reads_like_git_and_lands_without_rewriting_the_file() {
    let (folder, project) = project();
    put(folder.path(), "run.sh", "echo\n", 0o644);
    fs::hard_link(folder.path().join("run.sh"), folder.path().join("other")).unwrap();
    let before = fs::metadata(folder.path().join("run.sh")).unwrap();
    let set = effects(&project, vec![("run.sh", file("echo\n", 0o100_644), file("echo\n", 0o100_755))]);
    let preview = set.preview();
    assert_eq!(preview.diff, "diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n");
    let hunk = Hunk {
        index: 1,
        path: "run.sh".into(),
        old_start: 0,
        old_lines: 0,
        new_start: 0,
        new_lines: 0,
        what: Some(WholeChange::Mode),
        call_id: None,
    };
    assert_eq!((preview.hunks, preview.lines_changed), (vec![hunk], 0));
    assert!(select(&set, &[]).is_empty());
    let applied = set.apply(&project).unwrap();
    let after = fs::metadata(folder.path().join("run.sh")).unwrap();
    assert_eq!(
        (mode(folder.path(), "run.sh"), after.ino(), after.mtime_nsec()),
        (0o755, before.ino(), before.mtime_nsec())
    );
    assert_eq!(applied[0].before_hash, applied[0].after_hash);
}

#[test]
fn a_mode_is_accepted_apart_from_the_lines_beside_it() {
    let (folder, project) = project();
    let set = effects(&project, vec![("run.sh", file("a\n", 0o644), file("b\n", 0o755))]);
    assert_eq!(told(&set), [("run.sh".into(), Some(WholeChange::Mode)), ("run.sh".into(), None)]);
    assert!(
        set.preview()
            .diff
            .starts_with("diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n--- a/run.sh\n")
    );
    for (accepted, text, wanted) in [(&[1][..], "a\n", 0o755), (&[2], "b\n", 0o644), (&[1, 2], "b\n", 0o755)] {
        put(folder.path(), "run.sh", "a\n", 0o644);
        select(&set, accepted).apply(&project).unwrap();
        assert_eq!(
            (fs::read_to_string(folder.path().join("run.sh")).unwrap().as_str(), mode(folder.path(), "run.sh")),
            (text, wanted)
        );
    }
}

#[test]
fn the_hash_of_a_preview_covers_the_mode() {
    let (_folder, project) = project();
    let hash = |new| effects(&project, vec![("a", file("1", 0o644), file("2", new))]).preview().preview_hash;
    assert!(hash(0o644) != hash(0o755) && hash(0o755) != hash(0o775) && hash(0o644) == hash(0o100_644));
}

#[test]
fn every_bit_of_a_mode_lands_and_is_shown_where_git_would_hide_it() {
    let (folder, project) = project();
    let modes = |old, new| {
        put(folder.path(), "a", "x", old);
        let set = effects(&project, vec![("a", file("x", old), file("x", new))]);
        let diff = set.preview().diff;
        set.apply(&project).unwrap();
        assert_eq!(mode(folder.path(), "a"), new & 0o777);
        diff.lines().skip(1).map(|line| line[9..].to_owned()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(modes(0o664, 0o775), "100644 100755");
    assert_eq!(modes(0o755, 0o644), "100755 100644");
    assert_eq!(modes(0o644, 0o600), "100644 100600");
    assert_eq!(modes(0o644, 0o777), "100644 100777");
    assert_eq!(modes(0o644, 0o4755), "100644 100755");
    // Nobody gets the rights of others.
    assert!(effects(&project, vec![("a", file("x", 0o755), file("x", 0o4755))]).is_empty());
}

#[test]
fn a_mode_that_is_another_by_now_is_stale() {
    let (folder, project) = project();
    put(folder.path(), "a", "x", 0o600);
    let set = effects(&project, vec![("a", file("x", 0o644), file("x", 0o755))]);
    assert_eq!(set.apply(&project).unwrap_err().code(), Code::STALE_PREVIEW);
    assert_eq!(mode(folder.path(), "a"), 0o600);
}

#[test]
fn a_new_file_gets_the_mode_that_the_command_gave_it() {
    let (folder, project) = project();
    let set = effects(&project, vec![("bin/a", None, file("x", 0o775)), ("b", None, file("x", 0o600))]);
    assert!(set.preview().diff.contains("diff --git a/bin/a b/bin/a\nnew file mode 100755\n"));
    assert_eq!(told(&set), [("b".into(), None), ("bin/a".into(), None)]);
    set.apply(&project).unwrap();
    assert_eq!((mode(folder.path(), "bin/a"), mode(folder.path(), "b")), (0o775, 0o600));
}

#[test]
fn what_is_taken_back_gets_its_mode_back_too() {
    let (folder, project) = project();
    put(folder.path(), "a", "x", 0o644);
    put(folder.path(), "b", "x", 0o644);
    put(folder.path(), "z", "z", 0o644);
    let long = format!("z/{}", "n".repeat(300));
    let set = effects(
        &project,
        vec![
            ("a", file("x", 0o644), file("x", 0o755)),
            ("b", file("x", 0o644), file("y", 0o755)),
            ("c", None, FOLDER),
            ("z", file("z", 0o644), None),
            (&long, None, file("n", 0o644)),
        ],
    );
    set.apply(&project).unwrap_err();
    assert_eq!((mode(folder.path(), "a"), mode(folder.path(), "b")), (0o644, 0o644));
    assert_eq!(fs::read_to_string(folder.path().join("b")).unwrap(), "x");
    assert!(!folder.path().join("c").exists() && folder.path().join("z").exists());
}

#[test]
fn links_binaries_and_empty_files_are_one_hunk_each_that_says_what() {
    let (folder, project) = project();
    put(folder.path(), "to_link", "a\nb\n", 0o644);
    symlink("a", folder.path().join("moved")).unwrap();
    symlink("/etc/passwd", folder.path().join("to_file")).unwrap();
    let set = effects(
        &project,
        vec![
            ("bin", None, file("\0", 0o644)),
            ("empty", None, file("", 0o644)),
            ("moved", link("a"), link("b")),
            ("new", None, link("/outside")),
            ("to_file", link("/etc/passwd"), file("mine\n", 0o644)),
            ("to_link", file("a\nb\n", 0o644), link("bin")),
        ],
    );
    let what: Vec<_> = told(&set).into_iter().map(|(_, what)| what.unwrap()).collect();
    use WholeChange::{Binary, Empty, Link};
    assert_eq!(what, [Binary, Empty, Link, Link, Link, Link]);
    assert!(set.preview().diff.contains("new file mode 120000\n--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+/outside\n"));
    set.apply(&project).unwrap();
    let target = |path: &str| fs::read_link(folder.path().join(path)).unwrap().display().to_string();
    assert_eq!((target("moved"), target("new"), target("to_link")), ("b".into(), "/outside".into(), "bin".into()));
    assert_eq!(fs::read_to_string(folder.path().join("to_file")).unwrap(), "mine\n");
    assert_ne!(fs::read_to_string("/etc/passwd").unwrap(), "mine\n");
}

#[test]
fn nothing_is_written_through_a_link_and_a_write_protected_file_is_replaced() {
    let (folder, project) = project();
    let outside = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("real")).unwrap();
    symlink("real", folder.path().join("within")).unwrap();
    symlink(outside.path(), folder.path().join("out")).unwrap();
    for path in ["within/a", "out/a"] {
        assert!(effects(&project, vec![(path, None, file("x", 0o644))]).apply(&project).is_err(), "{path}");
    }
    assert!(!folder.path().join("real/a").exists() && !outside.path().join("a").exists());
    put(folder.path(), "ro", "old", 0o444);
    effects(&project, vec![("ro", file("old", 0o444), file("new", 0o444))]).apply(&project).unwrap();
    assert_eq!(
        (fs::read_to_string(folder.path().join("ro")).unwrap().as_str(), mode(folder.path(), "ro")),
        ("new", 0o444)
    );
}

#[test]
fn a_folder_counts_where_it_is_empty() {
    let (folder, project) = project();
    put(folder.path(), "old/sub/a", "a", 0o644);
    fs::create_dir_all(folder.path().join("gone/deep")).unwrap();
    put(folder.path(), "file", "f", 0o644);
    put(folder.path(), "kept/a", "a", 0o644);
    let set = effects(
        &project,
        vec![
            ("old", FOLDER, None),
            ("old/sub", FOLDER, None),
            ("old/sub/a", file("a", 0o644), None),
            ("gone", FOLDER, None),
            ("gone/deep", FOLDER, None),
            ("kept", FOLDER, None),
            ("kept/a", file("a", 0o644), None),
            ("new", None, FOLDER),
            ("new/empty", None, FOLDER),
            ("full", None, FOLDER),
            ("full/a", None, file("a", 0o644)),
            ("file", file("f", 0o644), FOLDER),
            ("file/below", None, file("b", 0o644)),
        ],
    );
    let folders: Vec<_> = told(&set).into_iter().filter(|(_, what)| *what == Some(WholeChange::Folder)).collect();
    assert_eq!(folders.iter().map(|(path, _)| path.as_str()).collect::<Vec<_>>(), ["gone/deep", "new/empty"]);
    assert!(set.preview().diff.contains("diff --git a/new/empty b/new/empty\nnew file mode 040000\n"));
    let preview = set.preview();
    let kept = preview.hunks.iter().filter(|hunk| hunk.path != "kept/a").map(|hunk| hunk.index).collect();
    set.select(&HunkSelection { accepted: kept, edited: BTreeMap::new() }).unwrap().apply(&project).unwrap();
    let is_there = |path: &str| folder.path().join(path).exists();
    assert!(is_there("new/empty") && is_there("full/a") && is_there("file/below") && is_there("kept/a"));
    assert!(!is_there("old") && !is_there("gone"));
}

#[test]
fn an_empty_folder_in_the_place_of_a_file_is_left_out_and_blocks_nothing() {
    let (folder, project) = project();
    put(folder.path(), "file", "f", 0o644);
    put(folder.path(), "other", "1", 0o644);
    fs::create_dir(folder.path().join("folder")).unwrap();
    let set = effects(
        &project,
        vec![
            ("file", file("f", 0o644), FOLDER),
            ("folder", FOLDER, file("g", 0o644)),
            ("other", file("1", 0o644), file("2", 0o644)),
        ],
    );
    assert_eq!(set.preview().hunks.iter().filter(|hunk| hunk.what.is_some()).count(), 0);
    let planned = plan_landing(&set, &HunkSelection::all(&set.preview()), &project).unwrap();
    planned.set.apply(&project).unwrap();
    assert!(!folder.path().join("file").exists());
    assert_eq!(fs::read_to_string(folder.path().join("other")).unwrap(), "2");
    assert_eq!(planned.changed.files().iter().map(|change| change.path.as_str()).collect::<Vec<_>>(), ["folder"]);
    assert!(follow_edits(&planned.changed, &project).unwrap().set.is_empty());
}

#[test]
fn a_removed_folder_that_is_not_empty_by_now_is_stale() {
    let (folder, project) = project();
    put(folder.path(), "gone/mine", "m", 0o644);
    let set = effects(&project, vec![("gone", FOLDER, None)]);
    assert_eq!(set.apply(&project).unwrap_err().code(), Code::STALE_PREVIEW);
    assert!(folder.path().join("gone/mine").exists());
}

#[test]
fn effects_are_sorted_once_a_path_and_only_what_changes() {
    let (_folder, project) = project();
    let set = effects(
        &project,
        vec![
            ("b", None, file("1", 0o644)),
            ("same", file("1", 0o644), file("1", 0o644)),
            ("a", file("1", 0o644), None),
            ("d", FOLDER, FOLDER),
        ],
    );
    assert_eq!(set.files().iter().map(|change| change.path.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    let effect = || Effect { path: project.resolve("a").unwrap(), before: None, after: file("1", 0o644) };
    assert_eq!(plan_effects(vec![effect(), effect()]).unwrap_err().code(), Code::EDIT_INVALID);
}

#[test]
fn a_change_can_be_made_again_from_its_list() {
    let (folder, project) = project();
    for (path, text) in [("gone/a", "a\n"), ("run.sh", "echo\n"), ("kind", "text\n"), ("changed", "one\ntwo\n")] {
        put(folder.path(), path, text, 0o644);
    }
    fs::create_dir(folder.path().join("emptied")).unwrap();
    let list = vec![
        ("gone", FOLDER, None),
        ("gone/a", file("a\n", 0o100_644), None),
        ("run.sh", file("echo\n", 0o100_644), file("echo\n", 0o100_755)),
        ("kind", file("text\n", 0o100_644), link("run.sh")),
        ("changed", file("one\ntwo\n", 0o100_644), file("one\nTWO\n", 0o100_644)),
        ("empty", None, FOLDER),
        ("emptied", FOLDER, None),
        ("new/script", None, file("new\n", 0o100_755)),
    ];
    let set = effects(&project, list);
    let again = plan_effects(set.effects()).unwrap();
    assert_eq!(again.preview().preview_hash, set.preview().preview_hash);
    again.apply(&project).unwrap();
    assert!(!folder.path().join("gone").exists() && !folder.path().join("emptied").exists());
    assert!(folder.path().join("empty").is_dir());
    assert_eq!((mode(folder.path(), "run.sh"), mode(folder.path(), "new/script")), (0o755, 0o755));
    assert_eq!(fs::read_link(folder.path().join("kind")).unwrap(), Path::new("run.sh"));
}

#[test]
fn a_mode_that_was_not_accepted_is_not_in_the_list_of_what_lands() {
    let (folder, project) = project();
    put(folder.path(), "a.sh", "one\n", 0o644);
    let set = effects(&project, vec![("a.sh", file("one\n", 0o100_644), file("two\n", 0o100_755))]);
    let lines = told(&set).iter().position(|(_, what)| what.is_none()).unwrap();
    let chosen = HunkSelection { accepted: [set.preview().hunks[lines].index].into(), edited: BTreeMap::new() };
    let landing = plan_landing(&set, &chosen, &project).unwrap().set;
    plan_effects(landing.effects()).unwrap().apply(&project).unwrap();
    assert_eq!(
        (fs::read_to_string(folder.path().join("a.sh")).unwrap(), mode(folder.path(), "a.sh")),
        ("two\n".into(), 0o644)
    );
}
