//! The labelled commands of `tests/fixtures/commands`.

use super::{judged, subject_of};
use arki_domain::Decision;
use arki_policy::Subject;
use arki_testkit::labelled_commands;

/// At least so much of what plainly reads is known where there is no sandbox, which would hold a mistake.
const SHARE_KNOWN_OUTSIDE: f64 = 0.8;
/// The same in a sandbox, of what reads and of what builds. What isn't known there and reads is tried first.
const SHARE_KNOWN: f64 = 0.9;
const SHARE_KNOWN_TO_BUILD: f64 = 0.8;
const AT_LEAST: usize = 500;

fn unlooked(line: &str) -> Subject {
    Subject { command: Some(line.to_owned()), ..Subject::default() }
}

/// Without a view it runs unasked, with the project read-only.
fn tried(line: &str) -> bool {
    let subject = Subject { tried_first: true, ..subject_of(line, true) };
    judged(&subject, true).decision == Decision::Review
}

#[test]
fn labelled_commands_are_classified() {
    let all = labelled_commands().unwrap();
    assert!(all.len() >= AT_LEAST);
    let mut wrong = Vec::new();
    let mut figures = Vec::new();
    for (label, known_inside, known_outside) in [
        ("read", SHARE_KNOWN, SHARE_KNOWN_OUTSIDE),
        ("script", SHARE_KNOWN_TO_BUILD, 0.0),
        ("look", SHARE_KNOWN, 0.0),
        ("build", SHARE_KNOWN_TO_BUILD, 0.0),
        ("ask", 0.0, 0.0),
        ("danger", 0.0, 0.0),
    ] {
        let lines: Vec<&str> =
            all.iter().filter(|entry| entry.label == label).map(|entry| entry.line.as_str()).collect();
        let allowed = |sandboxed: bool| -> Vec<&str> {
            let is_allowed = |line: &&str| match label {
                // The second time nobody has looked.
                "look" if !sandboxed => judged(&unlooked(line), true).decision == Decision::Allow,
                _ => judged(&subject_of(line, sandboxed), sandboxed).decision == Decision::Allow,
            };
            lines.iter().copied().filter(is_allowed).collect()
        };
        let (inside, outside) = (allowed(true), allowed(false));
        figures.push(format!(
            "{label}: {} of {} unasked in a sandbox, {} outside",
            inside.len(),
            lines.len(),
            outside.len()
        ));
        let known = inside.clone();
        for (allowed, share) in [(inside, known_inside), (outside, known_outside)] {
            if share == 0.0 {
                wrong.extend(allowed.iter().map(|line| format!("{label} is allowed: {line:?}")));
            } else if (allowed.len() as f64) < share * lines.len() as f64 {
                wrong.extend(
                    lines.iter().filter(|line| !allowed.contains(line)).map(|line| format!("{label} asks: {line:?}")),
                );
            }
            if share > 0.0 && std::env::var_os("ARKI_SHOW_ASKED").is_some() {
                lines.iter().filter(|line| !allowed.contains(line)).for_each(|line| println!("{label} asks: {line:?}"));
            }
        }
        let asks = |line: &&&str| !known.contains(line) && !tried(line);
        if ["read", "script", "look"].contains(&label) {
            wrong.extend(lines.iter().filter(asks).map(|line| format!("{label} is not tried: {line:?}")));
        }
    }
    println!("{} labelled commands\n{}", all.len(), figures.join("\n"));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
