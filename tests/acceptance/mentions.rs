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
    stage.write("shot.png", include_bytes!("../fixtures/pixel.png"));
    stage.exec(&[&format!("compare @shot.png with @session:{session}")]).exits(0);
    let last = json!(messages(&stage)[1]).to_string();
    assert!(last.contains("data:image/png;base64,iVBORw0KGgo") && last.contains("The answer is 42."), "{last}");
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

fn git(stage: &Stage, args: &[&str]) {
    let mut git = std::process::Command::new("git");
    git.args(["-c", "user.name=A", "-c", "user.email=a@b.c", "-c", "init.defaultBranch=main"]);
    let done = git.args(args).current_dir(stage.home.project_dir()).output().unwrap();
    assert!(done.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&done.stderr));
}

/// What is attached for each mention of a prompt.
fn attached(stage: &Stage, prompt: &str) -> Vec<String> {
    stage.exec(&[prompt]).exits(0);
    let added = payloads(&stage.events("last"), "context.added");
    added.iter().filter(|added| added["part"] == "mention").map(|added| text(&added["text"])).collect()
}

#[test]
fn what_has_changed_since_the_last_commit_comes_along() {
    let stage = Stage::new(vec![Turn::text("ok"); 7]);
    assert!(
        attached(&stage, "review @diff")[0].contains("diff is not attached: this folder is not in a git repository")
    );
    git(&stage, &["init", "-q"]);
    stage.write("a.txt", "one\n");
    git(&stage, &["add", "."]);
    stage.trust();
    if !stage.has_sandbox() {
        assert!(attached(&stage, "review @diff")[0].contains("diff is not attached"));
        return;
    }
    assert!(attached(&stage, "review @diff")[0].contains("+one"), "before the first commit");
    git(&stage, &["commit", "-qm", "first"]);
    stage.write("a.txt", "two\n");
    stage.write("new.txt", "of a new file\n");
    let all = attached(&stage, "review @diff, and @diff");
    assert!(all.len() == 1 && all[0].contains("-one\n+two\n") && all[0].contains("new.txt"), "{all:?}");
    assert!(!all[0].contains("of a new file"));
    stage.write("a.txt", "A line that is rather long.\n".repeat(10_000));
    let cut = &attached(&stage, "review @diff")[0];
    assert!(cut.len() < 80_000 && cut.contains("left out") && cut.contains("new.txt"), "{} bytes", cut.len());
    stage.write("a.txt", "three\n");
    stage.write(".env", "API_TOKEN=correct-horse-battery-staple\n");
    let beside = &attached(&stage, "review @diff")[0];
    assert!(!beside.contains("correct-horse"), "{beside}");
    git(&stage, &["add", "-f", ".env"]);
    let refused = &attached(&stage, "review @diff")[0];
    assert!(refused.starts_with("diff is not attached: .env looks like a file with secrets."), "{refused}");
}

/// Tells how often it was asked for its page.
fn page() -> (String, std::sync::Arc<std::sync::atomic::AtomicUsize>) {
    use std::io::{Read, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let host = listener.local_addr().unwrap().to_string();
    let asked = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let counted = asked.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 4096]);
            counted.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            let body = "<h1>Prices</h1><p>Ten euros.</p>";
            let head = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconnection: close";
            let _ = write!(stream, "{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        }
    });
    (host, asked)
}

#[test]
fn a_page_comes_along_only_from_a_host_that_a_rule_allows() {
    let (host, asked) = page();
    let times = || asked.load(std::sync::atomic::Ordering::SeqCst);
    let prompt = format!("what does @http://{host}/ say?");
    let fetch = json!({"allowPrivateHosts": [host]});
    let stage = Stage::configured(Script::new(vec![Turn::text("ok")]), &json!({"policy": {"fetch": fetch}}));
    let told = &attached(&stage, &prompt)[0];
    assert!(told.starts_with(&format!("http://{host}/ is not attached: ")), "{told}");
    assert!(told.contains(r#"{"decision":"allow","host":"127.0.0.1","tool":"fetch_url"}"#), "{told}");
    assert_eq!(times(), 0, "it was fetched though nobody allowed it");

    let rules = json!([{"decision": "allow", "tool": "fetch_url", "host": "127.0.0.1"}]);
    let policy = json!({"policy": {"rules": rules, "fetch": fetch}});
    let stage = Stage::configured(Script::new(vec![Turn::text("ok")]), &policy);
    let told = &attached(&stage, &prompt)[0];
    assert!(told.contains("# Prices") && told.contains("Ten euros."), "{told}");
    assert_eq!(times(), 1, "once for a prompt");
    stage.exec(&["--approve", "never", &prompt]).exits(0);
    assert!(json!(messages(&stage)[0]).to_string().contains("Ten euros."));

    let rules = json!([{"decision": "deny", "tool": "fetch_url"}, {"decision": "allow", "host": "127.0.0.1"}]);
    let denied =
        Stage::configured(Script::new(vec![Turn::text("ok")]), &json!({"policy": {"rules": rules, "fetch": fetch}}));
    let before = times();
    let told = &attached(&denied, &prompt)[0];
    assert!(told.contains("is not attached") && !told.contains("policy.rules"), "{told}");
    assert_eq!(times(), before);
}
