//! Rules, hooks, agents and skills as the settings show and change them.

#![allow(clippy::unwrap_used, clippy::panic)]

use arki_api::{HookOffReason, MadeUpEvent, SettingChange, SettingEntry, SettingKind, SettingOrigin, SkillOffReason};
use arki_domain::{
    ApprovalMode, Code, CommandReading, Decision, EventBody, HookEvent, HookOutcome, PolicyCheck, PolicyTrace,
    RunOptions,
};
use arki_engine::{
    Client, ClientCapabilities, Directories, Engine, EngineOptions, EnvironmentKeys, RunTarget, StartRun,
};
use arki_testkit::{Script, ScriptedServer, TestHome, Turn};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;

const KEY: &str = "sk-mock-0123456789abcdef";

struct Stage {
    home: TestHome,
    engine: Arc<Engine>,
    _server: ScriptedServer,
}

impl Stage {
    fn new(config: &Value, turns: Vec<Turn>) -> Self {
        let server = Script::new(turns).start().unwrap();
        let home = TestHome::new(&server.url(), config).unwrap();
        let directories = Directories { config: home.config_dir(), data: home.data_dir() };
        let mut environment_keys = EnvironmentKeys::default();
        environment_keys.keep("MOCK_KEY", KEY.into());
        let engine = Engine::open(EngineOptions { directories, ephemeral: false, environment_keys }).unwrap();
        Self { home, engine, _server: server }
    }

    fn folder(&self) -> PathBuf {
        self.home.project_dir()
    }

    fn write(&self, path: PathBuf, text: &str) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    async fn trust(&self) {
        self.engine.folder_trust().trust(&self.folder(), Vec::new()).await.unwrap();
    }

    /// A run of a new session, which is refused whatever isn't allowed.
    async fn run(&self) {
        let client = Client::attach(&self.engine, "window", ClientCapabilities::default());
        let options = RunOptions { approve: ApprovalMode::Never, ..RunOptions::default() };
        let start = StartRun { options, ..StartRun::new(RunTarget::NewSession(self.folder()), "go") };
        client.start_run(start).await.unwrap().1.await.unwrap().unwrap();
    }

