//! Which crate may know which.

use crate::manifests::Manifests;
use crate::sources::{Source, shipped};
use std::collections::BTreeSet;

/// Each crate and those of ours that it may name in its manifest. A new arrow is argued in `docs/decisions` first.
const ARROWS: &[(&str, &[&str])] = &[
    ("arki-desktop", &["api", "commands", "engine", "domain", "tray"]),
    ("arki-cli", &["acp", "api", "server", "mcp-server", "engine", "domain"]),
    ("arki-acp", &["api", "engine", "domain"]),
    ("arki-server", &["api", "commands", "engine", "domain"]),
    ("arki-mcp-server", &["api", "engine", "domain"]),
    ("arki-commands", &["api", "engine", "domain"]),
    (
        "arki-engine",
        &[
            "api",
            "config",
            "export",
            "histories",
            "telemetry",
            "worktrees",
            "pipelines",
            "agent",
            "store",
            "mcp",
            "tools",
            "policy",
            "files",
            "edit",
            "retrieval",
            "sandbox",
            "process",
            "disk",
            "git",
            "context",
            "llm",
            "redaction",
            "domain",
        ],
    ),
    // Development only: files.
    (
        "arki-config",
        &[
            "api",
            "agent",
            "mcp",
            "tools",
            "telemetry",
            "policy",
            "files",
            "process",
            "context",
            "llm",
            "redaction",
            "domain",
        ],
    ),
    ("arki-export", &["api", "store", "telemetry", "domain"]),
    ("arki-telemetry", &["domain"]),
    ("arki-histories", &["api", "domain"]),
    ("arki-worktrees", &["api", "files", "disk", "git", "process", "domain"]),
    ("arki-api", &["domain"]),
    ("arki-pipelines", &["agent", "redaction", "domain"]),
    ("arki-agent", &["context", "llm", "redaction", "domain"]),
    ("arki-mcp", &["tools", "domain"]),
    (
        "arki-tools",
        &[
            "policy",
            "files",
            "edit",
            "documents",
            "retrieval",
            "sandbox",
            "process",
            "disk",
            "git",
            "redaction",
            "domain",
        ],
    ),
    ("arki-documents", &[]),
    ("arki-retrieval", &["files", "disk", "redaction", "domain"]),
    ("arki-policy", &["domain"]),
    // Neither knows the other: what both need is below them, and the rest is handed to the sandbox.
    ("arki-files", &["edit", "disk", "git", "redaction", "domain"]),
    ("arki-sandbox", &["process", "disk", "git", "domain"]),
    ("arki-process", &["domain"]),
    ("arki-edit", &["domain"]),
    ("arki-disk", &["domain"]),
    ("arki-git", &[]),
    ("arki-store", &["redaction", "domain"]),
    ("arki-llm", &["domain"]),
    ("arki-context", &["domain"]),
    ("arki-redaction", &["domain"]),
    ("arki-domain", &[]),
    ("arki-tray", &[]),
    ("arki-testkit", &["domain"]),
    ("xtask", &[]),
    ("arki-tests", &[]),
];

/// Libraries that isolate something: each is known by one crate, or by those that speak to the network. A name that
/// ends with `*` stands for all that begin so.
const LIBRARIES: &[(&str, &[&str])] = &[
    ("rusqlite*", &["arki-store", "arki-histories", "arki-retrieval"]),
    ("reqwest", &["arki-llm", "arki-mcp", "arki-telemetry", "arki-tools"]),
    ("hyper*", &["arki-llm", "arki-server"]),
    ("sse-stream", &["arki-llm"]),
    ("prost*", &["arki-telemetry"]),
    ("rustls", &["arki-llm", "arki-mcp", "arki-telemetry", "arki-tools"]),
    ("tauri*", &["arki-desktop", "arki-tray"]),
    ("landlock", &["arki-sandbox"]),
    ("seccompiler", &["arki-sandbox"]),
    ("avt", &["arki-process"]),
    ("cap-std", &["arki-disk", "arki-files", "arki-sandbox"]),
    ("keyring", &["arki-engine"]),
    ("rmcp", &["arki-mcp", "arki-mcp-server"]),
    ("clap*", &["arki-cli"]),
    ("axum*", &["arki-server"]),
    ("hayro*", &["arki-documents"]),
    ("calamine", &["arki-documents"]),
];

