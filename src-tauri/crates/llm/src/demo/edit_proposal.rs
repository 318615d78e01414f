//! The change that the demo model proposes: made of the lines it has really read.

use std::collections::BTreeSet;

/// Unchanged lines between two changes that make them two hunks, with three lines of context each.
const LINES_BETWEEN_HUNKS: usize = 8;
/// Headings named in a line of contents.
const MAX_HEADINGS: usize = 6;

/// Marks that a change near the top leaves behind: two at a line's end, one at its beginning.
const CHECKED: &str = " Checked by Arki's demo model.";
const OVERVIEW: &str = ": an overview";
const CONTENTS: &str = "Contents: ";

/// A file as `read_file` shows it: each line behind its number and a tab.
#[derive(Debug, PartialEq)]
pub(super) struct NumberedFile<'a> {
    lines: Vec<&'a str>,
}

#[derive(Debug, PartialEq)]
pub(super) struct Edit {
    pub(super) old_text: String,
    pub(super) new_text: String,
}

impl<'a> NumberedFile<'a> {
    /// Parses the lines; one without a number is a remark of the tool.
    pub(super) fn parse(shown: &'a str) -> Self {
        let numbered = |line: &'a str| {
            let (number, text) = line.split_once('\t')?;
            number.trim().parse::<u64>().ok().map(|_| text)
        };
        Self { lines: shown.lines().filter_map(numbered).collect() }
    }

    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lines.iter().all(|line| line.trim().is_empty())
    }

    /// The line with as many of those before it as make it unique.
    fn unique_text_ending_at(&self, end: usize) -> Option<String> {
        let all = self.lines.join("\n");
        (0..=end)
            .rev()
            .map(|start| self.lines[start..=end].join("\n"))
            .find(|text| all.matches(text.as_str()).count() == 1)
    }
}

/// One change near the top and one at the end, or only the latter where they would run together. On a second visit only
/// the end changes. What the file has from an earlier session is not proposed again.
pub(super) fn propose(path: &str, file: &NumberedFile<'_>, is_follow_up: bool) -> Vec<Edit> {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    let Some(last) = file.lines.iter().rposition(|line| !line.trim().is_empty()) else { return Vec::new() };
    let at_end = at_end(extension, file, is_follow_up);
    let end = file.unique_text_ending_at(last).map(|old| Edit { new_text: format!("{old}{at_end}"), old_text: old });
    let top = if is_follow_up { None } else { at_top(extension, file, last) };
    top.into_iter().chain(end).collect()
}

/// Contents below a title that has headings below it, a longer title elsewhere, a comment in source code.
fn at_top(extension: &str, file: &NumberedFile<'_>, last: usize) -> Option<Edit> {
    let first = file.lines.iter().position(|line| !line.trim().is_empty() && !line.starts_with("#!"))?;
    let old_text = file.lines[first].to_owned();
    let far_enough = first + LINES_BETWEEN_HUNKS <= last;
    if !far_enough || file.unique_text_ending_at(first).as_deref() != Some(old_text.as_str()) {
        return None;
    }
    let new_text = match comment_mark(extension) {
        Some(mark) => format!("{mark}{CHECKED}\n{old_text}"),
        None => match headings(file).as_slice() {
            [] => format!("{}{OVERVIEW}", old_text.trim_end_matches(['.', ':', ' '])),
            headings => format!("{old_text}\n\n{CONTENTS}{}.", headings.join(", ")),
        },
    };
    let was_here = |line: &&str| line.ends_with(CHECKED) || line.ends_with(OVERVIEW) || line.starts_with(CONTENTS);
    (!file.lines.iter().any(was_here)).then_some(Edit { old_text, new_text })
}

