//! What a model is told beside the system prompt: the state of git, pictures of the project, the right name of a tool, and
//! tools in words where it takes none.

use crate::harness::{Stage, asking_policy, contains, payload, payloads, text};
use arki_testkit::{Script, Turn};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use serde_json::{Value, json};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89\0\0\0\nIDATx\x9cc\0\x01\0\0\x05\0\x01\r\n-\xb4\0\0\0\0IEND\xaeB`\x82";

fn git(stage: &Stage, args: &[&str]) {
    let mut git = std::process::Command::new("git");
    git.args(["-c", "user.name=A", "-c", "user.email=a@b.c", "-c", "init.defaultBranch=main"]);
    assert!(git.args(args).current_dir(stage.home.project_dir()).status().unwrap().success(), "git {args:?}");
}

/// The model with these abilities and no others.
fn able_to(abilities: &[&str], turns: Vec<Turn>) -> Stage {
    let stage = Stage::of(Script::new(turns).sequential());
    let abilities = serde_json::to_string(abilities).unwrap();
    stage.arki(&["config", "set", "providers.mock.models.mock.capabilities", &abilities]).exits(0);
    stage
}

fn of_git(stage: &Stage) -> Vec<String> {
    let added = payloads(&stage.log(), "context.added");
    added.iter().filter(|added| added["part"] == "git").map(|added| text(&added["text"])).collect()
}

#[test]
fn a_sub_agent_is_told_the_state_of_git_as_its_own_run_began() {
    let turns = vec![
        Turn::calls().call("run_command", json!({"command": "echo two > a.txt"})),
        Turn::calls().call("delegate", json!({"agent": "arki", "task": "Look at the changes."})),
        Turn::text("Looked."),
        Turn::text("Done."),
    ];
    let stage = Stage::of(Script::new(turns).sequential());
    git(&stage, &["init", "-q"]);
    stage.write(".git/info/exclude", ".arki\n");
    stage.write("a.txt", "one\n");
    git(&stage, &["add", "."]);
    git(&stage, &["commit", "-qm", "first"]);
    stage.trust();
    if !stage.has_sandbox() {
        return;
    }
    let events = stage.exec(&["--approve", "all", "go"]).exits(0).lines();
    let child = text(&payload(&events, "subagent.started")["sessionId"]);
    let of_child = stage.arki(&["events", &child, "--json"]).exits(0).lines();
    let told = payloads(&of_child, "context.added");
    let told = told.iter().find(|added| added["part"] == "git").expect("the state of git");
    let told = text(&told["text"]);
    assert!(told.contains("Branch: \"main\"") && told.contains("(\"a.txt\")"), "{told}");
    let of_parent = text(&payload(&events, "context.added")["text"]);
    assert!(of_parent.ends_with("Nothing differs from the last commit."), "{of_parent}");
    let is_told = |body: &[u8]| contains(body, b"Look at the changes.") && contains(body, b"Changed, not staged");
    assert!(stage.model.requests().iter().any(|request| is_told(&request.body)));
}

#[test]
fn the_state_of_git_comes_with_each_run_and_the_head_stays() {
    let stage = Stage::untrusted(Script::new(vec![Turn::text("ok"); 4]), &Value::Null);
    git(&stage, &["init", "-q"]);
    stage.write(".git/info/exclude", ".arki\n");
    stage.write("a.txt", "one\n");
    git(&stage, &["add", "."]);
    git(&stage, &["commit", "-qm", "first"]);
    stage.exec(&["hi"]).exits(0);
    assert_eq!(of_git(&stage), Vec::<String>::new(), "untrusted");
    stage.trust();
    if !stage.has_sandbox() {
        return;
    }
    stage.exec(&["--continue", "hi"]).exits(0);
    stage.write("a.txt", "two\n");
    stage.write("say \"yes\".txt", "new\n");
    git(&stage, &["checkout", "-qb", "side"]);
    stage.exec(&["--continue", "hi"]).exits(0);
    stage.exec(&["--continue", "hi"]).exits(0);
    let told = of_git(&stage);
    assert_eq!(told.len(), 2, "the same twice is told once: {told:?}");
    assert!(
        told[0].contains("Branch: \"main\"") && told[0].ends_with("Nothing differs from the last commit."),
        "{told:?}"
    );
    let lines: Vec<&str> = told[1].lines().skip(1).collect();
    assert_eq!(
        lines,
        [
            "Branch: \"side\"",
            "Changed, not staged: 1 path (\"a.txt\")",
            "Not tracked: 1 path (\"say \\\"yes\\\".txt\")"
        ]
    );
    let requests = stage.model.requests();
    let head = |at: usize| (requests[at].json["messages"][0].clone(), requests[at].json["tools"].clone());
    assert_eq!(head(1), head(3), "what changes stands in no head");
    stage.verifies();
}

#[test]
fn a_mode_that_changes_when_a_run_is_resumed_is_told() {
    let call = |line: &str| Turn::calls().call("run_command", json!({"command": line}));
    let turns = vec![call("touch a && touch b"), call("echo hi"), Turn::text("Done."), Turn::text("Again.")];
    let stage = Stage::configured(Script::new(turns).sequential(), &asking_policy());
    let events = stage.exec(&["go"]).exits(3).lines();
    let session = text(&events[0]["sessionId"]);
    stage.arki(&["resume", &session, "--approve", "all"]).exits(0);
    let told = || {
        let added = payloads(&stage.log(), "context.added");
        added.iter().filter(|added| added["part"] == "mode").map(|added| text(&added["text"])).collect::<Vec<_>>()
    };
    assert!(told().len() == 1 && told()[0].contains("It is now: all."), "{:?}", told());
    let messages = json!(stage.messages()).to_string();
    assert!(messages.matches("The user changed the mode").count() == 1, "{messages}");
    // A new run says its own.
    stage.exec(&["--continue", "and now?"]).exits(0);
    assert!(stage.system_prompt().contains("Mode when this run began: ask."));
    assert!(told().len() == 2 && told()[1].contains("It is now: ask."), "{:?}", told());
    stage.verifies();
}

#[test]
fn a_picture_of_the_project_is_shown_to_a_model_that_sees() {
    let reads =
        || vec![Turn::calls().call("read_file", json!({"path": "a.png"})), Turn::text("Seen."), Turn::text("Again.")];
    let sees = able_to(&["text", "vision", "tool_use"], reads());
    sees.write("a.png", PNG);
    sees.exec(&["look"]).exits(0);
    let data = BASE64_STANDARD.encode(PNG);
    let sent = json!(sees.messages()).to_string();
    assert!(sent.contains(&data) && sent.contains("It is from the project, not from the user"), "{sent}");
    sees.exec(&["--continue", "and now?"]).exits(0);
    assert!(json!(sees.messages()).to_string().contains(&data), "also in the next run");
    let blind = Stage::new(reads());
    blind.write("a.png", PNG);
    blind.exec(&["look"]).exits(0);
    let told = json!(blind.messages()).to_string();
    assert!(!told.contains(&data) && told.contains("isn't known to see pictures"), "{told}");
}

#[test]
fn a_picture_that_is_read_is_decoded_like_an_attached_one() {
    let empty: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\0\0\0\0\0\x08\x02\0\0\0";
    let header: &[u8] = b"\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0";
    for (name, bytes) in [("cut.png", &PNG[..PNG.len() / 2]), ("empty.png", empty), ("head.jpg", header)] {
        let turns = vec![Turn::calls().call("read_file", json!({"path": name})), Turn::text("Damaged, then.")];
        let stage = able_to(&["text", "vision", "tool_use"], turns);
        stage.write(name, bytes);
        let result = payload(&stage.exec(&["look"]).exits(0).lines(), "tool.result");
        assert!(result["isError"] == true && text(&result["result"]).contains("damaged"), "{name}: {result}");
        assert!(!json!(stage.messages()).to_string().contains("base64"), "{name}");
    }
    let turns = vec![Turn::calls().call("read_file", json!({"path": "wide.png"})), Turn::text("Seen.")];
    let stage = able_to(&["text", "vision", "tool_use"], turns);
    stage.write("wide.png", include_bytes!("../fixtures/wide.png"));
    let shown = payload(&stage.exec(&["look"]).exits(0).lines(), "context.added");
    assert_eq!(shown["images"][0]["size"], json!({"width": 2048, "height": 2048}), "{shown}");
}

#[test]
fn a_wrong_name_is_answered_with_the_right_one() {
    for (theirs, ours) in [
        ("bash", "run_command"),
        ("shell", "run_command"),
        ("glob", "find_files"),
        ("grep", "search_files"),
        ("LS", "list_directory"),
        ("Task", "delegate"),
        ("str_replace_editor", "edit_file"),
    ] {
        let stage = Stage::new(vec![Turn::calls().call(theirs, json!({})), Turn::text("ok")]);
        let result = payload(&stage.exec(&["go"]).exits(0).lines(), "tool.result");
        assert!(text(&result["result"]).contains(&format!("Did you mean {ours}?")), "{theirs}: {result}");
    }
    let stage = Stage::new(vec![Turn::calls().call("bash", json!({})), Turn::text("ok")]);
    let result = payload(&stage.exec(&["--plan", "go"]).exits(0).lines(), "tool.result");
    assert!(!text(&result["result"]).contains("run_command"), "planning has none: {result}");
}

#[test]
fn a_model_that_takes_no_tools_is_told_of_them_in_words() {
    let call = "{\"toolCalls\": [{\"toolName\": \"read_file\", \"arguments\": {\"path\": \"a.txt\"}}]}";
    let stage = able_to(&["text"], vec![Turn::text(call), Turn::text("It says one.")]);
    stage.write("a.txt", "one\n");
    let done = stage.exec(&["read"]).exits(0);
    assert!(done.stderr.contains("doesn't support tools"), "{}", done.stderr);
    assert_eq!(payload(&done.lines(), "tool.result")["result"], "1\tone\n");
    let request = &stage.model.requests()[0].json;
    assert!(request.get("tools").is_none() && stage.system_prompt().contains("## read_file"));
    assert_eq!(payload(&stage.log(), "run.completed")["response"], "It says one.");
}
