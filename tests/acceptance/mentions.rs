//! What a prompt mentions is in the first request, as it was then; what is secret is not.

use crate::harness::{Stage, payloads, text};
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};

fn messages(stage: &Stage) -> Vec<Vec<Value>> {
    let all = stage.model.requests();
    all.iter().filter_map(|request| request.json["messages"].as_array().cloned()).collect()
}

#[test]
fn exactly_the_lines_that_are_named_are_in_the_first_request_and_stay() {
    let stage = Stage::new(vec![Turn::text("ok"), Turn::text("ok")]);
    stage.write("src/a.rs", "fn one() {}\nfn two() {}\nfn three() {}\nfn four() {}\n");
    stage.write(".env", "API_TOKEN=correct-horse-battery-staple\n");
    stage.exec(&["explain @src/a.rs:2-3 and @.env to @someone"]).exits(0);
    let first = json!(messages(&stage)[0]).to_string();
    assert!(first.contains("2\\tfn two() {}\\n3\\tfn three() {}"), "{first}");
    assert!(!first.contains("fn one") && !first.contains("fn four"), "{first}");
    assert!(first.contains(".env is not attached") && !first.contains("correct-horse"), "{first}");
    stage.write("src/a.rs", "other\n");
    stage.exec(&["--continue", "more"]).exits(0);
    let requests = messages(&stage);
    assert_eq!(requests[1][1..requests[0].len()], requests[0][1..], "what was attached stays as it was");
    let added = payloads(&stage.log(), "context.added");
    let told: Vec<_> = added.iter().map(|added| (text(&added["part"]), text(&added["origin"]))).collect();
    let mention = |origin: &str| ("mention".to_owned(), origin.to_owned());
    assert_eq!(told, [mention("src/a.rs:2-3"), mention(".env")]);
    let shown = stage.arki(&["context", "last"]).exits(0).stdout;
    assert!(shown.contains("mention") && shown.contains("src/a.rs:2-3"), "{shown}");
}

#[test]
fn a_picture_and_another_session_can_be_mentioned() {
    let stage = Stage::new(vec![Turn::text("The answer is 42."), Turn::text("ok")]);
    stage.exec(&["think"]).exits(0);
    let session = text(&stage.log()[0]["sessionId"]);
    stage.write("shot.png", b"\x89PNG\r\n\x1a\nrest");
    stage.exec(&[&format!("compare @shot.png with @session:{session}")]).exits(0);
    let last = json!(messages(&stage)[1]).to_string();
    assert!(last.contains("data:image/png;base64,iVBORw0KGgpyZXN0") && last.contains("The answer is 42."), "{last}");
}

#[test]
fn a_rule_that_denies_reading_a_file_denies_its_mention() {
    let rules = json!({"policy": {"rules": [{"decision": "deny", "path": "private/**"}]}});
    let stage = Stage::configured(Script::new(vec![Turn::text("ok")]), &rules);
    stage.write("private/a.txt", "hidden words\n");
    stage.exec(&["see @private/a.txt"]).exits(0);
    let first = json!(messages(&stage)[0]).to_string();
    assert!(first.contains("private/a.txt is not attached") && !first.contains("hidden words"), "{first}");
}

#[test]
fn what_is_mentioned_leaves_room_in_a_small_window() {
    let stage = Stage::new(vec![Turn::text("ok")]);
    stage.arki(&["config", "set", "providers.mock.models.mock.contextWindow", "16384"]).exits(0);
    for number in 0..4 {
        stage.write(&format!("long{number}.txt"), "A line of words.\n".repeat(300));
    }
    stage.exec(&["see @long0.txt @long1.txt @long2.txt @long3.txt"]).exits(0);
    let first = json!(messages(&stage)[0]).to_string();
    assert!(first.contains("1\\tA line of words.") && first.contains("long3.txt is not attached"), "{first}");
    assert!(first.len() < 24 * 1024, "{} bytes", first.len());
}
