//! `isolation: "worktree"`: a sub-agent changes files in a worktree of its own, and nothing of it is in the project before
//! the user has seen it.

use crate::harness::{Stage, payload, payloads, text};
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

const LINES: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n";

fn git(stage: &Stage, line: &str) {
    let mut command = Command::new("git");
    command.args(line.split(' ')).envs(&stage.home.env).current_dir(stage.home.project_dir());
    let done = command.output().unwrap();
    assert!(done.status.success(), "git {line}: {}", String::from_utf8_lossy(&done.stderr));
}

/// A repository with one commit, trusted as `prepare` leaves it.
fn repository(script: Script, config: &Value, prepare: impl Fn(&Stage)) -> Stage {
    let stage = Stage::untrusted(script, config);
    git(&stage, "init -q -b main .");
    git(&stage, "config user.name me");
    git(&stage, "config user.email me@example.org");
    stage.write("a.txt", LINES);
    git(&stage, "add -A");
    git(&stage, "commit -q -m first");
    prepare(&stage);
    stage.trust();
    stage
}

fn trees(stage: &Stage) -> PathBuf {
    stage.home.data_dir().with_file_name("data-worktrees")
}

/// Files by their paths, with their content.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => _ = found.insert(path.clone(), std::fs::read(&path).unwrap()),
        }
    }
    found
}

fn messages(request: &Value) -> Vec<Value> {
    request["messages"].as_array().cloned().unwrap_or_default()
}

/// The task of the sub-agent whose request this is; `None` for the run above.
fn task_of(request: &Value) -> Option<String> {
    let first = messages(request).into_iter().find(|message| message["role"] == "user")?["content"].to_string();
    // Up to its end, or to the line after it: the state of git follows.
    first.find("change ").map(|start| first[start..].chars().take_while(|it| !['"', '\\'].contains(it)).collect())
}

fn answers(request: &Value) -> usize {
    messages(request).iter().filter(|message| message["role"] == "assistant").count()
}

/// The worktrees that the run above was told of, in the order of their results.
fn to_take(request: &Value) -> Vec<String> {
    let all: String =
        messages(request).iter().map(|message| message["content"].as_str().unwrap_or_default().to_owned()).collect();
    let ids = all.split("with worktree \"").skip(1);
    ids.filter_map(|rest| rest.split('"').next()).map(str::to_owned).collect()
}

fn handed(tasks: &[&str]) -> Turn {
    let call = |turn: Turn, task: &&str| {
        turn.call("delegate", json!({"agent": "arki", "task": task, "isolation": "worktree"}))
    };
    tasks.iter().fold(Turn::calls(), call)
}

/// A run that hands over these tasks and takes what came of them, one after another.
fn script(tasks: &'static [&'static str], beneath: impl Fn(&str, usize) -> Turn + Send + Sync + 'static) -> Script {
    Script::new(vec![Turn::computed(move |request| match task_of(request) {
        Some(task) => beneath(&task, answers(request)),
        None => match (answers(request), to_take(request)) {
            (0, _) => handed(tasks),
            (turn, trees) if turn <= trees.len() => {
                Turn::calls().call("take_changes", json!({"worktree": trees[turn - 1]}))
            }
            _ => Turn::text("All is done."),
        },
    })])
}

fn edited(old: &str, new: &str) -> Turn {
    Turn::calls().call("edit_file", json!({"path": "a.txt", "edits": [{"old_text": old, "new_text": new}]}))
}

const BOTH_ENDS: &[&str] = &["change the top", "change the end"];

fn both_ends(task: &str, turn: usize) -> Turn {
    match (turn, task) {
        (0, "change the top") => edited("one\n", "ONE\n"),
        (0, _) => edited("ten\n", "TEN\n"),
        _ => Turn::text(format!("I did {task}.")),
    }
}

