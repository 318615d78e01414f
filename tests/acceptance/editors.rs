//! Arki in an editor: prompts, reviews, choices and sessions over `arki acp`.

use crate::editor_client::Editor;
use crate::harness::{Stage, payload, payloads, text};
use crate::tree::{commanding, editing, playing, writing};
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};
use std::time::Duration;

const TEN: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";

fn answering(answer: &str) -> Stage {
    playing(vec![Turn::text(answer)])
}

/// Two hunks of one file.
fn two_hunks() -> Stage {
    let edits = json!([{"old_text": "1\n2", "new_text": "one\n2"}, {"old_text": "\n10", "new_text": "\nten"}]);
    let turn = Turn::calls().call("edit_file", json!({"path": "n.txt", "edits": edits}));
    let stage = playing(vec![turn, Turn::text("Done.")]);
    stage.write("n.txt", TEN);
    stage
}

#[test]
fn an_edit_is_shown_allowed_and_written() {
    let stage = playing(editing("a.txt", "one", "two").to_vec());
    stage.write("a.txt", "one\n");
    let mut editor = Editor::plain(&stage);
    let session = editor.open(&stage);
    let prompt = editor.prompt(&session, "Change it");
    let asked = editor.asked("session/request_permission");
    let call = &asked["params"]["toolCall"];
    let diff = json!({"type": "diff", "path": stage.path("a.txt"), "oldText": "one\n", "newText": "two\n"});
    assert_eq!(call["content"], json!([diff]));
    assert!(editor.updates("tool_call_update").iter().any(|update| update["content"] == json!([diff])));
    assert_eq!(stage.read("a.txt"), "one\n");
    editor.choose(&asked, "allow");
    assert_eq!(editor.stop_reason(prompt), "end_turn");
    assert_eq!(stage.read("a.txt"), "two\n");
    assert_eq!(editor.said().trim_end(), "Done.");
    let calls = editor.updates("tool_call");
    assert_eq!((calls.len(), &calls[0]["kind"], &calls[0]["title"]), (1, &json!("edit"), &json!("Edit a.txt")));
    assert_eq!(calls[0]["toolCallId"], call["toolCallId"]);
    assert_eq!(editor.updates("tool_call_update").last().unwrap()["status"], "completed");
    assert_eq!(payload(&stage.events(&session), "approval.resolved")["resolvedBy"], "acp");
    editor.end().exits(0);
}

#[test]
fn nothing_is_told_of_a_session_before_it_is_answered_and_its_first_prompt_names_it() {
    let stage = answering("Hello.");
    let mut editor = Editor::plain(&stage);
    let session = editor.open(&stage);
    assert_eq!(editor.heard.len(), 2, "{:?}", editor.heard);
    assert!(stage.sessions().is_empty(), "nothing was said in it");
    let commands = editor.until(|message| message["method"] == "session/update");
    assert_eq!(commands["params"]["update"]["sessionUpdate"], "available_commands_update");
    let prompt = editor.prompt(&session, "Say hello");
    assert_eq!(editor.stop_reason(prompt), "end_turn");
    assert_eq!(editor.updates("session_info_update")[0]["title"], "Say hello");
    assert_eq!(stage.sessions()[0]["title"], "Say hello");
    let used = editor.updates("usage_update");
    assert!(used[0]["used"].as_u64().unwrap() > 0 && used[0]["size"].as_u64().unwrap() > 0, "{used:?}");
}

#[test]
fn hunks_are_chosen_in_a_form() {
    let stage = two_hunks();
    let mut editor = Editor::with_forms(&stage);
    let session = editor.open(&stage);
    let prompt = editor.prompt(&session, "Change them");
    let asked = editor.asked("elicitation/create");
    let form = &asked["params"]["requestedSchema"];
    let hunks = &form["properties"]["hunks"]["items"]["anyOf"];
    assert_eq!((&hunks[0]["const"], &hunks[1]["const"], &hunks[2]), (&json!("1"), &json!("2"), &Value::Null));
    assert!(form.to_string().find("default").is_none(), "{form}");
    let content = json!({"decision": "selected", "hunks": ["2"], "note": "not the first"});
    editor.reply(&asked, &json!({"action": "accept", "content": content}));
    assert_eq!(editor.stop_reason(prompt), "end_turn");
    assert_eq!(stage.read("n.txt"), TEN.replace("\n10", "\nten"));
    let resolved = payload(&stage.events(&session), "approval.resolved");
    assert_eq!((&resolved["hunks"], &resolved["reason"]), (&json!([2]), &json!("not the first")));
}

