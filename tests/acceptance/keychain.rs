//! Keys in the operating system's keychain, over a real Secret Service in a session bus of its own.
#![cfg(target_os = "linux")]

use crate::harness::{Stage, contains, files_below, text};
use arki_testkit::{Script, Turn};
use serde_json::json;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};

const STORED: &str = "sk-in-the-keychain-9f8e7d6c5b4a";

/// A session bus with an unlocked keyring; both end when this is dropped.
pub(crate) struct Session {
    child: Child,
    hold: Option<ChildStdin>,
    pub(crate) bus: String,
}

impl Session {
    pub(crate) fn start(stage: &Stage) -> Self {
        let home = stage.home.data_dir().with_file_name("keyring");
        std::fs::create_dir(&home).unwrap();
        // Waits for the end of its input, so that it ends with the test, however that ends.
        let script = "eval \"$(printf pass | gnome-keyring-daemon --unlock --components=secrets)\"; \
            echo \"$DBUS_SESSION_BUS_ADDRESS\"; cat";
        let mut child = Command::new("dbus-run-session")
            .args(["--", "sh", "-c", script])
            .envs([("HOME", &home), ("XDG_DATA_HOME", &home), ("XDG_RUNTIME_DIR", &home)])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("dbus-run-session is needed for this test: install dbus-daemon and gnome-keyring");
        let mut bus = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut bus).unwrap();
        assert!(bus.starts_with("unix:"), "no session bus: {bus:?}");
        Self { hold: child.stdin.take(), child, bus: bus.trim().to_owned() }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.hold.take().map(|mut hold| hold.flush());
        let _ = self.child.wait();
    }
}

/// A provider that needs a key and finds none in the environment.
fn without_a_key() -> Stage {
    let mut stage = Stage::untrusted(Script::new(vec![Turn::text("ok")]), &json!({}));
    let provider = json!({"kind": "openai-chat", "baseUrl": stage.model.url()});
    stage.write_config(
        &json!({"agents": {"arki": {"model": "mock/mock"}}, "providers": {"mock": provider}}).to_string(),
    );
    stage.home.env.remove("MOCK_KEY");
    stage.home.env.insert("OPENAI_API_KEY".to_owned(), String::new());
    let nowhere = stage.home.data_dir().with_file_name("nowhere");
    stage.home.env.insert("XDG_RUNTIME_DIR".to_owned(), nowhere.display().to_string());
    stage.home.env.insert("DBUS_SESSION_BUS_ADDRESS".to_owned(), format!("unix:path={}", nowhere.display()));
    stage
}

fn source(stage: &Stage) -> String {
    let listed = stage.arki(&["keys", "list", "--json"]).exits(0).lines();
    text(&listed.iter().find(|provider| provider["provider"] == "mock").unwrap()["keySource"])
}

#[test]
fn a_key_is_kept_in_the_keychain_used_from_there_and_removed() {
    let mut stage = without_a_key();
    let session = Session::start(&stage);
    stage.home.env.insert("DBUS_SESSION_BUS_ADDRESS".to_owned(), session.bus.clone());
    assert_eq!(source(&stage), "missing");
    stage.exec(&["hello"]).fails(1, "KEY_MISSING");
    let set = stage.arki_reading(&["keys", "set", "mock"], &format!("{STORED}\n")).exits(0);
    assert!(!format!("{set:?}").contains(STORED) && set.stderr.is_empty());
    assert_eq!(source(&stage), "keychain");
    stage.exec(&["hello"]).exits(0);
    let sent = stage.model.requests();
    assert_eq!(sent.last().unwrap().header("authorization"), Some(format!("Bearer {STORED}").as_str()));
    stage.arki(&["keys", "rm", "mock"]).exits(0);
    assert_eq!(source(&stage), "missing");
    stage.arki(&["keys", "rm", "mock"]).exits(0);
    stage.exec(&["hello"]).fails(1, "KEY_MISSING");
    for folder in [stage.home.data_dir(), stage.home.config_dir(), stage.home.project_dir()] {
        for file in files_below(&folder) {
            assert!(!contains(&std::fs::read(&file).unwrap(), STORED.as_bytes()), "{}", file.display());
        }
    }
}

