//! The engine's services: each has its methods in its own folder, and whoever is outside the engine sees its face alone.

use crate::manifests::root;
use crate::sources::{Source, shipped};

const ENGINE: &str = "src-tauri/crates/engine/src/";

/// A service, and where it lives: `NAME.rs` and what is below `NAME/`.
const SERVICES: &[(&str, &str)] = &[
    ("Records", "records"),
    ("SessionReader", "session_reader"),
    ("Accounts", "accounts"),
    ("PipelineDefinitions", "projects/pipelines"),
    ("Projects", "projects"),
    ("FolderTrust", "projects/folder_trust"),
    ("Mentionables", "projects/mentionable"),
    ("OwnPrograms", "projects/own_programs"),
    ("Sessions", "sessions"),
    ("OpenQuestions", "open_questions"),
    ("SessionNames", "session_names"),
    ("LogAnchors", "log_anchors"),
    ("PastFiles", "past_files"),
    ("LineOrigins", "line_origins"),
    ("Restorations", "restorations"),
    ("Artifacts", "artifacts"),
    ("MemoryReviews", "memory_reviews"),
    ("Telemetry", "telemetry"),
    ("Mcp", "mcp"),
    ("BackgroundResults", "background_results"),
    ("BackgroundWork", "background_work"),
    ("Delegations", "delegation"),
    ("ExecutorFactory", "executor_factory"),
    ("SessionTools", "session_tools"),
    ("SessionSearch", "session_search"),
    ("UsageReports", "usage_reports"),
    ("LineCounts", "line_counts"),
    ("Exports", "exports"),
    ("Approvals", "approvals"),
    ("SentRequests", "sent_requests"),
    ("Worktrees", "worktrees"),
    ("PipelineHistory", "pipeline_history"),
    ("MessageQueues", "runs/queue"),
    ("Pairings", "pairings"),
    ("Inbox", "inbox"),
    ("Runs", "runs"),
    ("PipelineRuns", "runs/pipelines"),
    ("Rewinds", "rewinds"),
    ("Retention", "retention"),
    ("Schedules", "schedules"),
    ("Doctor", "doctor"),
    ("Client", "client"),
];

fn engine() -> Vec<Source> {
    let found: Vec<Source> = shipped().into_iter().filter(|source| source.is_in(ENGINE)).collect();
    assert!(found.len() > 50, "only {} sources of the engine were found", found.len());
    found
}

/// What a line implements methods for, where it begins to.
fn implemented(line: &str) -> Option<&str> {
    let head = line.strip_prefix("impl ")?.strip_suffix(" {")?;
    Some(head.rsplit(" for ").next().unwrap_or(head))
}

#[test]
fn only_the_engines_own_file_has_methods_of_the_engine() {
    let file = format!("{ENGINE}engine.rs");
    let elsewhere = engine().into_iter().filter(|source| source.path != file);
    let found: Vec<String> =
        elsewhere.flat_map(|source| source.matching(|line| implemented(line) == Some("Engine"))).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn a_service_has_its_methods_in_its_own_folder() {
    let sources = engine();
    for &(service, room) in SERVICES {
        let (file, folder) = (format!("{ENGINE}{room}.rs"), format!("{ENGINE}{room}/"));
        let is_its = |source: &&Source| source.path == file || source.is_in(&folder);
        let of_service = |source: &Source| source.matching(|line| implemented(line) == Some(service));
        assert!(sources.iter().filter(is_its).any(|source| !of_service(source).is_empty()), "{service} is nowhere");
        let elsewhere = sources.iter().filter(|source| !is_its(source));
        let found: Vec<String> = elsewhere.flat_map(of_service).collect();
        assert!(found.is_empty(), "{}", found.join("\n"));
    }
}

#[test]
fn services_keep_their_fields_to_themselves() {
    let mut open = Vec::new();
    for &(service, room) in SERVICES {
        let source = Source::read(&root(), &root().join(format!("{ENGINE}{room}.rs")));
        let lines = source.lines().into_iter().map(|(_, line)| line);
        let head = format!("struct {service} {{");
        let mut fields =
            lines.skip_while(|line| !line.ends_with(&head)).skip(1).take_while(|line| *line != "}").peekable();
        assert!(fields.peek().is_some(), "{service} has no fields");
        open.extend(
            fields.filter(|line| line.trim_start().starts_with("pub")).map(|line| format!("{service}: {line}")),
        );
    }
    assert!(open.is_empty(), "{}", open.join("\n"));
}

/// The arrows between services: each knows those before it, and those after it at most as ports.
#[test]
fn a_service_holds_only_those_below_it() {
    let names: Vec<&str> = SERVICES.iter().map(|(service, _)| *service).collect();
    for (place, &(service, room)) in SERVICES.iter().enumerate().filter(|(_, (service, _))| *service != "Client") {
        let source = Source::read(&root(), &root().join(format!("{ENGINE}{room}.rs")));
        let above: Vec<String> = names[place + 1..].iter().map(|above| format!("Arc<{above}>")).collect();
        let found = source.matching(|line| above.iter().any(|above| line.contains(above.as_str())));
        assert!(found.is_empty(), "{service}:\n{}", found.join("\n"));
    }
}

/// The last one is the shell's own.
const ALLOWED: [&str; 8] = [
    "arki_acp",
    "arki_api",
    "arki_commands",
    "arki_domain",
    "arki_engine",
    "arki_mcp_server",
    "arki_server",
    "arki_desktop_lib",
];

#[test]
fn shell_and_command_line_reach_only_the_protocol_the_domain_and_the_engines_face() {
    let outside = |source: &Source| {
        let of_ours = |line: &str| {
            let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
            words.any(|word| word.starts_with("arki_") && !ALLOWED.contains(&word))
        };
        source.matching(|line| line.contains("::") && of_ours(line))
    };
    let clients = [
        "src-tauri/src/",
        "src-tauri/crates/acp/src/",
        "src-tauri/crates/cli/src/",
        "src-tauri/crates/commands/src/",
        "src-tauri/crates/mcp-server/src/",
        "src-tauri/crates/server/src/",
    ];
    let sources = shipped().into_iter().filter(|source| clients.iter().any(|folder| source.is_in(folder)));
    let found: Vec<String> = sources.flat_map(|source| outside(&source)).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}
