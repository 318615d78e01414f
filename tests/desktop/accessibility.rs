//! The names of the contract, and no barrier in any of the main views: nothing that WCAG forbids at A or AA.

use crate::harness::{CONTROL, ESCAPE, Stage, Window, wait_until};
use crate::scenes::edit_and_say;
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};
use std::path::Path;

/// <https://github.com/dequelabs/axe-core>, as `npm ci` puts it there.
const AXE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../node_modules/axe-core/axe.min.js");

/// Whether the middle of an element is what lies there: nothing covers it, and it is in sight.
const IN_THE_OPEN: &str = "
    const box = arguments[0].getBoundingClientRect();
    const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    return arguments[0].contains(top);";

#[test]
fn landmarks_controls_and_tabs_have_the_names_of_the_contract() {
    let stage = Stage::new(edit_and_say());
    stage.write("src/app.txt", &crate::scenes::sixty_lines());
    let window = stage.open();
    let dialog = window.element("dialog", "Trust this folder?");
    dialog.inside("button", "Keep untrusted");
    dialog.inside("button", "Trust folder").click();
    window.gone("dialog", "Trust this folder?");
    // Closed while it has nothing to show.
    window.click("Show inspector");
    for (role, name) in [
        ("navigation", "Sessions"),
        ("main", "Conversation"),
        ("complementary", "Inspector"),
        ("contentinfo", "Status"),
        ("textbox", "Message"),
        ("tab", "Changes"),
        ("tab", "Timeline"),
    ] {
        window.element(role, name);
    }
    for name in ["Open folder", "New session", "Settings", "Send"] {
        window.element("button", name);
    }
    window.ask("Change two lines");
    window.element("log", "Transcript");
    let diff = window.element("region", "src/app.txt");
    for name in ["Accept hunk", "Reject hunk", "Edit hunk"] {
        assert_eq!(diff.all_inside("button", name).len(), 2, "{name}");
    }
    for name in ["Accept all", "Reject all", "Stop"] {
        window.element("button", name);
    }
    window.press(&[CONTROL, "k"]);
    window.element("dialog", "Command palette");
}

#[test]
fn no_main_view_has_a_serious_barrier_in_light_or_dark() {
    let stage = Stage::new(edit_and_say());
    stage.write("src/app.txt", &crate::scenes::sixty_lines());
    stage.write("AGENTS.md", "Be brief.\n");
    let window = stage.open();
    window.element("dialog", "Trust this folder?");
    no_barrier(&window, "the question of trust");
    window.click("Trust folder");
    window.gone("dialog", "Trust this folder?");
    no_barrier(&window, "the first view");
    window.click("Show inspector");
    window.element("tab", "Changes");
    no_barrier(&window, "the first view with the inspector");
    window.ask("Change two lines");
    let diff = window.element("region", "src/app.txt");
    no_barrier(&window, "the review");
    diff.all_inside("button", "Edit hunk")[1].click();
    window.element("textbox", "New text of this hunk");
    let save = window.element("button", "Save edit");
    wait_until("Save in the open", || save.ask(IN_THE_OPEN) == true);
    window.pictures("hunk-editor");
    no_barrier(&window, "the hunk editor");
    window.press(&[ESCAPE]);
    window.element("tab", "Timeline").click();
    window.element("searchbox", "Filter events");
    no_barrier(&window, "the timeline");
    window.click("Settings");
    window.element("dialog", "Settings");
    no_barrier(&window, "the settings");
    window.press(&[ESCAPE]);
    window.gone("dialog", "Settings");
    window.press(&[CONTROL, "k"]);
    window.element("dialog", "Command palette");
    no_barrier(&window, "the palette");
}

#[test]
fn what_was_decided_and_who_wrote_it_has_no_barrier() {
    let stage = Stage::trusted(edit_and_say());
    let window = stage.open();
    window.ask("Change two lines");
    let diff = window.element("region", "src/app.txt");
    diff.all_inside("button", "Accept hunk")[0].click();
    wait_until("the first decision", || diff.all_inside("button", "Reject hunk").len() == 1);
    diff.inside("button", "Reject hunk").click();
    window.says(crate::scenes::DONE);
    window.says("1 accepted, 1 rejected");
    window.element("region", "src/app.txt").inside("button", "Unfold").click();
    window.pictures("decided-hunks");
    no_barrier(&window, "decided hunks");

    window.element("button", "Who wrote this: src/app.txt").click();
    window.element("dialog", "Who wrote this");
    window.element("listbox", "Lines and who wrote them");
    window.pictures("who-wrote-this");
    no_barrier(&window, "who wrote this");
}

#[test]
fn what_waits_and_what_is_asked_has_no_barrier() {
    let question = json!({"question": "Which colour?", "options": ["Red", "Blue"]});
    let script = Script::new(vec![Turn::calls().call("ask_user", question), Turn::text(crate::scenes::DONE)]);
    let stage = Stage::trusted(script);
    let window = stage.open();
    window.ask("Paint the house");
    window.element("button", "Red");
    no_barrier(&window, "a question");
    window.ask("And the fence");
    window.element("region", "Queued messages");
    window.pictures("queue-and-question");
    no_barrier(&window, "the queue");
}

#[track_caller]
pub(crate) fn no_barrier(window: &Window<'_>, view: &str) {
    assert!(Path::new(AXE).is_file(), "axe-core is missing: `npm ci` installs it");
    for theme in ["light", "dark"] {
        window.set_theme(theme);
        window.settle();
        window.run(&format!("if (!window.axe) {{ {} }}", std::fs::read_to_string(AXE).unwrap()));
        let violations = window.run_async(
            "const done = arguments[arguments.length - 1];
             const asked = ['target-size', 'label-content-name-mismatch', 'scrollable-region-focusable'];
             const rules = Object.fromEntries(asked.map((rule) => [rule, { enabled: true }]));
             axe.run({ rules }).then(
               ({ violations }) => done(violations
                 .filter(({ impact, tags }) => impact === 'serious' || impact === 'critical' ||
                   tags.some((tag) => /^wcag\\d+aa?$/.test(tag)))
                 .map(({ id, help, nodes }) => ({ id, help, nodes: nodes.map((node) => node.html.slice(0, 200)) }))),
               (error) => done(String(error)));",
        );
        assert_eq!(violations, json!([]) as Value, "{view} in {theme}: {violations:#}");
    }
}
