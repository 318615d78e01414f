use super::tests::{Scanned, image, minutes, paths};
use super::walk_files::MAX_DEPTH;
use super::*;

const OVER: PreImage = PreImage::None(NotImaged::OverBudget);

#[test]
fn beyond_the_limit_of_files_nothing_is_looked_at_and_nothing_claimed() {
    let mut scanned = Scanned::new(&[("a", b"a"), ("b/c", b"c"), ("b.txt", b"b"), ("d", b"d")]);
    let all = scanned.scan(None);
    for (limit, expected, last) in [
        (0, vec![], Some("")),
        (1, vec!["a"], Some("a")),
        (2, vec!["a", "b.txt"], Some("b.txt")),
        (3, vec!["a", "b.txt"], Some("b/")),
        (4, vec!["a", "b.txt", "b/c"], Some("b/c")),
        (5, vec!["a", "b.txt", "b/c", "d"], None),
    ] {
        scanned.limits.max_files = limit;
        let cut = scanned.scan(None);
        assert_eq!((paths(&cut), cut.walked_until.as_deref()), (expected, last), "{limit}");
        assert_eq!(cut.left_out().is_cut, last.is_some());
        assert_eq!((snapshot_changes(&all, &cut), snapshot_changes(&cut, &all)), (vec![], vec![]), "{limit}");
    }
}

#[test]
fn within_what_was_looked_at_a_cut_snapshot_still_tells_changes() {
    let mut scanned = Scanned::new(&[("a", b"a"), ("b", b"b"), ("z", b"z")]);
    scanned.limits.max_files = 2;
    let before = scanned.scan(None);
    scanned.write("aa", b"new", minutes(1));
    let after = scanned.scan(Some(&before));
    assert_eq!(paths(&after), ["a", "aa"]);
    let changes = snapshot_changes(&before, &after);
    assert_eq!(changes.iter().map(|change| change.path.as_str()).collect::<Vec<_>>(), ["aa"]);
}

#[test]
fn a_file_above_the_limit_is_listed_without_content() {
    let mut scanned = Scanned::new(&[("at", b"1234"), ("above", b"12345")]);
    scanned.limits.max_file_bytes = 4;
    let snapshot = scanned.scan(None);
    assert_eq!(scanned.kept(), ["1234"]);
    assert_eq!(image(&snapshot, "above"), PreImage::None(NotImaged::TooLarge));
    assert_eq!(snapshot.left_out().too_large, 1);
}

#[test]
fn over_the_budget_the_most_recently_modified_are_imaged() {
    // The first is the newest.
    let mut scanned = Scanned::new(&[("z", b"1234"), ("a", b"5678"), ("m", b"9"), ("b", b"0")]);
    scanned.limits.max_total_bytes = 9;
    let first = scanned.scan(None);
    assert_eq!(scanned.kept(), ["1234", "5678", "9"]);
    assert_eq!((image(&first, "b"), first.left_out().over_budget, first.imaged_bytes()), (OVER, 1, 9));
    // Known contents count too, so that what is kept of a project stays bounded; what still fits is taken.
    scanned.write("b", b"0!", minutes(0));
    let second = scanned.scan(Some(&first));
    assert_eq!(scanned.kept(), ["0!"]);
    assert_eq!((image(&second, "a"), image(&second, "m")), (OVER, image(&first, "m")));
    assert_eq!(snapshot_changes(&first, &second).len(), 1);
}

#[test]
fn what_turns_out_not_to_be_text_is_read_up_to_a_limit_too() {
    let files: Vec<(String, Vec<u8>)> = (0..5).map(|number| (format!("{number}.bin"), vec![0; 10])).collect();
    let files: Vec<(&str, &[u8])> = files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice())).collect();
    let mut scanned = Scanned::new(&files);
    scanned.limits.max_total_bytes = 10;
    let first = scanned.scan(None);
    assert_eq!((first.left_out().not_text, first.left_out().over_budget), (4, 1));
    // The next time it has less to find out.
    assert_eq!(scanned.scan(Some(&first)).left_out().not_text, 5);
}

#[test]
fn folders_deeper_than_the_limit_are_not_entered() {
    let deep = |depth: usize| format!("{}a", "d/".repeat(depth));
    let (reached, beyond) = (deep(MAX_DEPTH - 1), deep(MAX_DEPTH));
    let mut scanned = Scanned::new(&[(&reached, b"a"), (&beyond, b"b")]);
    let snapshot = scanned.scan(None);
    assert_eq!(paths(&snapshot), [reached.as_str()]);
    assert_eq!(snapshot.left_out().unlisted, 1);
    let mut with_beyond = snapshot.clone();
    with_beyond.files.insert(beyond, snapshot.files[&reached].clone());
    assert_eq!(snapshot_changes(&with_beyond, &snapshot), []);
}

#[test]
fn the_defaults_are_the_named_limits() {
    let SnapshotLimits { max_files, max_file_bytes, max_total_bytes } = SnapshotLimits::default();
    assert_eq!((max_files, max_file_bytes, max_total_bytes), (20_000, 262_144, 67_108_864));
}
