use super::*;
use proptest::collection::vec;
use proptest::prelude::*;

fn write(text: &str) -> Merge {
    Merge::Write(text.as_bytes().to_vec())
}

#[track_caller]
fn check(base: &str, wanted: &str, disk: &str, expected: &Merge) {
    assert_eq!(merge(Some(base.as_bytes()), Some(wanted.as_bytes()), Some(disk.as_bytes())), *expected);
}

#[test]
fn what_the_user_did_elsewhere_in_the_file_is_kept() {
    check("a\nb\nc\nd\n", "A\nb\nc\nd\n", "a\nb\nc\nD\n", &write("A\nb\nc\nD\n"));
    check("a\nb\nc\n", "b\nc\n", "a\nb\nc\nd\n", &write("b\nc\nd\n"));
}

#[test]
fn both_sides_changing_the_same_place_is_a_conflict_unless_they_agree() {
    check("a\nb\nc\n", "a\nB\nc\n", "a\nX\nc\n", &Merge::Conflict);
    check("a\nb\nc\nd\ne\n", "a\nB\nc\nd\nE\n", "a\nB\nc\nd\ne\n", &write("a\nB\nc\nd\nE\n"));
}

#[test]
fn changes_without_an_untouched_line_between_them_are_a_conflict() {
    check("a\nb\n", "A\nb\n", "a\nB\n", &Merge::Conflict);
    check("a\nb\n", "a\nx\nb\n", "a\ny\nb\n", &Merge::Conflict);
}

#[test]
fn a_conflict_keeps_the_disk_and_the_rest_is_merged() {
    let kept = |base: &str, wanted: &str, disk: &str| {
        let kept = merge_keeping(base.as_bytes(), wanted.as_bytes(), disk.as_bytes()).unwrap();
        (String::from_utf8(kept.content).unwrap(), kept.conflicts)
    };
    let (base, wanted) = ("a\nb\nc\nd\ne\nf\n", "a\nB\nc\nd\nE\nf\n");
    assert_eq!(kept(base, wanted, "a\nmine\nc\nd\ne\nf\n"), ("a\nmine\nc\nd\nE\nf\n".to_owned(), 1));
    assert_eq!(kept(base, wanted, "a\nB\nc\nd\ne\nf\n"), (wanted.to_owned(), 0));
    assert_eq!(kept(base, "", "a\nb\nc\nd\nmine\nf\n"), ("a\nb\nc\nd\nmine\nf\n".to_owned(), 1));
    assert_eq!(merge_keeping(b"a", b"\0", b"a"), None);
}

#[test]
fn for_a_review_changes_of_neighbouring_lines_are_merged() {
    let kept = |base: &str, wanted: &str, disk: &str| {
        let kept = merge_keeping(base.as_bytes(), wanted.as_bytes(), disk.as_bytes()).unwrap();
        (String::from_utf8(kept.content).unwrap(), kept.conflicts)
    };
    assert_eq!(kept("a\nb\nc\nd\n", "a\nB\nc\nd\n", "a\nb\nC\nd\n"), ("a\nB\nC\nd\n".to_owned(), 0));
    assert_eq!(kept("a\nb\nc\nd\n", "a\nb\nC\nd\n", "a\nB\nc\nd\n"), ("a\nB\nC\nd\n".to_owned(), 0));
    assert_eq!(kept("a\nb\nc\n", "a\nB\nc\n", "a\nmine\nb\nc\n"), ("a\nmine\nB\nc\n".to_owned(), 0));
    assert_eq!(kept("a\nb\nc\n", "a\nx\nb\nc\n", "a\ny\nb\nc\n"), ("a\ny\nb\nc\n".to_owned(), 1));
    assert_eq!(kept("a\nb\n", "a\nb", "a\nb\nc\n"), ("a\nb\nc\n".to_owned(), 1));
    assert_eq!(kept("a\nb", "a\nB", "A\nb"), ("A\nB".to_owned(), 0));
}

#[test]
fn a_file_that_nobody_touched_since_becomes_what_is_wanted() {
    let (old, new) = (Some(&b"old"[..]), Some(&b"\0new"[..]));
    assert_eq!(merge(old, new, old), Merge::Write(b"\0new".to_vec()));
    assert_eq!(merge(old, None, old), Merge::Delete);
    assert_eq!(merge(None, new, None), Merge::Write(b"\0new".to_vec()));
}

