//! What steps can be: nested pipelines, requests, items, parameters, artifacts; the built-in pipelines.
#![cfg(unix)]

use crate::harness::{Stage, asking_policy, payload, payloads, text};
use crate::pipelines::{run_id, stage, status};
use arki_testkit::{Script, Turn};
use serde_json::json;

#[test]
fn parameters_reach_commands_as_environment_variables_and_never_as_a_part_of_the_line() {
    let stage = stage(&[("env", "name: env\nsteps:\n  - { name: a, adapter: command, run: 'printf %s \"$WHO\"' }\n")]);
    if !stage.has_sandbox() {
        return;
    }
    let hostile = "$(touch made); `touch made` \" ' \\ *";
    assert_eq!(stage.arki(&["run", "env", "--param", &format!("WHO={hostile}")]).exits(0).stdout, hostile);
    assert!(!stage.path("made").exists());
    stage.arki(&["run", "env", "--param", "PATH=/tmp"]).fails(2, "USAGE");
    stage.arki(&["run", "env", "--param", "nothing"]).exits(2);
}

#[test]
fn a_nested_pipeline_is_a_run_of_its_own_and_its_gate_is_in_the_inbox() {
    let inner = "name: inner\nparams: { word: { default: x } }\nsteps:\n  - { name: say, adapter: command, run: 'cat; printf %s \"$word\"' }\n  - { name: g, adapter: approval, message: Go? }\n";
    let outer = "name: outer\nparams: { lang: {} }\nsteps:\n  - { name: a, adapter: command, run: printf a }\n  - { name: in, adapter: pipeline, pipeline: inner, params: { word: \"{{params.lang}}\" } }\n  - { name: z, adapter: command, run: 'cat; printf z' }\n";
    let stage = stage(&[("inner", inner), ("outer", outer)]);
    if !stage.has_sandbox() {
        return;
    }
    stage.arki(&["run", "outer", "--param", "lang=en"]).exits(3);
    assert_eq!(status(&stage)[1].1, "waiting");
    let shown = stage.arki(&["status", "outer"]).exits(0).stdout;
    assert!(shown.contains(&format!("arki approvals approve {}", stage.waiting())), "{shown}");
    assert_eq!(stage.arki(&["runs", "--json"]).lines().len(), 1, "what works for another run isn't listed");
    assert_eq!(stage.arki(&["approvals", "approve"]).exits(0).stdout, "aenz");
    let again = "name: again\nsteps:\n  - { name: a, adapter: pipeline, pipeline: again.yaml }\n";
    stage.write("again.yaml", again);
    stage.arki(&["run", "again.yaml"]).fails(2, "PIPELINE_INVALID");
}

#[test]
fn a_nested_pipeline_that_failed_goes_on_where_it_failed_when_the_run_is_resumed() {
    let inner = "name: inner\nsteps:\n  - { name: deploy, adapter: command, run: echo deployed >> log.txt }\n  - { name: gate, adapter: approval, message: Go? }\n  - { name: check, adapter: command, run: test -e ready && echo checked }\n";
    let outer = "name: outer\nsteps:\n  - { name: in, adapter: pipeline, pipeline: inner }\n";
    let stage = stage(&[("inner", inner), ("outer", outer)]);
    if !stage.has_sandbox() {
        return;
    }
    stage.arki(&["run", "outer"]).exits(3);
    stage.arki(&["approvals", "approve"]).exits(1);
    stage.arki(&["resume", "last"]).exits(1);
    stage.write("ready", "");
    assert_eq!(stage.arki(&["resume", "last"]).exits(0).stdout, "checked\n");
    assert_eq!(stage.read("log.txt"), "deployed\n");
    assert!(stage.inbox().is_empty());
}

#[test]
fn the_output_of_a_step_can_be_kept_as_an_artifact() {
    let stage = stage(&[(
        "art",
        "name: art\nsteps:\n  - { name: a, adapter: command, run: echo report, artifact: { name: r.md, media_type: text/markdown } }\n",
    )]);
    if !stage.has_sandbox() {
        return;
    }
    stage.arki(&["run", "art"]).exits(0);
    let emitted = payload(&stage.events(&run_id(&stage)), "artifact.emitted");
    assert_eq!((text(&emitted["name"]), emitted["bytes"].as_u64()), ("r.md".to_owned(), Some(7)));
}

