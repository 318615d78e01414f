use super::*;
use arki_domain::Code;
use proptest::prelude::*;
use std::fs;

fn project(content: Option<&[u8]>) -> (tempfile::TempDir, Project, ProjectPath) {
    let folder = tempfile::tempdir().unwrap();
    if let Some(content) = content {
        fs::write(folder.path().join("a.txt"), content).unwrap();
    }
    let project = Project::open(folder.path()).unwrap();
    let path = project.resolve("a.txt").unwrap();
    (folder, project, path)
}

fn text_edit(old: &str, new: &str) -> TextEdit {
    TextEdit { old_text: old.to_owned(), new_text: new.to_owned(), replace_all: false }
}

fn edited(content: &[u8], edits: &[TextEdit]) -> Result<Vec<u8>> {
    let (_folder, project, path) = project(Some(content));
    let set = plan_edit(&project, &path, edits)?;
    assert_eq!(set.files()[0].before.as_deref(), Some(content));
    Ok(set.files()[0].after.as_deref().unwrap().to_vec())
}

fn check(content: &[u8], edits: &[(&str, &str)], expected: &[u8]) {
    let edits: Vec<TextEdit> = edits.iter().map(|(old, new)| text_edit(old, new)).collect();
    let result = edited(content, &edits).unwrap();
    assert_eq!(String::from_utf8_lossy(&result), String::from_utf8_lossy(expected));
}

fn message(content: &[u8], edits: &[TextEdit]) -> String {
    let error = edited(content, edits).unwrap_err();
    format!("{} {error}", error.code())
}

fn written(existing: Option<&[u8]>, content: &str) -> Vec<u8> {
    let (folder, project, path) = project(existing);
    plan_write(&project, &path, content).unwrap().apply(&project).unwrap();
    fs::read(folder.path().join("a.txt")).unwrap()
}

#[test]
fn edits_are_applied_one_after_another() {
    check(b"a\nb\nc\n", &[("b", "x"), ("x\nc", "y")], b"a\ny\n");
    check(b"a b", &[(" b", "")], b"a");
}

#[test]
fn line_endings_bom_and_a_missing_final_newline_stay() {
    check(b"a\r\nb\r\nc", &[("a\nb", "1\nnew\nb")], b"1\r\nnew\r\nb\r\nc");
    check(b"\xef\xbb\xbfa\r\nb\r\n", &[("b\n", "b\nc\n")], b"\xef\xbb\xbfa\r\nb\r\nc\r\n");
    check(b"a\r\nb\nc\r\nd\n", &[("b\nc\nd", "b\nC\nd")], b"a\r\nb\nC\nd\n");
    check(b"a\r\nb", &[("b", "b\nc")], b"a\r\nb\r\nc");
    check(b"a\nb\n", &[("a\r\nb", "x\r\ny")], b"x\ny\n");
}

#[test]
fn replace_all_replaces_every_place() {
    let edit = TextEdit { replace_all: true, ..text_edit("a", "bb") };
    assert_eq!(edited(b"a\r\nxa\r\na", &[edit]).unwrap(), b"bb\r\nxbb\r\nbb");
}

/// Without a bound, forty of them would need terabytes, and one of the last ones alone.
#[test]
fn edits_that_grow_without_end_are_refused() {
    let doubling = TextEdit { replace_all: true, ..text_edit("a", "aa") };
    let code = |content: &[u8], edits: &[TextEdit]| edited(content, edits).unwrap_err().code();
    assert_eq!(code(b"a\n", &vec![doubling; 40]), Code::FILE_TOO_LARGE);
    let swelling = TextEdit { replace_all: true, ..text_edit("a", &"b".repeat(1 << 20)) };
    assert_eq!(code(&b"a".repeat(1 << 20), &[swelling]), Code::FILE_TOO_LARGE);
    let large = b"a".repeat(EDIT_LIMIT_BYTES as usize - 1);
    assert_eq!(code(&[&large[1..], b"b"].concat(), &[text_edit("b", "ccc")]), Code::FILE_TOO_LARGE);
}

/// As fast as any other: each of its places is compared in full, and the lines before each are counted.
#[test]
fn a_text_that_is_everywhere_is_ambiguous() {
    let text = b"a\n".repeat(1 << 20);
    let half = "a\n".repeat(1 << 19);
    assert!(message(&text, &[text_edit(&half, "b")]).starts_with(Code::EDIT_AMBIGUOUS.0));
    assert!(message(&text, &[text_edit("a", "b")]).contains("occurs 1048576 times"));
}

