//! The window in a browser: the main job in Chromium, and on a phone's width; who isn't signed in sees nothing.

use crate::accessibility::no_barrier;
use crate::harness::{Browser, CONTROL, ENTER, ESCAPE, Stage, wait_until};
use crate::scenes::{DONE, edit_and_say, sixty_lines};
use serde_json::json;

const DESKTOP: (u32, u32) = (1440, 900);
const PHONE: (u32, u32) = (390, 844);

#[test]
fn the_main_job_is_done_in_a_browser() {
    let stage = Stage::new(edit_and_say());
    stage.write("src/app.txt", &sixty_lines());
    let browser = Browser::of(&stage, &[]);
    let window = browser.open(&browser.link, DESKTOP);
    window.click("Open folder");
    let dialog = window.element("dialog", "Open a folder");
    dialog.inside("textbox", "Path").write(&stage.home.project_dir().display().to_string());
    window.shots("browser-folder");
    dialog.inside("button", "Open").click();
    window.element("dialog", "Trust this folder?").inside("button", "Trust folder").click();
    window.gone("dialog", "Trust this folder?");
    assert!(!window.run("return location.href").as_str().unwrap().contains("code"));
    no_barrier(&window, "the first view in a browser");

    window.ask("Change two lines");
    window.element("region", "src/app.txt");
    window.shots("browser-review");
    no_barrier(&window, "a review in a browser");
    assert_eq!(stage.read("src/app.txt"), sixty_lines());
    window.click("Accept all");
    window.says(DONE);
    assert_ne!(stage.read("src/app.txt"), sixty_lines());
    // What a page can't do isn't offered.
    window.click("Session menu");
    let offered: Vec<String> = window.elements("menuitem", None).iter().map(|item| item.text()).collect();
    assert!(offered.iter().any(|item| item.starts_with("Export as Markdown")), "{offered:?}");
    assert!(!offered.iter().any(|item| item.starts_with("Open in a new window")), "{offered:?}");

    window.run("location.reload()");
    window.element("navigation", "Sessions").inside("button", "Change two lines").click();
    window.says(DONE);
}

#[test]
fn a_link_signs_in_once_and_nobody_sees_anything_without_it() {
    let stage = Stage::trusted(edit_and_say());
    let browser = Browser::of(&stage, &[]);
    let window = browser.open(&browser.url, PHONE);
    window.element("main", "Sign in to Arki");
    window.shots("browser-sign-in");
    no_barrier(&window, "signing in");
    let status = |path: &str| {
        window.run_async(&format!("const done = arguments[0]; fetch('{path}').then(({{ status }}) => done(status))"))
    };
    assert_eq!(status("v1/sessions"), json!(401));
    window.element("textbox", "Token").write("wrong");
    window.click("Sign in");
    window.says("A token is needed.");
    window.go(&browser.link);
    window.run("location.reload()");
    window.element("main", "Conversation");
    assert_eq!(status("v1/sessions"), json!(200));
    assert_eq!(window.run("return document.cookie"), json!(""));
    let again = browser.open(&browser.link, DESKTOP);
    again.element("main", "Sign in to Arki");

    window.press(&[CONTROL, "k"]);
    window.element("dialog", "Command palette");
    window.write("Sign out");
    window.press(&[ENTER]);
    window.element("main", "Sign in to Arki");
    assert_eq!(status("v1/sessions"), json!(401));
}

#[test]
fn on_a_phone_one_sees_answers_approves_and_stops() {
    let stage = Stage::trusted(edit_and_say());
    let token = stage.arki(&["serve", "--pair", "decide"]).stdout.trim().to_owned();
    let browser = Browser::of(&stage, &[]);
    assert_eq!(stage.try_arki(&["exec", "Change two lines"]).code, Some(3));
    let window = browser.open(&browser.url, PHONE);
    window.element("textbox", "Token").write(&token);
    window.click("Sign in");
    window.element("main", "Conversation");
    window.shots("phone-first");
    no_barrier(&window, "a phone");
    window.click("Sessions");
    window.shots("phone-sessions");
    window.element("navigation", "Sessions").inside("button", "Change two lines").click();
    window.says("You can look on here");
    window.shots("phone-session");
    wait_until("the review", || window.has("button", "Accept all"));
    window.shots("phone-review");
    no_barrier(&window, "a review on a phone");
    assert_eq!(window.run("return document.documentElement.scrollWidth > innerWidth"), json!(false));
    window.click("Accept all");
    window.says(DONE);
    window.shots("phone-done");
    assert_ne!(stage.read("src/app.txt"), sixty_lines());
}

#[test]
fn below_a_path_and_from_elsewhere_it_works_without_what_stays_on_the_computer() {
    let stage = Stage::trusted(edit_and_say());
    let browser = Browser::of(&stage, &["--public-url", "http://localhost:9/tools/arki"]);
    let (_, code) = browser.link.split_once('#').unwrap();
    let window = browser.open(&format!("{}/tools/arki#{code}", browser.url), PHONE);
    window.click("Open folder");
    let dialog = window.element("dialog", "Open a folder");
    dialog.inside("textbox", "Path").write(&stage.home.project_dir().display().to_string());
    dialog.inside("button", "Open").click();
    window.element("textbox", "Message");
    window.shots("phone-new-session");
    window.click("Mode: Ask first");
    wait_until("the modes", || !window.elements("menuitemradio", None).is_empty());
    let modes: Vec<String> = window.elements("menuitemradio", None).iter().map(|item| item.text()).collect();
    assert!(modes.iter().any(|mode| mode.contains("Edit freely")), "{modes:?}");
    assert!(!modes.iter().any(|mode| mode.contains("Do everything")), "{modes:?}");
    window.press(&[ESCAPE]);
    window.ask("Change two lines");
    window.element("button", "Accept all").click();
    window.says(DONE);
    assert_ne!(stage.read("src/app.txt"), sixty_lines());
    assert!(!window.has("button", "Settings"));
}

#[test]
fn when_the_server_ends_the_page_says_so_and_keeps_what_was_written() {
    let stage = Stage::trusted(edit_and_say());
    let browser = Browser::of(&stage, &[]);
    let window = browser.open(&browser.link, DESKTOP);
    window.click("Open folder");
    let dialog = window.element("dialog", "Open a folder");
    dialog.inside("textbox", "Path").write(&stage.home.project_dir().display().to_string());
    dialog.inside("button", "Open").click();
    window.element("textbox", "Message");
    browser.end_server();
    // Unasked.
    window.says("What you see may be out of date.");
    window.ask("Change two lines");
    window.says("Arki can't be reached.");
    window.shots("browser-without-server");
    let kept = window.element("textbox", "Message").ask("return arguments[0].value");
    assert_eq!(kept, json!("Change two lines"));
    browser.begin_server_again();
    wait_until("the page to find it", || !window.text().contains("What you see may be out of date."));
}
