//! The views once in German, whose words are longer. Its names are not those of the other tests: keys lead everywhere.

use super::work::{COMMAND, FAILED, FEW, LONG, MANY, PLAN, opens, stage, tab};
use super::{Look, Way, as_it_is};
use crate::harness::{CONTROL, ESCAPE, SHIFT, Window, wait_until};
use serde_json::json;

/// As the settings keep it; what is drawn then is German from the start.
const SPEAK_GERMAN: &str = "localStorage.setItem('arki.language', 'de'); location.reload();";
const TABS: usize = 10;

fn shows(window: &Window<'_>, what: &str) {
    let script = "return document.querySelector(arguments[0]) !== null";
    wait_until(what, || window.run_with(script, &[json!(what)]) == true);
}

fn settings(look: &Look<'_>) {
    let window = &look.window;
    window.press(&[CONTROL, ","]);
    shows(window, ".settings [role=tab]");
    for number in 0..TABS {
        window.run_with("document.querySelectorAll('.settings [role=tab]')[arguments[0]].click()", &[json!(number)]);
        look.takes(&format!("german-settings-{number}"), as_it_is);
    }
    window.press(&[ESCAPE]);
    wait_until("the settings to go", || window.run("return document.querySelector('.settings') === null") == true);
}

pub(super) fn look(way: Way) {
    let stage = stage();
    // The contrast is chosen by English names.
    let look = Look::at(stage.open(), way);
    let window = &look.window;
    window.run(SPEAK_GERMAN);
    wait_until("German", || window.run("return document.documentElement.lang") == "de");
    shows(window, "main h2");
    shows(window, "nav button.session");
    for (session, number, view) in [
        (FEW, "1", "review-few"),
        (MANY, "1", "review-many"),
        (COMMAND, "1", "command"),
        (PLAN, "3", "plan-approval"),
        (FAILED, "2", "failed"),
        (LONG, "4", "context"),
    ] {
        opens(window, session);
        look.takes(&format!("german-{view}"), tab(number));
    }
    window.press(&[CONTROL, SHIFT, "j"]);
    shows(window, ".inbox-row");
    look.takes("german-inbox", as_it_is);
    window.press(&[ESCAPE]);
    window.press(&[CONTROL, "k"]);
    shows(window, "[cmdk-list]");
    look.takes("german-palette", as_it_is);
    window.press(&[ESCAPE]);
    settings(&look);
    look.all_fits();
}