#[test]
fn what_is_no_clear_choice_waits_in_arki_and_goes_on_from_there() {
    let unclear = [
        json!({"action": "decline"}),
        json!({"action": "cancel"}),
        json!({"action": "accept", "content": {"decision": "all", "hunks": ["1"]}}),
        json!({"action": "accept", "content": {"decision": "review"}}),
        json!({"nonsense": 1}),
    ];
    for reply in unclear {
        let stage = two_hunks();
        let mut editor = Editor::with_forms(&stage);
        let session = editor.open(&stage);
        let prompt = editor.prompt(&session, "Change them");
        let asked = editor.asked("elicitation/create");
        editor.reply(&asked, &reply);
        assert_eq!(editor.stop_reason(prompt), "end_turn", "{reply}");
        assert!(editor.said().contains("waits for your decision in Arki"), "{}", editor.said());
        assert_eq!(stage.read("n.txt"), TEN);
        let waiting = stage.waiting();
        stage.arki(&["approvals", "approve", &waiting]).exits(0);
        editor.until(|message| message["params"]["update"]["status"] == "completed");
        assert_eq!(stage.read("n.txt"), TEN.replace("1\n2", "one\n2").replace("\n10", "\nten"));
        editor.end().exits(0);
    }
}

#[test]
fn a_decision_in_another_window_ends_the_question_here() {
    let stage = two_hunks();
    let mut editor = Editor::with_forms(&stage);
    let session = editor.open(&stage);
    let prompt = editor.prompt(&session, "Change them");
    let asked = editor.asked("elicitation/create");
    stage.arki(&["approvals", "reject", &stage.waiting()]).exits(0);
    let cancelled = editor.until(|message| message["method"] == "$/cancel_request");
    assert_eq!(cancelled["params"]["requestId"], asked["id"]);
    editor.reply(&asked, &json!({"action": "accept", "content": {"decision": "all"}}));
    assert_eq!(editor.stop_reason(prompt), "end_turn");
    assert_eq!(stage.read("n.txt"), TEN);
}

#[test]
fn without_forms_each_file_is_asked_about() {
    let patch = "*** Begin Patch\n*** Add File: a.txt\n+a\n*** Add File: b.txt\n+b\n*** End Patch";
    let turn = Turn::calls().call("apply_patch", json!({"patch": patch}));
    let stage = playing(vec![turn, Turn::text("Done.")]);
    let mut editor = Editor::plain(&stage);
    let session = editor.open(&stage);
    let prompt = editor.prompt(&session, "Add them");
    for (path, option) in [("a.txt", "reject"), ("b.txt", "allow")] {
        let asked = editor.asked("session/request_permission");
        assert_eq!(asked["params"]["toolCall"]["content"][0]["path"], json!(stage.path(path)));
        editor.choose(&asked, option);
    }
    assert_eq!(editor.stop_reason(prompt), "end_turn");
    assert!(!stage.path("a.txt").exists());
    assert_eq!(stage.read("b.txt"), "b\n");
}

#[test]
fn always_sticks() {
    let again = [commanding("touch x").to_vec(), commanding("touch x").to_vec()].concat();
    let stage = Stage::configured(Script::new(again).sequential(), &crate::harness::asking_policy());
    let mut editor = Editor::plain(&stage);
    let session = editor.open(&stage);
    let prompt = editor.prompt(&session, "Touch it");
    let asked = editor.asked("session/request_permission");
    let shown = asked["params"]["toolCall"]["content"].to_string();
    assert!(shown.contains("touch x"), "{shown}");
    let kinds: Vec<&str> =
        asked["params"]["options"].as_array().unwrap().iter().map(|option| option["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["allow_once", "allow_always", "allow_always", "reject_once", "reject_always"]);
    editor.choose(&asked, "allow_always");
    assert_eq!(editor.stop_reason(prompt), "end_turn");
    let other = editor.open(&stage);
    let prompt = editor.prompt(&other, "Once more");
    assert_eq!(editor.stop_reason(prompt), "end_turn");
    let asked = editor.heard.iter().filter(|message| message["method"] == "session/request_permission");
    assert_eq!(asked.count(), 1);
}

fn option<'a>(asked: &'a Value, id: &str) -> Option<&'a Value> {
    asked["params"]["options"].as_array().unwrap().iter().find(|option| option["optionId"] == id)
}

