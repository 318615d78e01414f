//! The parameters of public functions.

use crate::sources::{Source, shipped};
use std::collections::BTreeSet;

/// Public functions with a boolean as parameter. Each sets what it names, or hands on what another type says; the list
/// only shrinks.
const BOOLEANS: &[&str] = &["set_reflection", "enable_mcp_server", "switch", "unpinned"];

#[test]
fn public_functions_take_no_booleans_and_no_tuples() {
    let (mut booleans, mut tuples) = (BTreeSet::new(), Vec::new());
    for source in shipped().iter().filter(|source| !source.path.contains("/testkit/")) {
        for (name, parameters) in public_functions(source) {
            let types = parameters.split(", ").filter_map(|one| one.split_once(": ").map(|(_, kind)| kind.trim()));
            for kind in types {
                if kind.trim_end_matches(',') == "bool" {
                    booleans.insert(name.clone());
                } else if kind.trim_start_matches('&').starts_with('(') {
                    tuples.push(format!("{}: {name}", source.path));
                }
            }
        }
    }
    assert!(tuples.is_empty(), "tuples as parameters: {}", tuples.join("\n"));
    let listed: BTreeSet<String> = BOOLEANS.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(booleans, listed, "an enum of two words says what is meant");
}

/// The public functions of a source with their parameters on one line.
fn public_functions(source: &Source) -> Vec<(String, String)> {
    let lines: Vec<&str> = source.code().into_iter().map(|(_, line)| line.trim()).collect();
    let text = lines.join(" ");
    let mut found = Vec::new();
    for start in text.match_indices("pub fn ").chain(text.match_indices("pub async fn ")).map(|(at, _)| at) {
        let head = &text[start..];
        let Some(name) = head.split("fn ").nth(1).and_then(|rest| rest.split(['(', '<']).next()) else { continue };
        // The parameters end where the function's result or body begins.
        let end = [") -> ", ") {", ");", ") where"].iter().filter_map(|end| head.find(end)).min();
        let Some((begin, end)) = head.find('(').zip(end) else { continue };
        found.push((name.to_owned(), head.get(begin + 1..end).unwrap_or_default().to_owned()));
    }
    found
}
