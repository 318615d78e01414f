//! Reads lines that name a place: `file:line:column: message` as most compilers write it, `tsc`'s `file(line,column):
//! message`, and what `rustc` writes for people, with the place on the line below.

use super::Severity;
use super::reading::ReportedProblem;
use regex::Regex;
use std::sync::LazyLock;

static PLACE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^(?P<path>(?:[A-Za-z]:)?[^:\s(][^:(]*?)(?::(?P<line>\d+)(?::(?P<column>\d+))?(?::| -)|\((?P<in>\d+),(?P<at>\d+)\):)\s+(?P<rest>\S.*)$").ok()
});
static BELOW: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^\s*--> (?P<path>(?:[A-Za-z]:)?[^:]+):(?P<line>\d+):(?P<column>\d+)$").ok());

/// The words with which a message says how bad it is; `None` for what is no mistake.
const SEVERITIES: &[(&str, Option<Severity>)] = &[
    ("fatal error", Some(Severity::Error)),
    ("error", Some(Severity::Error)),
    ("warning", Some(Severity::Warning)),
    ("note", None),
    ("info", None),
    ("help", None),
    ("hint", None),
];

pub(super) fn read(output: &str) -> Vec<ReportedProblem> {
    let mut found = Vec::new();
    // The message of `rustc` that waits for its place.
    let mut waiting = None;
    for line in output.lines() {
        if let Some(place) = BELOW.as_ref().and_then(|below| below.captures(line)) {
            if let Some((severity, message)) = waiting.take() {
                found.push(at(&place, severity, message));
            }
        } else if let Some(place) = PLACE.as_ref().and_then(|pattern| pattern.captures(line)) {
            if let Some((severity, message)) = said(&place["rest"]) {
                found.push(at(&place, severity, message));
            }
        } else if let Some((severity, message)) = said(line).filter(|(severity, _)| *severity != Severity::Unsaid) {
            waiting = Some((severity, message));
        }
    }
    found
}

fn at(place: &regex::Captures<'_>, severity: Severity, message: String) -> ReportedProblem {
    let number = |names: [&str; 2]| {
        let digits = names.into_iter().find_map(|name| place.name(name));
        digits.and_then(|digits| digits.as_str().parse().ok()).unwrap_or(0)
    };
    ReportedProblem {
        path: place["path"].to_owned(),
        folder: None,
        line: number(["line", "in"]),
        column: number(["column", "at"]),
        severity,
        code: None,
        message,
    }
}

/// A message without the word for how bad it is. `None` for a note.
fn said(text: &str) -> Option<(Severity, String)> {
    let known = SEVERITIES.iter().find_map(|(word, severity)| {
        let head = text.get(..word.len()).filter(|head| head.eq_ignore_ascii_case(word))?;
        let rest = &text[head.len()..];
        (!rest.starts_with(|c: char| c.is_alphanumeric() || c == '_')).then_some((rest, *severity))
    });
    let Some((rest, severity)) = known else { return Some((Severity::Unsaid, text.to_owned())) };
    Some((severity?, rest.trim_start_matches([':', ' ']).to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(output: &str, expected: &[(&str, u64, u64, Severity, &str)]) {
        let found = read(output);
        let found: Vec<_> = found
            .iter()
            .map(|found| (found.path.as_str(), found.line, found.column, found.severity, found.message.as_str()))
            .collect();
        assert_eq!(found, expected, "{output}");
    }

    #[test]
    fn tsc_in_both_of_its_forms() {
        check(
            "src/a.ts(3,5): error TS2322: Type 'string' is not assignable to type 'number'.\n  Its cause.\n",
            &[("src/a.ts", 3, 5, Severity::Error, "TS2322: Type 'string' is not assignable to type 'number'.")],
        );
        check(
            "src/a.ts:3:5 - error TS1005: ';' expected.",
            &[("src/a.ts", 3, 5, Severity::Error, "TS1005: ';' expected.")],
        );
    }

    #[test]
    fn compilers_linters_and_what_they_say_besides() {
        check("a.c:1:2: fatal error: no.h: No such file", &[("a.c", 1, 2, Severity::Error, "no.h: No such file")]);
        check("a.py:7: note: See the manual", &[]);
        check(
            "a.py:7: error: Name \"x\" is not defined  [name-defined]",
            &[("a.py", 7, 0, Severity::Error, "Name \"x\" is not defined  [name-defined]")],
        );
        check("./a.go:4:9: undefined: y", &[("./a.go", 4, 9, Severity::Unsaid, "undefined: y")]);
        check(
            "x.py:1:1: E302 expected 2 blank lines",
            &[("x.py", 1, 1, Severity::Unsaid, "E302 expected 2 blank lines")],
        );
        check(r"C:\p\a.cs(1,2): warning CS0168: unused", &[(r"C:\p\a.cs", 1, 2, Severity::Warning, "CS0168: unused")]);
        check("a.rb:3: errors_of was here", &[("a.rb", 3, 0, Severity::Unsaid, "errors_of was here")]);
        check("Found 3 errors in 2 files.\n\n12:30:01 done\nerror: could not compile", &[]);
    }

    #[test]
    fn rustcs_message_stands_above_its_place() {
        let output = "error[E0308]: mismatched types\n --> src/lib.rs:3:5\n  |\nwarning: unused\n  --> src/a.rs:1:1\n  --> b.rs:2:2\n";
        let expected = [
            ("src/lib.rs", 3, 5, Severity::Error, "[E0308]: mismatched types"),
            ("src/a.rs", 1, 1, Severity::Warning, "unused"),
        ];
        check(output, &expected);
    }
}