#[test]
fn a_key_of_a_vendor_that_is_no_provider_yet_is_kept_with_what_is_left_to_do() {
    let mut stage = without_a_key();
    let session = Session::start(&stage);
    stage.home.env.insert("DBUS_SESSION_BUS_ADDRESS".to_owned(), session.bus.clone());
    let told = stage.arki_reading(&["keys", "set", "anthropic"], STORED).exits(0).stderr;
    assert!(told.contains("arki providers add anthropic --kind anthropic"), "{told}");
    stage.arki(&["providers", "add", "anthropic", "--kind", "anthropic"]).exits(0);
    let listed = stage.arki(&["keys", "list", "--json"]).exits(0).lines();
    let added = listed.iter().find(|provider| provider["provider"] == "anthropic").unwrap();
    assert_eq!(added["keySource"], "keychain");
}

#[test]
fn keys_that_eight_processes_set_at_once_are_all_there() {
    const WRITERS: usize = 8;
    const CHANGES: usize = 20;
    let mut stage = without_a_key();
    let session = Session::start(&stage);
    stage.home.env.insert("DBUS_SESSION_BUS_ADDRESS".to_owned(), session.bus.clone());
    let names = |writer: usize| (0..CHANGES).map(move |number| format!("w{writer}x{number}"));
    let all = || (0..WRITERS).flat_map(names);
    let provider = json!({"kind": "openai-chat", "baseUrl": stage.model.url()});
    let providers: serde_json::Map<String, serde_json::Value> = all().map(|name| (name, provider.clone())).collect();
    let config = json!({"agents": {"arki": {"model": "w0x0/mock"}}, "providers": providers});
    stage.write_config(&config.to_string());
    let set = |name: String| drop(stage.arki_reading(&["keys", "set", &name], &format!("{STORED}-{name}\n")).exits(0));
    std::thread::scope(|scope| {
        (0..WRITERS).for_each(|writer| drop(scope.spawn(move || names(writer).for_each(set))));
    });
    let listed = stage.arki(&["keys", "list", "--json"]).exits(0).lines();
    let is_kept = |name: &String| {
        listed.iter().any(|entry| entry["provider"] == name.as_str() && entry["keySource"] == "keychain")
    };
    let lost: Vec<String> = all().filter(|name| !is_kept(name)).collect();
    assert!(lost.is_empty(), "{lost:?}");
}

#[test]
fn the_environment_goes_before_the_keychain() {
    let mut stage = without_a_key();
    let session = Session::start(&stage);
    stage.home.env.insert("DBUS_SESSION_BUS_ADDRESS".to_owned(), session.bus.clone());
    stage.arki_reading(&["keys", "set", "mock"], STORED).exits(0);
    stage.home.env.insert("OPENAI_API_KEY".to_owned(), "sk-of-the-environment".to_owned());
    stage.exec(&["hello"]).exits(0);
    let sent = stage.model.requests();
    assert_eq!(sent.last().unwrap().header("authorization"), Some("Bearer sk-of-the-environment"));
}

#[test]
fn what_is_no_key_is_not_stored() {
    let stage = without_a_key();
    for input in ["", "  \n", "two\nlines", "tab\tinside"] {
        let done = stage.arki_reading(&["keys", "set", "mock"], input);
        done.fails(2, "USAGE");
    }
}

#[test]
fn a_key_for_a_provider_that_is_not_there_is_a_slip() {
    let stage = without_a_key();
    let shown = stage.arki_reading(&["keys", "set", "mokc"], STORED).fails(2, "UNKNOWN_PROVIDER");
    assert!(shown.message.contains("mokc") && shown.hint.contains("mock"), "{shown:?}");
    stage.arki_reading(&["keys", "set", "anthropic"], STORED).fails(1, "KEYCHAIN_UNAVAILABLE");
    stage.write_config("{");
    stage.arki_reading(&["keys", "set", "mokc"], STORED).fails(1, "KEYCHAIN_UNAVAILABLE");
}

#[test]
fn without_a_keychain_it_says_so_and_what_to_do_instead() {
    let stage = without_a_key();
    let shown = stage.arki_reading(&["keys", "set", "mock"], STORED).fails(1, "KEYCHAIN_UNAVAILABLE");
    assert!(shown.hint.contains("set OPENAI_API_KEY in the environment"), "{shown:?}");
    stage.arki(&["keys", "rm", "mock"]).fails(1, "KEYCHAIN_UNAVAILABLE");
    let done = stage.exec(&["hello"]).exits(1);
    assert_eq!(done.json_error().code, "KEYCHAIN_UNAVAILABLE");
    assert!(done.error().hint.contains("set OPENAI_API_KEY in the environment"), "{done:?}");
    assert!(stage.model.requests().is_empty());
}
