//! The icon in the system's tray: what it says, what can be chosen in it, and what it keeps going.

use crate::harness::{ESCAPE, Host, Notifications, Stage, Tray, wait_until};
use crate::scenes::{DONE, edit_and_say, sixty_lines};
use serde_json::json;

fn stage_with_tray() -> Stage {
    let stage = Stage::configured(edit_and_say(), |_| json!({"window": {"tray": true}}));
    stage.write("src/app.txt", &sixty_lines());
    stage.trust();
    stage
}

fn tray_of(stage: &Stage, host: Host) -> Tray {
    Tray::serve(&stage.home.env["DBUS_SESSION_BUS_ADDRESS"], host)
}

#[test]
fn the_tray_says_what_waits_keeps_arki_without_a_window_and_leads_back() {
    let stage = stage_with_tray();
    let tray = tray_of(&stage, Host::Registered);
    let window = stage.open();
    tray.shows(&["Show Arki", "New session", "Inbox", "Quit"]);
    assert_eq!(tray.tooltip(), "Arki, ");
    assert!(tray.picture().0 >= 16);
    window.ask("Change two lines");
    tray.shows(&["Show Arki", "New session", "Inbox (1)", "Quit"]);
    assert_eq!(tray.tooltip(), "Arki, Pending decisions: 1");

    let app = stage.app();
    stage.close_windows();
    wait_until("the end of the window", || window.count() == 0);
    tray.choose("Inbox (1)");
    window.switch_to_new();
    window.element("region", "src/app.txt");
    window.click("Accept all");
    window.says(DONE);
    tray.shows(&["Show Arki", "New session", "Inbox", "Quit"]);

    // With a window, it is used.
    tray.choose("New session");
    window.says("To a new session in project");
    assert_eq!(window.count(), 1);
    stage.close_windows();
    wait_until("the end of the window", || window.count() == 0);
    tray.choose("Show Arki");
    window.switch_to_new();
    window.says("To a new session in project");
    assert_eq!(stage.app(), app, "another one was started");
    stage.close_windows();
    wait_until("the end of the window", || window.count() == 0);
    tray.choose("Quit");
    stage.app_ends();
}

#[test]
fn without_a_tray_that_shows_it_arki_ends_with_its_last_window() {
    for host in [None, Some(Host::Missing)] {
        let stage = stage_with_tray();
        let tray = host.map(|host| tray_of(&stage, host));
        let window = stage.open();
        wait_until("the icon", || tray.as_ref().is_none_or(|tray| !tray.is_empty()));
        window.says("To a new session in project");
        stage.close_windows();
        stage.app_ends();
    }
}

#[test]
fn the_icon_comes_and_goes_with_its_switch() {
    let stage = Stage::trusted(edit_and_say());
    let tray = tray_of(&stage, Host::Registered);
    let window = stage.open();
    window.click("Settings");
    window.element("tab", "Desktop").click();
    let switch = window.element("switch", "Icon in the tray");
    assert!(tray.is_empty());
    switch.click();
    tray.shows(&["Show Arki", "New session", "Inbox", "Quit"]);
    switch.click();
    wait_until("the end of the icon", || tray.is_gone());
    stage.close_windows();
    stage.app_ends();
}

#[test]
fn tray_and_notifications_speak_the_windows_language() {
    let stage = stage_with_tray();
    let desktop = Notifications::serve(&stage.home.env["DBUS_SESSION_BUS_ADDRESS"]);
    let tray = tray_of(&stage, Host::Registered);
    let window = stage.open();
    window.click("Settings");
    window.element("tab", "Appearance").click();
    window.element("radio", "Deutsch").click();
    window.element("dialog", "Einstellungen");
    tray.shows(&["Arki zeigen", "Neue Sitzung", "Eingang", "Beenden"]);
    window.press(&[ESCAPE]);
    window.gone("dialog", "Einstellungen");
    window.element("textbox", "Nachricht").write("Zwei Zeilen");
    window.lose_focus();
    window.run("[...document.querySelectorAll('button')].find((one) => one.ariaLabel === 'Senden').click()");
    let told = desktop.wait_for("Zwei Zeilen");
    assert!(told.body.starts_with("Arki braucht Ihre Erlaubnis für edit_file."), "{told:?}");
}