fn at_end(extension: &str, file: &NumberedFile<'_>, is_follow_up: bool) -> String {
    let mark = comment_mark(extension);
    let (first, second, last) = match mark {
        Some(_) => (
            " End of file. Questions? Ask before changing what others rely on.",
            " Checked again by Arki's demo model.",
            " And once more.",
        ),
        None => (
            "## Feedback\n\nIs something unclear or wrong? Say which line, and what you expected instead.",
            "## Next steps\n\n- Read this once more with fresh eyes.",
            "Read once more.",
        ),
    };
    let texts = [first, second, last].map(|text| format!("{}{text}", mark.unwrap_or_default()));
    let is_new = |text: &&String| text.lines().next().is_some_and(|line| !file.lines.contains(&line));
    let [_, _, fallback] = &texts;
    let text = texts.iter().skip(usize::from(is_follow_up)).find(is_new).unwrap_or(fallback);
    format!("\n\n{text}")
}

fn headings<'a>(file: &NumberedFile<'a>) -> Vec<&'a str> {
    let mut seen = BTreeSet::new();
    let headings = file.lines.iter().filter_map(|line| line.strip_prefix("## ")).map(str::trim);
    headings.filter(|heading| !heading.is_empty() && seen.insert(*heading)).take(MAX_HEADINGS).collect()
}

fn comment_mark(extension: &str) -> Option<&'static str> {
    match extension.to_lowercase().as_str() {
        "md" | "markdown" | "txt" | "rst" => None,
        "py" | "sh" | "rb" | "toml" | "yaml" | "yml" => Some("#"),
        _ => Some("//"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(lines: &[&str]) -> String {
        lines.iter().enumerate().map(|(at, line)| format!("{:>6}\t{line}\n", at + 1)).collect()
    }

    #[test]
    fn a_long_file_gets_two_changes_and_a_short_one_gets_one() {
        let mut lines = vec!["# Title"];
        lines.extend(["", "text"].repeat(6));
        lines.push("The end.");
        let shown = numbered(&lines);
        let edits = propose("README.md", &NumberedFile::parse(&shown), false);
        assert_eq!(edits[0], Edit { old_text: "# Title".into(), new_text: "# Title: an overview".into() });
        assert!(edits[1].new_text.starts_with("The end.\n\n## Feedback"));
        let shown = numbered(&lines[..4]);
        assert_eq!(propose("README.md", &NumberedFile::parse(&shown), false).len(), 1);
    }

    #[test]
    fn contents_name_the_headings_that_are_there() {
        let shown = numbered(&["# T", "", "## Install", "a", "b", "c", "d", "e", "f", "## Use", "g"]);
        let edits = propose("a.md", &NumberedFile::parse(&shown), false);
        assert_eq!(edits[0].new_text, "# T\n\nContents: Install, Use.");
    }

    #[test]
    fn what_an_earlier_session_added_is_not_added_again() {
        for (path, first) in [("a.md", "# T"), ("a.md", "## T"), ("a.rs", "//! T")] {
            let mut text = [&[first], ["", "text"].repeat(6).as_slice(), &["The end."]].concat().join("\n");
            let mut seen = BTreeSet::new();
            for session in 1..=4 {
                let shown = numbered(&text.lines().collect::<Vec<_>>());
                let edits = propose(path, &NumberedFile::parse(&shown), false);
                assert_eq!(edits.len(), if session == 1 { 2 } else { 1 }, "{text}");
                for edit in edits {
                    text = text.replace(&edit.old_text, &edit.new_text);
                }
                seen.insert(
                    text.lines().filter(|line| line.contains("Feedback") || line.contains("End of file")).count(),
                );
            }
            assert_eq!(seen, BTreeSet::from([1]), "{text}");
        }
    }

    #[test]
    fn a_repeated_last_line_is_made_unique_by_those_before_it() {
        let shown = numbered(&["x", "a", "x"]);
        let edits = propose("a.txt", &NumberedFile::parse(&shown), false);
        assert_eq!(edits[0].old_text, "a\nx");
    }

    #[test]
    fn remarks_of_the_tool_are_not_lines() {
        let file = NumberedFile::parse("     1\ta\tb\n[the file does not end with a newline]\n");
        assert_eq!(file.lines, ["a\tb"]);
    }
}