#[test]
fn an_ambiguous_text_names_its_places() {
    let expected =
        "EDIT_AMBIGUOUS The old_text of edit 1 occurs 2 times in a.txt: line 1: let x = 1; line 3:   let x = 2";
    assert_eq!(message(b"let x = 1\n\n  let x = 2\n", &[text_edit("let x", "y")]), expected);
    let many = "a\n".repeat(9);
    assert!(message(many.as_bytes(), &[text_edit("a", "b")]).ends_with("line 5: a; and 4 more"));
    assert!(message(b"aaa", &[text_edit("aa", "b")]).starts_with(Code::EDIT_AMBIGUOUS.0));
}

#[test]
fn a_missing_text_names_the_closest_line() {
    let content = b"fn main() {\n    let value = 1;\n    call(value);\n}\n";
    let nearly = message(content, &[text_edit("let value = 2;", "x")]);
    assert_eq!(
        nearly,
        "EDIT_NOT_FOUND The old_text of edit 1 is not in a.txt. The closest line is 2:     let value = 1;"
    );
    let later = message(content, &[text_edit("fn main() {\n    let value = 1;\n    other(value);", "x")]);
    assert!(later.ends_with("The closest line is 3:     call(value);"), "{later}");
    let nothing = message(content, &[text_edit("zzzzzzzzzz", "x")]);
    assert!(nothing.ends_with("is not in a.txt."), "{nothing}");
}

fn noted(content: &str, old: &str, new: &str, expected: &str, note: &str) {
    let (_folder, project, path) = project(Some(content.as_bytes()));
    let set = plan_edit(&project, &path, &[text_edit(old, new)]).unwrap();
    assert_eq!(String::from_utf8_lossy(set.files()[0].after.as_deref().unwrap()), expected);
    assert_eq!(set.notes().join("|"), note);
}

#[test]
fn what_had_to_be_forgiven_is_noted() {
    noted("a\nb\n", "a\nb", "c", "c\n", "");
    noted(
        "x\na  \nb\n",
        "a\nb",
        "a\nc",
        "x\na  \nc\n",
        "Edit 1 matched at line 2 but for spaces at the ends of lines.",
    );
    noted(
        "if x:\n    a()\n    b()\n",
        "a()\nb()\n",
        "a()\nif y:\n    c()\n",
        "if x:\n    a()\n    if y:\n        c()\n",
        "Edit 1 matched at line 2 but for indentation.",
    );
    noted(
        "\u{201c}a\u{201d} b \u{201c}c\u{201d}\n",
        "b \"c\"",
        "B \"c\"",
        "\u{201c}a\u{201d} B \u{201c}c\u{201d}\n",
        "Edit 1 matched at line 1 but for characters that look alike.",
    );
}

#[test]
fn a_whole_line_that_lost_its_indentation_gives_new_lines_that_of_the_file() {
    noted(
        "fn f() {\n    done()\n}\n",
        "done()\n",
        "if x {\n    y()\n}\ndone()\n",
        "fn f() {\n    if x {\n        y()\n    }\n    done()\n}\n",
        "Edit 1 matched at line 2 but for indentation.",
    );
    // Without the line's end it is a piece of a line, taken as it is.
    noted("    a\n", "a", "a\nb", "    a\nb\n", "");
}

#[test]
fn two_places_are_both_shown_whatever_was_forgiven() {
    let expected = "EDIT_AMBIGUOUS The old_text of edit 1 occurs 2 times in a.txt, but for indentation: line 1:   a(); line 4:     a()";
    assert_eq!(message(b"  a()\n  b()\n\n    a()\n    b()\n", &[text_edit("a()\nb()\n", "c()\n")]), expected);
}

#[test]
fn new_lines_whose_indentation_cannot_be_told_are_refused() {
    let unclear = message(b"  a()\n    b()\n", &[text_edit("a()\nb()\n", "a()\n c()\n")]);
    assert!(
        unclear.starts_with("EDIT_NOT_FOUND The old_text of edit 1 is at line 1 of a.txt, but for indentation"),
        "{unclear}"
    );
}

#[test]
fn what_stands_for_other_code_is_refused_unless_it_was_there() {
    let placeholder = message(b"a\nb\n", &[text_edit("a\n", "c\n// ... existing code ...\n")]);
    assert!(placeholder.starts_with("EDIT_PLACEHOLDER"), "{placeholder}");
    check(b"a\n# rest of the code\n", &[("a\n# rest", "b\n# rest")], b"b\n# rest of the code\n");
    let (_folder, project, path) = project(Some(b"a\nb\n"));
    let error = plan_write(&project, &path, "a\n// rest of the file unchanged\n").unwrap_err();
    assert_eq!(error.code(), Code::EDIT_PLACEHOLDER);
}

