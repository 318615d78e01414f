//! Changes as the protocol shows them: parts of files before and after.

use crate::messages::{ToolCallContent, ToolCallLocation};
use crate::telling::tools::location;
use arki_domain::{ChangePreview, Hunk};
use std::path::Path;

/// A longer diff isn't sent.
const MAX_DIFF_BYTES: usize = 512 << 10;

/// A change as a call shows it.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct ShownChange {
    pub(crate) content: Vec<ToolCallContent>,
    pub(crate) locations: Vec<ToolCallLocation>,
}

/// Returns the hunks of a change that are wanted, with their places; `diff` is the preview's. What isn't lines, and what is
/// too long, is told in words.
pub(crate) fn shown_change(
    folder: &Path,
    preview: &ChangePreview,
    diff: &str,
    is_wanted: impl Fn(usize) -> bool,
) -> ShownChange {
    let wanted = preview.hunks.iter().filter(|hunk| is_wanted(hunk.index));
    let locations = wanted.map(|hunk| location(folder, &hunk.path, Some(hunk.new_start as u64))).collect();
    let is_text = preview.hunks.iter().all(|hunk| hunk.what.is_none());
    let content = match diff.len() {
        0 => vec![ToolCallContent::text(counted(preview))],
        bytes if bytes > MAX_DIFF_BYTES => vec![ToolCallContent::text(counted(preview))],
        _ if is_text => hunks_of(diff)
            .zip(&preview.hunks)
            .filter(|(_, hunk)| is_wanted(hunk.index))
            .map(|(body, hunk)| part(folder, hunk, body))
            .collect(),
        _ => vec![ToolCallContent::text(fenced("diff", diff))],
    };
    ShownChange { content, locations }
}

/// Returns the edits that a call asked for, as far as they can be shown as such; `None` where the diff has no files.
pub(crate) fn proposed_change(folder: &Path, diff: &str) -> Vec<ToolCallContent> {
    let named = diff.lines().take(2).find_map(|line| line.strip_prefix("+++ "));
    let Some(path) = named.filter(|_| diff.len() <= MAX_DIFF_BYTES) else {
        let end = diff.floor_char_boundary(MAX_DIFF_BYTES);
        return vec![ToolCallContent::text(fenced("diff", &diff[..end]))];
    };
    let is_new = !diff.starts_with("--- ");
    let body = diff.split_inclusive('\n').skip(if is_new { 1 } else { 2 });
    let mut edits = vec![Vec::new()];
    for line in body {
        match line.starts_with("@@ ") {
            true => edits.push(Vec::new()),
            false => edits.last_mut().expect("there is always a last edit").push(line),
        }
    }
    let edits = edits.into_iter().filter(|edit| !edit.is_empty());
    edits.map(|edit| lines_before_and_after(folder, path, edit.into_iter(), is_new)).collect()
}

/// The lines of each hunk.
fn hunks_of(diff: &str) -> impl Iterator<Item = Vec<&str>> {
    let mut hunks: Vec<Vec<&str>> = Vec::new();
    let mut is_within = false;
    for line in diff.split_inclusive('\n') {
        if line.starts_with("@@") {
            is_within = true;
            hunks.push(Vec::new());
        } else if line.starts_with("diff --git ") {
            is_within = false;
        } else if let Some(hunk) = hunks.last_mut().filter(|_| is_within) {
            hunk.push(line);
        }
    }
    hunks.into_iter()
}

fn part(folder: &Path, hunk: &Hunk, lines: Vec<&str>) -> ToolCallContent {
    let is_new = hunk.old_start == 0 && hunk.old_lines == 0;
    lines_before_and_after(folder, &hunk.path, lines.into_iter(), is_new)
}

fn lines_before_and_after<'a>(
    folder: &Path,
    path: &str,
    lines: impl Iterator<Item = &'a str>,
    is_new: bool,
) -> ToolCallContent {
    let (mut before, mut after) = (String::new(), String::new());
    for line in lines {
        let text = line.get(1..).unwrap_or_default();
        match line.as_bytes().first() {
            Some(b'-') => before.push_str(text),
            Some(b'+') => after.push_str(text),
            // The line above has no end.
            Some(b'\\') => [&mut before, &mut after].into_iter().for_each(|side| {
                side.truncate(side.trim_end_matches('\n').len());
            }),
            _ => [&mut before, &mut after].into_iter().for_each(|side| side.push_str(text)),
        }
    }
    let path = folder.join(path).display().to_string();
    ToolCallContent::Diff { path, old_text: (!is_new).then_some(before), new_text: after }
}