#[test]
fn a_step_that_changes_files_tells_which_and_they_can_be_taken_back() {
    let stage = stage(&[("write", "name: write\nsteps:\n  - { name: a, adapter: command, run: echo new > a.txt }\n")]);
    if !stage.has_sandbox() {
        return;
    }
    stage.write("a.txt", "old\n");
    stage.arki(&["run", "write"]).exits(0);
    let events = stage.events(&run_id(&stage));
    let changed = payload(&events, "file.changed");
    assert_eq!((text(&changed["path"]), text(&changed["callId"])), ("a.txt".to_owned(), "a".to_owned()));
    let seq = events.iter().find(|event| event["type"] == "file.changed").unwrap()["seq"].to_string();
    let session = text(&events[0]["sessionId"]);
    stage.arki(&["undo", &session, &seq]).exits(0);
    assert_eq!(stage.read("a.txt"), "old\n");
}

#[test]
fn a_secret_in_the_input_is_in_nothing_that_is_stored() {
    let stage = stage(&[("echo", "name: echo\nsteps:\n  - { name: a, adapter: command, run: cat }\n")]);
    if !stage.has_sandbox() {
        return;
    }
    let secret = "q8Zt3vNp5xLw7mKd2bHs";
    stage.write(".env", format!("SERVICE_TOKEN={secret}\n"));
    stage.write("in.txt", format!("the token is {secret}\n"));
    let done = stage.arki(&["run", "echo", "--input", "in.txt"]).exits(0);
    assert!(!done.stdout.contains(secret) && done.stdout.contains("[secret:"), "{}", done.stdout);
    let log = stage.arki(&["events", &run_id(&stage), "--json"]).stdout;
    assert!(!log.contains(secret));
    // Nor in a parameter.
    stage.arki(&["run", "echo", "--param", &format!("TEXT={secret}")]).exits(0);
    assert!(!stage.arki(&["events", &run_id(&stage), "--json"]).stdout.contains(secret));
}

#[test]
fn a_request_is_judged_by_the_policy_for_hosts() {
    let step = |port: u16| {
        format!("name: p\nsteps:\n  - {{ name: a, adapter: http, url: \"http://127.0.0.1:{port}/hook\" }}\n")
    };
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let stage = stage(&[]);
    stage.write("p.yaml", step(port));
    // An address that isn't public.
    stage.arki(&["run", "p.yaml"]).fails(1, "ADDRESS_REFUSED");
}

/// Answers with what the built-in pipelines have to hand on.
fn scripted(answer: &str) -> Stage {
    let stage = Stage::of(Script::new(vec![Turn::text(answer)]));
    stage.write("src/a.txt", "one\n");
    stage
}

/// The prompt of the only request.
fn prompt(stage: &Stage) -> String {
    text(&stage.messages().iter().find(|message| message["role"] == "user").unwrap()["content"])
}

fn git(stage: &Stage, args: &[&str]) {
    let mut command = std::process::Command::new("git");
    command
        .args(["-c", "user.name=a", "-c", "user.email=a@example.org"])
        .args(args)
        .current_dir(stage.home.project_dir());
    assert!(command.output().unwrap().status.success(), "{args:?}");
}

#[test]
fn review_diff_shows_the_model_what_is_not_committed() {
    let stage = scripted("Looks fine.");
    git(&stage, &["init", "-q", "."]);
    git(&stage, &["add", "src"]);
    git(&stage, &["commit", "-qm", "first"]);
    stage.trust();
    if !stage.has_sandbox() {
        return;
    }
    stage.write("src/a.txt", "two\n");
    assert_eq!(stage.arki(&["run", "review-diff"]).exits(0).stdout.trim_end(), "Looks fine.");
    assert!(prompt(&stage).contains("-one\n+two"), "{}", prompt(&stage));
}

#[test]
fn without_a_repository_the_pipelines_about_git_say_so() {
    let stage = scripted("never asked");
    stage.trust();
    if !stage.has_sandbox() {
        return;
    }
    for name in ["review-diff", "release-notes"] {
        let shown = stage.arki(&["run", name]).fails(1, "STEP_FAILED");
        assert!(shown.message.ends_with("said: This is no git repository with a commit."), "{shown:?}");
        assert!(!shown.hint.contains("git"), "{shown:?}");
    }
    assert!(stage.model.requests().is_empty());
}