#[test]
fn two_writers_at_once_change_one_file_and_both_are_reviewed() {
    let stage = repository(script(BOTH_ENDS, both_ends), &Value::Null, |_| {});
    // Not committed, and so in the worktrees too.
    stage.write("a.txt", LINES.replace("five", "FIVE"));
    let before = files(&stage.home.project_dir());
    let events = stage.exec(&["go"]).exits(3).lines();
    assert_eq!(payloads(&events, "subagent.started").len(), 2);
    assert_eq!(payloads(&events, "file.changed"), Vec::<Value>::new());
    let paused = stage.read("a.txt");
    assert_eq!(paused, LINES.replace("five", "FIVE"), "nobody has seen the changes yet");
    let asked = payload(&events, "approval.requested");
    assert_eq!(asked["toolId"], "take_changes");
    assert!(text(&asked["preview"]["diff"]).contains("+ONE"), "{asked}");

    stage.arki(&["approvals", "approve", &stage.waiting()]).exits(3);
    assert_eq!(stage.read("a.txt"), paused.replace("one\n", "ONE\n"));
    let told = stage.arki(&["approvals", "approve", &stage.waiting()]).exits(0);
    assert!(told.stdout.contains("All is done."), "{}", told.stdout);
    assert_eq!(stage.read("a.txt"), paused.replace("one\n", "ONE\n").replace("ten\n", "TEN\n"));

    let mut after = files(&stage.home.project_dir());
    after.insert(stage.path("a.txt"), before[&stage.path("a.txt")].clone());
    assert_eq!(after.keys().collect::<Vec<_>>(), before.keys().collect::<Vec<_>>());
    assert!(after == before, "something else of the project is not as it was");
    assert_eq!(files(&trees(&stage)).len() + files(&stage.home.data_dir().join("worktrees")).len(), 0);
    stage.verifies();
}

#[test]
fn a_conflict_is_named_and_what_nobody_took_is_told() {
    const SAME: &[&str] = &["change it to A", "change it to B"];
    let beneath = |task: &str, turn: usize| match turn {
        0 => edited("five\n", &format!("{}\n", &task[task.len() - 1..])),
        _ => Turn::text("Done."),
    };
    let stage = repository(script(SAME, beneath), &Value::Null, |_| {});
    let events = stage.exec(&["go", "--approve", "edits"]).exits(0).lines();
    assert_eq!(stage.read("a.txt"), LINES.replace("five", "A"));
    let results = payloads(&events, "tool.result");
    let last = results.last().unwrap();
    assert_eq!((&last["code"], &last["isError"]), (&json!("WORKTREE_CONFLICT"), &json!(true)));
    let result = text(&last["result"]);
    assert!(result.contains("in a.txt") && result.contains("-five\n+B\n"), "{result}");
    let log = stage.events(&text(&events[0]["sessionId"]));
    let told = payload(&log, "sandbox.cleaned_up").to_string();
    assert!(told.contains("These changed files were not taken: a.txt"), "{told}");
    assert!(files(&trees(&stage)).is_empty() && !stage.path(".git/worktrees").exists());
}

#[test]
fn a_rejected_change_goes_with_its_worktree() {
    let stage = repository(script(&["change the top"], both_ends), &Value::Null, |_| {});
    stage.exec(&["go"]).exits(3);
    stage.arki(&["approvals", "reject", &stage.waiting()]).exits(0);
    assert_eq!(stage.read("a.txt"), LINES);
    assert!(files(&trees(&stage)).is_empty());
    let sessions = stage.sessions();
    let child = sessions.iter().find(|session| session.get("parentSession").is_some()).unwrap();
    stage.arki(&["sessions", "show", &text(&child["sessionId"])]);
    stage.arki(&["rewind", &text(&child["sessionId"]), "--to", "1"]).fails(2, "FOLDER_UNAVAILABLE");
}

