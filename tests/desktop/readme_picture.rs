//! The pictures in the README and the user guide: what they show is what the window shows.
//!
//! With `ARKI_ACCEPT_PICTURES=1` they are made anew. For the path in them to be one that people have, give the project a
//! place besides: `ARKI_PICTURE_PROJECT=/home/ada/code/windowsill`.

use crate::harness::{CONTROL, ESCAPE, Stage};
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};
use std::path::PathBuf;

const PROMPT: &str = "The fern is always 0 days late. Fix that.";
const EARLIER: &str = "How does --week work?";

pub(crate) const DEMO: [(&str, &str); 4] = [
    ("README.md", include_str!("../../src-tauri/crates/engine/sample/README.md")),
    ("NOTES.md", include_str!("../../src-tauri/crates/engine/sample/NOTES.md")),
    ("plants.csv", include_str!("../../src-tauri/crates/engine/sample/plants.csv")),
    ("windowsill.py", include_str!("../../src-tauri/crates/engine/sample/windowsill.py")),
];

const DIAGNOSIS: &str = "The fern has no date in `plants.csv`. For such a plant `due` answers *today*, and so \
    `days_late` is **always 0**, whatever the day.\n\nTwo things should change:\n\n\
    1. `days_late` says nothing when nobody knows the date.\n\
    2. `report` then simply asks for water, and `thirsty` puts such plants last.";

fn edits() -> Value {
    json!({"path": "windowsill.py", "edits": [
        {"old_text": "        return (today - self.due(today)).days\n",
         "new_text": "        if self.last_watered is None:\n            return None\n        return (today - self.due(today)).days\n"},
        {"old_text": "key=lambda plant: plant.days_late(today), reverse",
         "new_text": "key=lambda plant: plant.days_late(today) or 0, reverse"},
        {"old_text": "        lines.append(f\"  water the {plant.name} ({plant.days_late(today)} days late)\")\n",
         "new_text": "        late = plant.days_late(today)\n        note = \"\" if late is None else f\" ({late} days late)\"\n        lines.append(f\"  water the {plant.name}{note}\")\n"},
    ]})
}

fn script() -> Script {
    let first = Turn::computed(|request| {
        if request.to_string().contains(EARLIER) {
            return Turn::text("It prints the report of today and of the six days after it.");
        }
        Turn::text("I'll look at the notes and the planner first.")
            .call("read_file", json!({"path": "NOTES.md"}))
            .call("read_file", json!({"path": "windowsill.py"}))
            .call("search_files", json!({"pattern": "days_late"}))
    });
    Script::new(vec![first, Turn::text(DIAGNOSIS).call("edit_file", edits()), Turn::text("Both are written.")])
}

fn config(url: &str) -> Value {
    let models = json!({"qwen3-coder": {"contextWindow": 32_768}});
    let provider = json!({"kind": "custom", "baseUrl": url, "isLocal": true, "models": models});
    json!({"agents": {"arki": {"model": "local/qwen3-coder"}}, "providers": {"local": provider}})
}

#[test]
fn a_real_review_is_seen_whole_in_a_window_of_the_usual_size() {
    let stage = Stage::configured(script(), config);
    let given = std::env::var_os("ARKI_PICTURE_PROJECT").map(PathBuf::from);
    let project = given.unwrap_or_else(|| stage.home.data_dir().with_file_name("windowsill"));
    std::fs::create_dir_all(&project).unwrap();
    for (name, content) in DEMO {
        std::fs::write(project.join(name), content).unwrap();
    }
    stage.arki(&["trust", &project.display().to_string()]);
    let window = stage.open_on(&project);
    window.ask(EARLIER);
    window.says("the six days after it.");
    window.click("New session");
    window.ask(PROMPT);
    let diff = window.element("region", "windowsill.py");
    window.button_saying("edit_file");
    let hunks = diff.all_inside("button", "Accept hunk");
    assert_eq!(hunks.len(), 2);
    for seen in hunks.iter().chain(&[window.element("button", "Accept all")]) {
        let inside = "const box = arguments[0].getBoundingClientRect();
                      return box.top >= 0 && box.bottom <= innerHeight && box.right <= innerWidth";
        assert_eq!(seen.ask(inside), true, "a decision is out of sight");
    }
    window.pictures_for("readme", "screenshot.png");
    window.element("tab", "Timeline").click();
    window.pictures_for("timeline", "pictures/timeline.png");
    window.element("tab", "Context").click();
    window.says("Tools");
    window.pictures_for("guide-context", "pictures/context.png");
    window.press(&[CONTROL, ","]);
    window.element("tab", "Rules").click();
    window.click("Add rule");
    window.element("textbox", "Command").write("git push");
    window.click("What would it change?");
    window.says("past call");
    window.pictures_for("guide-rules", "pictures/rules.png");
    // Out of the form, then out of the settings.
    window.press(&[ESCAPE]);
    window.gone("form", "Add rule");
    window.press(&[ESCAPE]);
    window.gone("dialog", "Settings");
    assert_eq!(std::fs::read_to_string(project.join("windowsill.py")).unwrap(), DEMO[3].1);
    window.press(&[CONTROL, "1"]);
    window.click("Accept all");
    window.says("Both are written.");
    window.pictures_for("guide-done", "pictures/done.png");
    window.click("Pipelines");
    window.element("region", "Pipelines");
    window.button_saying("review-diff");
    window.pictures_for("guide-pipelines", "pictures/pipelines.png");
}