#[test]
fn never_sticks() {
    let again = [commanding("touch x").to_vec(), commanding("touch x && ls").to_vec()].concat();
    let stage = Stage::configured(Script::new(again).sequential(), &crate::harness::asking_policy());
    let mut editor = Editor::plain(&stage);
    let session = editor.open(&stage);
    let prompt = editor.prompt(&session, "Touch it");
    let asked = editor.asked("session/request_permission");
    let name = text(&option(&asked, "reject_always").unwrap()["name"]);
    assert!(name.contains("Never in this folder: commands that begin with `touch x`"), "{name}");
    editor.choose(&asked, "reject_always");
    assert_eq!(editor.stop_reason(prompt), "end_turn");
    let other = editor.open(&stage);
    let prompt = editor.prompt(&other, "Once more");
    assert_eq!(editor.stop_reason(prompt), "end_turn");
    let asked = editor.heard.iter().filter(|message| message["method"] == "session/request_permission");
    assert_eq!(asked.count(), 1);
    let events = stage.events(&other);
    assert_eq!(payload(&events, "policy.decided")["decision"], "deny");
    assert!(!stage.path("x").exists());
}

#[test]
fn never_is_offered_only_for_one_rule() {
    for line in ["touch x && mkdir y", "python3 -c 1"] {
        let stage =
            Stage::configured(Script::new(commanding(line).to_vec()).sequential(), &crate::harness::asking_policy());
        let mut editor = Editor::plain(&stage);
        let session = editor.open(&stage);
        let prompt = editor.prompt(&session, "Go");
        let asked = editor.asked("session/request_permission");
        assert!(option(&asked, "reject").is_some() && option(&asked, "reject_always").is_none(), "{asked}");
        // It was not offered.
        editor.choose(&asked, "reject_always");
        assert_eq!(editor.stop_reason(prompt), "end_turn");
        assert!(editor.said().contains("waits for your decision in Arki"), "{}", editor.said());
    }
}

#[test]
fn a_rejection_is_told_to_the_model() {
    let stage = playing(writing("a.txt", "x").to_vec());
    let mut editor = Editor::plain(&stage);
    let session = editor.open(&stage);
    let prompt = editor.prompt(&session, "Write it");
    let asked = editor.asked("session/request_permission");
    editor.choose(&asked, "reject");
    assert_eq!(editor.stop_reason(prompt), "end_turn");
    assert!(!stage.path("a.txt").exists());
    assert_eq!(editor.updates("tool_call_update").last().unwrap()["status"], "failed");
}

#[test]
fn what_steers_tools_is_decided_in_arki() {
    let stage = playing(writing(".arki/config.json", "{}").to_vec());
    let mut editor = Editor::with_forms(&stage);
    let session = editor.open(&stage);
    let prompt = editor.prompt(&session, "Steer");
    assert_eq!(editor.stop_reason(prompt), "end_turn");
    assert!(editor.said().contains("protected or secret"), "{}", editor.said());
    assert!(editor.heard.iter().all(|message| message["method"] != "session/request_permission"));
    stage.waiting();
}

#[test]
fn modes_hold_from_the_next_prompt_on() {
    let turns = [writing("a.txt", "x").to_vec(), writing("b.txt", "x").to_vec()].concat();
    let stage = playing(turns);
    let mut editor = Editor::plain(&stage);
    let session = editor.open(&stage);
    let set = editor.ask("session/set_mode", json!({"sessionId": session, "modeId": "edits"}));
    assert_eq!(set["result"], json!({}));
    let prompt = editor.prompt(&session, "Write it");
    assert_eq!(editor.stop_reason(prompt), "end_turn");
    assert_eq!(stage.read("a.txt"), "x");
    let plan = json!({"sessionId": session, "configId": "mode", "value": "plan"});
    let set = editor.ask("session/set_config_option", plan);
    assert_eq!(set["result"]["configOptions"][0]["currentValue"], "plan");
    editor.until(|message| message["params"]["update"]["currentModeId"] == "plan");
    let prompt = editor.prompt(&session, "Write another");
    assert_eq!(editor.stop_reason(prompt), "end_turn");
    assert!(!stage.path("b.txt").exists());
    let modes = payloads(&stage.events(&session), "run.started");
    assert_eq!((&modes[0]["options"]["approve"], &modes[1]["options"]["plan"]), (&json!("edits"), &json!(true)));
}

