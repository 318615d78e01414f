//! Pipelines from the command line: started, stopped at a gate, resumed, listed; the contract's own example.
#![cfg(unix)]

use crate::harness::{Done, Stage, payload, payloads, program, text, wait_until};
use arki_domain::sha256_hex;
use arki_testkit::{Script, kinds};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

const EXAMPLE: &str = r#"name: review
limits: { max_steps: 50, max_input_bytes: 10485760, max_output_bytes: 10485760, step_timeout_seconds: 300, run_timeout_seconds: 3600 }
denylist_patterns: ["**/.env*", "**/*.pem"]
steps:
  - { name: extract, adapter: fabric, pattern: extract_wisdom }
  - { name: count, adapter: command, run: "wc -w", retry: { max_attempts: 3, backoff_ms: 200 } }
  - { name: judge, adapter: agent, prompt: "Judge this:\n{{input}}", model: demo/echo, needs: [extract, count] }
  - { name: gate, adapter: approval, message: "Publish?" }
"#;

/// A stage with these pipelines in the folder's own place, trusted.
pub(crate) fn stage(pipelines: &[(&str, &str)]) -> Stage {
    let config = serde_json::json!({"providers": {"demo": {"kind": "demo"}}});
    let stage = Stage::untrusted(Script::new(Vec::new()), &config);
    for (name, text) in pipelines {
        stage.write(&format!(".arki/pipelines/{name}.yaml"), text);
    }
    stage.trust();
    stage
}

/// A program on the path of commands that answers as fabric does, from its pattern and its input.
fn fabric(stage: &Stage) -> String {
    let bin = stage.home.data_dir().with_file_name("bin");
    std::fs::create_dir_all(&bin).unwrap();
    let program = bin.join("fabric");
    std::fs::write(&program, "#!/bin/sh\n[ \"$1\" = -p ] || exit 9\nprintf '%s of %s' \"$2\" \"$(cat)\"\n").unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    format!("{}:{}", bin.display(), std::env::var("PATH").unwrap())
}

fn arki_with_path(stage: &Stage, path: &str, args: &[&str]) -> Done {
    let mut command = Command::new(program());
    command.arg("-C").arg(stage.home.project_dir()).args(args).envs(&stage.home.env).env("PATH", path);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Done::of_child(command.spawn().unwrap())
}

/// The id of the newest run.
pub(crate) fn run_id(stage: &Stage) -> String {
    text(&stage.arki(&["runs", "--json"]).exits(0).lines()[0]["runId"])
}

/// Returns each step's name, state and number of attempts.
pub(crate) fn status(stage: &Stage) -> Vec<(String, String, u64)> {
    let steps = stage.arki(&["status", "last", "--json"]).exits(0).lines();
    let one = |step: &Value| (text(&step["step"]), text(&step["state"]), step["attempts"].as_u64().unwrap());
    steps.iter().map(one).collect()
}

#[test]
fn the_contracts_example_runs_as_written() {
    let stage = stage(&[]);
    if !stage.has_sandbox() {
        return;
    }
    stage.write("review.yaml", EXAMPLE);
    stage.write("in.txt", "three small words");
    let path = fabric(&stage);
    let stopped = arki_with_path(&stage, &path, &["run", "review.yaml", "--input", "in.txt"]).exits(3);
    assert_eq!(stopped.stdout, "");
    assert!(stopped.stderr.contains(&run_id(&stage)) && stopped.stderr.contains("Publish?"), "{}", stopped.stderr);
    let judged = "Judge this:\nextract_wisdom of three small words\n5\n";
    assert_eq!(stage.waiting(), text(&stage.inbox()[0]["approvalId"]));
    assert_eq!(stage.inbox()[0]["args"]["message"], "Publish?");
    let done = arki_with_path(&stage, &path, &["approvals", "approve"]).exits(0);
    assert_eq!(done.stdout, judged);
    // Once more: its output again, and nothing runs.
    let events = stage.events(&run_id(&stage)).len();
    assert_eq!(arki_with_path(&stage, &path, &["resume", &run_id(&stage)]).exits(0).stdout, judged);
    assert_eq!(stage.events(&run_id(&stage)).len(), events);
    assert_eq!(
        status(&stage).iter().map(|(step, state, _)| format!("{step} {state}")).collect::<Vec<_>>(),
        ["extract completed", "count completed", "judge completed", "gate completed"]
    );
    stage.verifies();
}

