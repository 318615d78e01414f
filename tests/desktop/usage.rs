//! The usage of all sessions, in figures and plots.

use crate::accessibility::no_barrier;
use crate::harness::{CONTROL, ENTER, ESCAPE, RIGHT, Stage, wait_until};
use arki_testkit::{Script, Turn};
use serde_json::json;

const LEGEND: &str = "in, cached";

#[test]
fn what_was_used_is_shown_by_day_model_and_project() {
    let priced = json!({"contextWindow": 128_000, "price": {"input": 1000, "output": 1000}});
    let stage = Stage::configured(Script::new(vec![Turn::text("Hello.")]), |url| {
        let models = json!({"mock": priced});
        json!({"providers": {
            "mock": {"kind": "custom", "baseUrl": url, "apiKeyEnv": "MOCK_KEY", "models": models}
        }})
    });
    stage.trust();
    let window = stage.open();
    window.ask("Say hello");
    window.says("Hello.");
    window.press(&[CONTROL, "k"]);
    window.element("dialog", "Command palette");
    window.write("usage");
    window.press(&[ENTER]);
    let usage = window.element("region", "Usage");
    let [days, models, projects] = ["By day", "By model", "By project"].map(|name| usage.inside("table", name).text());
    assert!(models.contains("mock/mock"), "{models}");
    assert!(projects.contains("project"), "{projects}");
    for table in [&days, &models, &projects] {
        assert!(table.contains('$') && !table.contains("$0.00"), "{table}");
    }
    no_barrier(&window, "the usage");
    window.pictures("usage");
    usage.inside("radio", "30 days").ask("arguments[0].focus()");
    window.press(&[RIGHT]);
    wait_until("the next range", || usage.inside("radio", "90 days").ask("return arguments[0].checked") == true);
    assert!(!window.text().contains(LEGEND));
    usage.inside("radio", "Tokens").ask("arguments[0].click()");
    window.says(LEGEND);
    window.resize(720, 600);
    window.picture("usage-narrow");
    window.press(&[ESCAPE]);
    window.gone("region", "Usage");
    // The cost in the status bar leads there too.
    window.element("contentinfo", "Status");
    window.button_saying("$").click();
    window.element("region", "Usage");
}