#[test]
fn what_is_already_as_wanted_or_was_never_to_change_is_left_alone() {
    let (a, b, c) = (Some(&b"a"[..]), Some(&b"b"[..]), Some(&b"c"[..]));
    for (base, wanted, disk) in [(a, b, b), (a, None, None), (None, b, b), (a, a, c), (a, a, None), (None, None, c)] {
        assert_eq!(merge(base, wanted, disk), Merge::Unchanged, "{base:?} {wanted:?} {disk:?}");
    }
}

#[test]
fn a_deletion_against_an_edit_is_a_conflict_in_both_directions() {
    let (a, b, c) = (Some(&b"a"[..]), Some(&b"b"[..]), Some(&b"c"[..]));
    for (base, wanted, disk) in [(a, None, c), (a, b, None), (None, b, c)] {
        assert_eq!(merge(base, wanted, disk), Merge::Conflict, "{base:?} {wanted:?} {disk:?}");
    }
}

#[test]
fn what_is_not_text_is_taken_whole_or_not_at_all() {
    let base = b"a\nb\nc\n\xff\n";
    let (wanted, disk) = (b"A\nb\nc\n\xff\n", b"a\nb\nC\n\xff\n");
    assert_eq!(merge(Some(base), Some(wanted), Some(disk)), Merge::Conflict);
    assert_eq!(merge(Some(base), Some(wanted), Some(base)), Merge::Write(wanted.to_vec()));
    assert_eq!(merge(Some(b"a\nb\nc\n"), Some(b"A\nb\nc\n"), Some(b"a\nb\nc\0\n")), Merge::Conflict);
}

#[test]
fn a_side_above_the_limit_is_a_conflict() {
    let limit = usize::try_from(EDIT_LIMIT_BYTES).unwrap();
    let line = [b"x".repeat(limit - 1), b"\n".to_vec()].concat();
    let base = [&line[..], b"b\n"].concat();
    let (wanted, disk) = ([&line[..], b"b\nc\n"].concat(), [b"a\n", &line[..], b"b\n"].concat());
    assert_eq!(merge(Some(&base), Some(&wanted), Some(&disk)), Merge::Conflict);
    let shorter = |bytes: &[u8]| bytes.iter().copied().filter(|byte| *byte != b'x').collect::<Vec<u8>>();
    assert_eq!(merge(Some(&shorter(&base)), Some(&shorter(&wanted)), Some(&shorter(&disk))), write("a\n\nb\nc\n"));
}

#[test]
fn line_endings_byte_order_mark_and_missing_newline_stay_as_they_are() {
    check(
        "\u{feff}a\r\nb\r\nc\r\nd",
        "\u{feff}a\r\nB\r\nc\r\nd",
        "\u{feff}a\r\nb\r\nc\r\nd\r\ne",
        &write("\u{feff}a\r\nB\r\nc\r\nd\r\ne"),
    );
    check("a\nb\nc\n", "A\nb\nc\n", "a\nb\nc", &write("A\nb\nc"));
    check("a\nb\nc\n", "a\nb\nc", "a\nb\nc\nd\n", &Merge::Conflict);
    check("a\rb\nc\nd\n", "A\rb\nc\nd\n", "a\rb\nc\nD\n", &write("A\rb\nc\nD\n"));
}

/// Few different lines, so that they repeat, and every kind of ending.
fn content() -> impl Strategy<Value = Vec<u8>> {
    let line = prop_oneof![Just("a\n"), Just("b\n"), Just("c\r\n"), Just("\n"), Just("d\re\n")];
    (vec(line, 0..8), prop_oneof![Just(""), Just("end"), Just("a"), Just("\r")])
        .prop_map(|(lines, last)| [lines.concat(), last.to_owned()].concat().into_bytes())
}

fn maybe_content() -> impl Strategy<Value = Option<Vec<u8>>> {
    prop_oneof![1 => Just(None), 4 => content().prop_map(Some), 1 => vec(any::<u8>(), 0..6).prop_map(Some)]
}

