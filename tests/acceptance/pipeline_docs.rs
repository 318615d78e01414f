//! The examples of `docs/pipelines.md` run as they are written.
//!
//! An example is a block of YAML with a name, and after it a block of `console` lines: `$ arki run NAME ...` and what that
//! prints. Files that it needs are blocks of their own, named by the line before them.
#![cfg(unix)]

use crate::harness::program;
use crate::pipelines::stage;
use std::process::{Command, Stdio};

const DOCS: &str = include_str!("../../docs/pipelines.md");

/// The blocks of code, each with its language.
fn blocks() -> Vec<(String, String)> {
    let mut blocks = Vec::new();
    let mut lines = DOCS.lines();
    while let Some(line) = lines.next() {
        let Some(language) = line.strip_prefix("```").filter(|language| !language.is_empty()) else { continue };
        let body: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        blocks.push((language.to_owned(), body.join("\n") + "\n"));
    }
    blocks
}

fn name_of(definition: &str) -> Option<&str> {
    definition.lines().find_map(|line| line.strip_prefix("name: "))
}

#[test]
fn the_examples_of_the_documentation_print_what_they_say() {
    let blocks = blocks();
    let definitions: Vec<(&str, &str)> = blocks
        .iter()
        .filter(|(language, _)| language == "yaml")
        .filter_map(|(_, body)| Some((name_of(body)?, body.as_str())))
        .collect();
    assert!(definitions.len() >= 6, "only {} examples were found", definitions.len());
    let stage = stage(&definitions);
    if !stage.has_sandbox() {
        return;
    }
    let mut ran = 0;
    for (_, body) in blocks.iter().filter(|(language, _)| language == "console") {
        for part in body.split("$ ").skip(1) {
            let (line, expected) = part.split_once('\n').unwrap();
            // A program named `arki` for a shell, so that the line is taken as people type it.
            let script = format!("arki() {{ \"{}\" \"$@\"; }}\n{line}\n", program().display());
            let mut shell = Command::new("bash");
            shell.arg("-c").arg(script).envs(&stage.home.env).current_dir(stage.home.project_dir());
            let output = shell.stdin(Stdio::null()).output().unwrap();
            let said = String::from_utf8(output.stdout).unwrap();
            let shown = if said.is_empty() || said.ends_with('\n') { said.clone() } else { format!("{said}\n") };
            assert_eq!(shown, expected, "$ {line}\n{}", String::from_utf8_lossy(&output.stderr));
            ran += 1;
        }
    }
    assert!(ran >= 8, "only {ran} lines were run");
}

#[test]
fn the_schema_that_ships_is_the_one_that_definitions_are_read_by() {
    let printed = stage(&[]).arki(&["pipelines", "schema"]).exits(0).stdout;
    let shipped = include_str!("../../docs/pipeline.schema.json");
    assert!(printed == shipped, "write it anew: `arki pipelines schema > docs/pipeline.schema.json`");
}
