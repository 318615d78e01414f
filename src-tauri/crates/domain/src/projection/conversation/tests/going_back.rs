//! Rewinds, rewinds of rewinds, and single changes that were taken back.

use super::*;

fn file(path: &str, action: &str) -> Value {
    json!({"path": path, "action": action, "beforeHash": null, "afterHash": null})
}

#[test]
fn a_rewind_takes_back_what_came_after_and_its_own_rewind_brings_it_back() {
    let mut log = Log::default();
    log.add("run.started", json!({"prompt": "one"}));
    log.add("run.started", json!({"prompt": "two"}));
    log.add("output.message", json!({"content": "hm"}));
    log.add("output.message", json!({}));
    let changes = json!([file("a", "restore"), file("b", "keep")]);
    let rewound =
        log.add("session.rewound", json!({"toSeq": 1, "files": true, "conversation": true, "changes": changes}));
    let told = folded("rewound", &log);
    assert_eq!(told.each("takenBack"), [Value::Null, true.into(), true.into(), Value::Null]);
    assert_eq!((&told.standing["lastPrompt"], &told.standing["run"]), (&json!("one"), &json!("ended")));
    told.has(3, &json!({"messages": 2, "restored": 1, "toSeq": 1}));
    log.add("session.rewound", json!({"toSeq": rewound - 1, "files": true, "conversation": true}));
    let told = folded("rewound_again", &log);
    assert_eq!(told.each("takenBack"), [Value::Null, Value::Null, Value::Null, true.into(), Value::Null]);
    assert_eq!(told.standing["lastPrompt"], "two");
}

#[test]
fn where_only_files_went_back_what_was_said_stands() {
    let mut log = Log::default();
    log.add("run.started", json!({"prompt": "one"}));
    log.add("session.rewound", json!({"toSeq": 0, "files": true, "conversation": false}));
    log.add("change.taken_back", json!({"seq": 1, "changes": [file("a.rs", "restore"), file("b.rs", "conflict")]}));
    let told = folded("files_rewound", &log);
    told.has(2, &json!({"notice": {"what": "reverted", "paths": ["a.rs"]}}));
    assert_eq!(told.each("takenBack"), vec![Value::Null; 3]);
}
