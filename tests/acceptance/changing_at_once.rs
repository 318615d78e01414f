//! What a command said to be saved is there, whoever else was saving at that moment and however that one ended.

use crate::harness::{Stage, text, wait_until};
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::process::Stdio;
use std::time::Duration;

const WRITERS: usize = 8;
const CHANGES: usize = 20;

fn config(stage: &Stage) -> Value {
    let lines = stage.arki(&["config", "show", "--json"]).exits(0).lines();
    lines.into_iter().next().unwrap()
}

fn file(stage: &Stage) -> String {
    std::fs::read_to_string(stage.home.config_dir().join("config.json")).unwrap()
}

/// Names in the configuration folder, without those that the first start makes.
fn beside_config(stage: &Stage) -> Vec<String> {
    let entries = std::fs::read_dir(stage.home.config_dir()).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names
        .filter(|name| !["config.json", "config.schema.json", "placeholder.key", "memory"].contains(&name.as_str()))
        .collect()
}

#[test]
fn settings_that_eight_processes_change_at_once_are_all_there() {
    let stage = Stage::new(vec![]);
    let said: BTreeSet<String> = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let stage = &stage;
                scope.spawn(move || {
                    let change = |number: usize| {
                        let name = format!("w{writer}x{number}");
                        match writer % 4 {
                            0 => stage.arki(&["config", "set", "policy.secretFiles[]", &name]),
                            1 => stage.arki(&["providers", "add", &name, "--kind", "ollama"]),
                            2 => stage.arki(&["mcp", "add", &name, "--", "true"]),
                            _ => stage.arki(&["config", "set", &format!("mcpServers.{name}.command"), "true"]),
                        }
                        .exits(0);
                        name
                    };
                    (0..CHANGES).map(change).collect::<Vec<_>>()
                })
            })
            .collect();
        writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect()
    });
    let text = file(&stage);
    let lost: Vec<&String> = said.iter().filter(|name| !text.contains(&format!("\"{name}\""))).collect();
    assert!(said.len() == WRITERS * CHANGES && lost.is_empty(), "{lost:?}");
    assert!(config(&stage).is_object() && beside_config(&stage).is_empty());
}

/// Eight processes at a time, twenty changes of each; the names of what they changed.
fn changed_at_once(change: impl Fn(&str) + Sync) -> BTreeSet<String> {
    let names = |writer: usize| (0..CHANGES).map(move |number| format!("w{writer}x{number}"));
    let change = &change;
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            scope.spawn(move || names(writer).for_each(|name| change(&name)));
        }
    });
    (0..WRITERS).flat_map(names).collect()
}

fn listed(stage: &Stage, args: &[&str], key: &str) -> BTreeSet<String> {
    stage.arki(args).exits(0).lines().iter().map(|entry| text(&entry[key])).collect()
}

#[test]
fn folders_that_eight_processes_trust_at_once_stay_trusted() {
    let stage = Stage::new(vec![]);
    let place = |name: &str| stage.home.project_dir().with_file_name(format!("of-{name}"));
    let folders = changed_at_once(|name| {
        std::fs::create_dir(place(name)).unwrap();
        std::fs::write(place(name).join("AGENTS.md"), format!("Rule {name}.\n")).unwrap();
        stage.arki(&["trust", &place(name).display().to_string()]).exits(0);
    });
    let is_trusted = |name: &String| {
        let shown = stage.arki(&["trust", "--show", &place(name).display().to_string()]).exits(0).stdout;
        shown.contains("is trusted.") && !shown.contains("since you trusted")
    };
    let lost: Vec<&String> = folders.iter().filter(|name| !is_trusted(name)).collect();
    assert!(lost.is_empty(), "{lost:?}");
}

#[test]
fn schedules_that_eight_processes_add_at_once_are_all_there() {
    let stage = Stage::untrusted(Script::new(vec![]), &Value::Null);
    stage.write(".arki/pipelines/p.yaml", "name: p\nsteps:\n  - { name: a, adapter: approval, message: Go? }\n");
    stage.trust();
    let added = changed_at_once(|name| {
        stage.arki(&["schedule", "add", name, "p", "--cron", "0 3 * * *"]).exits(0);
    });
    assert_eq!(listed(&stage, &["schedule", "list", "--json"], "name"), added);
}

#[test]
fn what_is_agreed_to_at_once_is_all_remembered() {
    let stage = Stage::configured(
        Script::new(vec![Turn::computed(|request| {
            let asked = request["messages"].to_string();
            if asked.contains("\\nObserved:\\n") {
                let one = |number: usize| {
                    let keep = if number.is_multiple_of(2) { "user" } else { "project" };
                    json!({"text": format!("Fact {number}."), "keep": keep, "from": [1]})
                };
                return Turn::text(json!((0..5).map(one).collect::<Vec<_>>()).to_string());
            }
            match request["messages"].as_array().unwrap().last().unwrap()["role"] == "tool" {
                true => Turn::text("done"),
                false => {
                    Turn::calls().call("write_file", json!({"path": format!("f{}", asked.len()), "content": "x\n"}))
                }
            }
        })]),
        &json!({"memory": {"reflect": true}}),
    );
    let events = stage.exec(&["--approve", "edits", "one"]).exits(0).lines();
    for prompt in ["two", "three"] {
        stage.exec(&["--approve", "edits", "--session", &text(&events[0]["sessionId"]), prompt]).exits(0);
    }
    let pending = stage.arki(&["memory", "list", "--json"]).exits(0).lines();
    assert_eq!(pending.len(), 5);
    std::thread::scope(|scope| {
        for entry in &pending {
            scope.spawn(|| stage.arki(&["memory", "accept", &text(&entry["id"])]).exits(0));
        }
    });
    let kept = stage.arki(&["memory", "list", "--json"]).exits(0).lines();
    let accepted: BTreeSet<String> =
        kept.iter().filter(|entry| entry["state"] == "accepted").map(|entry| text(&entry["text"])).collect();
    assert_eq!(accepted, (0..5).map(|number| format!("Fact {number}.")).collect());
    assert!(kept.iter().all(|entry| entry["used"] == true), "each is agreed to: {kept:?}");
}

