//! A folder with sessions in it: what was said and done, what waits, and what there is to say about it.

use super::{Look, Way, as_it_is};
use crate::harness::{CONTROL, ESCAPE, SHIFT, Screen, Stage, Window, wait_until};
use crate::readme_picture::DEMO;
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};
use std::path::Path;

pub(super) const LONG: &str = "How does the planner decide which plant comes first?";
const DONE: &str = "Write down what the planner does";
pub(super) const FAILED: &str = "Answer without a key";
pub(super) const COMMAND: &str =
    "Which files are the largest, and who wrote them, in this folder and in all folders below it?";
pub(super) const FEW: &str = "The fern is always 0 days late. Fix that.";
pub(super) const MANY: &str = "Shout two everywhere";
const QUESTION: &str = "Paint the house";
pub(super) const PLAN: &str = "Tidy the notes";
const WAITING: &str = "Say something in the end";
const HEBREW: &str = "שנה את שם הרכיב בכל מקום";
const PROMPTS: [&str; 10] = [LONG, DONE, FAILED, COMMAND, FEW, MANY, QUESTION, PLAN, WAITING, HEBREW];

const ANSWER: &str = include_str!("answer.md");
const NOTES: &str =
    "# The planner\n\nPlants with a date come first.\n\nThe later they are, the further up they stand.\n";

fn name(number: usize) -> String {
    let folder = ["docs", "src/parts", "src/parts/deep", "tests"][number % 4];
    format!("{folder}/number_{number:02}.txt")
}

fn many() -> Turn {
    let update = |number| format!("*** Update File: {}\n@@\n one\n-two\n+TWO\n three\n", name(number));
    let patch: String = (0..40).map(update).collect();
    Turn::calls().call("apply_patch", json!({"patch": format!("*** Begin Patch\n{patch}*** End Patch\n")}))
}

fn few() -> Turn {
    Turn::text("`days_late` must say nothing when nobody knows the date.").call(
        "edit_file",
        json!({"path": "windowsill.py", "edits": [
            {"old_text": "        return (today - self.due(today)).days\n",
             "new_text": "        if self.last_watered is None:\n            return None\n        return (today - self.due(today)).days\n"},
            {"old_text": "key=lambda plant: plant.days_late(today), reverse",
             "new_text": "key=lambda plant: plant.days_late(today) or 0, reverse"},
        ]}),
    )
}

fn steps(state: &str) -> Value {
    json!({"steps": [
        {"title": "Read the notes and the planner", "state": "done"},
        {"title": "Say how plants without a date are sorted, and why the fern is last in every report", "state": state},
        {"title": "Name what could be changed", "state": "pending"},
    ]})
}