#[test]
fn events_in_arkais_form_have_the_steps_and_their_keys() {
    let stage = stage(&[(
        "two",
        "name: two\nsteps:\n  - { name: a, adapter: command, run: cat }\n  - { name: b, adapter: command, run: wc -c }\n",
    )]);
    if !stage.has_sandbox() {
        return;
    }
    stage.write("in.txt", "12345");
    stage.arki(&["run", "two", "--input", "in.txt"]).exits(0);
    let run = run_id(&stage);
    let lines = stage.arki(&["events", &run, "--format", "arkai"]).exits(0).lines();
    let steps: Vec<(String, String, String)> = lines
        .iter()
        .filter(|line| line["step_id"].is_string())
        .map(|line| (text(&line["step_id"]), text(&line["event_type"]), text(&line["idempotency_key"])))
        .collect();
    let key = |step: &str| format!("{run}:{step}:{}", &sha256_hex(b"12345")[..16]);
    let expected = [("a", "step_started"), ("a", "step_completed"), ("b", "step_started"), ("b", "step_completed")];
    assert_eq!(steps, expected.map(|(step, kind)| (step.to_owned(), kind.to_owned(), key(step))));
    assert!(lines.iter().all(|line| line["run_id"] == run.as_str()));
}

#[test]
fn json_prints_the_events_and_nothing_else() {
    let stage = stage(&[("one", "name: one\nsteps:\n  - { name: a, adapter: command, run: echo hi }\n")]);
    if !stage.has_sandbox() {
        return;
    }
    let lines = stage.arki(&["run", "one", "--json"]).exits(0).lines();
    assert_eq!(
        kinds(&lines),
        ["session.created", "trust.changed", "run.started", "step.started", "step.completed", "run.completed"]
    );
    assert_eq!(payload(&lines, "run.completed")["response"], "hi\n");
    assert_eq!(payload(&lines, "run.started")["core"], "pipeline");
    let runs = stage.arki(&["runs", "--json"]).exits(0).lines();
    assert_eq!((text(&runs[0]["name"]), text(&runs[0]["state"])), ("one".to_owned(), "done".to_owned()));
    assert!(runs[0]["startedAt"].is_i64());
}

#[test]
fn a_failed_step_leaves_a_run_that_goes_on_from_there() {
    let stage = stage(&[(
        "twice",
        "name: twice\nsteps:\n  - { name: a, adapter: command, run: \"echo x >> a.log; echo done\" }\n  - { name: b, adapter: command, run: \"test -e ok && cat\" }\n",
    )]);
    if !stage.has_sandbox() {
        return;
    }
    let failed = stage.arki(&["run", "twice"]).fails(1, "STEP_FAILED");
    assert!(failed.message.contains("\"b\""), "{failed:?}");
    stage.write("ok", "");
    // By the pipeline's name.
    assert_eq!(stage.arki(&["resume", "twice"]).exits(0).stdout, "done\n");
    assert_eq!(stage.read("a.log"), "x\n", "what was done is not done again");
    assert_eq!(status(&stage)[1].2, 2);
    let skipped = payloads(&stage.events(&run_id(&stage)), "step.skipped");
    assert_eq!((skipped.len(), text(&skipped[0]["step"])), (1, "a".to_owned()));
}

#[test]
fn a_gate_can_be_rejected_and_says_so() {
    let stage = stage(&[("gate", "name: gate\nsteps:\n  - { name: g, adapter: approval, message: Go on? }\n")]);
    stage.arki(&["run", "gate"]).exits(3);
    let shown = stage.arki(&["approvals", "show"]).exits(0).stdout;
    assert!(shown.contains("Go on?"), "{shown}");
    let rejected =
        stage.arki(&["approvals", "reject", &stage.waiting(), "--note", "not today"]).fails(1, "STEP_REJECTED");
    assert!(rejected.message.contains("not today"), "{rejected:?}");
    // It can be asked again.
    stage.arki(&["resume", "gate"]).exits(3);
    stage.arki(&["approvals", "approve"]).exits(0);
}

#[test]
fn an_agents_question_waits_in_the_inbox_and_the_pipeline_goes_on_with_the_answer() {
    use arki_testkit::Turn;
    let script = Script::new(vec![
        Turn::text("").call("write_file", serde_json::json!({"path": "a.txt", "content": "new\n"})),
        Turn::text("written"),
    ]);
    let stage = Stage::untrusted(script, &Value::Null);
    stage.write(
        ".arki/pipelines/agent.yaml",
        "name: agent\nsteps:\n  - { name: write, adapter: agent, prompt: Write a file. }\n  - { name: end, adapter: command, run: \"cat - a.txt\" }\n",
    );
    stage.trust();
    if !stage.has_sandbox() {
        return;
    }
    stage.arki(&["run", "agent"]).exits(3);
    assert_eq!(stage.inbox()[0]["toolId"], "write_file");
    assert_eq!(status(&stage)[0].1, "waiting");
    let done = stage.arki(&["approvals", "approve"]).exits(0);
    assert_eq!(done.stdout, "written new\n");
    assert_eq!(status(&stage)[0].2, 1, "it is one attempt");
    stage.verifies();
}

