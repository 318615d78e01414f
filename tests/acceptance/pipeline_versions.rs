//! The version of a definition by which a run goes: nested ones are part of it, nothing is granted unseen, and whoever goes
//! on with another one says so.
#![cfg(unix)]

use crate::harness::{Done, payload, program, text};
use crate::pipelines::{run_id, stage};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

const INNER: &str = "name: inner\nsteps:\n  - { name: get, adapter: command, run: echo first, network: true }\n";
const GRANT: &str = "The step get of ci/inner.yaml uses the network.";

/// A pipeline whose command runs before the nested one.
fn outer(nested: &str, before: &str) -> String {
    format!(
        "name: outer\nsteps:\n  - {{ name: before, adapter: command, run: \"{before}\" }}\n  - {{ name: in, adapter: pipeline, pipeline: {nested} }}\n"
    )
}

fn gated(last: &str) -> String {
    format!("name: gated\nsteps:\n  - {{ name: g, adapter: approval, message: Go? }}\n{last}")
}

/// The program in another folder than the stage's project.
fn arki_in(folder: &Path, env: &BTreeMap<String, String>, args: &[&str]) -> Done {
    let mut command = Command::new(program());
    command.arg("-C").arg(folder).args(args).envs(env);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Done::of_child(command.spawn().unwrap())
}

#[test]
fn what_a_nested_pipeline_is_granted_is_listed_with_the_outer_one() {
    let stage = stage(&[("inner", INNER), ("outer", &outer("inner", "cat"))]);
    let grant = "The step get of inner uses the network.";
    let shown = stage.arki(&["pipelines", "show", "outer"]).exits(0).stdout;
    assert!(shown.contains(grant), "{shown}");
    let listed = stage.arki(&["pipelines", "list", "--json"]).exits(0).lines();
    let entry = listed.iter().find(|entry| entry["name"] == "outer").unwrap();
    assert_eq!(entry["grants"], serde_json::json!([grant]));
    if !stage.has_sandbox() {
        return;
    }
    let ran = stage.arki(&["run", "outer"]).exits(0);
    assert!(ran.stdout == "first\n" && ran.stderr.contains(grant), "{ran:?}");
    let started = payload(&stage.events(&run_id(&stage)), "run.started");
    assert!(started["options"]["pipeline"]["nested"]["inner"]["definitionHash"].is_string(), "{started}");
}

#[test]
fn a_pipeline_that_was_agreed_to_runs_no_file_that_was_not() {
    let stage = stage(&[("outer", &outer("ci/inner.yaml", "touch made"))]);
    stage.write("ci/inner.yaml", INNER);
    let refused = stage.arki(&["run", "outer"]).fails(4, "UNTRUSTED");
    assert!(refused.message.contains("ci/inner.yaml") && refused.hint.contains(".arki/pipelines"), "{refused:?}");
    let listed = stage.arki(&["pipelines", "list", "--json"]).exits(0).lines();
    let entry = listed.iter().find(|entry| entry["name"] == "outer").unwrap();
    assert!(text(&entry["problem"]).contains("ci/inner.yaml"), "{entry}");
    stage.write("elsewhere.yaml", outer("inner", "cat"));
    stage.arki(&["run", "elsewhere.yaml"]).fails(2, "PIPELINE_NOT_FOUND");
    assert!(stage.sessions().is_empty() && !stage.path("made").exists());
}

#[test]
fn a_step_that_rewrites_a_nested_definition_changes_nothing_of_its_own_run() {
    let stage = stage(&[]);
    if !stage.has_sandbox() {
        return;
    }
    stage.write("ci/inner.yaml", INNER);
    stage.write("outer.yaml", outer("ci/inner.yaml", "sed -i s/first/second/ ci/inner.yaml"));
    let ran = stage.arki(&["run", "outer.yaml"]).exits(0);
    assert!(ran.stdout == "first\n" && ran.stderr.contains(GRANT), "{ran:?}");
    assert!(stage.read("ci/inner.yaml").contains("second"), "the step has run");
}

#[test]
fn a_nested_definition_that_changed_is_asked_about_and_its_new_grants_are_told() {
    let stage = stage(&[]);
    if !stage.has_sandbox() {
        return;
    }
    let outer = gated("  - { name: in, adapter: pipeline, pipeline: ci/inner.yaml }\n");
    stage.write("gated.yaml", outer);
    let before = INNER.replace(", network: true", "");
    for (choice, said) in [("original", "first\n"), ("current", "second\n")] {
        stage.write("ci/inner.yaml", &before);
        let started = stage.arki(&["run", "gated.yaml"]).exits(3);
        assert!(!started.stderr.contains("network"), "{}", started.stderr);
        stage.write("ci/inner.yaml", INNER.replace("first", "second"));
        let asked = stage.arki(&["approvals", "approve"]).exits(2).stderr;
        let lines: Vec<&str> = asked.lines().collect();
        let error = lines.iter().position(|line| line.contains("PIPELINE_CHANGED")).unwrap();
        assert!(lines[..error].iter().any(|line| line.starts_with('+') && line.contains("echo second")), "{asked}");
        assert!(lines[..error].contains(&format!("New: {GRANT}").as_str()), "{asked}");
        let done = stage.arki(&["resume", "gated", "--definition", choice]).exits(0);
        assert_eq!((done.stdout.as_str(), done.stderr.contains(GRANT)), (said, choice == "current"), "{}", done.stderr);
    }
    stage.verifies();
}