#[test]
fn effort_and_model_are_the_sessions() {
    let stage = answering("Yes.");
    let mut editor = Editor::plain(&stage);
    let session = editor.open(&stage);
    let set = |id: &str, value: &str| json!({"sessionId": session, "configId": id, "value": value});
    let effort = editor.ask("session/set_config_option", set("effort", "high"));
    assert_eq!(effort["result"]["configOptions"][2]["currentValue"], "high");
    let model = editor.ask("session/set_config_option", set("model", "demo/echo"));
    assert_eq!(model["result"]["configOptions"][1]["currentValue"], "demo/echo");
    let unknown = editor.ask("session/set_config_option", set("model", "nobody/x"));
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    let prompt = editor.prompt(&session, "Echo this");
    assert_eq!(editor.stop_reason(prompt), "end_turn");
    assert_eq!(editor.said(), "Echo this");
}

#[test]
fn a_session_is_listed_loaded_with_its_past_and_gone_on_with() {
    let turns = [editing("a.txt", "one", "two").to_vec(), vec![Turn::text("Again.")]].concat();
    let stage = playing(turns);
    stage.write("a.txt", "one\n");
    let mut editor = Editor::plain(&stage);
    let session = editor.open(&stage);
    let empty = editor.open(&stage);
    let prompt = editor.prompt(&session, "Change it");
    let asked = editor.asked("session/request_permission");
    editor.choose(&asked, "allow");
    editor.stop_reason(prompt);
    editor.end().exits(0);

    let mut editor = Editor::plain(&stage);
    let folder = json!({"cwd": stage.home.project_dir()});
    let listed = editor.ask("session/list", folder.clone());
    let sessions = listed["result"]["sessions"].as_array().unwrap();
    assert_eq!((sessions.len(), &sessions[0]["sessionId"]), (1, &json!(session)), "{listed}");
    let at = |id: &str| json!({"sessionId": id, "cwd": stage.home.project_dir(), "mcpServers": []});
    let loaded = editor.ask("session/load", at(&session));
    assert_eq!(loaded["result"]["modes"]["currentModeId"], "ask");
    assert_eq!(editor.updates("user_message_chunk")[0]["content"]["text"], "Change it");
    assert_eq!((editor.said().trim_end(), editor.updates("tool_call").len()), ("Done.", 1));
    assert_eq!(editor.updates("tool_call_update").last().unwrap()["status"], "completed");
    let prompt = editor.prompt(&session, "Once more");
    assert_eq!(editor.stop_reason(prompt), "end_turn");
    assert_eq!(editor.said().trim_end(), "Done. Again.");
    // Nothing was said in it, and it is there all the same.
    let resumed = editor.ask("session/resume", at(&empty));
    assert!(resumed["result"]["configOptions"].is_array(), "{resumed}");
    let deleted = editor.ask("session/delete", json!({"sessionId": session}));
    assert_eq!(deleted["result"], json!({}));
    assert_eq!(editor.ask("session/load", at(&session))["error"]["code"], -32002);
}

#[test]
fn a_prompt_is_cancelled_at_every_stage() {
    let slow = || Turn::text("A long answer.").pause(Duration::from_secs(30));
    for turns in [vec![slow()], writing("a.txt", "x").to_vec(), commanding("sleep 30").to_vec()] {
        let stage = playing(turns);
        let mut editor = Editor::plain(&stage);
        let session = editor.open(&stage);
        let prompt = editor.prompt(&session, "Begin");
        assert!(stage.model.wait_until(|journal| !journal.requests.is_empty()));
        editor.notify("session/cancel", &json!({"sessionId": session}));
        editor.notify("session/cancel", &json!({"sessionId": session}));
        assert_eq!(editor.stop_reason(prompt), "cancelled");
        assert!(!stage.path("a.txt").exists());
        // Cancelled before it has begun.
        let prompt = editor.prompt(&session, "Begin");
        editor.notify("session/cancel", &json!({"sessionId": session}));
        assert_eq!(editor.stop_reason(prompt), "cancelled");
        editor.end().exits(0);
    }
}

