//! Everyday lines that the policy was not made with: how many of them ask in a view, though they need no question.

use super::view::question;
use super::*;
use arki_testkit::{labelled_commands, unseen_commands};
use std::collections::BTreeSet;

const AT_LEAST: usize = 300;
/// Of a hundred lines that need neither network nor secrets nor git's writing, at most so many ask.
const MOST_ASKED_OF_100: usize = 3;

fn lines(label: &str) -> Vec<String> {
    let all = unseen_commands().unwrap().into_iter();
    all.filter(|entry| entry.label == label).map(|entry| entry.line).collect()
}

fn asked(lines: &[String], category: Category) -> Vec<&String> {
    let asks = |line: &&String| {
        let subject = subject_of(line, false);
        let question = PolicyQuestion { category: Some(category), ..question(&subject, ApprovalMode::Ask) };
        !decide(&question, &PolicySettings::default()).decision.is_unasked()
    };
    lines.iter().filter(asks).collect()
}

#[test]
fn no_line_is_among_those_that_the_policy_was_made_with() {
    let known: BTreeSet<String> = labelled_commands().unwrap().into_iter().map(|entry| entry.line).collect();
    let unseen: Vec<String> = unseen_commands().unwrap().into_iter().map(|entry| entry.line).collect();
    assert!(unseen.len() >= AT_LEAST, "{}", unseen.len());
    let again: Vec<&String> = unseen.iter().filter(|line| known.contains(*line)).collect();
    assert!(again.is_empty(), "{again:#?}");
    assert_eq!(unseen.iter().collect::<BTreeSet<_>>().len(), unseen.len(), "a line stands there twice");
}

#[test]
fn few_lines_ask_that_need_no_question() {
    let free = lines("free");
    let asked = asked(&free, Category::Exec);
    println!("{} of {} ask: {asked:#?}", asked.len(), free.len());
    assert!(asked.len() * 100 <= free.len() * MOST_ASKED_OF_100, "{} of {}: {asked:#?}", asked.len(), free.len());
}

#[test]
fn the_network_and_git_that_writes_ask() {
    for (label, category) in [("network", Category::Network), ("git", Category::Exec)] {
        let lines = lines(label);
        assert!(lines.len() >= 10, "{label}");
        assert_eq!(asked(&lines, category), lines.iter().collect::<Vec<_>>(), "{label}");
    }
}
