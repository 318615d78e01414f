//! An MCP server in the window: added, tested until it works, used by a run, switched off.

use crate::accessibility::no_barrier;
use crate::harness::{ENTER, ESCAPE, Element, Stage, Window, wait_for, wait_until};
use arki_testkit::{Script, Turn};
use serde_json::json;
use std::path::Path;

fn button<'a>(settings: &Element<'a>, name: &str) -> Element<'a> {
    let about = "return document.getElementById(arguments[0].getAttribute('aria-describedby'))?.innerText ?? ''";
    wait_for(&format!("{name:?} of echo"), || {
        let buttons = settings.all_inside("button", name);
        buttons.into_iter().find(|button| button.ask(about).as_str().is_some_and(|text| text.starts_with("echo")))
    })
}

/// What the last step of a test that has ended says.
fn last_step(window: &Window<'_>, words: &str) -> String {
    wait_for(&format!("a step that says {words:?}"), || {
        let test = window.elements("region", Some("Test of echo")).into_iter().next()?;
        let ended = test.ask("return arguments[0].getAttribute('aria-busy')") == "false";
        let last = test.ask("return arguments[0].innerText").as_str()?.to_owned();
        (ended && last.contains(words)).then_some(last)
    })
}

/// A line break is a key of its own.
fn write_lines(window: &Window<'_>, settings: &Element<'_>, lines: &[&str]) {
    settings.inside("textbox", "Arguments").write(lines[0]);
    for line in &lines[1..] {
        window.press(&[ENTER]);
        window.write(line);
    }
}

#[test]
fn a_server_is_added_tested_used_and_switched_off() {
    let call = Turn::calls().call("mcp__echo__echo", json!({ "text": "from the server" }));
    let stage = Stage::trusted(Script::new(vec![call, Turn::text("It answered.")]).sequential());
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("acceptance/mcp_server.py");
    let window = stage.open();

    window.click("Settings");
    let settings = window.element("dialog", "Settings");
    settings.inside("tab", "MCP servers").click();
    settings.inside("button", "Add MCP server").click();
    settings.inside("textbox", "Name").write("echo");
    settings.inside("textbox", "Command").write("no-such-program");
    write_lines(&window, &settings, &[&program.to_string_lossy(), "ends"]);
    window.pictures("mcp-new");
    no_barrier(&window, "the form of a server");
    settings.inside("button", "Save server").click();
    button(&settings, "Test").click();
    let failed = last_step(&window, "is the program installed?");
    assert!(failed.contains("MCP_SERVER_FAILED"), "{failed}");
    assert!(!failed.contains('✓'), "no step of a program that is not there went well: {failed}");
    window.pictures("mcp-test-failed");

    for (command, arguments, words) in [("python3", "ends", "a library is missing"), ("python3", "good", "2 tools")] {
        button(&settings, "Remove").click();
        // What is below moves up when it goes.
        wait_until("the server's end", || !settings.text().contains("echo"));
        settings.inside("button", "Add MCP server").click();
        settings.inside("textbox", "Name").write("echo");
        settings.inside("textbox", "Command").write(command);
        write_lines(&window, &settings, &[&program.to_string_lossy(), arguments]);
        settings.inside("button", "Save server").click();
        button(&settings, "Test").click();
        last_step(&window, words);
    }
    window.pictures("mcp-test");
    no_barrier(&window, "a server that was tested");
    // The dialog's own comes first.
    settings.all_inside("button", "Close").last().unwrap().click();
    window.press(&[ESCAPE]);
    window.gone("dialog", "Settings");

    window.ask("Use the server");
    window.click("Approve");
    window.says("It answered.");
    window.element("tab", "Processes").click();
    wait_until("the server's program", || {
        let listed = window.element("tabpanel", "Processes").text();
        listed.contains("MCP server echo") && listed.contains("MiB")
    });
    window.pictures("mcp-process");

    window.click("Settings");
    let settings = window.element("dialog", "Settings");
    settings.inside("tab", "MCP servers").click();
    window.says("✓ running");
    window.pictures("mcp-servers");
    button(&settings, "Switch off").click();
    window.says("– off");
    no_barrier(&window, "a server that is off");
}
