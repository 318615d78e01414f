//! Configuration, rules and skills that change while the program stays: the next run goes by them, and a damaged file
//! loosens nothing.

#![allow(clippy::unwrap_used, clippy::panic)]

use arki_api::SettingChange;
use arki_domain::{ApprovalMode, Category, Code, Decision, Error, RunOptions};
use arki_engine::{
    Client, ClientCapabilities, Directories, Engine, EngineOptions, EnvironmentKeys, RunEnd, RunTarget, StartRun,
};
use arki_testkit::{Script, ScriptedServer, TestHome, Turn};
use serde_json::{Value, json};
use std::sync::Arc;

struct Stage {
    home: TestHome,
    engine: Arc<Engine>,
    client: Client,
    server: ScriptedServer,
}

impl Stage {
    async fn new() -> Self {
        let script = Script::new(vec![Turn::computed(|request| {
            let messages = request["messages"].as_array().unwrap();
            match messages.last().unwrap()["role"] == "tool" {
                true => Turn::text("done"),
                false => Turn::calls().call("run_command", json!({"command": "touch made"})),
            }
        })]);
        let server = script.start().unwrap();
        let home = TestHome::new(&server.url(), &json!({})).unwrap();
        let directories = Directories { config: home.config_dir(), data: home.data_dir() };
        let mut environment_keys = EnvironmentKeys::default();
        environment_keys.keep("MOCK_KEY", "sk-mock-0123456789abcdef".into());
        let engine = Engine::open(EngineOptions { directories, ephemeral: false, environment_keys }).unwrap();
        let client = Client::attach(&engine, "window", ClientCapabilities::default());
        Self { home, engine, client, server }
    }

    async fn trust(&self) {
        self.engine.folder_trust().trust(&self.home.project_dir(), Vec::new()).await.unwrap();
    }

    /// A run of a new session, with nothing granted.
    async fn run(&self) -> Result<RunEnd, Error> {
        let options = RunOptions { approve: ApprovalMode::Never, ..RunOptions::default() };
        let start = StartRun { options, ..StartRun::new(RunTarget::NewSession(self.home.project_dir()), "go") };
        self.client.start_run(start).await?.1.await.unwrap()
    }

    fn config(&self) -> std::path::PathBuf {
        self.home.config_dir().join("config.json")
    }

    fn change_config(&self, change: impl FnOnce(&mut Value)) {
        let mut config: Value = serde_json::from_str(&std::fs::read_to_string(self.config()).unwrap()).unwrap();
        change(&mut config);
        std::fs::write(self.config(), config.to_string()).unwrap();
    }

    fn last_request(&self) -> Value {
        self.server.requests().last().unwrap().json.clone()
    }

