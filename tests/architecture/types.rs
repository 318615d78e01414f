//! A type has one purpose and a name of its own. The exceptions are listed, and only shrink.

use crate::sources::{Source, shipped};
use std::collections::{BTreeMap, BTreeSet};

const MAX_METHODS: usize = 40;
const MAX_FILES: usize = 6;

/// Names that stand for several types still, with their number: most are one thing on two systems, or what the
/// domain and the protocol both call so.
const REPEATED: &[(&str, usize)] = &[
    ("AgentState", 2),
    ("Attributes", 2),
    ("CompactionStrategy", 2),
    ("DoorListener", 2),
    ("Event", 2),
    ("ExitWatch", 2),
    ("Isolation", 2),
    ("Launch", 2),
    ("Members", 2),
    ("NetworkDoor", 2),
    ("OverlayView", 2),
    ("Reader", 2),
    ("Restricted", 3),
    ("Running", 2),
    ("Standard", 2),
    ("Started", 2),
    ("Taken", 2),
    ("Watch", 2),
];

#[derive(Default)]
struct Size {
    methods: usize,
    files: BTreeSet<String>,
}

fn room(source: &Source) -> &str {
    let within = source.path.strip_prefix("src-tauri/crates/").unwrap_or("shell/");
    within.split('/').next().unwrap_or_default()
}

/// The type that a line begins to implement methods for, none of a trait.
fn implemented(line: &str) -> Option<&str> {
    let head = line.strip_prefix("impl")?.strip_suffix('{')?;
    if head.contains(" for ") || !head.starts_with([' ', '<']) {
        return None;
    }
    // Past the parameters of the block itself.
    let name = if head.starts_with('<') { head.split_once("> ")?.1 } else { head };
    name.trim().split(['<', ' ']).next()
}

fn is_method(line: &str) -> bool {
    let Some(rest) = line.strip_prefix("    ").filter(|rest| !rest.starts_with([' ', '/', '#', '}'])) else {
        return false;
    };
    rest.starts_with("fn ") || rest.split_once(" fn ").is_some_and(|(before, _)| !before.contains(['=', '{', ';']))
}

fn sizes(sources: &[Source]) -> BTreeMap<String, Size> {
    let mut sizes: BTreeMap<String, Size> = BTreeMap::new();
    for source in sources {
        let mut current = None;
        for (_, line) in source.code() {
            if let Some(name) = implemented(line) {
                let name = format!("{}::{name}", room(source));
                sizes.entry(name.clone()).or_default().files.insert(source.path.clone());
                current = Some(name);
            } else if line.starts_with('}') {
                current = None;
            } else if let Some(size) = current.as_ref().and_then(|name| sizes.get_mut(name))
                && is_method(line)
            {
                size.methods += 1;
            }
        }
    }
    sizes
}

#[test]
fn a_type_has_one_purpose() {
    let sizes = sizes(&shipped());
    assert!(sizes.len() > 300, "only {} types were found", sizes.len());
    let mut wrong = Vec::new();
    for (name, size) in &sizes {
        let (methods, files) = (size.methods, size.files.len());
        if methods > MAX_METHODS || files > MAX_FILES {
            wrong.push(format!("{name}: {methods} methods in {files} files; split it by purpose"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The types that a source declares at its outermost level.
fn declared(source: &Source) -> Vec<String> {
    let is_name = |c: &char| c.is_alphanumeric() || *c == '_';
    let of_line = |line: &str| {
        let rest = line.strip_prefix("pub").map_or(line, |rest| rest.split_once(' ').map_or("", |(_, rest)| rest));
        let kinds = ["struct ", "enum ", "trait ", "type "];
        let name = kinds.iter().find_map(|kind| rest.strip_prefix(kind))?;
        Some(name.chars().take_while(is_name).collect())
    };
    source.code().into_iter().filter_map(|(_, line)| of_line(line)).collect()
}

#[test]
fn a_name_stands_for_one_type() {
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    // A wire format is named in its vendor's words, a tool's arguments in the protocol's.
    let sources = shipped();
    let named = sources.iter().filter(|source| !source.is_in("src-tauri/crates/llm/") && room(source) != "shell");
    for name in named.flat_map(declared).filter(|name| name != "Arguments" && name != "Result") {
        *places.entry(name).or_default() += 1;
    }
    let listed: BTreeMap<String, usize> = REPEATED.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect();
    let repeated: BTreeMap<String, usize> = places.into_iter().filter(|(_, count)| *count > 1).collect();
    let names = repeated.keys().chain(listed.keys()).collect::<BTreeSet<_>>();
    let wrong: Vec<String> = names
        .into_iter()
        .filter(|name| repeated.get(*name) != listed.get(*name))
        .map(|name| format!("{name} {}", repeated.get(name).copied().unwrap_or(1)))
        .collect();
    assert!(wrong.is_empty(), "give each a name of its own, or take it off the list:\n{}", wrong.join("\n"));
}
