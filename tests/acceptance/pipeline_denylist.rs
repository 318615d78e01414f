//! `denylist_patterns`: they hold for commands, for agents and for nested pipelines, also once a run is resumed.
#![cfg(unix)]

use crate::harness::{Stage, payload, payloads, text};
use crate::pipelines::{run_id, stage};
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};

const DENYLIST: &str = "denylist_patterns: [\"plans/*\"]\n";

fn with_agent(turns: Vec<Turn>) -> Stage {
    let stage = Stage::untrusted(Script::new(turns), &Value::Null);
    stage.write(
        ".arki/pipelines/a.yaml",
        format!("name: a\n{DENYLIST}steps:\n  - {{ name: x, adapter: agent, prompt: go }}\n"),
    );
    stage.write(
        ".arki/pipelines/outer.yaml",
        format!("name: outer\n{DENYLIST}steps:\n  - {{ name: in, adapter: pipeline, pipeline: inner }}\n"),
    );
    stage.write(".arki/pipelines/inner.yaml", "name: inner\nsteps:\n  - { name: x, adapter: agent, prompt: go }\n");
    stage.write("plans/a.txt", "the plan\n");
    stage.trust();
    stage
}

/// The decisions about the calls of the run that works for a step of this run.
fn decided_beneath(stage: &Stage, run: &str) -> Vec<(String, String)> {
    let child = payload(&stage.events(run), "subagent.started");
    let events = stage.events(&text(&child["runId"]));
    if child["agent"].as_str().is_some_and(|agent| agent.starts_with("pipeline:")) {
        return decided_beneath(stage, &text(&child["runId"]));
    }
    let decided = payloads(&events, "policy.decided");
    decided.iter().map(|decided| (text(&decided["decision"]), text(&decided["rule"]))).collect()
}

fn denied() -> (String, String) {
    ("deny".to_owned(), "denylist_patterns[1]".to_owned())
}

#[test]
fn an_agents_tools_are_denied_what_the_denylist_forbids_whatever_is_granted() {
    let stage = with_agent(vec![
        Turn::text("").call("read_file", json!({"path": "plans/a.txt"})),
        Turn::text("").call("run_command", json!({"command": "cat ./x/../plans/a.txt"})),
        Turn::text("").call("write_file", json!({"path": "plans/b.txt", "content": "x"})),
        Turn::text("").call("search_files", json!({"pattern": "the"})),
        Turn::text("done"),
    ]);
    assert_eq!(stage.arki(&["run", "a", "--approve", "all"]).exits(0).stdout.trim_end(), "done");
    let decided = decided_beneath(&stage, &run_id(&stage));
    assert_eq!(decided[..3], [denied(), denied(), denied()]);
    assert!(!stage.path("plans/b.txt").exists());
    assert!(!stage.told().contains("the plan"), "{}", stage.told());
}

#[test]
fn an_agents_commands_do_not_see_such_files_and_are_not_asked_about_for_the_others() {
    let stage = with_agent(vec![
        Turn::text("").call("run_command", json!({"command": "grep -r two notes"})),
        Turn::text("done"),
    ]);
    if !stage.has_sandbox() {
        return;
    }
    stage.write("notes/a.txt", "one two\n");
    stage.arki(&["run", "a"]).exits(0);
    assert_eq!(decided_beneath(&stage, &run_id(&stage))[0].0, "allow");
    assert!(stage.told().contains("one two"), "{}", stage.told());
    let reads = ["cat $(echo plan)s/a.txt", "cp -r . \"$TMPDIR/x\" && cat \"$TMPDIR\"/x/*/a.txt"];
    let calls = reads.map(|line| Turn::text("").call("run_command", json!({"command": line})));
    let stage = with_agent(calls.into_iter().chain([Turn::text("done")]).collect());
    stage.arki(&["run", "a", "--approve", "all"]).exits(0);
    assert_eq!(decided_beneath(&stage, &run_id(&stage)).len(), 2);
    assert!(!stage.told().contains("the plan"), "{}", stage.told());
}

#[test]
fn it_still_holds_once_the_run_is_resumed() {
    let stage = with_agent(vec![
        Turn::text("").call("write_file", json!({"path": "b.txt", "content": "x"})),
        Turn::text("").call("read_file", json!({"path": "plans/a.txt"})),
        Turn::text("done"),
    ]);
    stage.arki(&["run", "a"]).exits(3);
    stage.arki(&["approvals", "approve"]).exits(0);
    assert_eq!(decided_beneath(&stage, &run_id(&stage)).last(), Some(&denied()));
}