#[test]
fn a_definition_that_changed_is_asked_about_and_one_that_is_gone_is_not_missed() {
    let gate = |last: &str| {
        format!(
            "name: change\nsteps:\n  - {{ name: g, adapter: approval, message: Go? }}\n  - {{ name: end, adapter: command, run: echo {last} }}\n"
        )
    };
    let stage = stage(&[]);
    if !stage.has_sandbox() {
        return;
    }
    for (choice, said) in [("original", "first\n"), ("current", "second\n")] {
        stage.write("change.yaml", gate("first"));
        stage.arki(&["run", "change.yaml"]).exits(3);
        stage.write("change.yaml", gate("second"));
        let decided = stage.arki(&["approvals", "approve"]).exits(2);
        assert!(decided.stderr.contains("PIPELINE_CHANGED") && decided.stderr.contains("+"), "{}", decided.stderr);
        let done = stage.arki(&["resume", "change", "--definition", choice]).exits(0);
        assert_eq!(done.stdout, said);
    }
    stage.write("change.yaml", gate("first"));
    stage.arki(&["run", "change.yaml"]).exits(3);
    std::fs::remove_file(stage.path("change.yaml")).unwrap();
    assert_eq!(stage.arki(&["approvals", "approve"]).exits(0).stdout, "first\n");
}

#[test]
fn a_projects_pipeline_runs_only_in_the_version_that_was_agreed_to() {
    let text = "name: own\nsteps:\n  - { name: a, adapter: command, run: echo one }\n";
    let stage = stage(&[("own", text)]);
    if !stage.has_sandbox() {
        return;
    }
    assert_eq!(stage.arki(&["run", "own"]).exits(0).stdout, "one\n");
    stage.write(".arki/pipelines/own.yaml", text.replace("one", "two"));
    stage.arki(&["run", "own"]).fails(4, "UNTRUSTED");
    stage.arki(&["run", ".arki/pipelines/own.yaml"]).fails(4, "UNTRUSTED");
    stage.trust();
    assert_eq!(stage.arki(&["run", "own"]).exits(0).stdout, "two\n");
    stage.arki(&["untrust"]).exits(0);
    stage.arki(&["run", "own"]).fails(2, "PIPELINE_NOT_FOUND");
}

#[test]
fn a_pinned_file_that_became_a_link_does_not_run_whatever_way_it_is_named() {
    let text = "name: own\nsteps:\n  - { name: a, adapter: command, run: touch made }\n";
    let stage = stage(&[("own", "name: own\nsteps:\n  - { name: a, adapter: approval, message: Go? }\n")]);
    let pinned = stage.path(".arki/pipelines/own.yaml");
    stage.write("ci/other.yaml", text);
    std::fs::remove_file(&pinned).unwrap();
    std::os::unix::fs::symlink("../../ci/other.yaml", &pinned).unwrap();
    let link = stage.home.data_dir().with_file_name("link");
    std::os::unix::fs::symlink(stage.home.project_dir(), &link).unwrap();
    let absolute = link.join(".arki/pipelines/own.yaml");
    for named in ["own", ".arki/pipelines/own.yaml", "ci/../.arki/pipelines/own.yaml", absolute.to_str().unwrap()] {
        stage.arki(&["run", named]).fails(4, "UNTRUSTED");
    }
    // The other way round, a link from elsewhere into the folder's own place.
    std::fs::remove_file(&pinned).unwrap();
    stage.write(".arki/pipelines/own.yaml", text);
    std::os::unix::fs::symlink("../.arki/pipelines/own.yaml", stage.path("ci/in.yaml")).unwrap();
    stage.arki(&["run", "ci/in.yaml"]).fails(4, "UNTRUSTED");
    assert!(!stage.path("made").exists() && stage.sessions().is_empty());
}

#[test]
fn a_pipe_in_the_place_of_a_definition_is_refused_without_waiting() {
    let stage = stage(&[]);
    std::fs::create_dir_all(stage.path(".arki/pipelines")).unwrap();
    let mut mkfifo = Command::new("mkfifo");
    mkfifo.args(["p.yaml", ".arki/pipelines/q.yaml"]).current_dir(stage.home.project_dir());
    assert!(mkfifo.status().unwrap().success());
    let refused = stage.arki(&["run", "p.yaml"]).fails(2, "PIPELINE_INVALID");
    assert!(refused.message.contains("not a file"), "{refused:?}");
    stage.arki(&["run", ".arki/pipelines/q.yaml"]).fails(4, "UNTRUSTED");
    stage.arki(&["pipelines", "check", "p.yaml"]).fails(2, "PIPELINE_INVALID");
}

