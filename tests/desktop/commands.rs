//! A command waits until its exact words have been seen and approved.

use crate::harness::{Stage, wait_for, wait_until};
use crate::scenes::{DONE, run_and_say};
use arki_testkit::{Script, Turn};
use serde_json::json;

#[test]
fn an_approved_command_runs_and_its_output_appears_while_it_does() {
    // Goes on when the test says so.
    const COMMAND: &str = "echo begun; while [ ! -e go ]; do sleep 0.05; done; echo ended | tee out.txt";
    let stage = Stage::asking(run_and_say(COMMAND));
    let window = stage.open();
    window.ask("Run it");
    window.element("button", "Approve");
    let directory = stage.home.project_dir().display().to_string();
    let asked = window.element("tabpanel", "Changes").text();
    for shown in [COMMAND, &directory] {
        assert!(asked.contains(shown), "{shown} is missing in {asked}");
    }
    assert!(!stage.home.project_dir().join("out.txt").exists(), "it ran before it was approved");
    window.pictures("command");

    window.click("Approve");
    wait_until("the output so far", || window.transcript().contains("begun"));
    assert!(window.has("button", "Stop"));
    window.picture("command-running-light");
    stage.write("go", "");
    window.says(DONE);
    assert_eq!(stage.read("out.txt"), "ended\n");
    let told = stage.request(2);
    assert!(told.contains("begun") && told.contains("ended"), "{told}");
}

#[test]
fn output_is_shown_in_its_colours_and_without_control_sequences() {
    const COMMAND: &str =
        r"printf '\033[31mred\033[0m and \033]0;title\007plain\n'; while [ ! -e go ]; do sleep 0.05; done";
    let call = Turn::calls().call("run_command", json!({"command": COMMAND, "terminal": true}));
    let stage = Stage::asking(Script::new(vec![call, Turn::text(DONE)]));
    let window = stage.open();
    window.ask("Run it");
    window.click("Approve");
    // Once while it runs, and once of what is stored.
    let red = || window.run("return [...document.querySelectorAll('.ansi-1')].map(it => it.textContent).join()");
    wait_until("the colour of what is printed now", || red() == json!("red"));
    assert!(window.transcript().contains("red and plain"), "{}", window.transcript());
    stage.write("go", "");
    window.says(DONE);
    wait_until("the colour of the result", || red() == json!("red"));
    let said = window.transcript();
    assert!(said.contains("red and plain") && !said.contains('\u{1b}') && !said.contains("U+001B"), "{said}");
    let ink = "const shown = name => getComputedStyle(document.querySelector(name)).color; \
               return shown('.ansi-1') !== shown('.tool-preview')";
    assert_eq!(window.run(ink), json!(true));
    assert!(stage.request(2).contains("exit code 0\\nred and plain"), "{}", stage.request(2));
}

#[test]
fn a_command_is_explained_part_by_part_and_when_rejected_does_not_run_and_the_note_reaches_the_model() {
    const WHY: &str = "Why was this asked?";
    let stage = Stage::asking(run_and_say("ls && touch made.txt"));
    let window = stage.open();
    window.ask("Make a file");
    window.click(WHY);
    wait_until("the trace", || window.has("list", "Parts of the command"));
    let parts = window.element("list", "Parts of the command").text();
    assert!(parts.contains("only reads") && parts.contains("touch made.txt ? not known"), "{parts}");
    let why = window.element("group", WHY).text();
    assert!(why.contains("The default for this kind of call is to ask you."), "{why}");
    window.pictures("why-asked");
    window.element("textbox", "Note to the model").write("No files, please.");
    window.click("Reject");
    window.says(DONE);
    assert!(!stage.home.project_dir().join("made.txt").exists());
    let told = stage.request(2);
    assert!(told.contains("rejected") && told.contains("No files, please."), "{told}");
    assert!(window.button_saying("run_command").text().contains("rejected"));
}

#[test]
fn an_approval_that_nobody_answers_says_what_remains_and_is_rejected_in_the_end() {
    let stage = Stage::configured(
        run_and_say("touch made.txt"),
        |_| json!({"limits": {"approvalTimeoutSeconds": 8}, "policy": {"categories": {"exec": "approval"}}}),
    );
    stage.trust();
    let window = stage.open();
    window.ask("Make a file");
    window.element("button", "Approve");
    let changes = || window.element("tabpanel", "Changes").text();
    wait_until("what remains", || changes().contains("s left to answer. After that, this counts as rejected."));
    window.pictures("approval-in-time");
    window.says(DONE);
    wait_until("what became of it", || changes().contains("rejected: nobody answered in time"));
    window.pictures("approval-over");
    assert!(stage.request(2).contains("Nobody answered within 8 s."), "{}", stage.request(2));
    assert!(!stage.home.project_dir().join("made.txt").exists());
}

#[test]
fn a_running_command_is_listed_with_its_port_and_stopped_alone() {
    // Said into a file, so that the test knows which port it is.
    const SERVER: &str = "python3 -c \"import socket, time; s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen(); \
                          open('port', 'w').write(str(s.getsockname()[1]) + '.'); time.sleep(600)\"";
    // With the network, without which not every sandbox lets it listen.
    let start = Turn::calls().call("run_command", json!({"command": SERVER, "network": true}));
    let stage = Stage::asking(Script::new(vec![start, Turn::text(DONE)]));
    let window = stage.open();
    // The inspector is closed while it has nothing to show.
    window.click("Show inspector");
    window.element("tab", "Processes").click();
    wait_until("nothing runs", || window.element("tabpanel", "Processes").text().contains("Nothing is running."));
    window.ask("Start the server");
    window.element("tab", "Changes").click();
    window.click("Approve");
    window.element("tab", "Processes").click();
    let port = wait_for("its port", || {
        let said = std::fs::read_to_string(stage.home.project_dir().join("port")).ok()?;
        said.strip_suffix('.').map(str::to_owned)
    });
    let listed = || window.element("tabpanel", "Processes").text();
    // In a sandbox with a network it listens for itself alone; under Landlock alone it may not even do that.
    wait_until("the command and its port", || listed().contains("import socket") && listed().contains(&port));
    assert!(listed().contains("processes") && listed().contains("CPU time"), "{}", listed());
    window.pictures("processes");
    window.element("tabpanel", "Processes").inside("button", "Stop process").click();
    window.says(DONE);
    wait_until("nothing runs any more", || listed().contains("Nothing is running."));
    let told = stage.request(2);
    assert!(told.contains("stopped by the user"), "{told}");
}

#[cfg(target_os = "linux")]
#[test]
fn what_a_command_changed_is_reviewed_like_an_edit_and_lands_as_it_was_accepted() {
    const COMMAND: &str = "sed -i -e 's/^line 5$/LINE FIVE/' -e 's/^line 50$/LINE FIFTY/' src/app.txt && echo changed";
    let stage = Stage::trusted(run_and_say(COMMAND));
    let window = stage.open();
    window.ask("Change two lines");
    window.element("region", "src/app.txt");
    wait_until("what it printed", || window.transcript().contains("changed"));
    assert!(!stage.read("src/app.txt").contains("LINE FIVE"), "it landed before it was reviewed");
    window.pictures("command-effects");
    window.click("Accept all");
    window.says(DONE);
    let text = stage.read("src/app.txt");
    assert!(text.contains("LINE FIVE\n") && text.contains("LINE FIFTY\n"), "{text}");
    assert!(stage.request(2).contains("1 file changed: src/app.txt"), "{}", stage.request(2));
    stage.arki(&["verify"]);
}
