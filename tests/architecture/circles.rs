//! Modules that import each other in a circle, in the crates whose modules must not.

use crate::manifests::root;
use crate::sources::{Source, collect};
use std::collections::{BTreeMap, BTreeSet};

/// What looks alike on every system; elsewhere the system's own modules and what calls them know each other.
const WITHOUT_CIRCLES: &[&str] = &[
    "acp",
    "agent",
    "api",
    "cli",
    "config",
    "context",
    "disk",
    "documents",
    "domain",
    "edit",
    "engine",
    "export",
    "histories",
    "files",
    "git",
    "llm",
    "mcp",
    "mcp-server",
    "pipelines",
    "policy",
    "process",
    "redaction",
    "retrieval",
    "sandbox",
    "store",
    "telemetry",
    "tools",
    "worktrees",
];

type Imports = BTreeMap<String, BTreeSet<String>>;

#[test]
fn modules_do_not_import_each_other_in_a_circle() {
    let mut found = 0;
    for name in WITHOUT_CIRCLES {
        let folder = format!("src-tauri/crates/{name}/src/");
        let imports = imports(&sources_in(&folder), &folder);
        found += imports.len();
        let circle = circle(&imports);
        assert!(circle.is_empty(), "{name}: {}", circle.join(" -> "));
    }
    assert!(found > 20, "only {found} modules import another");
}

#[test]
fn a_circle_is_found() {
    let source = |path: &str, text: &str| Source { path: format!("x/src/{path}"), text: text.to_owned() };
    let lib = source("lib.rs", "mod a;\nmod b;\nmod c;\npub use a::{One, two};\n");
    let a = source("a.rs", "use crate::b::Two;\n");
    let b = source("b/inner.rs", "use crate::{c, One};\n#[cfg(test)]\nmod tests {\n    use crate::c::x;\n}\n");
    let c = source("c.rs", "// crate::a\n");
    let found = imports(&[lib, a, b, c], "x/src/");
    assert_eq!(found["b"], BTreeSet::from(["a".to_owned(), "c".to_owned()]));
    assert_eq!(circle(&found), ["a", "b", "a"]);
    assert!(circle(&BTreeMap::from([("a".to_owned(), BTreeSet::from(["c".to_owned()]))])).is_empty());
}

fn sources_in(folder: &str) -> Vec<Source> {
    let root = root();
    let mut files = Vec::new();
    collect(&root.join(folder), "rs", &mut files);
    let sources = files.iter().map(|file| Source::read(&root, file));
    sources.filter(|source| !source.path.contains("tests")).collect()
}

/// By top-level module those that it names, as `crate::module` or by what the crate's head exports of it.
fn imports(sources: &[Source], folder: &str) -> Imports {
    let module = |source: &Source| {
        let path = source.path.trim_start_matches(folder);
        path.split('/').next().unwrap_or_default().trim_end_matches(".rs").to_owned()
    };
    let code = |source: &Source| source.code().into_iter().map(|(_, line)| line).collect::<Vec<_>>().join("\n");
    let modules: BTreeSet<String> = sources.iter().map(module).collect();
    let head = sources.iter().find(|source| module(source) == "lib").map(code).unwrap_or_default();
    let exported: BTreeMap<String, String> = head
        .split(';')
        .filter_map(|item| item.split_once("use ")?.1.split_once("::"))
        .flat_map(|(from, names)| words(names).map(|name| (name, from.to_owned())))
        .collect();
    let mut imports = Imports::new();
    for source in sources.iter().filter(|source| module(source) != "lib") {
        let own = module(source);
        for name in named(&code(source)) {
            let found = if modules.contains(&name) { Some(&name) } else { exported.get(&name) };
            if let Some(found) = found.filter(|found| modules.contains(*found) && **found != own) {
                imports.entry(own.clone()).or_default().insert(found.clone());
            }
        }
    }
    imports
}

/// The first name of each path that begins with `crate`.
fn named(code: &str) -> Vec<String> {
    let mut names = Vec::new();
    for (at, prefix) in code.match_indices("crate::") {
        let rest = &code[at + prefix.len()..];
        match rest.strip_prefix('{') {
            // Braces within, and the paths after `::`, name nothing at the top; more than there is does no harm.
            Some(list) => names.extend(words(list.split(';').next().unwrap_or_default())),
            None => names.extend(words(rest).next()),
        }
    }
    names
}

fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()).map(str::to_owned)
}

/// A way from a module back to itself, if there is one.
fn circle(imports: &Imports) -> Vec<String> {
    fn follow(imports: &Imports, way: &mut Vec<String>, done: &mut BTreeSet<String>) -> bool {
        let last = way.last().cloned().unwrap_or_default();
        for next in imports.get(&last).into_iter().flatten() {
            if let Some(at) = way.iter().position(|before| before == next) {
                way.drain(..at);
                way.push(next.clone());
                return true;
            }
            if !done.contains(next) {
                way.push(next.clone());
                if follow(imports, way, done) {
                    return true;
                }
                way.pop();
            }
        }
        done.insert(last);
        false
    }
    let mut done = BTreeSet::new();
    for module in imports.keys() {
        let mut way = vec![module.clone()];
        if follow(imports, &mut way, &mut done) {
            return way;
        }
    }
    Vec::new()
}
