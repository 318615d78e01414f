//! Ways round the policy that a tester once found: each is closed, for each of its forms.

use crate::harness::{Stage, payloads};
use arki_testkit::{Script, Turn};
use serde_json::json;

fn judged(stage: &Stage, command: &str) -> (String, String) {
    let verdict = &stage.arki(&["policy", "check", "--json", command]).lines()[0];
    (verdict["decision"].as_str().unwrap().to_owned(), verdict["rule"].as_str().unwrap().to_owned())
}

#[test]
fn the_network_is_asked_for_whatever_the_command_does() {
    let calls = ["ls", "getent hosts data.example", "cargo --version"];
    for command in calls {
        let call = Turn::calls().call("run_command", json!({"command": command, "network": true}));
        let stage = Stage::new(vec![call]);
        let args = json!({"command": command, "network": true}).to_string();
        let checked = stage.arki(&["policy", "check", "--tool", "run_command", "--args", &args, "--json"]).lines();
        assert_eq!(checked[0]["rule"], "category:network", "{command}");
        stage.exec(&["go"]).exits(3);
    }
}

/// In a view a line needs no reading to hold to a rule: what the rule denies can't be opened, by whatever way.
#[cfg(target_os = "linux")]
#[test]
fn what_a_rule_denies_cannot_be_opened_in_a_view() {
    let lines = [
        "d=.; grep -r hidden $d; true",
        "d=pri; cat ${d}v/w.txt",
        "python3 -c 'print(open(\"pr\"+\"iv/w.txt\").read())'",
    ];
    for line in lines {
        let turns = vec![Turn::calls().call("run_command", json!({"command": line})), Turn::text("I see.")];
        let stage = Stage::configured(
            Script::new(turns),
            &json!({"policy": {"rules": [{"decision": "deny", "path": "priv/**"}]}}),
        );
        if !stage.has_sandbox() {
            return;
        }
        stage.write("priv/w.txt", "hidden words\n");
        let events = stage.exec(&["go"]).exits(0).lines();
        let decided = payloads(&events, "policy.decided").remove(0);
        assert!(["allow", "review"].contains(&decided["decision"].as_str().unwrap()), "{line}: {decided}");
        let told = stage.told();
        assert!(!told.contains("hidden words") && told.contains("ermission denied"), "{line}: {told}");
    }
}

#[test]
fn a_rule_that_denies_a_path_holds_for_every_way_to_it() {
    let policy = json!({"policy": {"rules": [{"decision": "deny", "path": "priv/**"}]}});
    let turns = vec![
        Turn::calls().call("search_files", json!({"pattern": "hidden"})),
        Turn::calls().call("list_directory", json!({"path": "priv"})),
        Turn::text("I see."),
    ];
    let stage = Stage::configured(Script::new(turns), &policy);
    stage.write("priv/w.txt", "hidden words\n");
    stage.write("open.txt", "nothing\n");
    let events = stage.exec(&["go"]).exits(0).lines();
    let results = payloads(&events, "tool.result");
    assert!(!results[0]["result"].as_str().unwrap().contains("hidden words"), "{}", results[0]);
    assert_eq!(results[1]["code"], "POLICY_DENIED");
    for line in ["cat priv/w.txt", "cat priv/\"w\".txt", "cd priv && cat w.txt", "head open.txt priv/w.txt"] {
        assert_eq!(judged(&stage, line).0, "deny", "{line}");
    }
    assert_eq!(judged(&stage, "cat open.txt").0, "allow");
    let policy =
        json!({"policy": {"categories": {"exec": "approval"}, "rules": [{"decision": "deny", "path": "priv/**"}]}});
    let asking = Stage::configured(Script::new(vec![]), &policy);
    asking.write("priv/w.txt", "hidden words\n");
    // Where commands have views, no line can open what the rule denies; see `effects_policy`.
    let decision = if cfg!(target_os = "linux") { "allow" } else { "approval" };
    assert_eq!(judged(&asking, "grep -r hidden .").0, decision);
}

#[test]
fn a_rule_that_cannot_mean_what_it_says_is_refused() {
    for (rule, word) in [
        (json!({"decision": "allow", "tool": "run_command", "command": []}), "has no tool"),
        (json!({"decision": "deny", "tool": "run_comand"}), "run_command"),
    ] {
        let stage = Stage::untrusted(Script::new(vec![]), &json!({"policy": {"rules": [rule]}}));
        let told = stage.arki(&["policy", "check", "ls"]).fails(2, "CONFIG_INVALID");
        assert!(told.message.contains(word), "{}", told.message);
    }
}
