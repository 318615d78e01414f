//! What would be decided about a call, as it is told without the call, is what is decided about it.

use super::*;
use serde_json::json;

fn calls() -> Vec<(&'static str, Value)> {
    let lines: String = (0..500).map(|line| format!("+{line}\n")).collect();
    let mut calls = vec![
        ("apply_patch", json!({"patch": format!("*** Begin Patch\n*** Add File: new\n{lines}*** End Patch")})),
        ("apply_patch", json!({"patch": "*** Begin Patch\n*** Update File: a.txt\n@@\n-no\n+x\n*** End Patch"})),
        ("apply_patch", json!({"patch": "nothing"})),
        ("edit_file", json!({"path": "a.txt", "edits": [{"old_text": "one", "new_text": "two"}]})),
        ("edit_file", json!({"path": "a.txt", "edits": [{"old_text": "gone", "new_text": "two"}]})),
        ("edit_file", json!({"path": "a.txt"})),
        ("mcp__none__tool", json!({})),
        ("nosuch", json!({"path": "a.txt"})),
        ("fetch_url", json!({"url": "https://example.org"})),
        ("calculate", json!({"expression": "1 + 1"})),
        ("update_plan", json!({"steps": 1})),
    ];
    for command in ["ls", "cat ../x", "cat /etc/shadow", "cargo test", "rm -rf .", "echo $(x)", "cat .git/config", ""] {
        calls.push(("run_command", json!({"command": command})));
        calls.push(("run_command", json!({"command": command, "network": true})));
    }
    for length in [100_000, 100_001] {
        calls.push(("run_command", json!({"command": "x".repeat(length)})));
    }
    for path in
        ["a.txt", "gone", "../x", "/etc/shadow", "sub/b.txt", "sub", ".git/config", "AGENTS.md", ".env", "", "a\u{0}b"]
    {
        for tool in ["read_file", "list_directory", "delete_file"] {
            calls.push((tool, json!({"path": path})));
        }
        for content in ["one\n".to_owned(), "x\n".repeat(401)] {
            calls.push(("write_file", json!({"path": path, "content": content})));
        }
        calls.push(("write_file", json!({"path": path})));
        calls.push((
            "edit_file",
            json!({"path": path, "edits": [{"old_text": "one\n", "new_text": "x\n".repeat(401)}]}),
        ));
    }
    calls
}

#[tokio::test]
async fn a_call_is_judged_as_it_is_decided() {
    let mut compared = 0;
    for approve in [ApprovalMode::Ask, ApprovalMode::Edits, ApprovalMode::All, ApprovalMode::Never] {
        for (tool, args) in calls() {
            let bench = Bench::new(Vec::new(), approve);
            for (file, text) in [("a.txt", "one\n"), ("sub/b.txt", "one\n"), (".git/config", ""), (".env", "A=1")] {
                let path = bench.folder.path().join(file);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, text).unwrap();
            }
            // Without a sandbox: what is allowed here would run as it is.
            if tool == "fetch_url" && approve == ApprovalMode::All {
                continue;
            }
            let judged = bench.executor.judge().verdict(tool, &args, approve);
            bench.called(tool, args.clone()).await;
            bench.carry_on().await;
            let events = bench.log.0.lock().unwrap().clone();
            let decided = events.iter().find_map(|event| match event.body() {
                EventBody::PolicyDecided(decided) => Some(decided),
                _ => None,
            });
            match decided {
                Some(decided) => {
                    let expected = (decided.decision, decided.rule, decided.reason);
                    let judged = (judged.decision, judged.rule, judged.reason.to_string());
                    assert_eq!(judged, expected, "{approve:?} {tool} {args}");
                }
                None => {
                    assert_eq!((judged.decision, judged.rule.as_str()), (Decision::Deny, "builtin:impossible-call"));
                    let (told, _) = bench.result();
                    assert!(told.contains(&judged.reason.to_string()), "{approve:?} {tool} {args}: {told}: {judged:?}");
                }
            }
            compared += 1;
        }
    }
    assert!(compared > 300, "{compared}");
}
