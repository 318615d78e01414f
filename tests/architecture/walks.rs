//! The walks of `docs/architecture.md`: each function that they name is where they say.

use crate::manifests::root;

/// The most hops of a walk.
const MAX_HOPS: usize = 15;

/// The part of the document with the walks.
fn walks() -> String {
    let text = std::fs::read_to_string(root().join("docs/architecture.md")).unwrap();
    let walks = text.split_once("## Four walks").unwrap().1;
    walks.split("\n## ").next().unwrap_or_default().to_owned()
}

/// Each `file::function` in backticks.
fn functions(walks: &str) -> Vec<(&str, &str)> {
    let quoted = walks.split('`').skip(1).step_by(2);
    quoted.filter_map(|quoted| quoted.split_once("::")).filter(|(file, _)| file.contains('.')).collect()
}

fn has(text: &str, file: &str, function: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(function).any(|(at, _)| {
        let (before, after) = (&text[..at], text[at + function.len()..].trim_start());
        let is_word = !before.ends_with(is_name) && !after.starts_with(is_name);
        let declares = if file.ends_with(".rs") {
            before.ends_with("fn ")
        } else {
            before.ends_with("function ") || before.ends_with("const ") || after.starts_with([':', '('])
        };
        is_word && declares
    })
}

#[test]
fn each_function_of_a_walk_is_where_it_says() {
    let walks = walks();
    let functions = functions(&walks);
    assert!(functions.len() > 50, "only {} functions were found", functions.len());
    let lost = functions.into_iter().filter(|(file, function)| {
        let paths = [root().join(file), root().join("src-tauri/crates").join(file)];
        let text = paths.iter().find_map(|path| std::fs::read_to_string(path).ok());
        !text.is_some_and(|text| has(&text, file, function))
    });
    let lost: Vec<String> = lost.map(|(file, function)| format!("{file}::{function}")).collect();
    assert!(lost.is_empty(), "not there any more; change docs/architecture.md:\n{}", lost.join("\n"));
}

#[test]
fn a_walk_is_short() {
    for walk in walks().split("\n### ").skip(1) {
        let hops = walk.lines().filter(|line| line.split_once(". ").is_some_and(|(n, _)| n.parse::<u8>().is_ok()));
        let hops = hops.count();
        assert!((3..=MAX_HOPS).contains(&hops), "{hops} hops: {}", walk.lines().next().unwrap_or_default());
    }
}
