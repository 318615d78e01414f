//! What was accepted is written as it was shown, or asked anew; and a crash leaves nothing half done.

use super::effects_tests::{FOLDER, effects, file, link, mode, project, put};
use super::*;
use arki_domain::{Code, WholeChange};
use proptest::prelude::*;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

fn numbered(replaced: &[(usize, &str)]) -> String {
    let line = |number: usize| {
        replaced.iter().find(|(at, _)| *at == number).map_or(format!("{number}"), |(_, text)| (*text).to_owned())
    };
    (1..=30).map(|number| line(number) + "\n").collect()
}

fn accepting(accepted: &[usize]) -> HunkSelection {
    HunkSelection { accepted: accepted.iter().copied().collect(), edited: BTreeMap::new() }
}

/// Lands the hunks; returns the files that are to be asked anew.
fn land(project: &Project, set: &ChangeSet, selection: &HunkSelection) -> Vec<String> {
    let planned = plan_landing(set, selection, project).unwrap();
    planned.set.apply(project).unwrap();
    planned.changed.files().iter().map(|change| change.path.to_string()).collect()
}

fn text(root: &Path, path: &str) -> String {
    fs::read_to_string(root.join(path)).unwrap()
}

#[test]
fn other_lines_of_a_file_may_have_changed_since_but_no_line_that_was_shown() {
    let (folder, project) = project();
    let set = effects(
        &project,
        vec![("a", file(&numbered(&[]), 0o644), file(&numbered(&[(5, "five"), (20, "twenty")]), 0o644))],
    );
    // The second hunk shows the lines 17 to 23, the first one 2 to 8.
    let check = |now: &[(usize, &str)], accepted: &[usize], wanted: Option<&[(usize, &str)]>| {
        put(folder.path(), "a", &numbered(now), 0o644);
        let changed = land(&project, &set, &accepting(accepted));
        assert_eq!(changed.is_empty(), wanted.is_some(), "{now:?}");
        assert_eq!(text(folder.path(), "a"), numbered(wanted.unwrap_or(now)), "{now:?}");
    };
    check(&[], &[1, 2], Some(&[(5, "five"), (20, "twenty")]));
    check(&[], &[2], Some(&[(20, "twenty")]));
    check(
        &[(12, "mine"), (1, "top\nmine")],
        &[1, 2],
        Some(&[(1, "top\nmine"), (5, "five"), (12, "mine"), (20, "twenty")]),
    );
    check(&[(5, "mine")], &[2], Some(&[(5, "mine"), (20, "twenty")]));
    check(&[(5, "mine")], &[1, 2], None);
    check(&[(8, "context")], &[1, 2], None);
    check(&[(8, "8\nwithin")], &[1], Some(&[(5, "five"), (8, "8\nwithin")]));
    check(&[(7, "7\nwithin")], &[1], None);
    check(&[(5, "five")], &[1], Some(&[(5, "five")]));
    check(&[(5, "five"), (20, "twenty")], &[1, 2], Some(&[(5, "five"), (20, "twenty")]));
}

#[test]
fn an_edited_hunk_lands_beside_what_the_user_has_changed_since() {
    let (folder, project) = project();
    let set = effects(&project, vec![("a", file(&numbered(&[]), 0o644), file(&numbered(&[(5, "five")]), 0o644))]);
    put(folder.path(), "a", &numbered(&[(20, "mine")]), 0o644);
    let edited =
        HunkSelection { accepted: BTreeSet::new(), edited: [(1, "2\n3\n4\nFIVE\n6\n7\n8\n".to_owned())].into() };
    assert!(land(&project, &set, &edited).is_empty());
    assert_eq!(text(folder.path(), "a"), numbered(&[(5, "FIVE"), (20, "mine")]));
}

