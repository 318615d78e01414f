//! Links of an answer: where one leads is seen before it is opened.

use crate::accessibility::no_barrier;
use crate::harness::{CONTROL, ENTER, ESCAPE, Stage, TAB, wait_until};
use crate::keyboard::shows_focus;
use arki_testkit::{Script, Turn};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt as _;

const ANSWER: &str = "Read [the manual](https://example.org/manual?page=2), or log in at \
                      [https://bank.example/login](https://bank.example@xn--pple-43d.example/).";

#[test]
fn a_link_shows_its_true_address_is_copied_and_opens_only_when_one_says_so() {
    let bin = tempfile::tempdir().unwrap();
    let opened = bin.path().join("opened");
    let browser = bin.path().join("xdg-open");
    std::fs::write(&browser, format!("#!/bin/sh\necho \"$1\" >> {}\n", opened.display())).unwrap();
    std::fs::set_permissions(&browser, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", bin.path().display(), std::env::var("PATH").unwrap());
    let script = Script::new(vec![Turn::text(ANSWER)]);
    let stage = Stage::furnished(script, |_| Value::Null, &[("PATH", path)]);
    stage.trust();
    let window = stage.open();
    window.ask("Where is it written?");
    window.says("the manual");

    // By keys alone.
    let link = window.element("link", "the manual");
    window.element("log", "Transcript").ask("arguments[0].focus()");
    wait_until("the focus on the link", || {
        if !link.is_focused() {
            window.press(&[TAB]);
        }
        link.is_focused()
    });
    window.press(&[ENTER]);
    window.says("https://example.org/manual?page=2");
    let open = window.element("button", "Open in browser");
    open.gets_focus();
    assert!(shows_focus(&window), "the focus cannot be seen");
    window.pictures("link");
    no_barrier(&window, "a link");
    window.press(&[ESCAPE]);
    window.gone("dialog", "Open this link?");
    link.gets_focus();
    assert!(!opened.exists(), "it was opened by itself");

    // While the style of another part is on its way, WebKit says of what is new that it isn't visible.
    link.ask(
        "const style = document.createElement('link');
         style.rel = 'stylesheet';
         style.href = document.querySelector('link[rel=stylesheet]').href + '?again';
         document.head.append(style);
         arguments[0].click()",
    );
    window.element("button", "Open in browser").gets_focus();
    window.press(&[ESCAPE]);
    window.gone("dialog", "Open this link?");

    link.click();
    window.click("Copy address");
    window.says("The address is copied.");
    window.press(&[ESCAPE]);
    window.gone("dialog", "Open this link?");
    let message = window.element("textbox", "Message");
    message.click();
    window.press(&[CONTROL, "v"]);
    wait_until("the address in the message box", || {
        message.ask("return arguments[0].value") == "https://example.org/manual?page=2"
    });

    window.element("link", "https://bank.example/login").click();
    window.says("The link says bank.example, but leads to xn--pple-43d.example.");
    window.says("letters beyond a to z");
    window.says("bank.example is a user name here");
    window.pictures("link-that-deceives");
    no_barrier(&window, "a link that deceives");
    window.click("Open in browser");
    window.gone("dialog", "Open this link?");
    let said = || std::fs::read_to_string(&opened).unwrap_or_default();
    wait_until("the browser", || said() == "https://bank.example@xn--pple-43d.example/\n");
}
