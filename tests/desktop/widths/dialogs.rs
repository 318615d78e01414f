//! The views over a session or in its place: menus, dialogs, places, and the settings tab by tab.

use super::work::{LONG, opens, stage};
use super::{Look, Way, as_it_is};
use crate::harness::{CONTROL, ENTER, ESCAPE, wait_until};

const TABS: [(&str, &str); 10] = [
    ("Models & providers", "settings-models"),
    ("Rules", "settings-rules"),
    ("Hooks, agents & skills", "settings-configured"),
    ("MCP servers", "settings-mcp"),
    ("Limits & storage", "settings-limits"),
    ("Memory", "settings-memory"),
    ("Appearance", "settings-appearance"),
    ("Desktop", "settings-desktop"),
    ("Shortcuts", "settings-shortcuts"),
    ("All settings", "settings-all"),
];

/// Scrolls to an element and tells if a click would meet it.
const IN_REACH: &str = "
    const [one] = arguments;
    one.scrollIntoView({ block: 'center' });
    const { x, y, width, height } = one.getBoundingClientRect();
    return one.contains(document.elementFromPoint(x + width / 2, y + height / 2));";

pub(super) fn look(way: Way) {
    let stage = stage();
    let look = Look::at(stage.open(), way);
    opens(&look.window, LONG);
    look.window.says("What I would change");
    over_a_session(&look);
    settings(&look);
    places(&look);
    pipelines(&look);
    look.runs("replay this session");
    look.window.element("slider", "Moment");
    look.takes("replay", as_it_is);
    look.all_fits();
}

fn over_a_session(look: &Look<'_>) {
    let window = &look.window;
    let over = |dialog: &str, view: &str| {
        window.element("dialog", dialog);
        look.takes(view, as_it_is);
        window.press(&[ESCAPE]);
        window.gone("dialog", dialog);
    };
    window.press(&[CONTROL, "k"]);
    window.element("dialog", "Command palette");
    look.takes("palette", as_it_is);
    window.write("plant");
    wait_until("what was found", || window.run("return document.querySelector('.palette-hit') !== null") == true);
    over("Command palette", "palette-hits");
    for (command, dialog, view) in [
        ("keyboard map", "Keyboard", "keyboard"),
        ("session settings", "Session settings", "session-settings"),
        ("compact now", "Compact this conversation", "compact"),
        ("delete this session", "Delete this session?", "delete"),
    ] {
        look.runs(command);
        over(dialog, view);
    }
    let messages = window.elements("button", Some("Rewind to here"));
    // Not below the line of the message that is being answered; a list that has just become smaller goes to its end.
    wait_until("the button of the first message", || messages[0].ask(IN_REACH) == true);
    messages[0].click();
    window.element("dialog", "Rewind to this message");
    over("Rewind to this message", "rewind");
    window.click("Session menu");
    look.takes("session-menu", as_it_is);
    window.menu_item("Tools…").click();
    over("Tools of this session", "tools");
}

fn places(look: &Look<'_>) {
    for (command, place, view) in
        [("usage", "Usage", "usage"), ("show memory", "Memory", "memory"), ("show inbox", "Inbox", "inbox")]
    {
        look.runs(command);
        look.window.element("region", place);
        look.takes(view, as_it_is);
        look.window.press(&[ESCAPE]);
        look.window.gone("region", place);
    }
}

fn settings(look: &Look<'_>) {
    let window = &look.window;
    window.press(&[CONTROL, ","]);
    let settings = window.element("dialog", "Settings");
    for (tab, view) in TABS {
        settings.inside("tab", tab).click();
        look.takes(view, as_it_is);
    }
    for (tab, button, view) in [
        ("Models & providers", "Add provider", "settings-provider-new"),
        ("Rules", "Add rule", "settings-rule-new"),
        ("MCP servers", "Add MCP server", "settings-mcp-new"),
    ] {
        settings.inside("tab", tab).click();
        settings.inside("button", button).click();
        look.takes(view, as_it_is);
    }
    window.press(&[ESCAPE]);
    window.press(&[ESCAPE]);
    window.gone("dialog", "Settings");
}

fn pipelines(look: &Look<'_>) {
    let window = &look.window;
    look.runs("pipelines");
    let place = window.element("region", "Pipelines");
    window.button_saying("greeting");
    look.takes("pipelines", as_it_is);
    window.button_saying("greeting").click();
    let form = window.element("form", "Parameters and input");
    look.takes("pipeline-form", as_it_is);
    form.inside("textbox", "who").write("Ada");
    window.press(&[ENTER]);
    window.says("Send the greeting?");
    look.takes("pipeline-run", as_it_is);
    place.inside("tab", "Schedules").click();
    look.takes("pipeline-schedules", as_it_is);
    window.press(&[ESCAPE]);
    window.gone("region", "Pipelines");
}