fn answer(request: &Value) -> Turn {
    let messages = request["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let asked = |message: &Value| PROMPTS.into_iter().find(|prompt| message["content"].to_string().contains(prompt));
    let is_asked = |message: &&Value| message["role"] == "user";
    let prompt = messages.iter().filter(is_asked).filter_map(asked).next_back().unwrap_or(LONG);
    let step = messages.iter().filter(|message| message["role"] == "assistant").count();
    match (prompt, step) {
        (LONG, 0) => Turn::text("I'll look at the notes and the planner first.")
            .call("read_file", json!({"path": "NOTES.md"}))
            .call("read_file", json!({"path": "windowsill.py"}))
            .call("search_files", json!({"pattern": "days_late"})),
        (LONG, 1) => Turn::calls().call("update_plan", steps("in_progress")),
        (LONG, 2) => Turn::text("Now I run it.").call("run_command", json!({"command": "cat plants.csv | head -n 3"})),
        // With all of its spaces.
        (LONG, _) => Turn::pieces([ANSWER]),
        (DONE, 0) => Turn::calls().call("write_file", json!({"path": "docs/planner.md", "content": NOTES})),
        (FAILED, _) => Turn::json(401, json!({"error": {"message": "Incorrect API key provided: sk-…"}})),
        (COMMAND, 0) => Turn::text("This lists them.").call(
            "run_command",
            json!({"command": "find . -type f -size +10k -printf '%s %u %p\\n' | sort -rn > /tmp/largest.txt; head -n 20 /tmp/largest.txt"}),
        ),
        (FEW, 0) => few(),
        (MANY, 0) => many(),
        (QUESTION, 0) => Turn::text("One thing first.").call(
            "ask_user",
            json!({"question": "Which colour shall the roof have?", "options": ["Red", "A blue that is rather dark, and under the snow almost black, as old slate is"]}),
        ),
        (PLAN, 0) => Turn::text(
            json!({"intent": "Tidy the notes", "plan": ["Read NOTES.md", "Sort it by plant", "Show the change"],
                   "toolCalls": [{"toolName": "read_file", "arguments": {"path": "NOTES.md"}}]})
            .to_string(),
        ),
        (WAITING, _) => Turn::silent(),
        (HEBREW, _) => Turn::text("אחפש תחילה את השימושים בקובץ `windowsill.py`.\n\n1. לקרוא\n2. לשנות\n\n```python\nprint('left to right')\n```"),
        _ => Turn::text("It is written."),
    }
}

fn config(url: &str) -> Value {
    let model = json!({"contextWindow": 32_768, "price": {"input": 3, "output": 15}});
    let provider = json!({"kind": "custom", "baseUrl": url, "apiKeyEnv": "MOCK_KEY", "models": {"mock": model}});
    let server = Path::new(env!("CARGO_MANIFEST_DIR")).join("acceptance/mcp_server.py");
    json!({
        "providers": {"mock": provider},
        "plan": {"approve": true},
        "policy": {"rules": [
            {"decision": "deny", "tool": "run_command", "command": ["git", "push"], "reason": "Pushing is done by hand."},
            {"decision": "allow", "tool": "edit_file", "path": "docs/**"},
        ]},
        "hooks": {"PostToolUse": [{"condition": {"toolName": ["edit_file"]}, "command": "python3 -m compileall ."}]},
        "agents": {"arki": {"model": "mock/mock"}, "maker": {"description": "Makes files."}},
        "mcpServers": {"echo": {"command": "python3", "args": [server, "good"]}},
    })
}

pub(super) fn stage() -> Stage {
    let stage = Stage::on(Screen::Large, Script::new(vec![Turn::computed(answer)]), config, &[]);
    for (name, content) in DEMO {
        stage.write(name, content);
    }
    for number in 0..40 {
        stage.write(&name(number), "one\ntwo\nthree\n");
    }
    stage.write("AGENTS.md", "Be brief.\n");
    stage.write(".agents/skills/release/SKILL.md", "---\nname: release\ndescription: Cuts a release.\n---\nTag it.");
    stage.write(".arki/pipelines/greeting.yaml", crate::pipelines::DEFINITION);
    stage.trust();
    stage.arki(&["exec", "--approve", "all", DONE]);
    stage.try_arki(&["exec", FAILED]);
    for prompt in [COMMAND, FEW, MANY] {
        stage.try_arki(&["exec", prompt]);
    }
    stage.try_arki(&["exec", "--core", "pes", PLAN]);
    stage.arki(&["exec", HEBREW]);
    stage.arki(&["exec", "--approve", "all", LONG]);
    stage
}

/// Opens a session by how its title begins; a title may be shorter than the prompt. The list is drawn anew meanwhile.
pub(super) fn opens(window: &Window<'_>, prompt: &str) {
    const OPEN: &str = "
        const begins = (one) => one.innerText.trim().startsWith(arguments[0]);
        const session = [...document.querySelectorAll('nav button.session')].find((one) => one.title.startsWith(arguments[0]));
        session?.click();
        return begins(document.querySelector('main h2'));";
    let begins: String = prompt.chars().take(12).collect();
    wait_until(&format!("the session {begins:?}"), || window.run_with(OPEN, &[json!(begins)]) == true);
}

pub(super) fn tab(number: &'static str) -> impl Fn(&Window<'_>) {
    move |window| window.press(&[CONTROL, number])
}

/// The inspector stays open in a narrow window once it was shown there.
fn without_sheet(window: &Window<'_>) {
    for close in window.elements("button", Some("Close inspector")) {
        close.click();
    }
}

pub(super) fn look(way: Way) {
    let stage = stage();
    let look = Look::at(stage.open(), way);
    let window = &look.window;
    opens(window, FEW);
    window.element("region", "windowsill.py");
    look.takes("review-few", tab("1"));
    window.press(&[CONTROL, SHIFT, "r"]);
    window.element("separator", "Width of the conversation");
    look.takes("review-mode", tab("1"));
    window.press(&[CONTROL, SHIFT, "r"]);
    window.gone("separator", "Width of the conversation");
    opens(window, MANY);
    window.says("40 files");
    look.takes("review-many", tab("1"));
    opens(window, COMMAND);
    window.element("button", "Approve");
    look.takes("command", tab("1"));
    window.click("New session");
    window.ask(QUESTION);
    window.element("textbox", "Your answer");
    look.takes("question", as_it_is);
    window.click("New session");
    window.ask(WAITING);
    window.says("Waiting for");
    look.takes("live", as_it_is);
    window.click("Stop");
    window.gone("button", "Stop");
    look.takes("stopped", as_it_is);
    opens(window, PLAN);
    window.element("button", "Approve");
    look.takes("plan-approval", tab("3"));
    opens(window, FAILED);
    look.takes("failed", without_sheet);
    opens(window, HEBREW);
    look.takes("hebrew", without_sheet);
    opens(window, DONE);
    window.says("It is written.");
    look.takes("changed-files", tab("1"));

    opens(window, LONG);
    window.says("What I would change");
    look.takes("timeline", tab("2"));
    window.element("radio", "Waterfall").ask("arguments[0].click()");
    window.element("tree", "Waterfall");
    look.takes("waterfall", tab("2"));
    look.takes("plan", tab("3"));
    window.press(&[CONTROL, "4"]);
    window.element("list", "Parts of the next request");
    look.takes("context", tab("4"));
    look.takes("processes", tab("5"));
    window.press(&[CONTROL, "i"]);
    look.takes("conversation", without_sheet);
    window.run("document.querySelector('[role=log]').scrollTop = 0");
    look.takes("conversation-top", without_sheet);
    window.press(&[CONTROL, "f"]);
    window.element("searchbox", "Find in this session").write("plant");
    look.takes("find", as_it_is);
    window.press(&[ESCAPE]);
    window.gone("searchbox", "Find in this session");
    look.all_fits();
}