/// What no planner may come by.
const EXECUTORS: &[&str] = &[
    "arki-tools",
    "arki-policy",
    "arki-files",
    "arki-disk",
    "arki-git",
    "arki-process",
    "arki-sandbox",
    "arki-store",
    "arki-retrieval",
    "arki-mcp",
    "arki-engine",
];

#[test]
fn every_arrow_between_crates_is_one_of_the_architecture() {
    let manifests = Manifests::read();
    for (package, dependencies) in &manifests.normal {
        let arrows = ARROWS.iter().find(|(name, _)| name == package);
        let (_, allowed) = arrows.unwrap_or_else(|| panic!("{package} is new: say in ARROWS what it may know"));
        let ours = dependencies.iter().filter(|name| manifests.normal.contains_key(*name));
        for dependency in ours {
            let short = dependency.trim_start_matches("arki-");
            assert!(allowed.contains(&short), "{package} must not depend on {dependency}");
        }
    }
}

#[test]
fn the_planner_cannot_reach_the_executor_not_even_indirectly() {
    let manifests = Manifests::read();
    for planner in ["arki-agent", "arki-pipelines", "arki-context", "arki-llm"] {
        let reached = manifests.reaches(planner);
        for executor in EXECUTORS {
            assert!(!reached.contains(*executor), "{planner} reaches {executor}");
        }
    }
    assert!(manifests.reaches("arki-cli").contains("arki-store"), "nothing is reached at all");
}

#[test]
fn the_domain_depends_on_none_of_ours_and_the_api_and_the_policy_on_the_domain_alone() {
    let manifests = Manifests::read();
    assert_eq!(manifests.reaches("arki-domain"), BTreeSet::new());
    for package in ["arki-api", "arki-policy"] {
        assert_eq!(manifests.reaches(package), BTreeSet::from(["arki-domain".to_owned()]), "{package}");
    }
}

#[test]
fn neither_the_domain_nor_the_api_nor_the_policy_does_input_or_output() {
    let manifests = Manifests::read();
    for package in ["arki-domain", "arki-api", "arki-policy"] {
        for library in ["tokio", "reqwest", "rusqlite", "tracing-appender", "tempfile", "cap-std", "rustix"] {
            assert!(!manifests.normal[package].contains(library), "{package} knows {library}");
        }
    }
    let folders = ["src-tauri/crates/domain/", "src-tauri/crates/api/", "src-tauri/crates/policy/"];
    let sources: Vec<Source> =
        shipped().into_iter().filter(|source| folders.iter().any(|at| source.is_in(at))).collect();
    assert!(sources.len() > 60, "only {} sources were found", sources.len());
    let world = ["std::fs", "std::net", "std::process", "std::env", "std::io::stdin", "std::io::stdout", "std::thread"];
    let found: Vec<String> = sources.iter().flat_map(|source| source.uses(&world)).collect();
    assert!(found.is_empty(), "it reaches the world:\n{}", found.join("\n"));
}

#[test]
fn each_heavy_library_is_known_by_one_crate() {
    let manifests = Manifests::read();
    let mut found = 0;
    for (package, dependencies) in &manifests.normal {
        for (library, owners) in LIBRARIES {
            let is_it = |name: &&String| match library.strip_suffix('*') {
                Some(beginning) => name.starts_with(beginning),
                None => name.as_str() == *library,
            };
            if let Some(name) = dependencies.iter().find(is_it) {
                assert!(owners.contains(&package.as_str()), "{package} must not know {name}");
                found += 1;
            }
        }
    }
    assert!(found >= 8, "only {found} of them were found: is the list out of date?");
}

/// Its programs are for tests: what is shipped must not have it.
#[test]
fn the_testkit_is_in_nothing_that_is_shipped() {
    let manifests = Manifests::read();
    for package in manifests.normal.keys() {
        assert!(!manifests.reaches(package).contains("arki-testkit"), "{package} ships arki-testkit");
    }
    assert!(manifests.all["arki-tests"].contains("arki-testkit"));
}

#[test]
fn the_command_line_cannot_reach_the_window() {
    let manifests = Manifests::read();
    assert!(!manifests.reaches("arki-cli").contains("arki-desktop"));
    assert!(!manifests.reaches("arki-engine").contains("arki-desktop"));
}