#[test]
fn one_bad_edit_spoils_all() {
    let edits = [text_edit("a", "b"), text_edit("missing", "x")];
    assert!(message(b"a", &edits).starts_with("EDIT_NOT_FOUND The old_text of edit 2"));
    assert!(message(b"a", &[]).starts_with(Code::EDIT_INVALID.0));
    assert!(message(b"a", &[text_edit("", "x")]).starts_with(Code::EDIT_INVALID.0));
    assert!(message(b"a", &[text_edit("a", "a")]).starts_with(Code::EDIT_INVALID.0));
    assert!(message(b"a", &[text_edit("a", "\0")]).starts_with(Code::FILE_NOT_TEXT.0));
    assert!(message(b"\0", &[text_edit("a", "b")]).starts_with(Code::FILE_NOT_TEXT.0));
}

#[test]
fn a_new_file_has_exactly_the_content() {
    assert_eq!(written(None, "a\nb"), b"a\nb");
    assert_eq!(written(None, ""), b"");
}

#[test]
fn a_rewritten_file_keeps_bom_endings_and_final_newline() {
    assert_eq!(written(Some(b"\xef\xbb\xbfa\r\n"), "b\nc"), b"\xef\xbb\xbfb\r\nc\r\n");
    assert_eq!(written(Some(b"a\r\nb\nc\r\n"), "a\nb\nnew\n"), b"a\r\nb\nnew\r\n");
    assert_eq!(written(Some(b"a\n"), "b\r\nc\r\n"), b"b\r\nc\r\n");
    assert_eq!(written(Some(b"a"), "b\n"), b"b\n");
    assert_eq!(written(Some(b"a\n"), ""), b"");
}

#[test]
fn writing_what_is_there_already_is_no_change() {
    let (_folder, project, path) = project(Some(b"a\r\nb\r\n"));
    assert!(plan_write(&project, &path, "a\nb\n").unwrap().is_empty());
}

#[test]
fn what_is_not_text_is_refused_both_ways() {
    let (_folder, project, path) = project(Some(b"\0\x01"));
    assert_eq!(plan_write(&project, &path, "text").unwrap_err().code(), Code::FILE_NOT_TEXT);
    assert_eq!(plan_write(&project, &path, "a\0").unwrap_err().code(), Code::FILE_NOT_TEXT);
    let root = project.resolve(".").unwrap();
    assert_eq!(plan_write(&project, &root, "x").unwrap_err().code(), Code::FILE_NOT_TEXT);
}

#[test]
fn a_file_of_a_gigabyte_is_refused_unread() {
    let (folder, project, path) = project(Some(b""));
    let file = fs::OpenOptions::new().write(true).open(folder.path().join("a.txt")).unwrap();
    file.set_len(1 << 30).unwrap();
    assert_eq!(plan_edit(&project, &path, &[text_edit("a", "b")]).unwrap_err().code(), Code::FILE_TOO_LARGE);
    assert_eq!(plan_write(&project, &path, "x").unwrap_err().code(), Code::FILE_TOO_LARGE);
    assert_eq!(plan_delete(&project, &path).unwrap_err().code(), Code::FILE_TOO_LARGE);
}

#[test]
fn deleting_removes_the_file_whatever_it_holds() {
    let (folder, project, path) = project(Some(b"\0"));
    plan_delete(&project, &path).unwrap().apply(&project).unwrap();
    assert!(!folder.path().join("a.txt").exists());
    assert_eq!(plan_delete(&project, &path).unwrap_err().code(), Code::FILE_NOT_FOUND);
}

proptest! {
    /// With a marker that is there exactly once, an edit is a plain replacement around which nothing moves.
    #[test]
    fn what_an_edit_does_not_match_stays_byte_for_byte(
        before in "([a-c]{0,2}(\n|\r\n|\r)){0,6}[a-c]{0,2}",
        after in "([a-c]{0,2}(\n|\r\n)){0,6}[a-c]{0,2}",
        new in "[x-z]{0,3}",
    ) {
        let content = format!("{before}MARK{after}");
        let result = edited(content.as_bytes(), &[text_edit("MARK", &new)]).unwrap();
        prop_assert_eq!(String::from_utf8(result).unwrap(), format!("{before}{new}{after}"));
    }

    #[test]
    fn in_a_file_of_one_ending_every_line_keeps_it(
        lines in prop::collection::vec("[a-c]{1,3}", 1..8),
        new in prop::collection::vec("[x-z]{1,3}", 1..5),
        at: prop::sample::Index,
    ) {
        let at = at.index(lines.len());
        let mut plain = lines;
        plain[at] = "MARK".to_owned();
        let content = plain.join("\r\n") + "\r\n";
        let result = edited(content.as_bytes(), &[text_edit("MARK\n", &(new.join("\n") + "\n"))]).unwrap();
        plain.splice(at..=at, new);
        prop_assert_eq!(String::from_utf8(result).unwrap(), plain.join("\r\n") + "\r\n");
    }
}