#[test]
fn release_notes_show_the_model_the_commits_since_a_revision() {
    let stage = scripted("# Notes");
    git(&stage, &["init", "-q", "."]);
    git(&stage, &["add", "src"]);
    git(&stage, &["commit", "-qm", "before"]);
    git(&stage, &["tag", "v1"]);
    git(&stage, &["commit", "--allow-empty", "-qm", "afterwards"]);
    stage.trust();
    if !stage.has_sandbox() {
        return;
    }
    assert_eq!(stage.arki(&["run", "release-notes"]).exits(0).stdout.trim_end(), "# Notes");
    assert!(prompt(&stage).contains("afterwards") && !prompt(&stage).contains("before\n"), "{}", prompt(&stage));
    assert_eq!(payload(&stage.events(&run_id(&stage)), "artifact.emitted")["name"], "release-notes.md");
}

#[test]
fn explain_folder_shows_the_model_the_folders_files() {
    let stage = scripted("It holds a text.");
    if !stage.has_sandbox() {
        return;
    }
    let done = stage.arki(&["run", "explain-folder", "--param", "folder=src"]).exits(0);
    assert_eq!(done.stdout.trim_end(), "It holds a text.");
    assert!(prompt(&stage).contains("./src/a.txt"), "{}", prompt(&stage));
}

#[test]
fn triage_tests_asks_the_model_only_about_tests_that_fail() {
    let stage = scripted("The test is wrong.");
    if !stage.has_sandbox() {
        return;
    }
    let passed = stage.arki(&["run", "triage-tests", "--param", "command=true"]).exits(0);
    assert_eq!((passed.stdout.as_str(), stage.model.requests().len()), ("passed\n", 0));
    let failed = stage.arki(&["run", "triage-tests", "--param", "command=echo broken; false"]).exits(0);
    assert_eq!(failed.stdout.trim_end(), "The test is wrong.");
    assert!(prompt(&stage).contains("broken"), "{}", prompt(&stage));
}

#[test]
fn upgrade_dependency_checks_and_asks_before_the_change_is_kept() {
    let stage = scripted("Raised left-pad to 2.");
    if !stage.has_sandbox() {
        return;
    }
    let args = ["run", "upgrade-dependency", "--param", "dependency=left-pad", "--param", "check=echo all pass"];
    stage.arki(&args).exits(3);
    assert!(prompt(&stage).contains("left-pad"), "{}", prompt(&stage));
    let asked = text(&stage.inbox()[0]["args"]["message"]);
    assert!(asked.starts_with("Accept the upgrade of left-pad?"), "{asked}");
    assert_eq!(stage.arki(&["approvals", "approve"]).exits(0).stdout, "Raised left-pad to 2. \nall pass\n");
}

#[test]
fn summarise_shows_the_model_the_document() {
    let stage = scripted("It is short.");
    stage.write("doc.md", "A long story.");
    let done = stage.arki(&["run", "summarise", "--input", "doc.md", "--param", "words=20"]).exits(0);
    assert_eq!(done.stdout.trim_end(), "It is short.");
    assert!(
        prompt(&stage).contains("A long story.") && prompt(&stage).contains("about 20 words"),
        "{}",
        prompt(&stage)
    );
}

#[test]
fn an_agents_steps_tools_are_under_the_policy() {
    let script = Script::new(vec![
        Turn::text("").call("run_command", json!({"command": "curl http://127.0.0.1:1/x"})),
        Turn::text("asked"),
    ]);
    let stage = Stage::untrusted(script, &asking_policy());
    stage.write(".arki/pipelines/a.yaml", "name: a\nsteps:\n  - { name: x, adapter: agent, prompt: go }\n");
    stage.trust();
    stage.arki(&["run", "a"]).exits(3);
    assert_eq!(stage.inbox()[0]["toolId"], "run_command");
    stage.arki(&["approvals", "reject"]).exits(0);
    assert!(payloads(&stage.events(&run_id(&stage)), "run.completed").len() == 1);
}
