//! A name with brackets is a name before it is a pattern, and what git ignores is left out with a word.

use crate::harness::Stage;
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};

fn stage(calls: &[(&str, Value)], config: &Value) -> Stage {
    let turn = calls.iter().fold(Turn::calls(), |turn, (tool, args)| turn.call(tool, args.clone()));
    let stage = Stage::configured(Script::new(vec![turn, Turn::text("Done.")]), config);
    for file in ["app/[slug]/page.tsx", "app/[user-id]/page.tsx", "app/s/page.tsx", "build/out.js", "debug.log"] {
        stage.write(file, format!("needle in {file}\n"));
    }
    stage.write(".gitignore", "build/\n*.log\n");
    stage
}

/// The answers to the calls, in order.
fn answers(stage: &Stage) -> Vec<String> {
    let results = stage.log().into_iter().filter(|event| event["type"] == "tool.result");
    results.map(|event| event["payload"]["result"].to_string()).collect()
}

#[test]
fn names_with_brackets_are_found_and_searched() {
    let stage = stage(
        &[
            ("find_files", json!({"glob": "app/[slug]/page.tsx"})),
            ("find_files", json!({"glob": "app/[user-id]/**"})),
            ("search_files", json!({"pattern": "needle", "glob": "app/[slug]/*.{ts,tsx}"})),
        ],
        &Value::Null,
    );
    stage.exec(&["--approve", "never", "go"]).exits(0);
    let answers = answers(&stage);
    assert!(answers[0].contains("app/[slug]/page.tsx") && !answers[0].contains("app/s/"), "{}", answers[0]);
    assert!(answers[1].contains("app/[user-id]/page.tsx"), "{}", answers[1]);
    assert!(answers[2].contains("needle in app/[slug]/page.tsx") && !answers[2].contains("app/s/"), "{}", answers[2]);
}

#[test]
fn ignored_files_are_named_with_how_to_include_them() {
    let stage = stage(
        &[
            ("find_files", json!({"glob": "build/out.js"})),
            ("find_files", json!({"glob": "build/out.js", "include_ignored": true})),
            ("search_files", json!({"pattern": "needle", "glob": "*.log"})),
            ("search_files", json!({"pattern": "needle", "glob": "*.log", "include_ignored": true})),
            ("list_directory", json!({})),
            ("list_directory", json!({"include_ignored": true})),
        ],
        &Value::Null,
    );
    stage.exec(&["--approve", "never", "go"]).exits(0);
    let answers = answers(&stage);
    for (answer, name) in
        [(&answers[0], "build/"), (&answers[2], "build/, debug.log"), (&answers[4], "build/, debug.log")]
    {
        let told = answer.contains(&format!("left out: ignored by git: {name}")) && answer.contains("include_ignored");
        assert!(told, "{answer}");
    }
    assert!(answers[1].contains("build/out.js") && !answers[1].contains("left out"), "{}", answers[1]);
    assert!(answers[3].contains("debug.log:1:needle"), "{}", answers[3]);
    assert!(answers[5].contains("debug.log") && !answers[5].contains("left out"), "{}", answers[5]);
}

#[test]
fn names_with_brackets_are_denied_and_kept_secret() {
    let rules = json!([{"decision": "deny", "path": "app/[slug]/**"}]);
    let policy = json!({"policy": {"rules": rules, "secretFiles": ["app/[user-id]/*.tsx"]}});
    let stage = stage(
        &[
            ("read_file", json!({"path": "app/[slug]/page.tsx"})),
            ("run_command", json!({"command": "cat 'app/[slug]/page.tsx'"})),
            ("search_files", json!({"pattern": "needle", "glob": "app/**"})),
            ("read_file", json!({"path": "app/[user-id]/page.tsx"})),
        ],
        &policy,
    );
    stage.exec(&["--approve", "never", "go"]).exits(0);
    let answers = answers(&stage);
    assert_eq!(answers.len(), 4);
    for answer in &answers {
        assert!(!answer.contains("needle in app/["), "{answer}");
    }
    assert!(answers[2].contains("app/s/page.tsx"), "{}", answers[2]);
}