/// The fate of a line of the base: it stays, it goes, or others come in its place.
#[derive(Debug, Clone, Copy)]
enum LineEdit {
    Delete,
    Replace,
    InsertAfter,
}

fn line_edits() -> impl Strategy<Value = Vec<Option<(LineEdit, bool)>>> {
    let edit = prop_oneof![Just(LineEdit::Delete), Just(LineEdit::Replace), Just(LineEdit::InsertAfter)];
    vec(proptest::option::weighted(0.4, (edit, any::<bool>())), 1..20)
}

/// Every line is unique; every second one is never edited, so edits never touch.
fn edited(edits: &[Option<(LineEdit, bool)>], is_taken: impl Fn(bool) -> bool) -> String {
    let mut text = String::new();
    for (number, edit) in edits.iter().enumerate() {
        match edit.filter(|(_, side)| is_taken(*side)) {
            None => text += &format!("line {number}\n"),
            Some((LineEdit::Delete, _)) => {}
            Some((LineEdit::Replace, side)) => text += &format!("line {number} by {side}\n"),
            Some((LineEdit::InsertAfter, side)) => text += &format!("line {number}\nafter {number} by {side}\n"),
        }
        text += &format!("kept {number}\n");
    }
    text
}

proptest! {
    #[test]
    fn an_untouched_file_always_becomes_what_is_wanted(base in maybe_content(), wanted in maybe_content()) {
        let merged = merge(base.as_deref(), wanted.as_deref(), base.as_deref());
        let expected = if base == wanted { Merge::Unchanged } else { wanted.map_or(Merge::Delete, Merge::Write) };
        prop_assert_eq!(merged, expected);
    }

    #[test]
    fn a_file_that_is_as_wanted_is_never_touched(base in maybe_content(), wanted in maybe_content()) {
        prop_assert_eq!(merge(base.as_deref(), wanted.as_deref(), wanted.as_deref()), Merge::Unchanged);
    }

    #[test]
    fn disjoint_edits_merge_and_both_are_there(edits in line_edits()) {
        let base = edited(&edits, |_| false);
        let (ours, theirs) = (edited(&edits, |side| side), edited(&edits, |side| !side));
        let both = edited(&edits, |_| true);
        let expected = if both == theirs { Merge::Unchanged } else { write(&both) };
        prop_assert_eq!(merge(Some(base.as_bytes()), Some(ours.as_bytes()), Some(theirs.as_bytes())), expected);
    }

    #[test]
    fn no_line_is_invented(base in content(), wanted in content(), disk in content()) {
        if let Merge::Write(merged) = merge(Some(&base), Some(&wanted), Some(&disk)) {
            let known = [split_lines(&base), split_lines(&wanted), split_lines(&disk)].concat();
            for line in split_lines(&merged) {
                prop_assert!(known.contains(&line), "{:?}", String::from_utf8_lossy(line));
            }
        }
    }

    #[test]
    fn what_the_disk_has_is_kept_where_both_changed_the_same_place(base in content(), wanted in content(), disk in content()) {
        let kept = merge_keeping(&base, &wanted, &disk).unwrap();
        let known = [split_lines(&base), split_lines(&wanted), split_lines(&disk)].concat();
        for line in split_lines(&kept.content) {
            prop_assert!(known.contains(&line), "{:?}", String::from_utf8_lossy(line));
        }
        let count = |lines: &[&[u8]], line: &[u8]| lines.iter().filter(|one| **one == line).count();
        let (base, disk, content) = (split_lines(&base), split_lines(&disk), split_lines(&kept.content));
        for line in disk.iter().filter(|line| !base.contains(line)) {
            prop_assert!(count(&content, line) >= count(&disk, line), "{:?}", String::from_utf8_lossy(line));
        }
    }

    #[test]
    fn the_sides_are_treated_alike(base in content(), wanted in content(), disk in content()) {
        let result = |wanted: &[u8], disk: &[u8]| match merge(Some(&base), Some(wanted), Some(disk)) {
            Merge::Write(merged) => Some(merged),
            Merge::Unchanged => Some(disk.to_vec()),
            Merge::Delete | Merge::Conflict => None,
        };
        prop_assert_eq!(result(&wanted, &disk), result(&disk, &wanted));
    }
}
