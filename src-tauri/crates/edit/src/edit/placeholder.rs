//! Lines that stand in for code which the model left out, such as `// rest of the code`. Pure.

/// The texts that open a comment, and those that may close one.
const OPENINGS: &[&str] =
    &["{/*", "<!--", "/*", "//", "--", "##", "#", ";;", ";", "%", "\"\"\"", "(*", "*", "rem ", "REM "];
const CLOSINGS: &[&str] = &["*/}", "*/", "-->", "*)", "\"\"\""];
/// Words that stand between dots in place of code.
const SUBJECTS: &[&str] = &[
    "existing",
    "rest of",
    "remaining",
    "remainder",
    "other ",
    "unchanged",
    "same as",
    "previous",
    "keep",
    "omitted",
    "more code",
    "your code",
];
/// Words that say it without dots, at the beginning of a comment.
const PHRASES: &[&str] = &[
    "rest of the code",
    "rest of the file",
    "rest of the function",
    "rest of the method",
    "rest of the class",
    "rest of the implementation",
    "rest of your code",
    "rest of code",
    "rest of file",
    "the rest of the code",
    "the rest of the file",
    "the rest of the function",
    "existing code",
    "existing implementation",
    "remaining code",
    "remaining implementation",
    "remaining methods",
    "code remains unchanged",
    "code unchanged",
    "unchanged code",
    "same as before",
    "keep existing code",
    "keep the existing code",
    "keep the rest",
    "other code remains",
    "other methods remain",
    "(rest of",
    "[rest of",
    "[existing",
    "(existing",
];
/// The longest phrase that only ends such a comment; a longer one says something.
const LONGEST_PHRASE_CHARS: usize = 70;

/// The first of `lines` that stands for others, unless it `is_known`: the file has that very line.
pub(crate) fn find<'a>(lines: impl Iterator<Item = &'a str>, is_known: impl Fn(&str) -> bool) -> Option<&'a str> {
    lines.map(str::trim).find(|line| stands_for_others(line) && !is_known(line))
}

fn stands_for_others(line: &str) -> bool {
    // Short, and mostly rejected by its first character: this looks at every new line.
    if line.is_empty() || line.chars().count() > LONGEST_PHRASE_CHARS {
        return false;
    }
    let (said, is_comment) = without_comment(line);
    let words = said.trim_matches(|character: char| character == '.' || character == '…' || character.is_whitespace());
    let starts_with_dots = said.starts_with("...") || said.starts_with('…');
    let ends_with_dots = said.ends_with("...") || said.ends_with('…');
    let words = words.to_lowercase();
    let has_subject =
        SUBJECTS.iter().any(|subject| words.starts_with(subject) || words.starts_with(&format!("the {subject}")));
    let has_phrase = PHRASES.iter().any(|phrase| words.starts_with(phrase));
    match (is_comment, starts_with_dots, ends_with_dots) {
        (true, true, _) => has_subject || has_phrase,
        (true, false, _) => has_phrase,
        (false, true, true) => has_subject || has_phrase,
        (false, ..) => false,
    }
}

fn without_comment(line: &str) -> (&str, bool) {
    let opening = OPENINGS.iter().find(|opening| line.starts_with(**opening));
    let Some(opening) = opening else { return (line, false) };
    let mut said = line[opening.len()..].trim();
    for closing in CLOSINGS {
        said = said.strip_suffix(closing).unwrap_or(said).trim_end();
    }
    (said, true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_for_other_lines_is_seen_in_every_common_form() {
        for line in [
            "// rest of the code",
            "    // ... existing code ...",
            "# ... rest of the file remains unchanged ...",
            "/* ... existing code ... */",
            "<!-- rest of the file -->",
            "{/* ... existing code ... */}",
            "-- existing code",
            "... existing code ...",
            "// …rest of the function…",
            "; same as before",
            "# (rest of the implementation unchanged)",
            "// ...the rest of the code...",
            "// ... other methods ...",
            "% remaining code",
        ] {
            assert_eq!(find([line].into_iter(), |_| false), Some(line.trim()), "{line}");
        }
    }

    #[test]
    fn what_says_something_is_left_alone() {
        for line in [
            "...",
            "def f(): ...",
            "// ...",
            "// The rest of the bytes follow the header.",
            "let rest = &code[1..];",
            "# existing users keep their settings",
            "println!(\"// rest of the code\");",
            "// for existing code see above, which does this in a much longer way than here is room for it",
            "* existing customers",
            "[...existing, added]",
            "...rest,",
            "-- remaining balance",
        ] {
            assert_eq!(find([line].into_iter(), |_| false), None, "{line}");
        }
    }

    #[test]
    fn a_line_that_was_there_may_stay() {
        let line = "// rest of the code";
        assert_eq!(find([line].into_iter(), |known| known == line), None);
    }
}
