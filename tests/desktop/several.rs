//! Several sessions at once: found again in the list, marked, told of by the desktop; and the ways out of the window.

use crate::accessibility::no_barrier;
use crate::harness::{CONTROL, ENTER, Notifications, Stage, Window, wait_until};
use crate::scenes::{DONE, edit_and_say, sixty_lines};
use arki_testkit::{Script, Turn, json_lines};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

fn palette(window: &Window<'_>, words: &str) {
    window.press(&[CONTROL, "k"]);
    window.element("dialog", "Command palette");
    window.write(words);
    window.press(&[ENTER]);
    window.gone("dialog", "Command palette");
}

fn listed(stage: &Stage, archived: bool) -> Vec<Value> {
    let arguments: &[&str] = if archived { &["--archived"] } else { &[] };
    json_lines(&stage.arki(&[&["sessions", "list", "--json"], arguments].concat()).stdout).unwrap()
}

#[test]
fn sessions_are_pinned_archived_and_filtered_and_stay_so() {
    let answer = Turn::computed(|request| match request.to_string().contains("two lines") {
        true => Turn::calls().call("write_file", json!({"path": "new.txt", "content": "one\ntwo\nthree\n"})),
        false => Turn::text("Noted."),
    });
    let stage = Stage::trusted(Script::new(vec![answer, Turn::text(DONE)]));
    for title in ["First words", "Second words", "Third words", "Fourth words"] {
        stage.arki(&["exec", title]);
    }
    stage.arki(&["exec", "--approve", "edits", "Write two lines"]);
    let window = stage.open();
    window.says("Write two lines");
    palette(&window, "filter sessions");
    let filter = window.element("searchbox", "Filter sessions");
    filter.gets_focus();
    window.write("third");
    window.gone("button", "First words");
    window.click("Third words");
    window.element("heading", "Third words");
    palette(&window, "pin this session");
    window.element("region", "Pinned");
    window.click("Session menu");
    window.element("menuitem", "Archive").click();
    window.says("No session fits");
    window.click("Sessions shown: All but archived");
    window.element("menuitemradio", "Archived").click();
    window.element("button", "Third words");
    window.pictures("archived-sessions");
    no_barrier(&window, "the archived sessions");
    stage.close(window);

    let archived = listed(&stage, true);
    assert_eq!(
        (archived.len(), &archived[0]["title"], &archived[0]["pinned"]),
        (1, &json!("Third words"), &json!(true))
    );
    assert_eq!(listed(&stage, false).len(), 4);
    stage.arki(&["sessions", "unarchive", archived[0]["sessionId"].as_str().unwrap()]);
    let window = stage.open();
    let pinned = window.element("region", "Pinned");
    assert!(pinned.text().contains("Third words"), "{}", pinned.text());
    window.pictures("sessions");
    no_barrier(&window, "the sessions");
}

#[test]
fn the_desktop_tells_of_a_run_that_waits_and_a_click_leads_there() {
    let stage = Stage::trusted(edit_and_say());
    let desktop = Notifications::serve(&stage.home.env["DBUS_SESSION_BUS_ADDRESS"]);
    let window = stage.open();
    // Whoever looks at the window needs no notification.
    window.ask("Look");
    window.element("region", "src/app.txt");
    window.click("Reject all");
    window.says(DONE);
    window.click("New session");
    window.element("textbox", "Message").write("Change two lines & <b>more</b>");
    window.lose_focus();
    window.run("[...document.querySelectorAll('button')].find((one) => one.ariaLabel === 'Send').click()");
    let told = desktop.wait_for("Change two lines & <b>more</b>");
    assert_eq!(desktop.all().len(), 1, "{:?}", desktop.all());
    assert!(told.body.contains("edit_file"), "{told:?}");
    window.run("[...document.querySelectorAll('button')].find((one) => one.ariaLabel === 'New session').click()");
    window.says("To a new session in project");
    desktop.click(&told);
    window.element("heading", "Change two lines & <b>more</b>");

    // Switched off in the settings, nothing more is shown.
    stage.arki(&["config", "set", "window.notifications", "false"]);
    window.lose_focus();
    window.run("[...document.querySelectorAll('button')].find((one) => one.textContent === 'Accept all').click()");
    window.says(DONE);
    assert_eq!(desktop.all().len(), 1, "{:?}", desktop.all());
}

#[test]
fn the_status_bar_tells_of_the_repository_and_leads_to_editor_and_terminal() {
    let bin = tempfile::tempdir().unwrap();
    let program = |name: &str| {
        let path = bin.path().join(name);
        let said = bin.path().join(format!("{name}.said"));
        std::fs::write(&path, format!("#!/bin/sh\necho \"$(pwd) $*\" > {}\n", said.display())).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        said
    };
    let (editor, terminal) = (program("code"), program("xdg-terminal-exec"));
    let path = format!("{}:{}", bin.path().display(), std::env::var("PATH").unwrap());
    let stage = Stage::furnished(edit_and_say(), |_| Value::Null, &[("PATH", path)]);
    stage.write("src/app.txt", &sixty_lines());
    let project = stage.home.project_dir().canonicalize().unwrap();
    git(&project, &["init", "-q", "-b", "trunk"]);
    git(&project, &["add", "."]);
    git(&project, &["-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-qm", "First"]);
    stage.write("notes.txt", "new\n");
    stage.trust();
    let window = stage.open();
    window.says("trunk");
    window.says("changed");
    let said = |file: &Path| std::fs::read_to_string(file).unwrap_or_default().trim().to_owned();
    window.button_saying("trunk").click();
    window.pictures("folder-menu");
    no_barrier(&window, "the folder's menu");
    window.element("menuitem", "Open in editor").click();
    wait_until("the editor", || said(&editor) == format!("{0} {0}", project.display()));
    palette(&window, "terminal here");
    wait_until("the terminal", || said(&terminal) == project.display().to_string());

    window.ask("Change two lines");
    window.click("Accept all");
    window.says(DONE);
    window.element("button", "Open src/app.txt").click();
    window.element("menuitem", "Open in editor").click();
    wait_until("the file in the editor", || said(&editor).ends_with("src/app.txt"));
}

fn git(folder: &Path, arguments: &[&str]) {
    let done = Command::new("git").arg("-C").arg(folder).args(arguments).output().unwrap();
    assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
}
