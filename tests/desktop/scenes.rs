//! What models do in several tests.

use arki_testkit::{Script, Turn};
use serde_json::{Value, json};

pub(crate) const DONE: &str = "That is all.";

pub(crate) fn sixty_lines() -> String {
    (1..=60).map(|number| format!("line {number}\n")).collect()
}

/// Two edits far apart: two hunks.
pub(crate) fn two_edits() -> Value {
    json!({"path": "src/app.txt", "edits": [
        {"old_text": "line 5\n", "new_text": "LINE FIVE\n"},
        {"old_text": "line 50\n", "new_text": "LINE FIFTY\n"},
    ]})
}

/// Proposes both edits, then says that it is done.
pub(crate) fn edit_and_say() -> Script {
    Script::new(vec![Turn::text("I will change two lines.").call("edit_file", two_edits()), Turn::text(DONE)])
}

/// Wants to run that, then says that it is done.
pub(crate) fn run_and_say(command: &str) -> Script {
    Script::new(vec![Turn::calls().call("run_command", json!({"command": command})), Turn::text(DONE)])
}