#[cfg(unix)]
#[test]
fn after_a_kill_it_goes_on_in_the_same_worktree() {
    let asked: Mutex<usize> = Mutex::default();
    let beneath = move |_: &str, turn: usize| {
        *asked.lock().unwrap() += 1;
        match (turn, *asked.lock().unwrap()) {
            (0, _) => edited("one\n", "ONE\n"),
            (1, 2) => Turn::silent(),
            (1, _) => edited("ten\n", "TEN\n"),
            _ => Turn::text("Done."),
        }
    };
    let stage = repository(script(&["change both"], beneath), &Value::Null, |_| {});
    let mut running = stage.start(&["exec", "--approve", "edits", "go"]);
    let session = text(&running.until_kind("run.started")["sessionId"]);
    assert!(stage.model.wait_until(|journal| journal.requests.len() == 3));
    running.signal(rustix::process::Signal::KILL);
    running.end();
    assert_eq!(stage.read("a.txt"), LINES);

    stage.arki(&["resume", &session]).exits(0);
    assert_eq!(stage.read("a.txt"), LINES.replace("one\n", "ONE\n").replace("ten\n", "TEN\n"));
    assert!(files(&trees(&stage)).is_empty() && !stage.path(".git/worktrees").exists());
    stage.verifies();
}

#[cfg(unix)]
#[test]
fn what_a_kill_left_goes_with_its_session_and_is_told_by_the_next_run() {
    let stage = repository(
        Script::new(vec![Turn::computed(|request| match (task_of(request), answers(request)) {
            (Some(_), 0) => edited("one\n", "ONE\n"),
            (Some(_), _) => Turn::silent(),
            (None, 0) if messages(request).iter().any(|it| it["content"].to_string().contains("once more")) => {
                Turn::text("Nothing.")
            }
            _ => handed(&["change the top"]),
        })]),
        &Value::Null,
        |_| {},
    );
    let mut running = stage.start(&["exec", "go"]);
    let session = text(&running.until_kind("run.started")["sessionId"]);
    assert!(stage.model.wait_until(|journal| journal.requests.len() == 3));
    running.signal(rustix::process::Signal::KILL);
    running.end();
    assert!(!files(&trees(&stage)).is_empty());
    stage.arki(&["sessions", "rm", &session]).exits(0);
    assert!(files(&trees(&stage)).is_empty() && !stage.path(".git/worktrees").exists());
    let events = stage.exec(&["once more"]).exits(0).lines();
    assert!(payload(&events, "sandbox.cleaned_up").to_string().contains("a.txt"));
}

fn command(line: &str, background: bool) -> Turn {
    Turn::calls().call("run_command", json!({"command": line, "background": background}))
}

/// A run whose sub-agent does this, and of which nobody takes anything.
fn untaken(beneath: impl Fn(usize) -> Turn + Send + Sync + 'static) -> Script {
    Script::new(vec![Turn::computed(move |request| match (task_of(request), answers(request)) {
        (Some(_), turn) => beneath(turn),
        (None, 0) => handed(&["change files"]),
        (None, _) => Turn::text("All is done."),
    })])
}

fn entries(folder: &Path) -> usize {
    std::fs::read_dir(folder).into_iter().flatten().count()
}

#[test]
fn a_command_left_at_work_ends_with_the_worktree_and_changes_nothing_of_the_project() {
    let beneath = |turn: usize| match turn {
        0 => Turn::calls().call("write_file", json!({"path": "unseen.py", "content": "nobody has seen it\n"})),
        1 => command("while true; do mkdir -p made && date > made/t.txt; done", true),
        2 => command("while [ ! -s made/t.txt ]; do sleep 0.1; done", false),
        _ => Turn::text("Done."),
    };
    let stage = repository(untaken(beneath), &Value::Null, |_| {});
    if !stage.has_sandbox() {
        return;
    }
    let events = stage.exec(&["go", "--approve", "all"]).exits(0).lines();
    let session = text(&events[0]["sessionId"]);
    assert_eq!(entries(&trees(&stage)) + entries(&stage.home.data_dir().join("worktrees")), 0);
    let log = stage.events(&session);
    let told = payload(&log, "sandbox.cleaned_up").to_string();
    assert!(told.contains("These changed files were not taken: ") && told.contains("unseen.py"), "{told}");
    let result = text(&payload(&log, "tool.async_result")["result"]);
    assert!(result.contains("stopped because the sub-agent's worktree was removed"), "{result}");
    assert_eq!(payloads(&log, "file.changed"), Vec::<Value>::new());
    stage.arki(&["rewind", &session, "--to", "1", "--files"]).exits(0);
    assert!(!stage.path("unseen.py").exists() && !stage.path("made").exists());
    stage.verifies();
}