fn counted(preview: &ChangePreview) -> String {
    let files = arki_domain::plural(preview.file_count() as u64, "file");
    let lines = arki_domain::plural(preview.lines_changed as u64, "line");
    format!("{lines} in {files}; too long to be shown here.")
}

/// Text as a block of code that no line of it can end.
pub(crate) fn fenced(language: &str, text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let end = if text.ends_with('\n') || text.is_empty() { "" } else { "\n" };
    format!("{fence}{language}\n{text}{end}{fence}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use arki_domain::WholeChange;

    fn hunk(index: usize, path: &str, old_start: usize) -> Hunk {
        let (new_start, old_lines) = (old_start.max(1), usize::from(old_start > 0));
        Hunk { index, path: path.into(), old_start, old_lines, new_start, new_lines: 1, what: None, call_id: None }
    }

    fn preview(hunks: Vec<Hunk>) -> ChangePreview {
        ChangePreview {
            files_affected: vec!["a".into(), "b".into()],
            lines_changed: 3,
            diff: String::new(),
            diff_hash: None,
            hunks,
            preview_hash: String::new(),
        }
    }

    fn diff(path: &str, old_text: Option<&str>, new_text: &str) -> ToolCallContent {
        ToolCallContent::Diff { path: path.into(), old_text: old_text.map(str::to_owned), new_text: new_text.into() }
    }

    const DIFF: &str = "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n same\n-one\n+1\n@@ -9,1 +9,1 @@\n-x\n+@@ y\n\
                        \\ No newline at end of file\ndiff --git a/b b/b\n--- /dev/null\n+++ b/b\n@@ -0,0 +1,1 @@\n+new\n";

    #[test]
    fn each_hunk_is_a_part_of_its_file_before_and_after() {
        let preview = preview(vec![hunk(1, "a", 1), hunk(2, "a", 9), hunk(3, "b", 0)]);
        let shown = shown_change(Path::new("/p"), &preview, DIFF, |_| true);
        let all = [
            diff("/p/a", Some("same\none\n"), "same\n1\n"),
            diff("/p/a", Some("x"), "@@ y"),
            diff("/p/b", None, "new\n"),
        ];
        assert_eq!(shown.content, all);
        let places: Vec<_> = shown.locations.iter().map(|place| (place.path.as_str(), place.line)).collect();
        assert_eq!(places, [("/p/a", Some(1)), ("/p/a", Some(9)), ("/p/b", Some(1))]);
        let accepted = shown_change(Path::new("/p"), &preview, DIFF, |index| index == 2);
        assert_eq!(accepted.content, all[1..2]);
    }

    #[test]
    fn changes_without_lines_are_told_in_words() {
        let binary = Hunk { what: Some(WholeChange::Binary), ..hunk(1, "a", 0) };
        let shown = shown_change(Path::new("/p"), &preview(vec![binary]), "Binary files differ\n", |_| true);
        assert_eq!(shown.content, [ToolCallContent::text("```diff\nBinary files differ\n```")]);
        let told = |hunks| shown_change(Path::new("/p"), &preview(hunks), "", |_| true).content;
        let files = |words: &str| [ToolCallContent::text(format!("3 lines in {words}; too long to be shown here."))];
        assert_eq!(told(vec![hunk(1, "a", 1), hunk(2, "b", 1)]), files("2 files"));
        // Moved from one path to the other.
        assert_eq!(told(vec![hunk(1, "a", 1)]), files("1 file"));
    }

    #[test]
    fn edits_that_were_asked_for_are_parts_too() {
        let edits = "--- a\n+++ a\n@@ edit 1 of 2 @@\n-x\n+y\n@@ edit 2 of 2 @@\n-1\n+2\n";
        let shown = proposed_change(Path::new("/p"), edits);
        assert_eq!(shown, [diff("/p/a", Some("x\n"), "y\n"), diff("/p/a", Some("1\n"), "2\n")]);
        assert_eq!(proposed_change(Path::new("/p"), "+++ n\n+one\n"), [diff("/p/n", None, "one\n")]);
        assert_eq!(proposed_change(Path::new("/p"), "*** Begin"), [ToolCallContent::text("```diff\n*** Begin\n```")]);
    }

    #[test]
    fn no_text_ends_its_fence() {
        assert_eq!(fenced("", "a ```` b"), "`````\na ```` b\n`````");
    }
}
