//! The labelled commands of `tests/fixtures/commands`.

use super::{judged, subject_of};
use arki_domain::Decision;
use arki_policy::Subject;
use arki_testkit::labelled_commands;

/// At least so much of what plainly reads needs no question where there is no sandbox, which would hold a mistake.
const SHARE_UNASKED_OUTSIDE: f64 = 0.9;
const AT_LEAST: usize = 500;

fn unlooked(line: &str) -> Subject {
    Subject { command: Some(line.to_owned()), ..Subject::default() }
}

#[test]
fn labelled_commands_are_classified() {
    let all = labelled_commands().unwrap();
    assert!(all.len() >= AT_LEAST);
    let mut wrong = Vec::new();
    let mut figures = Vec::new();
    for (label, unasked_inside, unasked_outside) in [
        ("read", true, true),
        ("script", true, false),
        ("look", true, false),
        ("build", true, false),
        ("ask", false, false),
        ("danger", false, false),
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
        for (allowed, unasked, share) in
            [(inside, unasked_inside, 1.0), (outside, unasked_outside, SHARE_UNASKED_OUTSIDE)]
        {
            if !unasked {
                wrong.extend(allowed.iter().map(|line| format!("{label} is allowed: {line:?}")));
            } else if (allowed.len() as f64) < share * lines.len() as f64 {
                wrong.extend(
                    lines.iter().filter(|line| !allowed.contains(line)).map(|line| format!("{label} asks: {line:?}")),
                );
            }
            if unasked && std::env::var_os("ARKI_SHOW_ASKED").is_some() {
                lines.iter().filter(|line| !allowed.contains(line)).for_each(|line| println!("{label} asks: {line:?}"));
            }
        }
    }
    println!("{} labelled commands\n{}", all.len(), figures.join("\n"));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