#[test]
fn a_line_without_an_end_does_not_run_into_one_that_came_below_it() {
    let (folder, project) = project();
    let set = effects(&project, vec![("a", file("1\n2\n", 0o644), file("1\ntwo", 0o644))]);
    put(folder.path(), "a", "1\n2\nmine\n", 0o644);
    assert_eq!(land(&project, &set, &accepting(&[1])), ["a"]);
    assert_eq!(text(folder.path(), "a"), "1\n2\nmine\n");
}

#[test]
fn nothing_of_a_changed_file_is_written_and_the_others_are() {
    let (folder, project) = project();
    put(folder.path(), "a", "1\n", 0o644);
    put(folder.path(), "b", "\0mine", 0o644);
    put(folder.path(), "c", "mine\n", 0o644);
    put(folder.path(), "d", "1\nmine\n", 0o644);
    let set = effects(
        &project,
        vec![
            ("a", file("1\n", 0o644), file("2\n", 0o755)),
            ("b", file("\0", 0o644), file("\0\0", 0o755)),
            ("c", None, file("2\n", 0o644)),
            ("d", file("1\n", 0o644), None),
            ("e", None, file("2\n", 0o644)),
            ("f", file("1\n", 0o644), file("2\n", 0o644)),
            ("g", link("a"), None),
        ],
    );
    let planned = plan_landing(&set, &HunkSelection::all(&set.preview()), &project).unwrap();
    let paths = |set: &ChangeSet| set.files().iter().map(|change| change.path.to_string()).collect::<Vec<_>>();
    assert_eq!(
        (paths(&planned.set), paths(&planned.changed)),
        (vec!["a".into(), "e".into()], vec!["b".into(), "c".into(), "d".into(), "f".into()])
    );
    planned.set.apply(&project).unwrap();
    assert_eq!((text(folder.path(), "a").as_str(), text(folder.path(), "e").as_str()), ("2\n", "2\n"));
    // What is to be asked anew follows what is there now.
    let followed = follow_edits(&planned.changed, &project).unwrap();
    assert!(followed.set.is_empty() && followed.conflicts.len() == 4);
}

#[test]
fn a_mode_lands_where_it_is_as_shown_or_so_already() {
    let (folder, project) = project();
    let set = effects(&project, vec![("a", file("1\n", 0o644), file("2\n", 0o755))]);
    let check = |now: u32, accepted: &[usize], wanted: (&str, u32)| {
        put(folder.path(), "a", "1\n", now);
        land(&project, &set, &accepting(accepted));
        assert_eq!((text(folder.path(), "a").as_str(), mode(folder.path(), "a")), wanted, "{now:o} {accepted:?}");
    };
    check(0o644, &[1, 2], ("2\n", 0o755));
    check(0o644, &[1], ("1\n", 0o755));
    check(0o755, &[1, 2], ("2\n", 0o755));
    check(0o600, &[1, 2], ("1\n", 0o600));
    check(0o600, &[2], ("2\n", 0o600));
    check(0o775, &[2], ("2\n", 0o775));
}

#[test]
fn a_move_takes_along_what_the_user_wrote_since() {
    let (folder, project) = project();
    let set = effects(
        &project,
        vec![("old", file(&numbered(&[]), 0o644), None), ("new", None, file(&numbered(&[(5, "five")]), 0o644))],
    );
    put(folder.path(), "old", &numbered(&[(20, "mine")]), 0o600);
    assert!(land(&project, &set, &accepting(&[1, 2])).is_empty());
    assert_eq!(
        (text(folder.path(), "new"), mode(folder.path(), "new")),
        (numbered(&[(5, "five"), (20, "mine")]), 0o600)
    );
    assert!(!folder.path().join("old").exists());
    put(folder.path(), "old", &numbered(&[]), 0o644);
    assert_eq!(land(&project, &set, &accepting(&[1, 2])), ["new", "old"]);
    fs::remove_file(folder.path().join("new")).unwrap();
    put(folder.path(), "old", &numbered(&[(5, "mine")]), 0o644);
    assert_eq!(land(&project, &set, &accepting(&[1, 2])), ["new", "old"]);
    assert!(land(&project, &set, &accepting(&[1])).is_empty());
    assert_eq!(text(folder.path(), "new"), numbered(&[(5, "mine")]));
}

