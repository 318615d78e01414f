use super::*;
use crate::project::resolve_for_test as path;
use arki_domain::Code;
use proptest::prelude::*;

fn content(bytes: Option<&[u8]>) -> Option<FileContent> {
    bytes.map(|bytes| bytes.to_vec().into())
}

fn change(name: &str, before: Option<&[u8]>, after: Option<&[u8]>) -> FileChange {
    FileChange { path: path(name), before: content(before), after: content(after), mode: None, new_mode: None }
}

type Sides<'a> = (&'a str, Option<&'a [u8]>, Option<&'a [u8]>);

fn set(files: &[Sides<'_>]) -> ChangeSet {
    ChangeSet::new(files.iter().map(|(name, before, after)| change(name, *before, *after)).collect()).unwrap()
}

fn one(before: &[u8], after: &[u8]) -> ChangeSet {
    set(&[("a.txt", Some(before), Some(after))])
}

fn select(set: &ChangeSet, accepted: &[usize], edited: &[(usize, &str)]) -> Result<ChangeSet> {
    set.select(&HunkSelection {
        accepted: accepted.iter().copied().collect(),
        edited: edited.iter().map(|(index, text)| (*index, (*text).to_owned())).collect(),
    })
}

/// The content of the only file after selecting, which is the old one if nothing is left.
fn selected(before: &[u8], after: &[u8], accepted: &[usize], edited: &[(usize, &str)]) -> Vec<u8> {
    let result = select(&one(before, after), accepted, edited).unwrap();
    result.files.first().map_or(before.to_vec(), |file| file.after.as_deref().unwrap().to_vec())
}

/// Numbered lines `1..=count`, with some replaced.
fn numbered(count: usize, ending: &str, replaced: &[(usize, &str)]) -> Vec<u8> {
    let line = |number: usize| {
        let text = replaced.iter().find(|(line, _)| *line == number).map(|(_, text)| (*text).to_owned());
        format!("{}{ending}", text.unwrap_or_else(|| number.to_string()))
    };
    (1..=count).map(line).collect::<String>().into_bytes()
}

#[test]
fn a_preview_reads_like_git_diff() {
    let set = set(&[
        ("b new.txt", None, Some(b"one\ntwo")),
        ("a.txt", Some(&numbered(20, "\n", &[])), Some(&numbered(20, "\n", &[(2, "two"), (15, "x\ny")]))),
        ("c.txt", Some(b"gone\n"), None),
        ("d.bin", Some(b"\0"), None),
        ("e.txt", None, Some(b"")),
    ]);
    let preview = set.preview();
    insta::assert_snapshot!(preview.diff);
    insta::assert_json_snapshot!(preview.hunks);
    assert_eq!(preview.files_affected, ["a.txt", "b new.txt", "c.txt", "d.bin", "e.txt"]);
    assert_eq!(preview.lines_changed, 8);
}

#[test]
fn the_hash_is_stable_and_depends_on_everything() {
    let base = one(b"a\n", b"b\n").preview().preview_hash;
    insta::assert_snapshot!(base);
    assert_eq!(one(b"a\n", b"b\n").preview().preview_hash, base);
    let mut executable = change("a.txt", Some(b"a\n"), Some(b"b\n"));
    executable.mode = Some(0o755);
    for other in [
        one(b"a\n", b"c\n"),
        one(b"a", b"b\n"),
        set(&[("b.txt", Some(b"a\n"), Some(b"b\n"))]),
        set(&[("a.txt", None, Some(b"b\n"))]),
        ChangeSet::new(vec![executable]).unwrap(),
    ] {
        assert_ne!(other.preview().preview_hash, base);
    }
}

#[test]
fn what_changes_nothing_is_dropped_and_a_path_comes_once() {
    assert!(one(b"a", b"a").is_empty());
    let twice = vec![change("a", None, Some(b"1")), change("a", None, Some(b"2"))];
    assert_eq!(ChangeSet::new(twice).unwrap_err().code(), Code::EDIT_INVALID);
}

#[test]
fn accepted_hunks_are_taken_and_the_others_stay_old() {
    let (before, after) = (numbered(30, "\n", &[]), numbered(30, "\n", &[(2, "two"), (15, "x"), (28, "y")]));
    assert_eq!(selected(&before, &after, &[1, 3], &[]), numbered(30, "\n", &[(2, "two"), (28, "y")]));
    assert_eq!(selected(&before, &after, &[2], &[]), numbered(30, "\n", &[(15, "x")]));
}

#[test]
fn hunks_are_counted_across_files() {
    let set = set(&[("a", Some(b"1\n"), Some(b"2\n")), ("b", None, Some(b"")), ("c", Some(b"3\n"), Some(b"4\n"))]);
    let kept = select(&set, &[2, 3], &[]).unwrap();
    assert_eq!(kept.preview().files_affected, ["b", "c"]);
    assert_eq!(select(&set, &[4], &[]).unwrap_err().code(), Code::HUNK_UNKNOWN);
    assert_eq!(select(&set, &[0], &[]).unwrap_err().code(), Code::HUNK_UNKNOWN);
    assert_eq!(select(&set, &[], &[(2, "x")]).unwrap_err().code(), Code::HUNK_NOT_EDITABLE);
    assert_eq!(select(&set, &[], &[(1, "\0")]).unwrap_err().code(), Code::FILE_NOT_TEXT);
}

#[test]
fn an_edited_hunk_replaces_its_new_side_and_counts_as_accepted() {
    let (before, after) = (numbered(9, "\n", &[]), numbered(9, "\n", &[(5, "five")]));
    let edited = selected(&before, &after, &[], &[(1, "2\n3\n4\nFIVE\nmore\n6\n7\n8\n")]);
    assert_eq!(edited, numbered(9, "\n", &[(5, "FIVE\nmore")]));
    let reverted = "2\n3\n4\n5\n6\n7\n8\n";
    assert!(select(&one(&before, &after), &[1], &[(1, reverted)]).unwrap().is_empty());
}

#[test]
fn an_edit_typed_with_plain_newlines_keeps_the_endings_of_the_file() {
    let (before, after) = (numbered(9, "\r\n", &[]), numbered(9, "\r\n", &[(5, "five")]));
    let edited = selected(&before, &after, &[], &[(1, "2\n3\n4\nFIVE\n6\n7\n8")]);
    assert_eq!(edited, numbered(9, "\r\n", &[(5, "FIVE")]));
}

#[test]
fn an_edited_hunk_cannot_run_into_the_line_below_it() {
    let (before, after) = (numbered(9, "\n", &[]), numbered(9, "\n", &[(5, "five")]));
    assert!(selected(&before, &after, &[], &[(1, "only")]).starts_with(b"1\nonly\n9\n"));
    assert_eq!(selected(b"a", b"b", &[], &[(1, "c")]), b"c");
}

#[test]
fn rejecting_or_editing_a_new_and_a_deleted_file() {
    let new = set(&[("a", None, Some(b"1\n2\n"))]);
    assert!(select(&new, &[], &[]).unwrap().is_empty());
    assert_eq!(select(&new, &[], &[(1, "x\n")]).unwrap().files[0].after.as_deref(), Some(&b"x\n"[..]));
    let deleted = set(&[("a", Some(b"1\n2\n"), None)]);
    assert_eq!(select(&deleted, &[1], &[]).unwrap(), deleted);
    assert_eq!(select(&deleted, &[], &[(1, "1\n")]).unwrap().files[0].after.as_deref(), Some(&b"1\n"[..]));
    assert_eq!(select(&deleted, &[], &[(1, "")]).unwrap(), deleted);
}

/// Lines with every ending, so that files are mixed, few texts, so that lines repeat, and gaps.
fn text() -> impl Strategy<Value = Vec<u8>> {
    let line = ("[ab]{0,1}", prop::sample::select(vec!["\n", "\n", "\n", "\r\n", "\r"]));
    let filler = prop::bool::weighted(0.2);
    let lines = prop::collection::vec((line, filler), 0..25);
    (lines, "[ab]{0,1}").prop_map(|(lines, tail)| {
        let mut text = String::new();
        for ((line, ending), filler) in lines {
            text.push_str(&line);
            text.push_str(ending);
            if filler {
                text.push_str("1\n2\n3\n4\n5\n6\n7\n8\n");
            }
        }
        (text + &tail).into_bytes()
    })
}

/// Applies some hunks of a diff as a textual patch tool does: it looks only at the text.
fn patch(before: &[u8], diff: &str, accepted: &BTreeSet<usize>) -> Vec<u8> {
    let old: Vec<&[u8]> = arki_edit::split_lines(before);
    let mut result: Vec<u8> = Vec::new();
    let (mut copied, mut index, mut is_taken) = (0, 0, false);
    let mut last_sign = ' ';
    for line in diff.split_inclusive('\n').skip(3) {
        let (sign, text) = (line.chars().next().unwrap(), &line[1..]);
        match sign {
            '@' => {
                index += 1;
                is_taken = accepted.contains(&index);
                let range = text.split_once('-').unwrap().1.split(' ').next().unwrap();
                let (start, count) = range.split_once(',').unwrap_or((range, "1"));
                let start: usize = start.parse().unwrap();
                let start = if count == "0" { start } else { start - 1 };
                result.extend(old[copied..start].concat());
                copied = start;
            }
            '\\' if last_sign == '+' && !is_taken => {}
            '\\' if last_sign == '-' && is_taken => {}
            '\\' => assert_eq!(result.pop(), Some(b'\n')),
            ' ' => {
                result.extend(text.as_bytes());
                copied += 1;
            }
            '-' => {
                copied += 1;
                if !is_taken {
                    result.extend(text.as_bytes());
                }
            }
            _ if is_taken => result.extend(text.as_bytes()),
            _ => {}
        }
        last_sign = sign;
    }
    result.extend(old[copied..].concat());
    result
}

proptest! {
    #[test]
    fn all_hunks_give_the_new_text_and_none_the_old(before in text(), after in text()) {
        let set = one(&before, &after);
        let all = set.select(&HunkSelection::all(&set.preview())).unwrap();
        prop_assert_eq!(&all, &set);
        prop_assert!(set.select(&HunkSelection::default()).unwrap().is_empty());
    }

    #[test]
    fn some_hunks_give_what_the_textual_hunks_say(before in text(), after in text(), chosen: u32) {
        prop_assume!(before != after);
        let set = one(&before, &after);
        let preview = set.preview();
        let accepted: BTreeSet<usize> =
            preview.hunks.iter().map(|hunk| hunk.index).filter(|index| chosen & (1 << (index % 32)) != 0).collect();
        let expected = patch(&before, &preview.diff, &accepted);
        let indexes: Vec<usize> = accepted.into_iter().collect();
        prop_assert_eq!(selected(&before, &after, &indexes, &[]), expected);
    }

    #[test]
    fn handing_every_hunk_back_unedited_changes_nothing(before in text(), after in text()) {
        prop_assume!(before != after);
        let set = one(&before, &after);
        let new = arki_edit::split_lines(&after);
        let side = |hunk: &Hunk| {
            let start = if hunk.new_lines == 0 { hunk.new_start } else { hunk.new_start - 1 };
            String::from_utf8(new[start..start + hunk.new_lines].concat()).unwrap()
        };
        let edited = set.preview().hunks.iter().map(|hunk| (hunk.index, side(hunk))).collect();
        let result = set.select(&HunkSelection { edited, ..HunkSelection::default() }).unwrap();
        prop_assert_eq!(result, set);
    }

    #[test]
    fn hunks_keep_three_lines_of_context_and_do_not_touch(before in text(), after in text()) {
        let preview = one(&before, &after).preview();
        for pair in preview.hunks.windows(2) {
            prop_assert!(pair[0].old_start + pair[0].old_lines <= pair[1].old_start);
            prop_assert!(pair[0].new_start + pair[0].new_lines <= pair[1].new_start);
        }
    }
}