    /// What the model was told of its last call.
    fn told(&self) -> String {
        self.last_request()["messages"].as_array().unwrap().last().unwrap()["content"].to_string()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn reflection_is_off_until_the_user_turns_it_on() {
    let stage = Stage::new().await;
    let reflects = || arki_engine::app_state(stage.engine.projects(), None).unwrap().reflects;
    assert!(!reflects());
    stage.engine.accounts().set_reflection(true).unwrap();
    assert!(reflects());
    stage.engine.accounts().set_reflection(false).unwrap();
    assert!(!reflects());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_next_run_goes_by_what_changed_meanwhile() {
    let stage = Stage::new().await;
    stage.home.write("AGENTS.md", "First rule.\n").unwrap();
    stage.trust().await;
    stage.run().await.unwrap();
    assert!(stage.last_request().to_string().contains("First rule."));

    stage.change_config(|config| config["agents"]["arki"]["model"] = json!("mock/other"));
    stage.home.write("AGENTS.md", "Second rule.\n").unwrap();
    stage.trust().await;
    let skill = stage.home.config_dir().join("skills/pdf");
    std::fs::create_dir_all(&skill).unwrap();
    std::fs::write(skill.join("SKILL.md"), "---\nname: pdf\ndescription: Fills forms.\n---\nOpen it.\n").unwrap();
    stage.run().await.unwrap();
    let request = stage.last_request();
    assert_eq!(request["model"], "other");
    let text = request.to_string();
    assert!(text.contains("Second rule.") && !text.contains("First rule.") && text.contains("Fills forms."), "{text}");

    std::fs::remove_dir_all(&skill).unwrap();
    let deny = json!([{"decision": "deny", "tool": "run_command", "command": ["touch"], "reason": "no touching"}]);
    stage.change_config(|config| config["policy"]["rules"] = deny);
    stage.run().await.unwrap();
    assert!(stage.told().contains("no touching"), "{}", stage.told());
    assert!(!stage.last_request().to_string().contains("Fills forms."));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_file_is_named_and_begins_nothing() {
    let stage = Stage::new().await;
    stage.trust().await;
    let whole = std::fs::read_to_string(stage.config()).unwrap();
    std::fs::write(stage.config(), "{ \"limits\": ").unwrap();
    let refused = stage.run().await.unwrap_err();
    assert!(refused.is(Code::CONFIG_INVALID) && refused.message.contains("config.json"), "{refused:?}");
    assert!(stage.server.requests().is_empty());
    std::fs::write(stage.config(), whole).unwrap();
    stage.run().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_project_forbade_holds_while_its_file_is_damaged_or_gone() {
    let stage = Stage::new().await;
    let deny = r#"{"policy": {"rules": [{"decision": "deny", "tool": "run_command", "reason": "nothing runs here"}]}}"#;
    stage.home.write(".arki/config.json", deny).unwrap();
    stage.trust().await;
    stage.run().await.unwrap();
    assert!(stage.told().contains("nothing runs here"), "{}", stage.told());

    let file = stage.home.write(".arki/config.json", "{ \"policy\": ").unwrap();
    let refused = stage.run().await.unwrap_err();
    assert!(refused.is(Code::CONFIG_INVALID) && refused.message.contains(".arki/config.json"), "{refused:?}");
    // Agreeing to what can't be read doesn't do away with what was agreed to before it.
    stage.trust().await;
    assert!(stage.run().await.unwrap_err().is(Code::CONFIG_INVALID));

    std::fs::write(&file, "{}").unwrap();
    stage.run().await.unwrap();
    assert!(stage.told().contains("nothing runs here"), "{}", stage.told());
    std::fs::remove_file(&file).unwrap();
    stage.run().await.unwrap();
    assert!(stage.told().contains("nothing runs here"), "{}", stage.told());
    assert!(!stage.home.project_dir().join("made").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_first_template_said_of_commands_counts_once_somebody_sets_it() {
    let stage = Stage::new().await;
    let first = r#"{ // mine
      "policy": { "categories": { "read": "allow", "write": "preview", "exec": "approval", "network": "approval" } } }"#;
    std::fs::write(stage.config(), first).unwrap();
    let text = || std::fs::read_to_string(stage.config()).unwrap();
    let accounts = stage.engine.accounts();
    let exec = || accounts.user_config().unwrap().policy.categories[&Category::Exec];
    let shown = || {
        let shown = stage.engine.projects().shown_config(&stage.home.project_dir()).unwrap();
        shown.values.into_iter().find(|value| value.key == "policy.categories.exec").unwrap()
    };
    assert_eq!((exec(), shown().value, &*shown().origin), (Decision::Review, json!("review"), "default"));
    let told =
        |checks: Vec<arki_engine::Check>| checks.into_iter().any(|check| check.detail.contains("older template"));
    assert!(told(stage.engine.doctor().look(&stage.home.project_dir()).await));
    accounts.set_config("limits.maxTurns", "7").unwrap();
    assert!(text().contains(r#""exec": "approval", "network""#), "{}", text());
    // As the settings would, which show the default.
    let change = SettingChange {
        key: "policy.categories.exec".to_owned(),
        text: Some("\"approval\"".to_owned()),
        was: Some("null".to_owned()),
    };
    accounts.change_config(&[change]).unwrap();
    assert_eq!((exec(), shown().value), (Decision::Approval, json!("approval")));
    assert!(text().contains("// mine"), "{}", text());
    assert!(!told(stage.engine.doctor().look(&stage.home.project_dir()).await));
    accounts.unset_config("policy.categories.exec").unwrap();
    assert_eq!(exec(), Decision::Review);
}
