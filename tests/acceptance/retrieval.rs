//! The tool `search_project` and the mention `@codebase` find passages by a question's words, and the index they ask is the
//! trusted folder's alone.

use crate::harness::{Stage, payloads, text};
use arki_testkit::{Script, Turn};
use serde_json::json;
use std::path::PathBuf;

fn project(stage: &Stage) {
    stage.write("src/lease.rs", "/// Gives a session's lease back.\npub fn release_lease() {\n    drop(());\n}\n");
    stage.write("src/window.rs", "pub fn draw_window() {}\n");
    stage.write(".env", "LEASE_TOKEN=correct-horse-battery-staple\n");
    stage.write("private/lease.md", "the hidden lease\n");
}

fn results(stage: &Stage) -> Vec<String> {
    payloads(&stage.log(), "tool.result").iter().map(|result| text(&result["result"])).collect()
}

fn indexes(stage: &Stage) -> Vec<PathBuf> {
    let folders = std::fs::read_dir(stage.home.data_dir().join("retrieval")).into_iter().flatten().flatten();
    folders
        .flat_map(|folder| std::fs::read_dir(folder.path()).into_iter().flatten().flatten())
        .map(|it| it.path())
        .collect()
}

#[test]
fn a_question_leads_the_model_to_the_lines_without_asking_the_user() {
    let edit = json!({"path": "src/window.rs", "edits": [{"old_text": "draw_window", "new_text": "paint_window"}]});
    let question = json!({"query": "where is a session's lease released?"});
    let stage = Stage::new(vec![
        Turn::calls().call("search_project", question),
        Turn::calls().call("edit_file", edit),
        Turn::calls().call("search_project", json!({"query": "paint window", "limit": 1})),
        Turn::text("done"),
    ]);
    project(&stage);
    stage.exec(&["--approve", "edits", "find it"]).exits(0);
    let results = results(&stage);
    let first: Vec<&str> = results[0].lines().collect();
    assert!(first[0].starts_with("src/lease.rs:1-4 (score "), "{}", results[0]);
    assert!(results[0].contains("  2: pub fn release_lease() {"), "{}", results[0]);
    assert!(results[0].contains("private/lease.md:1-1") && !results[0].contains(".env"), "{}", results[0]);
    assert!(results[2].starts_with("src/window.rs:1-1") && results[2].contains("paint_window"), "{}", results[2]);
    assert!(!stage.home.project_dir().join(".arki/retrieval").exists() && !indexes(&stage).is_empty());
}

#[test]
fn denied_files_stay_out_and_plan_mode_has_the_tool() {
    let rules = json!({"policy": {"rules": [{"decision": "deny", "path": "private/**"}]}});
    let turns = vec![Turn::calls().call("search_project", json!({"query": "hidden lease"})), Turn::text("ok")];
    let stage = Stage::configured(Script::new(turns), &rules);
    project(&stage);
    stage.exec(&["--plan", "find it"]).exits(0);
    let result = &results(&stage)[0];
    assert!(result.starts_with("src/lease.rs") && !result.contains("private"), "{result}");
    assert!(result.contains("secret or denied"), "{result}");
}

#[test]
fn a_folder_that_is_not_trusted_has_no_index() {
    let turns = vec![Turn::calls().call("search_project", json!({"query": "lease"})), Turn::text("ok")];
    let stage = Stage::untrusted(Script::new(turns), &serde_json::Value::Null);
    project(&stage);
    stage.exec(&["find it"]).exits(0);
    assert!(results(&stage)[0].contains("Only trusted folders have an index"), "{}", results(&stage)[0]);
    assert!(indexes(&stage).is_empty());
}

#[test]
fn withdrawing_trust_removes_the_index() {
    let stage = Stage::new(vec![Turn::calls().call("search_project", json!({"query": "lease"})), Turn::text("ok")]);
    project(&stage);
    stage.exec(&["find it"]).exits(0);
    assert!(!indexes(&stage).is_empty());
    stage.arki(&["untrust"]).exits(0);
    assert!(indexes(&stage).is_empty(), "{:?}", indexes(&stage));
}

#[test]
fn the_codebase_is_mentioned_by_the_words_of_the_prompt() {
    let stage = Stage::new(vec![Turn::text("ok")]);
    project(&stage);
    stage.exec(&["@codebase how is the lease released? `@codebase`"]).exits(0);
    let added = payloads(&stage.log(), "context.added");
    let mention = added.iter().find(|added| added["origin"] == "codebase").unwrap();
    let told = text(&mention["text"]);
    assert!(
        told.contains("src/lease.rs:1-4\n1\t/// Gives a session's lease back.\n2\tpub fn release_lease() {"),
        "{told}"
    );
    assert!(!told.contains("draw_window") && !told.contains("correct-horse"), "{told}");
    let shown = stage.arki(&["context", "last"]).exits(0).stdout;
    assert!(shown.contains("mention") && shown.contains("codebase"), "{shown}");
}

#[test]
fn a_mention_of_the_codebase_without_words_or_trust_gets_a_sentence() {
    let stage = Stage::new(vec![Turn::text("ok")]);
    project(&stage);
    stage.exec(&["@codebase"]).exits(0);
    let told = text(&payloads(&stage.log(), "context.added")[0]["text"]);
    assert!(told.contains("codebase is not attached: The question has no words"), "{told}");
    let stage = Stage::untrusted(Script::new(vec![Turn::text("ok")]), &serde_json::Value::Null);
    project(&stage);
    stage.exec(&["where is the lease? @codebase"]).exits(0);
    let told = text(&payloads(&stage.log(), "context.added")[0]["text"]);
    assert!(told.contains("codebase is not attached: Only trusted folders"), "{told}");
}