#[cfg(unix)]
#[test]
fn a_closed_folder_keeps_no_worktree() {
    let beneath = |turn: usize| match turn {
        0 => command("mkdir -p closed/below && echo x > closed/below/f && chmod 555 closed/below closed", false),
        _ => Turn::text("Done."),
    };
    let stage = repository(untaken(beneath), &Value::Null, |_| {});
    if !stage.has_sandbox() {
        return;
    }
    let user = stage.unprivileged();
    if !user.arki(&["doctor", "--json"]).stdout.contains("\"sandbox\",\"state\":\"ok\"") {
        return;
    }
    let events = user.arki(&["exec", "--json", "--approve", "all", "go"]).exits(0).lines();
    let told = payload(&stage.events(&text(&events[0]["sessionId"])), "sandbox.cleaned_up").to_string();
    assert!(told.contains("closed/below/f"), "{told}");
    assert_eq!(entries(&trees(&stage)) + entries(&stage.home.data_dir().join("worktrees")), 0);
}

#[cfg(unix)]
#[test]
fn nothing_that_the_repository_names_is_run() {
    let stage = repository(script(&["change the top"], both_ends), &Value::Null, |stage| {
        let mark = stage.home.data_dir().with_file_name("ran");
        let program = stage.home.data_dir().with_file_name("program");
        std::fs::write(&program, format!("#!/bin/sh\necho \"$0 $*\" >>{}\ncat\n", mark.display())).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&program, mode).unwrap();
        for hook in ["post-checkout", "post-index-change", "reference-transaction"] {
            std::fs::copy(&program, stage.path(".git/hooks").join(hook)).unwrap();
        }
        let named = program.display();
        for key in ["filter.x.smudge", "filter.x.clean", "filter.x.process", "core.fsmonitor"] {
            git(stage, &format!("config {key} {named}"));
        }
        stage.write(".gitattributes", "* filter=x\n");
        stage.write("new.txt", "not added\n");
    });
    stage.exec(&["go", "--approve", "edits"]).exits(0);
    assert_eq!(stage.read("a.txt"), LINES.replace("one\n", "ONE\n"));
    let mark = stage.home.data_dir().with_file_name("ran");
    assert!(!mark.exists(), "{}", std::fs::read_to_string(&mark).unwrap_or_default());
}

#[test]
fn what_is_forbidden_in_the_project_is_forbidden_in_the_worktree() {
    const FORBIDS: &str = r#"{"policy": {"rules": [{"decision": "deny", "path": "kept/**"}]}}"#;
    let write = |path: &str| Turn::calls().call("write_file", json!({"path": path, "content": "x\n"}));
    let beneath = move |_: &str, turn: usize| match turn {
        0 => write("kept/a.txt"),
        1 => write("free.txt"),
        _ => Turn::text("Done."),
    };
    // Ignored by git, and so not in the worktree.
    let stage = repository(script(&["change files"], beneath), &Value::Null, |stage| {
        stage.write(".arki/config.json", FORBIDS);
        stage.write(".gitignore", ".arki/\n");
        stage.write(".env", "TOKEN=very-secret-value-1234\n");
    });
    let events = stage.exec(&["go", "--approve", "edits"]).exits(0).lines();
    let child = stage.events(&text(&payload(&events, "subagent.started")["sessionId"]));
    let codes: Vec<Value> = payloads(&child, "tool.result").iter().map(|result| result["code"].clone()).collect();
    assert_eq!(codes, [json!("POLICY_DENIED"), Value::Null]);
    assert!(stage.path("free.txt").exists() && !stage.path("kept").exists());
}

