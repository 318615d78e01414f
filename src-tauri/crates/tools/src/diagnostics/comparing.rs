//! The new findings of a checker after an edit, in words for the model.

use super::{Diagnostic, Severity};
use std::collections::{BTreeMap, HashMap};

/// The diagnostics that are told of one checker after one edit; of more, the number.
const MAX_TOLD: usize = 20;
/// The other files that are named.
const MAX_OTHER_FILES: usize = 5;

/// The diagnostics of `after` that were not there before. Lines move with every edit, so that one is known by its file
/// and its words; where there are more of the same than before, the first of those on other lines are new.
pub(crate) fn new_since<'a>(before: &[Diagnostic], after: &'a [Diagnostic]) -> Vec<&'a Diagnostic> {
    type Words<'a> = (&'a str, Severity, Option<&'a str>, &'a str);
    fn words(one: &Diagnostic) -> Words<'_> {
        (&one.path, one.severity, one.code.as_deref(), &one.message)
    }
    let mut known: HashMap<Words<'_>, Vec<u64>> = HashMap::new();
    before.iter().for_each(|one| known.entry(words(one)).or_default().push(one.line));
    let mut moved = Vec::new();
    for one in after {
        let lines = known.get_mut(&words(one));
        match lines.as_ref().and_then(|lines| lines.iter().position(|line| *line == one.line)) {
            Some(at) => {
                lines.map(|lines| lines.swap_remove(at));
            }
            None => moved.push(one),
        }
    }
    moved.retain(|one| known.get_mut(&words(one)).and_then(Vec::pop).is_none());
    moved
}

/// Tells the model the result of one checker after an edit of `edited`: each new diagnostic in these files, and the
/// number in others.
pub(crate) fn told(command: &str, new: &[&Diagnostic], edited: &[String]) -> String {
    let is_here = |one: &&&Diagnostic| edited.contains(&one.path);
    let (mut here, elsewhere): (Vec<&Diagnostic>, Vec<&Diagnostic>) =
        new.iter().copied().partition(|one| is_here(&one));
    here.sort_by_key(|one| one.severity);
    let mut text = match here.len() {
        0 => format!("`{command}` finds nothing new in what you changed."),
        1 => format!("`{command}` finds 1 new problem in what you changed:"),
        count => format!("`{command}` finds {count} new problems in what you changed:"),
    };
    here.iter().take(MAX_TOLD).for_each(|one| text.push_str(&format!("\n{}", one.words())));
    if here.len() > MAX_TOLD {
        text.push_str(&format!("\n… and {} more", here.len() - MAX_TOLD));
    }
    if let Some(others) = others(&elsewhere) {
        text.push_str(&format!("\n{others}"));
    }
    text
}

/// The same where nothing is known of before: all that there is in these files.
pub(crate) fn told_anew(command: &str, found: &[Diagnostic], edited: &[String]) -> String {
    let here: Vec<&Diagnostic> = found.iter().filter(|one| edited.contains(&one.path)).collect();
    let text = told(command, &here, edited);
    if here.is_empty() {
        text
    } else {
        format!("{text}\n(It failed before the edit, so older problems may be among these.)")
    }
}

/// Lists the other files with new diagnostics. What an edit breaks elsewhere is not part of its result, but is worth a
/// look.
fn others(new: &[&Diagnostic]) -> Option<String> {
    let mut files: BTreeMap<&str, usize> = BTreeMap::new();
    new.iter().for_each(|one| *files.entry(&one.path).or_default() += 1);
    let named: Vec<String> =
        files.iter().take(MAX_OTHER_FILES).map(|(path, count)| format!("{path} ({count})")).collect();
    let more = files.len().saturating_sub(MAX_OTHER_FILES);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!named.is_empty()).then(|| format!("New in other files: {}{rest}.", named.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: [u64; 0] = [];

    fn one(path: &str, line: u64, message: &str) -> Diagnostic {
        let (path, message) = (path.to_owned(), message.to_owned());
        Diagnostic { path, line, column: 1, severity: Severity::Error, code: None, message }
    }

    fn lines_of_new(before: &[(u64, &str)], after: &[(u64, &str)]) -> Vec<u64> {
        let all = |of: &[(u64, &str)]| of.iter().map(|(line, message)| one("a", *line, message)).collect::<Vec<_>>();
        let after = all(after);
        new_since(&all(before), &after).iter().map(|one| one.line).collect()
    }

    #[test]
    fn what_only_moved_is_not_new() {
        assert_eq!(lines_of_new(&[(1, "x"), (5, "y")], &[(3, "x"), (7, "y")]), NONE);
        assert_eq!(lines_of_new(&[(1, "x")], &[(1, "x"), (9, "x")]), [9]);
        assert_eq!(lines_of_new(&[(4, "x")], &[(2, "x"), (4, "x")]), [2]);
        assert_eq!(lines_of_new(&[], &[(2, "x")]), [2]);
        assert_eq!(lines_of_new(&[(2, "x")], &[]), NONE);
    }

    #[test]
    fn the_edits_files_are_told_and_others_only_counted() {
        let (a, b) = (one("a.rs", 3, "wrong"), one("b.rs", 1, "broken"));
        let edited = ["a.rs".to_owned()];
        assert_eq!(
            told("check", &[&a, &b, &b], &edited),
            "`check` finds 1 new problem in what you changed:\na.rs:3:1: error: wrong\nNew in other files: b.rs (2)."
        );
        assert_eq!(told("check", &[], &edited), "`check` finds nothing new in what you changed.");
    }

    #[test]
    fn no_more_is_told_than_the_limit_and_errors_come_first() {
        let mut all: Vec<Diagnostic> = (0..30).map(|line| one("a.rs", line, "wrong")).collect();
        all.iter_mut().take(25).for_each(|one| one.severity = Severity::Warning);
        let all: Vec<&Diagnostic> = all.iter().collect();
        let text = told("check", &all, &["a.rs".to_owned()]);
        assert!(text.ends_with("\n… and 10 more") && text.lines().nth(1).unwrap().contains("error"), "{text}");
        assert_eq!(text.lines().count(), 2 + MAX_TOLD);
        let elsewhere: Vec<Diagnostic> = (0..9).map(|file| one(&format!("{file}.rs"), 1, "wrong")).collect();
        let elsewhere: Vec<&Diagnostic> = elsewhere.iter().collect();
        assert!(told("check", &elsewhere, &[]).ends_with("4.rs (1) and 4 more."));
    }
}
