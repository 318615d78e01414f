//! What the model sees of a session: part by part, made shorter, and what is typed behind a slash.

use crate::accessibility::no_barrier;
use crate::harness::{CONTROL, ENTER, ESCAPE, Stage, TAB, Window, wait_until};
use crate::scenes::DONE;
use arki_testkit::{Script, Turn};

const RULE: &str = "Be brief, says the rule.";
const SUMMARY: &str = "Two widgets were found, both in the parser.";

fn long(about: &str) -> Turn {
    let facts: String = (1..250).map(|number| format!("Fact {number} of {about} weighs {}. ", number * 7919)).collect();
    Turn::text(format!("{facts}That is all of {about}."))
}

/// Trusted, with a rule and a command of the project's own.
fn stage(script: Script) -> Stage {
    let stage = Stage::new(script);
    stage.write("AGENTS.md", &format!("{RULE}\n"));
    stage.write(".arki/commands/greet.md", "---\ndescription: Greets somebody\n---\nSay hello to $1.\n");
    stage.trust();
    stage
}

fn ask(window: &Window<'_>, about: &str) {
    window.ask(&format!("Tell me about {about}"));
    window.says(&format!("That is all of {about}."));
    window.gone("button", "Stop");
}

#[test]
fn a_part_is_switched_off_and_a_compaction_is_seen_and_gone_back_on() {
    let turns = vec![long("apples"), long("pears"), long("plums"), Turn::text(SUMMARY), Turn::text(DONE)];
    let stage = stage(Script::new(turns).sequential());
    let window = stage.open();
    ask(&window, "apples");
    ask(&window, "pears");
    window.press(&[CONTROL, "4"]);
    window.element("list", "Parts of the next request");
    window.pictures("context");
    no_barrier(&window, "the context");
    assert!(stage.request(2).contains(RULE));
    window.element("switch", "Send AGENTS.md").click();
    window.says("off");
    ask(&window, "plums");
    assert!(!stage.request(3).contains(RULE), "the rule was sent though it is off");

    window.click("Compact now…");
    let dialog = window.element("dialog", "Compact this conversation");
    dialog.inside("textbox", "Keep above all (optional)").write("the pears");
    window.pictures("compact");
    no_barrier(&window, "the question what to keep");
    dialog.inside("button", "Compact").click();
    window.gone("dialog", "Compact this conversation");
    assert!(stage.request(4).contains("kept above all: the pears"));
    let compactions = window.element("list", "Compactions so far");
    wait_until("the sizes", || compactions.text().contains("Older messages summarized"));
    let divider = window.button_saying("Older messages were summarized:");
    divider.click();
    let summary = window.element("region", "Summary for the model");
    assert!(summary.text().contains(SUMMARY), "{}", summary.text());
    let left_out = window.element("list", "Left out for the model");
    assert!(left_out.text().contains("Tell me about apples"), "{}", left_out.text());
    window.pictures("compacted");
    no_barrier(&window, "a compaction");
    window.resize(1024, 768);
    window.pictures("compacted-1024");

    window.click("Go back to before");
    let dialog = window.element("dialog", "Go back to before the compaction");
    dialog.inside("button", "Rewind").click();
    window.gone("dialog", "Go back to before the compaction");
    window.gone("list", "Compactions so far");
    window.ask("Go on");
    window.says(DONE);
    let last = stage.request(5);
    assert!(!last.contains(SUMMARY) && last.contains("Fact 249 of apples"), "the model sees the summary still");
    stage.arki(&["verify"]);
}

#[test]
fn commands_are_chosen_by_keys_and_carried_out() {
    let stage = stage(Script::new(vec![Turn::text(DONE)]));
    let window = stage.open();
    let box_of = |role: &str| window.element(role, "Message");
    wait_until("the focus", || {
        window.press(&[CONTROL, "l"]);
        box_of("textbox").is_focused()
    });
    window.write("/");
    let list = window.element("listbox", "Commands");
    assert!(list.text().contains("Greets somebody"), "{}", list.text());
    let message = box_of("combobox");
    window.pictures("commands");
    no_barrier(&window, "the list of commands");
    window.press(&[ESCAPE]);
    window.gone("listbox", "Commands");
    message.ask("arguments[0].select()");
    window.write("/contex");
    wait_until("the command alone", || {
        let options = window.elements("option", None);
        options.len() == 1 && options[0].text().contains("/context")
    });
    window.press(&[ENTER]);
    window.element("list", "Parts of the next request");
    wait_until("an empty box", || box_of("textbox").ask("return arguments[0].value") == "");
    assert!(stage.model.requests().is_empty(), "the model was asked");

    window.write("Look at @agen");
    wait_until("the file", || {
        let options = window.elements("option", None);
        !options.is_empty() && options[0].text().contains("AGENTS.md")
    });
    window.pictures("mentions");
    no_barrier(&window, "the list of mentions");
    window.press(&[TAB]);
    wait_until("the mention", || box_of("textbox").ask("return arguments[0].value") == "Look at @AGENTS.md ");
    let chips = window.element("list", "Mentioned");
    assert!(chips.text().contains("AGENTS.md") && chips.text().contains("tok"), "{}", chips.text());
    window.pictures("mentioned");
    box_of("textbox").ask("arguments[0].select()");
    window.write("/gre");
    window.element("listbox", "Commands");
    window.press(&[TAB]);
    wait_until("the command", || box_of("textbox").ask("return arguments[0].value") == "/greet ");
    window.write("Ada");
    window.press(&[ENTER]);
    window.says(DONE);
    assert!(stage.request(1).contains("Say hello to Ada."));
}

#[test]
fn what_a_model_proposes_to_remember_is_reviewed_in_the_window() {
    let stage = stage(Script::new(vec![Turn::text(DONE)]));
    let window = stage.open();
    window.click("Memory");
    window.element("region", "Memory").inside("button", "Open settings").click();
    let settings = window.element("dialog", "Settings");
    let reflection = settings.inside("switch", "Reflection");
    assert_eq!(reflection.ask("return arguments[0].checked"), false);
    reflection.click();
    wait_until("the configuration", || {
        std::fs::read_to_string(stage.home.config_dir().join("config.json")).unwrap().contains("reflect")
    });
    window.pictures("reflection");
    no_barrier(&window, "the settings of memory");
    settings.inside("button", "Review memory…").click();
    window.element("region", "Memory");
    no_barrier(&window, "memory");
}