#[test]
fn a_nested_pipeline_has_the_denylist_of_the_one_around_it() {
    let stage = with_agent(vec![Turn::text("").call("read_file", json!({"path": "plans/a.txt"})), Turn::text("done")]);
    stage.arki(&["run", "outer", "--approve", "all"]).exits(0);
    // After the five that the inner one has of itself.
    assert_eq!(decided_beneath(&stage, &run_id(&stage)), [("deny".to_owned(), "denylist_patterns[6]".to_owned())]);
    stage.write(
        ".arki/pipelines/inner.yaml",
        "name: inner\nsteps:\n  - { name: x, adapter: command, run: cat plans/a.txt }\n",
    );
    stage.trust();
    stage.arki(&["run", "outer"]).fails(1, "STEP_DENYLISTED");
}

#[test]
fn no_spelling_of_a_path_leads_past_it_and_a_path_that_is_built_leads_to_nothing() {
    let step = |line: &str| format!("name: p\n{DENYLIST}steps:\n  - {{ name: a, adapter: command, run: {line:?} }}\n");
    let stage = stage(&[]);
    stage.write("plans/a.txt", "the plan\n");
    stage.write("plans/my plan.txt", "the plan\n");
    std::os::unix::fs::symlink("plans/a.txt", stage.path("link.txt")).unwrap();
    let whole = stage.path("plans/a.txt").canonicalize().unwrap().display().to_string();
    for line in [
        "cat plans/a.txt",
        "cat ./plans/../plans/a.txt",
        "cat link.txt",
        &format!("cat {whole}"),
        "cd plans && cat a.txt",
    ] {
        stage.write("p.yaml", step(line));
        stage.arki(&["run", "p.yaml"]).fails(1, "STEP_DENYLISTED");
    }
    stage.write("p.yaml", step("cat"));
    for input in ["link.txt", "plans/my plan.txt", &whole] {
        stage.write("in.txt", input);
        stage.arki(&["run", "p.yaml", "--input", "in.txt"]).fails(1, "STEP_DENYLISTED");
    }
    if !stage.has_sandbox() {
        return;
    }
    stage.write("p.yaml", step("grep -r plan ."));
    let failed = stage.arki(&["run", "p.yaml"]).fails(1, "STEP_FAILED").message;
    assert!(failed.contains("plans/a.txt: Permission denied"), "{failed}");
    for line in ["cat pl*/a*", "cat $(echo plan)s/a.txt", "f=plans; cat $f/a.txt", "cat \"$file\""] {
        stage.write("p.yaml", step(line));
        let done = stage.arki(&["run", "p.yaml", "--param", "file=plans/a.txt"]);
        assert!(!done.stdout.contains("the plan"), "{line}: {}", done.stdout);
    }
}

#[test]
fn another_name_of_a_forbidden_file_is_forbidden_too() {
    let stage = with_agent(vec![
        Turn::text("").call("read_file", json!({"path": "notes.txt"})),
        Turn::text("").call("search_files", json!({"pattern": "the plan"})),
        Turn::text("").call("run_command", json!({"command": "cat notes.txt"})),
        Turn::text("done"),
    ]);
    std::fs::hard_link(stage.path("plans/a.txt"), stage.path("notes.txt")).unwrap();
    assert_eq!(stage.arki(&["run", "a", "--approve", "all"]).exits(0).stdout.trim_end(), "done");
    assert_eq!(decided_beneath(&stage, &run_id(&stage))[0], denied());
    assert!(!stage.told().contains("the plan"), "{}", stage.told());
    let lines = format!("name: lines\n{DENYLIST}steps:\n  - {{ name: x, adapter: command, run: cat }}\n");
    let named = lines.replace("name: lines", "name: named").replace("run: cat", "run: cat ./notes.txt");
    stage.write("lines.yaml", lines);
    stage.write("named.yaml", named);
    stage.write("list.txt", "list.txt\nnotes.txt\n");
    stage.arki(&["run", "named.yaml"]).fails(1, "STEP_DENYLISTED");
    stage.arki(&["run", "lines.yaml", "--input", "list.txt"]).fails(1, "STEP_DENYLISTED");
    stage.arki(&["run", "lines.yaml", "--input", "notes.txt"]).fails(1, "STEP_DENYLISTED");
}