#[test]
fn pipelines_that_run_themselves_or_are_nested_too_deep_are_refused_at_the_start() {
    let stage = stage(&[]);
    stage.write("a.yaml", outer("b.yaml", "touch made"));
    stage.write("b.yaml", outer("a.yaml", "touch made"));
    let circle = stage.arki(&["run", "a.yaml"]).fails(2, "PIPELINE_INVALID");
    assert!(circle.message.contains("a, b, a"), "{circle:?}");
    for level in 0..7 {
        stage.write(&format!("l{level}.yaml"), outer(&format!("l{}.yaml", level + 1), "touch made"));
    }
    stage.write("l7.yaml", INNER);
    stage.arki(&["run", "l1.yaml"]).fails(1, "PIPELINE_LIMIT");
    assert!(!stage.path("made").exists() && stage.sessions().is_empty());
    if stage.has_sandbox() {
        assert_eq!(stage.arki(&["run", "l2.yaml"]).exits(0).stdout, "first\n");
    }
}

#[test]
fn the_current_definition_gets_the_parameters_that_it_declares() {
    let stage = stage(&[]);
    if !stage.has_sandbox() {
        return;
    }
    let with = |params: &str| {
        format!("params: {params}\n{}", gated("  - { name: say, adapter: command, run: 'echo \"$who $how\"' }\n"))
    };
    stage.write("gated.yaml", with("{ who: { default: ada } }"));
    stage.arki(&["run", "gated.yaml"]).exits(3);
    stage.write("gated.yaml", with("{ whom: {} }"));
    stage.arki(&["approvals", "approve"]).exits(2);
    let refused = stage.arki(&["resume", "gated", "--definition", "current"]).fails(2, "USAGE");
    assert!(refused.message.contains("who"), "{refused:?}");
    stage.write("gated.yaml", with("{ who: { default: eve }, how: { default: well } }"));
    assert_eq!(stage.arki(&["resume", "gated", "--definition", "current"]).exits(0).stdout, "ada well\n");
}

#[test]
fn a_run_from_a_step_on_asks_which_definition_holds() {
    let stage = stage(&[]);
    if !stage.has_sandbox() {
        return;
    }
    let two = |last: &str| {
        format!(
            "name: two\nsteps:\n  - {{ name: a, adapter: command, run: echo a }}\n  - {{ name: b, adapter: command, {last} }}\n"
        )
    };
    stage.write("two.yaml", two("run: echo first"));
    stage.arki(&["run", "two.yaml"]).exits(0);
    stage.write("two.yaml", two("run: echo second, network: true"));
    let asked = stage.arki(&["resume", "two", "--from", "b"]).fails(2, "PIPELINE_CHANGED");
    assert!(asked.hint.contains("--from b --definition original"), "{asked:?}");
    let original = stage.arki(&["resume", "two", "--from", "b", "--definition", "original"]).exits(0);
    assert_eq!(original.stdout, "first\n");
    let current = stage.arki(&["resume", "two", "--from", "b", "--definition", "current"]).exits(0);
    assert_eq!(current.stdout, "second\n");
    assert!(current.stderr.contains("The step b uses the network."), "{}", current.stderr);
}

#[test]
fn a_definition_with_a_secret_does_not_start() {
    let stage = stage(&[]);
    let secret = "q8Zt3vNp5xLw7mKd2bHs";
    stage.write(".env", format!("SERVICE_TOKEN={secret}\n"));
    stage.write("p.yaml", INNER.replace("first", secret));
    let refused = stage.arki(&["run", "p.yaml"]).fails(2, "PIPELINE_INVALID");
    assert!(refused.message.contains("p.yaml contains a secret"), "{refused:?}");
    stage.write("outer.yaml", outer("p.yaml", "cat"));
    stage.arki(&["run", "outer.yaml"]).fails(2, "PIPELINE_INVALID");
    assert!(stage.sessions().is_empty());
}

#[test]
fn a_run_is_found_by_its_pipelines_whole_name_in_its_own_project_alone() {
    let stage = stage(&[("gate", "name: gate\nsteps:\n  - { name: g, adapter: approval, message: Go? }\n")]);
    stage.arki(&["run", "gate"]).exits(3);
    for name in ["gat", "g", ""] {
        stage.arki(&["resume", name]).exits(2);
        stage.arki(&["status", name]).exits(2);
    }
    let env = &stage.home.env;
    let other = stage.home.data_dir().with_file_name("other");
    std::fs::create_dir_all(&other).unwrap();
    arki_in(&other, env, &["resume", "gate"]).exits(2);
    arki_in(&other, env, &["status", "gate"]).exits(2);
    stage.arki(&["status", "gate"]).exits(0);
    arki_in(&other, env, &["status", &run_id(&stage)]).exits(0);
}

#[test]
fn a_file_and_the_schema_are_there_without_a_database() {
    let stage = stage(&[]);
    stage.write("p.yaml", INNER);
    let mut env = stage.home.env.clone();
    env.insert("ARKI_DATA_DIR".to_owned(), "/dev/null/none".to_owned());
    let checked = arki_in(&stage.home.project_dir(), &env, &["pipelines", "check", "p.yaml"]).exits(0);
    assert!(checked.stdout.contains("p.yaml is valid"), "{checked:?}");
    arki_in(&stage.home.project_dir(), &env, &["pipelines", "schema"]).exits(0);
    assert_ne!(arki_in(&stage.home.project_dir(), &env, &["pipelines", "list"]).code, Some(0));
}