#[test]
fn permissions_given_for_good_at_once_are_all_there() {
    let command = |number: usize| format!("npm run publish-{number}");
    let stage = Stage::asking(vec![Turn::computed(move |request| {
        let messages = request["messages"].as_array().unwrap();
        let asked = text(&messages.iter().rfind(|message| message["role"] == "user").unwrap()["content"]);
        match messages.last().unwrap()["role"] == "tool" {
            true => Turn::text("done"),
            false => Turn::calls().call("run_command", json!({"command": command(asked.parse().unwrap())})),
        }
    })]);
    std::thread::scope(|scope| {
        let ask = |writer: usize| {
            (0..CHANGES).for_each(|number| drop(stage.exec(&[&(writer * CHANGES + number).to_string()]).exits(3)));
        };
        (0..WRITERS).for_each(|writer| drop(scope.spawn(move || ask(writer))));
    });
    let waiting: Vec<String> = stage.inbox().iter().map(|one| text(&one["approvalId"])).collect();
    assert_eq!(waiting.len(), WRITERS * CHANGES);
    std::thread::scope(|scope| {
        for ids in waiting.chunks(CHANGES) {
            let approve = |id: &String| drop(stage.arki(&["approvals", "approve", id, "--always"]).exits(0));
            scope.spawn(move || ids.iter().for_each(approve));
        }
    });
    let text = file(&stage);
    let is_there = |number: &usize| text.contains(&format!("publish-{number}\""));
    let lost: Vec<usize> = (0..WRITERS * CHANGES).filter(|number| !is_there(number)).collect();
    assert!(lost.is_empty(), "{lost:?}");
    assert!(stage.inbox().is_empty());
}

/// A bounded number of kills, or 200.
#[cfg(unix)]
#[test]
fn kills_around_a_change_leave_nothing_and_hold_nobody_up() {
    let stage = Stage::new(vec![]);
    let kills = if std::env::var_os("ARKI_SOAK").is_some() { 200 } else { 25 };
    for number in 0..kills {
        let set = ["config", "set", "limits.maxTurns", &(number + 1).to_string()];
        let mut child = stage.command(&set).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let (after, since) = (Duration::from_micros(700 * (number as u64 % 60)), std::time::Instant::now());
        wait_until("its moment", || since.elapsed() >= after);
        let _ = child.kill();
        child.wait().unwrap();
        let _: Value = jsonc(&file(&stage));
    }
    stage.arki(&["config", "set", "limits.maxTurns", "77"]).exits(0);
    assert!(beside_config(&stage).is_empty(), "{:?}", beside_config(&stage));
    assert_eq!(jsonc(&file(&stage))["limits"]["maxTurns"], 77);
}

fn jsonc(text: &str) -> Value {
    jsonc_parser::parse_to_serde_value(text, &jsonc_parser::ParseOptions::default())
        .unwrap_or_else(|_| panic!("{text}"))
}

#[cfg(unix)]
#[test]
fn a_configuration_that_is_a_link_is_written_where_it_leads() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let stage = Stage::new(vec![]);
    let own = stage.home.config_dir().join("config.json");
    let dotfiles = stage.home.config_dir().with_file_name("dotfiles");
    std::fs::create_dir(&dotfiles).unwrap();
    let target = dotfiles.join("arki.json");
    let text = format!("\u{feff}// mine\n{}", file(&stage));
    std::fs::write(&target, text).unwrap();
    std::fs::remove_file(&own).unwrap();
    symlink("../dotfiles/arki.json", &own).unwrap();
    stage.arki(&["config", "set", "limits.maxTurns", "7"]).exits(0);
    let written = std::fs::read_to_string(&target).unwrap();
    assert!(std::fs::symlink_metadata(&own).unwrap().is_symlink());
    assert!(written.starts_with("\u{feff}// mine\n") && written.contains("\"maxTurns\": 7"), "{written}");

    // A place that can't be written, such as a read-only store.
    let user = stage.unprivileged();
    std::fs::set_permissions(&dotfiles, std::fs::Permissions::from_mode(0o555)).unwrap();
    let refused = user.arki(&["config", "set", "limits.maxTurns", "8"]).fails(1, "PERMISSION_DENIED");
    assert!(refused.message.contains("dotfiles/arki.json") && refused.message.contains("link"), "{refused:?}");
    std::fs::set_permissions(&dotfiles, std::fs::Permissions::from_mode(0o755)).unwrap();
}
