//! The real program, in a home of its own whose model `mock/mock` is at some server.

use crate::harness::base_url;
use arki_llm::ProviderKind;
use arki_testkit::{Finished, TestHome, json_lines};
use serde_json::{Value, json};
use std::path::PathBuf;

pub(crate) struct Arki {
    pub(crate) home: TestHome,
}

impl Arki {
    /// In a trusted project. `config` goes over the configuration's top level.
    pub(crate) fn with(kind: ProviderKind, address: &str, config: &Value) -> Self {
        let base_url = base_url(kind, address);
        let provider = json!({"kind": kind.to_string(), "baseUrl": base_url, "apiKeyEnv": "MOCK_KEY",
            "models": {"mock": {"contextWindow": 8192}}});
        let mut settings = json!({"providers": {"mock": provider}});
        for (key, value) in config.as_object().into_iter().flatten() {
            settings[key] = value.clone();
        }
        let arki = Self { home: TestHome::new(&base_url, &settings).unwrap() };
        assert_eq!(arki.run(&["trust"]).code, Some(0));
        arki
    }

    pub(crate) fn run(&self, args: &[&str]) -> Finished {
        self.home.run_arki(&program(), args).unwrap()
    }

    /// The events of a run that completes.
    pub(crate) fn exec(&self, args: &[&str]) -> Vec<Value> {
        let done = self.run(&[&["exec", "--json"], args].concat());
        assert_eq!(done.code, Some(0), "{}\n{}", done.stdout, done.stderr);
        let events = json_lines(&done.stdout).unwrap();
        assert_eq!(of_kind(&events, "run.completed").len(), 1, "{events:?}");
        events
    }

    /// The events of a run that completes after it read one file with one call. The log must have that, and prove it.
    pub(crate) fn exec_reading(&self, prompt: &str, path: &str) -> Vec<Value> {
        let events = self.exec(&[prompt]);
        let call = &of_kind(&events, "tool.call")[0]["payload"];
        assert_eq!((&call["toolId"], &call["args"]["path"]), (&json!("read_file"), &json!(path)), "{events:?}");
        let order = kinds_of(&events, &["engine.request", "tool.call", "policy.decided", "tool.result"]);
        let whole = ["engine.request", "tool.call", "policy.decided", "tool.result", "engine.request"];
        assert_eq!(order, whole, "{events:?}");
        assert_eq!(of_kind(&events, "policy.decided")[0]["payload"]["decision"], "allow");
        assert_eq!(of_kind(&events, "tool.result")[0]["payload"]["isError"], false, "{events:?}");
        let verified = self.run(&["verify"]);
        assert_eq!(verified.code, Some(0), "{verified:?}");
        events
    }
}

pub(crate) fn of_kind<'a>(events: &'a [Value], kind: &str) -> Vec<&'a Value> {
    events.iter().filter(|event| event["type"] == kind).collect()
}

fn kinds_of<'a>(events: &'a [Value], wanted: &[&str]) -> Vec<&'a str> {
    events.iter().filter_map(|event| event["type"].as_str()).filter(|kind| wanted.contains(kind)).collect()
}

fn program() -> PathBuf {
    if let Some(named) = std::env::var_os("ARKI_BIN") {
        return named.into();
    }
    let this = std::env::current_exe().unwrap();
    let program = this.parent().unwrap().with_file_name(format!("arki{}", std::env::consts::EXE_SUFFIX));
    assert!(program.is_file(), "{} is missing: `cargo build -p arki-cli` makes it", program.display());
    program
}