#[test]
fn commands_work_in_the_worktree_and_secrets_are_not_there() {
    let line = "ls -A; cp a.txt b.txt; pwd";
    let beneath = move |_: &str, turn: usize| match turn {
        0 => Turn::calls().call("run_command", json!({"command": line})),
        _ => Turn::text("Done."),
    };
    let stage = repository(script(&["change files"], beneath), &Value::Null, |stage| {
        stage.write(".env", "TOKEN=very-secret-value-1234\n");
    });
    let events = stage.exec(&["go", "--approve", "all"]).exits(0).lines();
    let started = payload(&events, "subagent.started");
    let child = stage.events(&text(&started["sessionId"]));
    let result = text(&payload(&child, "tool.result")["result"]);
    assert!(result.contains(&text(&started["tree"])) && !result.contains(".env"), "{result}");
    assert_eq!(stage.read("b.txt"), LINES);
}

#[test]
fn an_agent_can_always_have_one_also_in_the_background() {
    let agents = json!({"agents": {"arki": {"model": "mock/mock"}, "writer": {"isolation": "worktree"}}});
    let script = Script::new(vec![Turn::computed(|request| match (task_of(request), answers(request)) {
        (Some(task), turn) => both_ends(&task, turn),
        (None, 0) => {
            let args = json!({"agent": "writer", "task": "change the top", "background": true});
            Turn::calls().call("delegate", args)
        }
        (None, _) => match to_take(request).first() {
            Some(tree) if !request.to_string().contains("Written: a.txt") => {
                Turn::calls().call("take_changes", json!({"worktree": tree, "paths": ["a.txt"]}))
            }
            _ => Turn::text("I am done."),
        },
    })]);
    let stage = repository(script, &agents, |_| {});
    let events = stage.exec(&["go", "--approve", "edits"]).exits(0).lines();
    assert!(text(&payload(&events, "tool.async_result")["result"]).contains("a.txt"));
    assert_eq!(stage.read("a.txt"), LINES.replace("one\n", "ONE\n"));
    assert!(files(&trees(&stage)).is_empty());
}

#[test]
fn where_there_can_be_none_the_model_is_told_why() {
    let told = |prepare: &dyn Fn(&Stage)| {
        let stage = Stage::untrusted(script(&["change the top"], both_ends), &Value::Null);
        stage.write("a.txt", LINES);
        prepare(&stage);
        stage.trust();
        let events = stage.exec(&["go", "--approve", "edits"]).exits(0).lines();
        let result = payload(&events, "tool.result").clone();
        assert_eq!(result["code"], "WORKTREE_UNAVAILABLE", "{result}");
        assert!(files(&trees(&stage)).is_empty());
        text(&result["result"])
    };
    let plain = told(&|_| {});
    assert!(plain.contains("not the root of a git repository"), "{plain}");
    let empty = told(&|stage| git(stage, "init -q ."));
    assert!(empty.contains("no commit yet"), "{empty}");
    let bare = told(&|stage| git(stage, "init -q --bare ."));
    assert!(bare.contains("bare repository"), "{bare}");
    let submodules = told(&|stage| {
        git(stage, "init -q .");
        stage.write(".gitmodules", "");
    });
    assert!(submodules.contains("submodules"), "{submodules}");
    let linked = told(&|stage| {
        stage.write(".git", "gitdir: ../elsewhere/.git/worktrees/here\n");
    });
    assert!(linked.contains("itself a linked worktree"), "{linked}");
}

#[cfg(unix)]
#[test]
fn without_git_there_is_none() {
    let mut stage = repository(script(&["change the top"], both_ends), &Value::Null, |_| {});
    let programs = stage.home.data_dir().with_file_name("programs");
    std::fs::create_dir(&programs).unwrap();
    stage.home.env.insert("PATH".to_owned(), programs.display().to_string());
    let events = stage.exec(&["go", "--approve", "edits"]).exits(0).lines();
    let result = payload(&events, "tool.result");
    assert_eq!(result["code"], "WORKTREE_UNAVAILABLE", "{result}");
    assert!(text(&result["result"]).contains("Git was not found"), "{result}");
}
