//! A run ends on what it came to: seen as one change, asked about, committed.

use crate::accessibility::no_barrier;
use crate::harness::{Stage, wait_until};
use crate::scenes::{DONE, sixty_lines};
use arki_testkit::{Script, Turn};
use serde_json::json;
use std::process::Command;

fn git(stage: &Stage, arguments: &[&str]) -> String {
    let mut git = Command::new("git");
    git.args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]).args(arguments);
    let done = git.current_dir(stage.home.project_dir()).env("GIT_CONFIG_GLOBAL", "/dev/null").output().unwrap();
    assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

#[test]
fn a_session_that_is_done_is_committed_from_its_result() {
    let edit = |old: &str, new: &str| json!({"path": "src/app.txt", "edits": [{"old_text": old, "new_text": new}]});
    let turns = vec![
        Turn::calls().call("edit_file", edit("line 5\n", "LINE FIVE\n")),
        Turn::calls().call("edit_file", edit("LINE FIVE\n", "FIVE\n")),
        Turn::text(DONE),
    ];
    let stage = Stage::trusted(Script::new(turns));
    stage.write("src/app.txt", &sixty_lines());
    git(&stage, &["init", "-q", "-b", "main"]);
    git(&stage, &["config", "user.name", "Ada"]);
    git(&stage, &["config", "user.email", "ada@example.org"]);
    git(&stage, &["add", "src"]);
    git(&stage, &["commit", "-qm", "First"]);
    stage.write("src/app.txt", &sixty_lines().replace("line 40\n", "mine\n"));
    stage.arki(&["exec", "--approve", "edits", "Rename the fifth line"]);
    let window = stage.open();
    let sessions = window.element("navigation", "Sessions");
    sessions.inside("button", "Rename the fifth line").click();
    window.says(DONE);
    wait_until("what it came to", || window.text().contains("1 file, +1 −1"));
    window.click("Show result");
    window.click("Show changes of src/app.txt");
    let net = window.element("region", "src/app.txt");
    wait_until("the change as one", || net.text().contains("FIVE") && !net.text().contains("LINE FIVE"));
    window.pictures("result");
    no_barrier(&window, "a result");
    net.inside("button", "Ask for a change").click();
    let asked = "return document.querySelector('textarea').value";
    wait_until("the place in the message box", || {
        window.run(asked).as_str().is_some_and(|text| text.starts_with("`src/app.txt:5`\n> FIVE\n"))
    });
    window.click("Commit…");
    let dialog = window.element("dialog", "Commit changes");
    wait_until("the files", || dialog.text().contains("1 file on main"));
    window.pictures("result-commit");
    no_barrier(&window, "a commit");
    dialog.inside("button", "Commit").click();
    window.gone("dialog", "Commit changes");
    wait_until("that it is committed", || window.text().contains("Committed 1 file as"));
    assert_eq!(git(&stage, &["log", "--format=%s"]), "Rename the fifth line\nFirst\n");
    assert_eq!(git(&stage, &["show", "HEAD:src/app.txt"]), sixty_lines().replace("line 5\n", "FIVE\n"));
    assert!(stage.read("src/app.txt").contains("mine\n"));
}