#[test]
fn a_file_that_changes_after_the_plan_is_stale_and_nothing_is_written() {
    let (folder, project) = project();
    put(folder.path(), "a", "1\n", 0o644);
    put(folder.path(), "b", "1\n", 0o644);
    let both = |path| (path, file("1\n", 0o644), file("2\n", 0o644));
    let set = effects(&project, vec![both("a"), both("b")]);
    let planned = plan_landing(&set, &accepting(&[1, 2]), &project).unwrap();
    put(folder.path(), "b", "1\nmine\n", 0o644);
    assert_eq!(planned.set.apply(&project).unwrap_err().code(), Code::STALE_PREVIEW);
    assert_eq!(text(folder.path(), "a"), "1\n");
    assert!(land(&project, &set, &accepting(&[1, 2])).is_empty());
    assert_eq!((text(folder.path(), "a").as_str(), text(folder.path(), "b").as_str()), ("2\n", "2\nmine\n"));
}

/// A change of every kind, and the project before it.
fn every_kind(folder: &Path, project: &Project) -> ChangeSet {
    put(folder, "bin", "\0old", 0o644);
    put(folder, "gone", "gone\n", 0o600);
    put(folder, "lines", "1\n2\n", 0o644);
    put(folder, "mode", "m\n", 0o644);
    put(folder, "old", "moved\n", 0o644);
    put(folder, "both", "b\n", 0o644);
    put(folder, "swap", "s\n", 0o644);
    put(folder, "tree/deep/x", "x\n", 0o644);
    std::os::unix::fs::symlink("a", folder.join("link")).unwrap();
    effects(
        project,
        vec![
            ("bin", file("\0old", 0o644), file("\0new", 0o644)),
            ("both", file("b\n", 0o644), file("B\n", 0o755)),
            ("empty", None, FOLDER),
            ("gone", file("gone\n", 0o600), None),
            ("lines", file("1\n2\n", 0o644), file("1\ntwo\n", 0o644)),
            ("link", link("a"), link("b")),
            ("mode", file("m\n", 0o644), file("m\n", 0o755)),
            ("new/deep", None, file("new\n", 0o755)),
            ("old", file("moved\n", 0o644), None),
            ("swap", file("s\n", 0o644), FOLDER),
            ("swap/below", None, file("b\n", 0o644)),
            ("tree", FOLDER, file("t\n", 0o644)),
            ("tree/deep/x", file("x\n", 0o644), None),
            ("to/moved", None, file("moved\n", 0o644)),
        ],
    )
}