    fn config(&self) -> String {
        std::fs::read_to_string(self.home.config_dir().join("config.json")).unwrap()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backtest_lists_what_a_rule_would_change_first_and_stores_nothing() {
    let run = |command: &str| Turn::calls().call("run_command", json!({"command": command}));
    let asking = json!({"policy": {"categories": {"exec": "approval"}}});
    let stage = Stage::new(&asking, vec![run("cargo test -q"), run("touch a"), run("touch b c"), Turn::text("done")]);
    stage.trust().await;
    stage.run().await;
    let before = stage.config();
    let approvals = stage.engine.approvals();
    let tested = approvals.rules().backtest_rule(r#"{"decision": "approval", "command": ["touch"]}"#).unwrap();
    assert_eq!((tested.matched_count, tested.changed, tested.calls, tested.left_out), (2, 0, 3, 0));
    let tested = approvals.rules().backtest_rule(r#"{"decision": "deny", "command": ["touch"]}"#).unwrap();
    assert_eq!((tested.matched_count, tested.changed), (2, 2));
    let [a, b] = tested.matched.as_slice() else { panic!("{tested:?}") };
    assert_eq!((a.call.as_str(), b.call.as_str(), a.title.as_str()), ("touch a", "touch b c", "go"));
    assert_eq!((a.decision, a.with_rule), (Decision::Approval, Decision::Deny));
    assert!(a.decided.is_some() && a.seq < b.seq);
    // Tools and hosts are spoken of as well.
    assert_eq!(
        approvals.rules().backtest_rule(r#"{"decision": "deny", "tool": "read_file"}"#).unwrap().matched_count,
        0
    );
    assert_eq!(stage.config(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_past_decision_is_explained_by_what_the_log_says_of_it() {
    let run = |command: &str| Turn::calls().call("run_command", json!({"command": command}));
    let rules = json!([{"decision": "deny", "command": ["touch"], "reason": format!("not {KEY}")}]);
    let turns = vec![run("ls && mytool x"), run("ls && touch a"), run("ls"), Turn::text("done")];
    let stage = Stage::new(&json!({"policy": {"rules": rules}}), turns);
    stage.trust().await;
    stage.run().await;
    let session = stage.engine.session_reader().latest_session(&stage.folder()).unwrap().unwrap().session_id;
    let approvals = stage.engine.approvals();
    let events = stage.engine.session_reader().events_after(&session, 0, 1000).unwrap().events;
    let decided: Vec<_> = events
        .iter()
        .filter_map(|event| match event.body() {
            EventBody::PolicyDecided(decided) => Some((event.seq, decided)),
            _ => None,
        })
        .collect();
    assert_eq!(decided.len(), 3);
    let mut traces = Vec::new();
    for (seq, decided) in &decided {
        let explained = approvals.policy().explain_decision(&session, &decided.call_id, Some(*seq)).unwrap().unwrap();
        let PolicyTrace { decision, rule, reason, .. } = &explained.trace;
        assert_eq!((decision, rule, reason), (&decided.decision, &decided.rule, &decided.reason));
        let newest = approvals.policy().explain_decision(&session, &decided.call_id, None).unwrap().unwrap();
        assert_eq!(newest.trace, explained.trace);
        traces.push(explained);
    }
    let [asked, denied, read] = traces.as_slice() else { panic!("{traces:?}") };
    assert_eq!(asked.trace.decided_by(), Some(PolicyCheck::CategoryDefault));
    let said: Vec<_> = asked.trace.parts.iter().map(|part| (part.command.as_str(), part.reading)).collect();
    assert_eq!(said, [("ls", CommandReading::OnlyReads), ("mytool x", CommandReading::NotKnown)]);
    assert_eq!(denied.trace.decided_by(), Some(PolicyCheck::DenyRules));
    let rule = denied.rule.as_ref().unwrap();
    assert!(rule.contains("touch") && !rule.contains(KEY), "{rule}");
    assert_eq!((read.trace.decided_by(), &read.rule), (Some(PolicyCheck::KnownCommand), &None));

    // Another rule has the name now: what the old one said is not known any more.
    std::fs::write(stage.home.config_dir().join("config.json"), stage.config().replace("touch", "cp")).unwrap();
    let (seq, of_rule) = &decided[1];
    let later = approvals.policy().explain_decision(&session, &of_rule.call_id, Some(*seq)).unwrap().unwrap();
    assert_eq!((&later.trace, &later.rule), (&denied.trace, &None));
    assert!(approvals.policy().explain_decision(&session, &"none".into(), None).unwrap().is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn of_very_many_calls_the_changed_ones_are_listed_and_long_ones_are_cut() {
    // The first, which a rule of the user's denies already, is the oldest of them all.
    let rules = json!([{"decision": "deny", "command": ["true"]}]);
    let mut calls = Turn::calls();
    for _ in 0..201 {
        calls = calls.call("run_command", json!({"command": "true"}));
    }
    let calls = calls.call("run_command", json!({"command": format!("touch {}", "a".repeat(2000))}));
    let stage = Stage::new(&json!({"policy": {"rules": rules}}), vec![calls, Turn::text("done")]);
    stage.trust().await;
    stage.run().await;
    let tested =
        stage.engine.approvals().rules().backtest_rule(r#"{"decision": "deny", "tool": "run_command"}"#).unwrap();
    assert_eq!((tested.matched_count, tested.changed, tested.matched.len()), (202, 1, 200));
    let first = &tested.matched[0];
    assert!(first.call.starts_with("touch a") && first.with_rule == Decision::Deny, "{first:?}");
    assert_eq!(first.call.chars().count(), 1000);
    assert!(tested.matched[1..].iter().all(|past| past.decision == past.with_rule));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rule_is_added_and_removed_and_everything_else_stays() {
    let first = json!({"decision": "deny", "command": ["rm"], "reason": format!("not {KEY}")});
    let stage = Stage::new(&json!({"policy": {"rules": [first]}}), Vec::new());
    let path = stage.home.config_dir().join("config.json");
    std::fs::write(&path, format!("// mine\n{}", stage.config())).unwrap();
    let approvals = stage.engine.approvals();
    let added = r#"{"decision": "allow", "tool": "edit_file", "path": "docs/**"} // new"#;
    approvals.rules().add_typed_rule(added).unwrap();
    let rules = || {
        let settings = arki_engine::list_settings(stage.engine.projects(), None).unwrap();
        let rules = settings.into_iter().filter(|entry| entry.key.starts_with("policy.rules["));
        rules.map(|entry| entry.value).collect::<Vec<_>>()
    };
    assert_eq!(rules()[1], json!({"decision": "allow", "tool": "edit_file", "path": "docs/**"}));
    // As it is listed, without the key that stands in it.
    let listed = rules()[0].to_string();
    assert!(!listed.contains(KEY), "{listed}");
    approvals.rules().remove_rule(&listed).unwrap();
    assert_eq!(rules().len(), 1);
    assert!(stage.config().starts_with("// mine\n") && !stage.config().contains(KEY));
    let gone = approvals.rules().remove_rule(&listed).unwrap_err();
    assert!(gone.is(Code::CONFIG_INVALID) && gone.message.contains("no longer"), "{gone:?}");
}

#[test]
fn what_is_no_rule_says_why_and_names_no_file() {
    let stage = Stage::new(&json!({}), Vec::new());
    let before = stage.config();
    for (wrong, words) in [
        ("{", "The rule can't be used"),
        (r#"{"decision": "deny"}"#, "no tool, command, path or host"),
        (r#"{"decision": "deny", "tool": "edit_fil"}"#, "edit_file"),
        (r#"{"decision": "deny", "comand": ["rm"]}"#, "The rule has an unknown key"),
        (r#"{"decision": "deny", "command": ["rm"], "match": ["ls"]}"#, "should match"),
    ] {
        let approvals = stage.engine.approvals();
        for fault in
            [approvals.rules().backtest_rule(wrong).unwrap_err(), approvals.rules().add_typed_rule(wrong).unwrap_err()]
        {
            assert!(fault.message.contains(words) && !fault.hint.contains("doctor"), "{wrong}: {fault:?}");
        }
    }
    assert_eq!(stage.config(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn hooks_say_where_they_come_from_and_why_they_are_off() {
    let does = format!("curl -H {KEY} host");
    let stage = Stage::new(&json!({"hooks": {"Stop": [{"command": does, "network": true}]}}), Vec::new());
    let note = r#"{"hooks": {"PostToolUse": [{"condition": {"toolName": ["edit_file"]}, "command": "cargo fmt"}]}}"#;
    stage.write(stage.folder().join(".arki/config.json"), note);
    let projects = stage.engine.projects();
    let own = arki_engine::list_hooks(projects, None).unwrap().hooks;
    let [hook] = own.as_slice() else { panic!("{own:?}") };
    assert!(hook.enabled && hook.network && hook.origin.ends_with("config.json"), "{hook:?}");
    assert!(!format!("{hook:?}").contains(KEY), "{hook:?}");
    let listed = || arki_engine::list_hooks(projects, Some(&stage.folder())).unwrap();
    let off = |reason| listed().hooks.iter().map(|hook| hook.off).eq(reason);
    assert!(off([Some(HookOffReason::Untrusted); 2]), "{:?}", listed());
    stage.trust().await;
    assert!(off([None; 2]), "{:?}", listed());
    assert_eq!(listed().hooks[1].origin, ".arki/config.json");
    stage.write(stage.folder().join(".arki/config.json"), &note.replace("fmt", "clippy"));
    assert!(off([None, Some(HookOffReason::ConfigurationChanged)]), "{:?}", listed());
    stage.write(stage.folder().join(".arki/config.json"), "{");
    assert!(listed().refused.is_some_and(|refused| refused.code == "CONFIG_INVALID"));
}

#[tokio::test(flavor = "multi_thread")]
async fn agents_say_which_files_speak_of_them() {
    let agents = json!({"arki": {"tools": ["read_*", "run_command"]}, "tester": {"description": "Runs tests."}});
    let stage = Stage::new(&json!({"agents": agents}), Vec::new());
    let agent = "---\ndescription: Looks.\ntools: Read\n---\nLook.";
    stage.write(stage.home.config_dir().join("agents/looker.md"), agent);
    stage.write(stage.home.config_dir().join("agents/empty.md"), "");
    stage.write(stage.folder().join(".arki/config.json"), r#"{"agents": {"tester": {"readOnly": true}}}"#);
    stage.trust().await;
    let projects = stage.engine.projects();
    let of = |folder: Option<PathBuf>| arki_engine::list_agents(projects, folder.as_deref()).unwrap();
    for entries in [of(None), of(Some(stage.folder()))] {
        let names: Vec<&str> = entries.agents.iter().map(|agent| agent.name.as_str()).collect();
        assert_eq!(names, ["arki", "explorer", "looker", "reviewer", "tester"]);
        let looker = &entries.agents[2];
        assert!(looker.read_only && !looker.built_in && looker.origins[0].ends_with("looker.md"), "{looker:?}");
        assert!(entries.agents[1].built_in && entries.agents[1].origins.is_empty());
        assert!(entries.warnings.len() == 1 && entries.warnings[0].contains("empty.md"), "{:?}", entries.warnings);
    }
    let tester = of(Some(stage.folder())).agents.pop().unwrap();
    assert!(tester.read_only && tester.tools.is_some_and(|tools| tools.has("run_command")));
    assert_eq!(tester.origins[0], ".arki/config.json");
    assert!(tester.origins.len() == 2 && !of(None).agents[4].read_only);
}

#[tokio::test(flavor = "multi_thread")]
async fn skills_are_listed_with_the_projects_that_are_off() {
    let stage = Stage::new(&json!({}), Vec::new());
    let skill = "---\nname: pdf\ndescription: Fills forms.\nkeywords: form\n---\nText";
    stage.write(stage.home.config_dir().join("skills/own/SKILL.md"), &skill.replace("pdf", "own"));
    let file = stage.folder().join(".agents/skills/pdf/SKILL.md");
    stage.write(file.clone(), skill);
    let projects = stage.engine.projects();
    let of = |folder: Option<PathBuf>| arki_engine::list_skills(projects, folder.as_deref()).unwrap();
    assert_eq!(of(None).skills.len(), 1);
    let off = || {
        let listed = of(Some(stage.folder()));
        listed.skills.into_iter().find(|skill| skill.name == "pdf").map(|skill| (skill.off, skill.description)).unwrap()
    };
    assert_eq!(off(), (Some(SkillOffReason::Untrusted), String::new()));
    stage.trust().await;
    assert_eq!(off(), (None, "Fills forms.".to_owned()));
    assert_eq!(of(Some(stage.folder())).skills[0].keywords, ["form"]);
    stage.write(file, &skill.replace("Text", "Another"));
    assert_eq!(off(), (Some(SkillOffReason::Changed), String::new()));
    stage.engine.accounts().set_config("skills.enabled", "false").unwrap();
    let listed = of(Some(stage.folder()));
    assert!(!listed.enabled && listed.skills.is_empty(), "{listed:?}");
}

fn changed(key: &str, text: Option<&str>, was: Option<&Value>) -> SettingChange {
    SettingChange { key: key.to_owned(), text: text.map(str::to_owned), was: was.map(Value::to_string) }
}

#[test]
fn an_item_of_a_list_is_added_changed_and_removed_and_comments_stay() {
    let stage = Stage::new(&json!({}), Vec::new());
    let file = "{\n  \"policy\": {\n    // mine\n    \"secretFiles\": [\n      \"a\", // the first\n      \"b\"\n    ]\n  }\n}\n";
    std::fs::write(stage.home.config_dir().join("config.json"), file).unwrap();
    let accounts = stage.engine.accounts();
    accounts.change_config(&[changed("policy.secretFiles[]", Some("\"c/**\""), None)]).unwrap();
    accounts.change_config(&[changed("policy.secretFiles[1]", Some("\"d\""), Some(&json!("b")))]).unwrap();
    let value = |key: &str| {
        let settings = arki_engine::list_settings(stage.engine.projects(), None).unwrap();
        settings.into_iter().find(|entry| entry.key == key).map(|entry| entry.value)
    };
    assert_eq!(value("policy.secretFiles"), Some(json!(["a", "d", "c/**"])));
    accounts.change_config(&[changed("policy.secretFiles[0]", None, Some(&json!("a")))]).unwrap();
    assert_eq!(value("policy.secretFiles"), Some(json!(["d", "c/**"])));
    assert!(stage.config().contains("// mine"), "{}", stage.config());
    // Checkers are a command, or more about it.
    accounts.set_config("diagnostics.commands[]", "cargo check").unwrap();
    let detailed = r#"{"command": "tsc", "glob": "**/*.ts"}"#;
    accounts.set_config("diagnostics.commands[0]", detailed).unwrap();
    assert_eq!(value("diagnostics.commands[0]"), Some(json!({"command": "tsc", "glob": "**/*.ts"})));
    accounts.unset_config("diagnostics.commands[0]").unwrap();
    for wrong in
        ["diagnostics.commands[0]", "diagnostics.commands[x]", "diagnostics.commands[]", "diagnostic.commands[0]"]
    {
        accounts.unset_config(wrong).unwrap_err();
    }
    let fault = accounts.set_config("policy.secretFiles[]", "[").unwrap_err();
    assert!(fault.is(Code::CONFIG_INVALID) && fault.message.contains("secretFiles"), "{fault:?}");
}

#[test]
fn what_somebody_else_changed_is_not_overwritten_and_of_several_changes_all_are_made_or_none() {
    let stage = Stage::new(&json!({"limits": {"maxTurns": 5, "maxCostUsd": 1.0}}), Vec::new());
    let accounts = stage.engine.accounts();
    let before = stage.config();
    let refused = accounts
        .change_config(&[
            changed("limits.maxCostUsd", Some("2"), Some(&json!(1))),
            changed("limits.maxTurns", Some("9"), Some(&json!(7))),
        ])
        .unwrap_err();
    assert!(refused.is(Code::CONFIG_CHANGED) && refused.message.contains("limits.maxTurns"), "{refused:?}");
    assert_eq!(stage.config(), before);
    // A name that is there already isn't taken over.
    let added = changed("agents.mine", Some("{}"), Some(&Value::Null));
    accounts.change_config(&[added]).unwrap();
    accounts.change_config(&[changed("agents.mine.model", Some("demo/demo"), Some(&Value::Null))]).unwrap();
    let again = accounts.change_config(&[changed("agents.mine", Some("{}"), Some(&Value::Null))]).unwrap_err();
    assert!(again.is(Code::CONFIG_CHANGED), "{again:?}");
}

/// One of everything that has a name, as servers are: one is a program, one an address.
fn one_of_each() -> Value {
    json!({
        "agents": {"mine": {}},
        "providers": {"lab": {"kind": "custom", "baseUrl": "http://127.0.0.1:1/v1", "headers": {"X": "y"},
            "models": {"m": {"price": {"input": 1, "output": 1}}}}},
        "mcpServers": {"program": {"command": "x", "env": {"X": "y"}, "categories": {"t": "read"}},
            "address": {"url": "https://x/mcp", "headers": {"X": "y"}}},
        "prompts": {"fragments": {"f": "x"}}
    })
}

#[test]
fn each_value_that_settings_offer_is_taken_and_reset() {
    let stage = Stage::new(&one_of_each(), Vec::new());
    let accounts = stage.engine.accounts();
    let list = || arki_engine::list_settings(stage.engine.projects(), None).unwrap();
    // Those that only go with the other kind of server, or that name something that has to be there.
    let is_for_another = |key: &str| {
        let of_programs = ["args", "env", "network", "writable", "command"];
        let of_addresses = ["headers", "oauth", "url"];
        let is_of = |server: &str, parts: &[&str]| {
            key.strip_prefix(server).is_some_and(|rest| parts.contains(&rest.split(['.', '[']).next().unwrap_or(rest)))
        };
        is_of("mcpServers.address.", &of_programs) || is_of("mcpServers.program.", &of_addresses)
    };
    let sample = |entry: &SettingEntry, kind: SettingKind, choices: &[String]| match kind {
        SettingKind::Switch => json!(true),
        SettingKind::Number if entry.key == "compaction.atFraction" => json!(0.5),
        SettingKind::Number => json!(1),
        SettingKind::Choice => json!(choices[0]),
        _ if entry.key.ends_with("odel") => json!("demo/demo"),
        _ if entry.key.ends_with("rl") || entry.key.ends_with("endpoint") => json!("http://127.0.0.1:2/v1"),
        _ if entry.template.is_null() => json!("x"),
        _ => entry.template.clone(),
    };
    let mut set = 0;
    for entry in list().into_iter().filter(|entry| entry.can_be_set && !is_for_another(&entry.key)) {
        let (key, value) = match entry.kind {
            SettingKind::Map if entry.key == "hooks" => ("hooks.Stop".to_owned(), json!([{"command": "true"}])),
            SettingKind::Map => {
                let value = sample(&entry, entry.item_kind.unwrap(), &entry.item_choices);
                (format!("{}.added", entry.key), value)
            }
            SettingKind::List => {
                let value = sample(&entry, entry.item_kind.unwrap(), &entry.item_choices);
                (format!("{}[]", entry.key), value)
            }
            kind => (entry.key.clone(), sample(&entry, kind, &entry.choices)),
        };
        let put = accounts.change_config(&[changed(&key, Some(&value.to_string()), None)]);
        put.unwrap_or_else(|fault| panic!("{key} = {value}: {fault:?}"));
        let of_user = list().into_iter().any(|entry| {
            entry.key == key.replace("[]", "[0]")
                && (entry.origin == SettingOrigin::User || entry.kind == SettingKind::Map)
        });
        assert!(of_user, "{key} is not the user's after it was set");
        std::fs::write(stage.home.config_dir().join("config.json"), one_of_each().to_string()).unwrap();
        set += 1;
    }
    assert!(set > 90, "only {set} were set");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_is_changed_by_the_key_it_is_listed_with_and_tried_with_something_made_up() {
    let behind = json!({"matcher": "Edit", "hooks": [{"command": "echo one"}, {"command": "echo two"}]});
    let stage = Stage::new(&json!({"hooks": {"PreToolUse": [behind, {"command": "echo no >&2; exit 2"}]}}), Vec::new());
    stage.write(stage.folder().join(".arki/config.json"), r#"{"hooks": {"Stop": [{"command": "true"}]}}"#);
    stage.trust().await;
    let listed = arki_engine::list_hooks(stage.engine.projects(), Some(&stage.folder())).unwrap().hooks;
    let keys: Vec<Option<&str>> = listed.iter().map(|hook| hook.key.as_deref()).collect();
    let shared = Some("hooks.PreToolUse[0]");
    assert_eq!(keys, [shared, shared, Some("hooks.PreToolUse[1]"), None]);
    assert_eq!(listed[0].entry.as_ref(), Some(&behind));
    let try_out = |args: &str| {
        let happens = MadeUpEvent {
            event: HookEvent::PreToolUse,
            tool: "run_command".to_owned(),
            args: args.to_owned(),
            text: String::new(),
        };
        let (engine, folder) = (stage.engine.clone(), stage.folder());
        async move { engine.approvals().policy().try_hooks_with(&folder, happens).await }
    };
    let tried = try_out(r#"{"command": "ls"}"#).await.unwrap();
    let [only] = tried.as_slice() else { panic!("{tried:?}") };
    assert_eq!(only.outcome, Some(HookOutcome::Blocked));
    assert!(only.words.contains("no"), "{only:?}");
    assert!(try_out("[1]").await.unwrap_err().is(Code::USAGE));
    let accounts = stage.engine.accounts();
    let entry = listed[2].entry.clone();
    accounts.change_config(&[changed("hooks.PreToolUse[1]", Some(r#"{"command": "true"}"#), entry.as_ref())]).unwrap();
    let again = accounts.change_config(&[changed("hooks.PreToolUse[1]", None, entry.as_ref())]).unwrap_err();
    assert!(again.is(Code::CONFIG_CHANGED), "{again:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn only_a_file_that_something_comes_from_is_opened() {
    let stage = Stage::new(&json!({"window": {"editor": "no-such-editor"}}), Vec::new());
    let own = stage.home.config_dir();
    let skill = own.join("skills/own/SKILL.md");
    stage.write(skill.clone(), "---\nname: own\ndescription: Mine.\n---\nText");
    stage.write(own.join("agents/looker.md"), "---\ndescription: Looks.\n---\nLook.");
    stage.write(own.join("other.md"), "x");
    stage.write(stage.folder().join("a.md"), "x");
    stage.trust().await;
    let open = |path: &str| stage.engine.own_programs().open_configured(Some(&stage.folder()), path).unwrap_err();
    let projects = stage.engine.projects();
    let skills = arki_engine::list_skills(projects, None).unwrap().skills;
    let agents = arki_engine::list_agents(projects, None).unwrap().agents;
    let looker = agents.iter().find(|agent| agent.name == "looker").unwrap();
    let config = own.join("config.json").display().to_string();
    // No editor is there, which is found out last.
    for path in [&skills[0].origin, &looker.origins[0], &config, &"a.md".to_owned()] {
        assert!(open(path).is(Code::COMMAND_SPAWN_FAILED), "{path}: {:?}", open(path));
    }
    for path in [own.join("other.md").display().to_string(), "../other.md".to_owned(), "/etc/passwd".to_owned()] {
        assert!(!open(&path).is(Code::COMMAND_SPAWN_FAILED), "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_disk_space_is_told_before_and_after_tidying() {
    let stage = Stage::new(&json!({"retention": {"maxImageMegabytes": 5}}), vec![Turn::text("done")]);
    stage.trust().await;
    stage.run().await;
    stage.write(stage.home.data_dir().join("logs/desktop.log"), "12345");
    let sessions = stage.engine.retention();
    let before = sessions.storage_use().unwrap();
    assert!(before.database_bytes > 0 && before.events > 2 && before.disk_free_bytes.is_some(), "{before:?}");
    assert_eq!((before.log_bytes, before.max_contents_bytes, before.tidied_at), (5, 5 << 20, None));
    assert_eq!(before.largest.len(), 1);
    sessions.tidy_now().await.unwrap();
    assert!(sessions.storage_use().unwrap().tidied_at.is_some());
}

#[test]
fn of_changes_at_the_same_time_none_is_lost() {
    let stage = Stage::new(&json!({}), Vec::new());
    std::thread::scope(|scope| {
        for number in 0..16 {
            let accounts = stage.engine.accounts();
            scope.spawn(move || accounts.set_config("policy.secretFiles[]", &format!("{number}.pem")).unwrap());
        }
    });
    let settings = arki_engine::list_settings(stage.engine.projects(), None).unwrap();
    let list = settings.into_iter().find(|entry| entry.key == "policy.secretFiles").unwrap();
    assert_eq!(list.value.as_array().map(Vec::len), Some(16), "{list:?}");
}
