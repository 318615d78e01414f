use super::LineOrigin::{Arki, Before, User};
use super::*;
use arki_domain::Code;
use proptest::collection::vec;
use proptest::prelude::*;

fn version(before: Option<&'static str>, after: Option<&'static str>, origin: u32) -> FileVersion<'static, u32> {
    FileVersion { before: before.map(str::as_bytes), after: after.map(str::as_bytes), origin }
}

#[track_caller]
fn check(versions: &[FileVersion<'_, u32>], now: &str, expected: &[(&str, LineOrigin<u32>)]) {
    let lines = attribute(versions, now.as_bytes()).unwrap();
    let found: Vec<(&str, LineOrigin<u32>)> =
        lines.iter().map(|line| (line.text.as_str(), line.origin.clone())).collect();
    assert_eq!(found, expected);
    assert!(lines.iter().map(|line| line.number).eq(1..=expected.len()));
}

#[test]
fn each_line_knows_the_change_that_wrote_it() {
    let versions =
        [version(Some("a\nb\nc\n"), Some("a\nB\nc\n"), 1), version(Some("a\nB\nc\n"), Some("new\na\nB\nc\n"), 2)];
    check(&versions, "new\na\nB\nc\n", &[("new", Arki(2)), ("a", Before), ("B", Arki(1)), ("c", Before)]);
}

#[test]
fn what_appears_between_and_after_the_changes_is_the_users() {
    let versions = [version(Some("a\n"), Some("a\nb\n"), 1), version(Some("a\nmine\nb\n"), Some("a\nmine\nb\nc\n"), 2)];
    let expected = [("a", Before), ("mine", User), ("b", Arki(1)), ("c", Arki(2)), ("last", User)];
    check(&versions, "a\nmine\nb\nc\nlast\n", &expected);
}

#[test]
fn a_file_arki_made_is_arkis_and_one_it_never_touched_is_not() {
    check(&[version(None, Some("x\ny\n"), 7)], "x\ny\n", &[("x", Arki(7)), ("y", Arki(7))]);
    check(&[], "x\n", &[("x", Before)]);
    check(&[], "", &[]);
}

#[test]
fn a_file_that_was_gone_in_between_is_by_who_made_it_again() {
    check(&[version(Some("a\n"), None, 1), version(None, Some("a\n"), 2)], "a\n", &[("a", Arki(2))]);
    check(&[version(Some("a\n"), None, 1)], "a\n", &[("a", User)]);
    check(&[version(Some("a\n"), Some("b\n"), 1), version(None, Some("b\n"), 2)], "b\n", &[("b", Arki(2))]);
}

#[test]
fn a_line_taken_back_by_the_user_is_the_users_again() {
    check(&[version(Some("a\n"), Some("b\n"), 1)], "a\n", &[("a", User)]);
}

#[test]
fn another_line_ending_does_not_change_who_wrote_a_line() {
    check(
        &[version(Some("a\nb"), Some("a\nb\nc\n"), 1)],
        "a\r\nb\r\nc",
        &[("a", Before), ("b", Before), ("c", Arki(1))],
    );
}

#[test]
fn versions_that_are_not_text_are_passed_through() {
    let binary = FileVersion { before: Some(b"a\n".as_slice()), after: Some(b"\0\xff\na\n"), origin: 1 };
    check(&[binary], "a\n", &[("a", Before)]);
}

#[test]
fn too_many_versions_too_many_bytes_and_binary_content_are_refused_by_name() {
    let many = vec![version(Some("a"), Some("b"), 1); MAX_ATTRIBUTED_VERSIONS + 1];
    assert!(attribute(&many[1..], b"b").is_ok());
    let error = attribute(&many, b"b").unwrap_err();
    assert_eq!(error.to_string(), "The file was changed 2001 times, more than the 2000 that can be traced.");

    let half = vec![b'x'; MAX_ATTRIBUTED_BYTES / 2];
    let large = |before| [FileVersion { before: Some(before), after: Some(&half[..]), origin: 1 }];
    assert!(attribute(&large(&half), b"").is_ok());
    assert_eq!(attribute(&large(&half), b"x").unwrap_err().code(), Code::FILE_TOO_LARGE);

    assert_eq!(attribute::<u32>(&[], b"\0").unwrap_err().code(), Code::FILE_NOT_TEXT);
}

fn content() -> impl Strategy<Value = Vec<u8>> {
    vec(prop_oneof![Just("a\n"), Just("b\r\n"), Just("c\n"), Just("\n"), Just("d")], 0..8)
        .prop_map(|lines| lines.concat().into_bytes())
}

proptest! {
    #[test]
    fn every_line_of_now_is_there_once_and_in_order(
        contents in vec((proptest::option::of(content()), proptest::option::of(content())), 0..5),
        now in content(),
    ) {
        let versions: Vec<FileVersion<'_, usize>> = (0..)
            .zip(&contents)
            .map(|(origin, (before, after))| FileVersion { before: before.as_deref(), after: after.as_deref(), origin })
            .collect();
        let lines = attribute(&versions, &now).unwrap();
        let found: Vec<(usize, &str)> = lines.iter().map(|line| (line.number, line.text.as_str())).collect();
        let text = String::from_utf8(now.clone()).unwrap();
        let expected: Vec<(usize, &str)> = (1..).zip(text.lines()).collect();
        prop_assert_eq!(found, expected);
    }

    /// Each round adds a line of its own somewhere, by Arki or the user; nothing is ever taken away.
    #[test]
    fn a_line_stays_with_who_wrote_it_however_much_is_added_around_it(
        rounds in vec((any::<bool>(), any::<prop::sample::Index>()), 0..12),
        kept in 1usize..6,
    ) {
        let mut expected: Vec<(String, LineOrigin<usize>)> =
            (0..kept).map(|number| (format!("kept {number}"), Before)).collect();
        let text = |lines: &[(String, LineOrigin<usize>)]| -> Vec<u8> {
            lines.iter().flat_map(|(text, _)| format!("{text}\n").into_bytes()).collect()
        };
        let first = text(&expected);
        let mut contents = vec![(first.clone(), first, usize::MAX)];
        for (round, (is_arki, place)) in rounds.iter().enumerate() {
            let before = text(&expected);
            let origin = if *is_arki { Arki(round) } else { User };
            expected.insert(place.index(expected.len() + 1), (format!("round {round}"), origin));
            if *is_arki {
                contents.push((before, text(&expected), round));
            }
        }
        let versions: Vec<FileVersion<'_, usize>> = contents
            .iter()
            .map(|(before, after, origin)| FileVersion { before: Some(before), after: Some(after), origin: *origin })
            .collect();
        let lines = attribute(&versions, &text(&expected)).unwrap();
        let found: Vec<(String, LineOrigin<usize>)> = lines.into_iter().map(|line| (line.text, line.origin)).collect();
        prop_assert_eq!(found, expected);
    }
}

#[test]
fn half_of_the_lines_make_a_file_the_same_one_elsewhere() {
    let of = |one: &str, other: &str| shared_lines(one.as_bytes(), other.as_bytes());
    assert_eq!((of("a\nb\n", "a\nb\n"), of("a\nb\n", "a\r\nB\r\n"), of("a\nb\nc\n", "a\n")), (2, 1, 0));
    assert_eq!((of("b\na\n", "a\nb\n"), of("a\na\n", "a\nb\n"), of("a\na\nb\n", "a\nc\nd\n")), (2, 1, 0));
    assert_eq!((of("", ""), of("a\n", ""), shared_lines(b"\0", b"\0")), (0, 0, 0));
}
