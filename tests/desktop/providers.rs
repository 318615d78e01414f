//! A provider in the window: added, tested until it works, and gone on with in the middle of a session.

use crate::harness::{CONTROL, ENTER, ESCAPE, Element, Stage, Window, wait_for};
use arki_testkit::{Script, ScriptedServer, Turn};

fn button<'a>(settings: &Element<'a>, name: &str, provider: &str) -> Element<'a> {
    let about = "return document.getElementById(arguments[0].getAttribute('aria-describedby'))?.innerText ?? ''";
    wait_for(&format!("{name:?} of {provider}"), || {
        let buttons = settings.all_inside("button", name);
        buttons.into_iter().find(|button| button.ask(about).as_str().is_some_and(|text| text.starts_with(provider)))
    })
}

/// What the last step of a test that has ended says.
fn last_step(window: &Window<'_>, words: &str) -> String {
    wait_for(&format!("a step that says {words:?}"), || {
        let test = window.elements("region", Some("Test of lab")).into_iter().next()?;
        let ended = test.ask("return arguments[0].getAttribute('aria-busy')") == "false";
        let last = test.ask("return arguments[0].querySelector('li:last-child')?.innerText ?? ''").as_str()?.to_owned();
        (ended && last.contains(words)).then_some(last)
    })
}

#[test]
fn a_provider_is_tested_until_it_works_and_a_session_goes_on_with_its_model() {
    let lab = ScriptedServer::start(vec![Turn::text("From the lab.")]).unwrap();
    let gone = ScriptedServer::start(Vec::new()).unwrap().url();
    let stage = Stage::trusted(Script::new(vec![Turn::text("From the mock.")]));
    let window = stage.open();
    window.ask("First question");
    window.says("From the mock.");

    window.click("Settings");
    let settings = window.element("dialog", "Settings");
    settings.inside("button", "Add provider").click();
    settings.inside("textbox", "Name").write("lab");
    settings.inside("textbox", "Base URL").write(&gone);
    window.pictures("provider-new");
    settings.inside("button", "Save provider").click();
    button(&settings, "Test connection", "lab").click();
    let failed = last_step(&window, "Can't reach lab");
    assert!(failed.contains("Server") && failed.contains("PROVIDER_UNREACHABLE"), "{failed}");
    window.pictures("provider-test-failed");

    button(&settings, "Edit", "lab").click();
    settings.inside("textbox", "Base URL").click();
    window.press(&[CONTROL, "a"]);
    settings.inside("textbox", "Base URL").write(&lab.url());
    settings.inside("button", "Save provider").click();
    window.says(&lab.url());
    button(&settings, "Test connection", "lab").click();
    last_step(&window, "Models");
    settings.inside("textbox", "Model of lab to ask").write("mock");
    settings.inside("button", "Test again").click();
    last_step(&window, "From the lab.");
    window.pictures("provider-test");
    window.press(&[ESCAPE]);
    window.gone("dialog", "Settings");

    window.element("combobox", "Model: mock/mock").click();
    window.element("combobox", "Search models").write("lab/");
    window.says("lab/mock");
    window.pictures("model-menu");
    window.press(&[ENTER]);
    window.element("combobox", "Model: lab/mock");
    window.ask("Second question");
    window.says("From the lab.");
    window.pictures("model-changed");
    let sent = String::from_utf8_lossy(&lab.requests().pop().unwrap().body).into_owned();
    for words in ["First question", "From the mock.", "Second question"] {
        assert!(sent.contains(words), "the session does not go on: {sent}");
    }
    let requests: Vec<_> = stage.events().into_iter().filter(|event| event["type"] == "engine.request").collect();
    let providers: Vec<_> = requests.iter().map(|event| event["payload"]["provider"].clone()).collect();
    assert_eq!(providers, ["mock", "lab"]);
}