#[test]
fn a_permission_that_is_asked_for_is_cancelled_with_the_prompt() {
    let stage = playing(writing("a.txt", "x").to_vec());
    let mut editor = Editor::plain(&stage);
    let session = editor.open(&stage);
    let prompt = editor.prompt(&session, "Write it");
    let asked = editor.asked("session/request_permission");
    editor.notify("session/cancel", &json!({"sessionId": session}));
    editor.reply(&asked, &json!({"outcome": {"outcome": "cancelled"}}));
    assert_eq!(editor.stop_reason(prompt), "cancelled");
    assert!(!stage.path("a.txt").exists());
    assert!(stage.inbox().is_empty());
}

#[test]
fn a_command_is_shown_with_its_output() {
    let stage = playing(commanding("echo to-be-seen").to_vec());
    let mut editor = Editor::with(&stage, &json!({"_meta": {"terminal_output": true}}));
    let session = editor.open(&stage);
    let prompt = editor.prompt(&session, "Run it");
    assert_eq!(editor.stop_reason(prompt), "end_turn");
    let call = &editor.updates("tool_call")[0];
    assert_eq!(call["content"][0], json!({"type": "terminal", "terminalId": call["toolCallId"]}));
    let output: String = editor
        .updates("tool_call_update")
        .iter()
        .filter_map(|update| update["_meta"]["terminal_output"]["data"].as_str().map(str::to_owned))
        .collect();
    assert!(output.contains("to-be-seen"), "{output}");
    let end = editor.updates("tool_call_update").last().unwrap()["_meta"]["terminal_exit"].clone();
    assert_eq!(end["exit_code"], 0);
}

#[test]
fn a_question_is_a_form_and_without_forms_the_next_prompt_answers_it() {
    let turns = || {
        let question = Turn::calls().call("ask_user", json!({"question": "Which?", "options": ["SQLite", "Files"]}));
        playing(vec![question, Turn::text("Good.")])
    };
    let stage = turns();
    let mut editor = Editor::with_forms(&stage);
    let session = editor.open(&stage);
    let prompt = editor.prompt(&session, "Ask me");
    let asked = editor.asked("elicitation/create");
    assert_eq!(asked["params"]["message"], "Which?");
    editor.reply(&asked, &json!({"action": "accept", "content": {"choice": "SQLite"}}));
    assert_eq!(editor.stop_reason(prompt), "end_turn");
    assert_eq!(payload(&stage.events(&session), "question.answered")["text"], "SQLite");

    let stage = turns();
    let mut editor = Editor::plain(&stage);
    let session = editor.open(&stage);
    let prompt = editor.prompt(&session, "Ask me");
    assert_eq!(editor.stop_reason(prompt), "end_turn");
    assert!(editor.said().contains("Which?") && editor.said().contains("- Files"), "{}", editor.said());
    let prompt = editor.prompt(&session, "Files, please");
    assert_eq!(editor.stop_reason(prompt), "end_turn");
    assert_eq!(payload(&stage.events(&session), "question.answered")["text"], "Files, please");
}

#[test]
fn files_are_mentioned_and_embedded() {
    let stage = answering("Seen.");
    stage.write("a.rs", "fn linked() {}\n");
    let mut editor = Editor::plain(&stage);
    let session = editor.open(&stage);
    let uri = |name: &str| format!("file://{}", stage.path(name).display());
    let blocks = json!([
        {"type": "text", "text": "Look at "},
        {"type": "resource_link", "uri": uri("a.rs"), "name": "a.rs"},
        {"type": "resource", "resource": {"uri": uri("b.rs"), "text": "fn unsaved() {}\n"}}
    ]);
    let prompt = editor.begin("session/prompt", json!({"sessionId": session, "prompt": blocks}));
    assert_eq!(editor.stop_reason(prompt), "end_turn");
    let told = Value::from(stage.messages()).to_string();
    assert!(told.contains("fn linked()") && told.contains("fn unsaved()"), "{told}");
}

#[test]
fn a_failure_is_an_error_with_words() {
    let stage = playing(vec![Turn::json(400, json!({"error": {"message": "no such thing"}}))]);
    let mut editor = Editor::plain(&stage);
    let session = editor.open(&stage);
    let prompt = editor.prompt(&session, "Go");
    let answer = editor.answer(prompt);
    assert!(answer["error"]["message"].is_string() && answer["error"]["data"]["code"].is_string(), "{answer}");
    assert!(text(&answer["error"]["message"]).len() > 10);
}