#[test]
fn in_a_folder_that_is_not_trusted_no_command_runs() {
    let stage = stage(&[]);
    stage.arki(&["untrust"]).exits(0);
    stage.write("p.yaml", "name: p\nsteps:\n  - { name: a, adapter: command, run: touch made }\n");
    stage.arki(&["run", "p.yaml"]).fails(4, "UNTRUSTED");
    assert!(!stage.path("made").exists());
    let decided = payloads(&stage.events(&run_id(&stage)), "policy.decided");
    assert_eq!((decided.len(), text(&decided[0]["rule"])), (1, "builtin:untrusted".to_owned()));
}

#[test]
fn deny_rules_and_secret_files_hold_for_steps_too() {
    let config = serde_json::json!({"policy": {"rules": [
        {"decision": "deny", "tool": "run_command", "command": ["rm"], "reason": "nothing is removed"}
    ]}});
    let stage = Stage::configured(Script::new(Vec::new()), &config);
    if !stage.has_sandbox() {
        return;
    }
    let step = |run: &str| {
        format!("name: p\ndenylist_patterns: []\nsteps:\n  - {{ name: a, adapter: command, run: \"{run}\" }}\n")
    };
    stage.write("keep.txt", "kept");
    stage.write("p.yaml", step("rm keep.txt"));
    let denied = stage.arki(&["run", "p.yaml"]).fails(1, "POLICY_DENIED");
    assert!(denied.message.contains("nothing is removed"), "{denied:?}");
    assert_eq!(stage.read("keep.txt"), "kept");
    stage.write("deploy.env", "x");
    stage.write(".env", "TOKEN=abcdefghijklmnop1234");
    stage.write("p.yaml", step("cat .env"));
    stage.arki(&["run", "p.yaml"]).fails(1, "POLICY_DENIED");
    // Where no reader of the line sees it, the file isn't there.
    stage.write("p.yaml", step("f=.en; cat ${f}v .e*; echo none"));
    assert_eq!(stage.arki(&["run", "p.yaml"]).exits(0).stdout, "none\n");
    // A line that runs a parameter is judged by what the parameter says.
    stage.write(
        "p.yaml",
        "name: p\nparams: { check: {} }\nsteps:\n  - { name: a, adapter: command, run: 'sh -c \"$check\"' }\n",
    );
    let denied = stage.arki(&["run", "p.yaml", "--param", "check=rm keep.txt"]).fails(1, "POLICY_DENIED");
    assert!(denied.message.contains("nothing is removed"), "{denied:?}");
    assert_eq!(stage.read("keep.txt"), "kept");
    assert_eq!(stage.arki(&["run", "p.yaml", "--param", "check=echo ok"]).exits(0).stdout, "ok\n");
    stage.arki(&["run", "p.yaml", "--param", "check=echo hi > AGENTS.md"]).fails(1, "POLICY_DENIED");
    stage.write(
        "p.yaml",
        "name: p\nparams: { file: {} }\nsteps:\n  - { name: a, adapter: command, run: 'echo hi > \"$file\"' }\n",
    );
    stage.arki(&["run", "p.yaml", "--param", "file=AGENTS.md"]).fails(1, "POLICY_DENIED");
    stage.arki(&["run", "p.yaml", "--param", "file=notes.txt"]).exits(0);
    assert_eq!(stage.read("notes.txt"), "hi\n");
}

#[test]
fn ctrl_c_stops_a_run_and_what_it_started() {
    let stage = stage(&[(
        "slow",
        "name: slow\nsteps:\n  - { name: a, adapter: command, run: \"touch target/begun; sleep 1000\" }\n",
    )]);
    if !stage.has_sandbox() {
        return;
    }
    // A folder that is written for real, so that the step is seen at work.
    stage.write("target/made-by-builds", "");
    let running = stage.start(&["run", "slow"]);
    wait_until("the step began", || stage.path("target/begun").exists());
    running.signal(rustix::process::Signal::INT);
    let done = running.end().exits(130);
    assert_eq!(kinds(&done.lines()).last().copied(), Some("run.cancelled"));
    assert!(done.stderr.contains("--from STEP"), "{}", done.stderr);
    let ended = stage.arki(&["resume", "slow"]).fails(2, "RUN_NOT_FOUND");
    assert!(ended.hint.contains("--from STEP"), "{ended:?}");
}
