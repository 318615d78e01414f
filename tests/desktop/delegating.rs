//! A task for a sub-agent: shown where it was given, its session beneath, and what it asks decided in either.

use crate::accessibility::no_barrier;
use crate::harness::{Stage, Window, wait_until};
use crate::scenes::{DONE, sixty_lines};
use arki_testkit::{Script, Turn};
use serde_json::json;

const TASK: &str = "Make the file that says that it was made.";

/// Whose sub-agent wants to run a command.
fn stage() -> Stage {
    let turns = vec![
        Turn::text("Somebody else will.").call("delegate", json!({"agent": "maker", "task": TASK})),
        Turn::calls().call("run_command", json!({"command": "touch made"})),
        Turn::text("It is made."),
        Turn::text(DONE),
    ];
    let agents = json!({"arki": {"model": "mock/mock"}, "maker": {"description": "Makes files."}});
    let stage = Stage::configured(
        Script::new(turns).sequential(),
        |_| json!({"agents": agents, "policy": {"categories": {"exec": "approval"}}}),
    );
    stage.write("src/app.txt", &sixty_lines());
    stage.trust();
    stage
}

fn list_of_subagents(window: &Window<'_>) -> String {
    window.element("list", "Sub-agents of Have it made").text()
}

#[test]
fn what_a_sub_agent_asks_is_decided_where_its_task_was_given() {
    let stage = stage();
    let window = stage.open();
    window.ask("Have it made");
    window.element("heading", "The sub-agent maker asks");
    window.element("button", "Approve");
    window.says("waiting for you");
    assert!(list_of_subagents(&window).contains("maker"));
    window.pictures("delegation");
    no_barrier(&window, "a task that waits");

    window.click("Open sub-agent's session");
    window.element("button", "Open parent session");
    assert!(window.text().contains(TASK), "the task is the prompt");
    window.element("button", "Approve");
    window.pictures("delegation-subagent");
    no_barrier(&window, "the session of a sub-agent");

    window.click("Open parent session");
    window.gone("button", "Open parent session");
    window.click("Approve");
    window.says(DONE);
    window.gone("heading", "The sub-agent maker asks");
    assert!(stage.home.project_dir().join("made").exists());
    window.button_saying("✓ done").click();
    window.says("It is made.");
    window.pictures("delegation-done");
    no_barrier(&window, "a task that is done");
    stage.arki(&["verify"]);
}

#[test]
fn what_a_sub_agent_asks_is_decided_in_its_own_session_too_and_after_a_restart() {
    let stage = stage();
    let window = stage.open();
    window.ask("Have it made");
    window.element("button", "Approve");
    stage.close(window);

    let window = stage.open();
    window.element("heading", "The sub-agent maker asks");
    window.click("Open sub-agent's session");
    window.element("button", "Open parent session");
    window.click("Approve");
    window.says("It is made.");
    window.click("Open parent session");
    window.says(DONE);
    let listed = stage.arki(&["sessions", "list"]).stdout;
    assert!(listed.contains("└ maker: "), "{listed}");
    wait_until("the end of both", || stage.arki(&["sessions", "list"]).stdout.matches("  done ").count() == 2);
    stage.arki(&["verify"]);
}