/// Everything below a folder: paths, kinds, modes and contents.
fn tree(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().display().to_string();
            let kind = fs::symlink_metadata(&path).unwrap();
            if kind.is_dir() {
                found.push(format!("{name}/"));
                folders.push(path);
            } else if kind.is_symlink() {
                found.push(format!("{name} -> {}", fs::read_link(&path).unwrap().display()));
            } else {
                found.push(format!("{name} {:o} {:?}", kind.permissions().mode() & 0o777, fs::read(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn a_landing_that_was_cut_off_after_any_of_its_steps_is_finished() {
    let (whole, other) = project();
    every_kind(whole.path(), &other).apply(&other).unwrap();
    let wanted = tree(whole.path());
    let steps = 14;
    for cut in 0..=steps {
        let (folder, project) = project();
        let set = every_kind(folder.path(), &project);
        assert_eq!(set.files().len(), steps);
        // What needs the place of another comes last; the rest in the order of the change, and in the other one.
        let waits = |change: &&FileChange| matches!(change.path.as_str(), "swap/below" | "tree");
        let (waiting, first): (Vec<_>, Vec<_>) = set.files().iter().partition(waits);
        let orders: [Vec<&FileChange>; 2] = [
            first.iter().copied().chain(waiting.clone()).collect(),
            first.iter().rev().copied().chain(waiting.clone()).collect(),
        ];
        for order in orders {
            set.with_files(order[..cut].iter().copied().cloned().collect()).unwrap().apply(&project).unwrap();
            if let Some(next) = order.get(cut).filter(|next| !waits(next)) {
                let residue = format!(".{}.arki-tmp-0123456789abcdef", next.path.name());
                fs::create_dir_all(folder.path().join(next.path.folder().as_str())).unwrap();
                fs::write(folder.path().join(next.path.folder().as_str()).join(residue), "half").unwrap();
            }
            let found = plan_interrupted(&set, &project).unwrap();
            assert!(found.changed.is_empty(), "{cut}");
            assert_eq!(found.done.files().len() + found.left.files().len(), steps);
            found.left.apply(&project).unwrap();
            assert_eq!(tree(folder.path()), wanted, "{cut}");
            let again = plan_interrupted(&set, &project).unwrap();
            assert!(again.left.is_empty() && again.changed.is_empty());
            fs::read_dir(folder.path()).unwrap().for_each(|entry| {
                let path = entry.unwrap().path();
                if path.is_dir() && !path.is_symlink() { fs::remove_dir_all(path) } else { fs::remove_file(path) }
                    .unwrap();
            });
            every_kind(folder.path(), &project);
        }
    }
}

#[test]
fn a_write_in_place_that_was_cut_off_is_finished_too() {
    let (folder, project) = project();
    let set = effects(&project, vec![("a", file("aaaa aaaa", 0o644), file("bbbbbbb", 0o755))]);
    // Half the content; the whole content without the mode.
    for (now, is_left) in [("bbaa aaaa", true), ("bbbbbbb", true), ("aaaa aaaa", true)] {
        put(folder.path(), "a", now, 0o644);
        let found = plan_interrupted(&set, &project).unwrap();
        assert_eq!(!found.left.is_empty(), is_left, "{now}");
        found.left.apply(&project).unwrap();
        assert_eq!((text(folder.path(), "a").as_str(), mode(folder.path(), "a")), ("bbbbbbb", 0o755));
    }
}

#[test]
fn what_the_user_changed_after_the_crash_stays_and_is_named() {
    let (folder, project) = project();
    let set = every_kind(folder.path(), &project);
    put(folder.path(), "lines", "mine\n", 0o644);
    put(folder.path(), "gone", "mine\n", 0o600);
    put(folder.path(), "new/deep", "mine\n", 0o644);
    fs::set_permissions(folder.path().join("mode"), fs::Permissions::from_mode(0o600)).unwrap();
    let found = plan_interrupted(&set, &project).unwrap();
    let changed: Vec<&str> = found.changed.files().iter().map(|change| change.path.as_str()).collect();
    assert_eq!(changed, ["gone", "lines", "mode", "new/deep"]);
    found.left.apply(&project).unwrap();
    assert_eq!((text(folder.path(), "lines").as_str(), text(folder.path(), "bin").as_str()), ("mine\n", "\0new"));
}

#[test]
fn a_file_and_a_folder_take_each_others_place_or_neither_is_touched() {
    let (folder, project) = project();
    let set = every_kind(folder.path(), &project);
    let followed = follow_edits(&set, &project).unwrap();
    assert_eq!((&followed.set, followed.conflicts.len()), (&set, 0));
    assert_eq!(plan_landing(&set, &HunkSelection::all(&set.preview()), &project).unwrap().set, set);
    put(folder.path(), "swap", "mine\n", 0o644);
    put(folder.path(), "tree/mine", "mine\n", 0o644);
    let has = |set: &ChangeSet, path: &str| set.files().iter().any(|change| change.path.as_str().starts_with(path));
    let followed = follow_edits(&set, &project).unwrap();
    assert!(!has(&followed.set, "swap") && has(&followed.set, "tree/deep/x") && followed.conflicts.len() == 3);
    followed.set.check_current(&project).unwrap();
    let planned = plan_landing(&set, &HunkSelection::all(&set.preview()), &project).unwrap();
    assert!(!has(&planned.set, "swap") && has(&planned.changed, "swap") && has(&planned.changed, "swap/below"));
    planned.set.apply(&project).unwrap();
    assert_eq!((text(folder.path(), "swap").as_str(), text(folder.path(), "tree/mine").as_str()), ("mine\n", "mine\n"));
}

const LINES: usize = 14;
const PATHS: [&str; 6] = ["a.txt", "gone.txt", "moved.txt", "new.txt", "run.sh", "to.txt"];

/// What is done to a line, or to its file.
#[derive(Debug, Clone, Copy)]
enum Step {
    Insert,
    Replace,
    Remove,
    RemoveFile,
    MakeExecutable,
}

fn user_steps() -> impl Strategy<Value = Vec<(usize, usize, Step)>> {
    let step = prop_oneof![
        6 => Just(Step::Insert),
        6 => Just(Step::Replace),
        4 => Just(Step::Remove),
        1 => Just(Step::RemoveFile),
        1 => Just(Step::MakeExecutable),
    ];
    prop::collection::vec((0..PATHS.len(), 0..LINES, step), 0..6)
}

fn command_steps() -> impl Strategy<Value = Vec<(usize, Step)>> {
    let step = prop_oneof![Just(Step::Insert), Just(Step::Replace), Just(Step::Remove)];
    prop::collection::vec((0..LINES, step), 0..5)
}

fn stepped(text: &str, at: usize, step: Step, written: &str) -> String {
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    let at = if lines.is_empty() { 0 } else { at % lines.len() };
    match step {
        Step::Replace if at < lines.len() => lines[at] = format!("{written}\n"),
        Step::Remove if at < lines.len() => drop(lines.remove(at)),
        _ => lines.insert(at, format!("{written}\n")),
    }
    lines.concat()
}

/// The user works on the disk; each line they write is one of a kind.
fn work(root: &Path, phase: usize, steps: &[(usize, usize, Step)]) {
    for (number, (path, at, step)) in steps.iter().enumerate() {
        let path = root.join(PATHS[*path]);
        let before = fs::read_to_string(&path).unwrap_or_default();
        match step {
            Step::RemoveFile => drop(fs::remove_file(&path)),
            Step::MakeExecutable if path.exists() => {
                fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).unwrap()
            }
            step => fs::write(&path, stepped(&before, *at, *step, &format!("user {phase} {number}"))).unwrap(),
        }
    }
}

fn by_command(path: &str, steps: &[(usize, Step)]) -> String {
    let before: String = (0..LINES).map(|line| format!("{path} {line}\n")).collect();
    steps
        .iter()
        .enumerate()
        .fold(before, |text, (number, (at, step))| stepped(&text, *at, *step, &format!("command {path} {number}")))
}

fn lines_on_disk(root: &Path) -> BTreeMap<&'static str, Vec<String>> {
    let lines = |path| fs::read_to_string(root.join(path)).ok().map(|text| text.lines().map(str::to_owned).collect());
    PATHS.into_iter().filter_map(|path| Some((path, lines(path)?))).collect()
}

/// The hunk of each added and removed line in the diff, with the path it goes to.
fn shown_lines(preview: &Preview) -> Vec<(char, String, usize)> {
    let mut lines = Vec::new();
    let lined = preview.hunks.iter().filter(|hunk| hunk.what.is_none()).map(|hunk| hunk.index);
    let mut hunk = lined.into_iter();
    let mut current = 0;
    for line in preview.diff.lines() {
        match line.chars().next() {
            Some('@') => current = hunk.next().unwrap(),
            Some('d') if line.starts_with("diff") => current = 0,
            Some(sign @ ('+' | '-')) if current > 0 => lines.push((sign, line[1..].to_owned(), current)),
            _ => {}
        }
    }
    lines
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn no_line_of_the_users_is_lost_and_what_lands_is_what_was_accepted(
        edits in [command_steps(), command_steps(), command_steps()],
        before_decision in user_steps(),
        after_decision in user_steps(),
        chosen: u32,
        is_followed_again: bool,
    ) {
        let (folder, project) = project();
        let root = folder.path();
        for path in ["a.txt", "gone.txt", "moved.txt", "run.sh"] {
            put(root, path, &by_command(path, &[]), 0o644);
        }
        let was = |path| file(&by_command(path, &[]), 0o644);
        let original = effects(&project, vec![
            ("a.txt", was("a.txt"), file(&by_command("a.txt", &edits[0]), 0o644)),
            ("gone.txt", was("gone.txt"), None),
            ("moved.txt", was("moved.txt"), None),
            ("to.txt", None, file(&by_command("moved.txt", &edits[1]), 0o644)),
            ("new.txt", None, file("command new\n", 0o644)),
            ("run.sh", was("run.sh"), file(&by_command("run.sh", &edits[2]), 0o755)),
        ]);
        work(root, 1, &before_decision);
        let disk = tree(root);
        let shown = follow_edits(&original, &project).unwrap().set;
        prop_assert_eq!(&tree(root), &disk);
        prop_assert!(shown.check_current(&project).is_ok());

        let preview = shown.preview();
        let is_accepted = |hunk: &&Hunk| chosen & (1 << (hunk.index % 32)) != 0 || hunk.what == Some(WholeChange::Move);
        let accepted: BTreeSet<usize> = preview.hunks.iter().filter(is_accepted).map(|hunk| hunk.index).collect();
        work(root, 2, &after_decision);
        let before = lines_on_disk(root);
        let mut selection = HunkSelection { accepted: accepted.clone(), edited: BTreeMap::new() };
        let mut set = shown;
        let mut left = BTreeSet::new();
        if is_followed_again {
            set = follow_edits(&original, &project).unwrap().set;
            CarriedSelection { selection, changed: left, .. } = carry_selection(&preview, &set.preview(), &selection);
        }
        let planned = plan_landing(&set, &selection, &project).unwrap();
        left.extend(planned.changed.files().iter().map(|change| change.path.to_string()));
        planned.set.apply(&project).unwrap();
        let after = lines_on_disk(root);

        for (path, lines) in &before {
            let is_moved = *path == "moved.txt" && !after.contains_key(path);
            let now = after.get(if is_moved { "to.txt" } else { path });
            for line in lines.iter().filter(|line| line.starts_with("user")) {
                prop_assert!(now.is_some_and(|now| now.contains(line)), "{} lost {}", path, line);
            }
        }
        for path in &left {
            prop_assert_eq!(before.get(path.as_str()), after.get(path.as_str()), "{} was not to be written", path);
        }
        let hunk_paths: BTreeMap<usize, &str> = preview.hunks.iter().map(|hunk| (hunk.index, hunk.path.as_str())).collect();
        for (sign, line, hunk) in shown_lines(&preview) {
            let path = hunk_paths[&hunk];
            let is_left = left.contains(path);
            let has = |lines: &BTreeMap<&str, Vec<String>>, path: &str| lines.get(path).is_some_and(|lines| lines.contains(&line));
            if accepted.contains(&hunk) && !is_left {
                prop_assert_eq!(has(&after, path), sign == '+', "hunk {} {}{}", hunk, sign, line);
            } else if sign == '+' && !is_left {
                prop_assert!(!has(&after, path), "hunk {} was rejected: {}", hunk, line);
            }
        }
    }
}
