//! What a project's hooks run is pinned, also where scripts lead on, or the hook is off until the user agrees to it.

use crate::harness::{Stage, payloads, text};
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};

const OUTCOMES: [&str; 2] = ["passed", "off"];

/// A project with a hook after each list of a folder, which is listed twice a run; nothing is trusted yet.
fn stage(line: &str, files: &[(&str, &str)]) -> Stage {
    let list = || Turn::calls().call("list_directory", json!({}));
    let turns: Vec<Turn> = (0..6).flat_map(|_| [list(), list(), Turn::text("Done.")]).collect();
    let stage = Stage::untrusted(Script::new(turns).sequential(), &Value::Null);
    files.iter().for_each(|(path, content)| drop(stage.write(path, content)));
    configure(&stage, line);
    stage
}

fn configure(stage: &Stage, line: &str) {
    stage.write(".arki/config.json", json!({"hooks": {"PostToolUse": [{"command": line}]}}).to_string());
}

/// The outcomes of the hook in a run.
fn outcomes(stage: &Stage) -> Vec<(String, String)> {
    let events = stage.exec(&["look"]).exits(0).lines();
    payloads(&events, "hook.ran")
        .iter()
        .map(|ran| (text(&ran["outcome"]), ran["said"].as_str().unwrap_or_default().to_owned()))
        .collect()
}

fn passes(stage: &Stage) -> bool {
    let outcomes = outcomes(stage);
    outcomes.iter().all(|(outcome, _)| OUTCOMES.contains(&outcome.as_str()))
        && outcomes.iter().filter(|(outcome, _)| outcome == "passed").count() == 2
}

fn off(stage: &Stage) -> Value {
    stage.arki(&["hooks", "list", "--json"]).exits(0).lines()[0]["off"].clone()
}

fn shown(stage: &Stage) -> String {
    stage.arki(&["trust", "--show"]).exits(0).stdout
}

#[test]
fn a_hook_that_cannot_be_pinned_is_off_until_the_user_agrees_to_it() {
    let stage = stage("sh \"$(cat name)\"", &[("name", ".hooks/h.sh"), (".hooks/h.sh", "exit 0\n")]);
    for words in ["sh \"$(cat name)\"", "it builds the name of what it runs with $(…)", "`arki trust --with-unpinned`"]
    {
        assert!(shown(&stage).contains(words), "{}", shown(&stage));
    }
    let trusted = stage.arki(&["trust"]).exits(0).stdout;
    assert!(trusted.contains("These stay off."), "{trusted}");
    let [(outcome, said)] = &outcomes(&stage)[..] else { panic!("once a run") };
    assert!(outcome == "off" && said.contains("it builds the name") && said.contains("--with-unpinned"), "{said}");
    let list = stage.arki(&["hooks", "list"]).exits(0).stdout;
    assert!(list.contains("off: Arki can't pin what it runs: it builds") && list.contains("--with-unpinned"), "{list}");
    let json = stage.arki(&["trust", "--show", "--json"]).exits(0).lines();
    let pin = json.iter().find(|pin| pin["kind"] == "unpinned_hook").unwrap();
    assert_eq!(pin["path"], ".arki/config.json#sh \"$(cat name)\"");

    let agreed = stage.arki(&["trust", "--with-unpinned"]).exits(0).stdout;
    assert!(!agreed.contains("These stay off.") && agreed.contains("unpinned_hook"), "{agreed}");
    assert!(passes(&stage));
    // What was agreed to stays so.
    stage.trust();
    assert!(passes(&stage) && off(&stage).is_null());
    configure(&stage, "sh  \"$(cat name)\"");
    assert_eq!(off(&stage), "configuration_changed");
    stage.trust();
    assert_eq!(off(&stage), "unpinned", "the agreement was to another command");
    stage.verifies();
}

#[test]
fn scripts_are_followed_and_one_that_changes_puts_the_hook_off_until_it_is_seen() {
    let library = [(".hooks/h.sh", ". \"$(dirname \"$0\")/lib.sh\"\n"), (".hooks/lib.sh", "sh .hooks/deep.sh\n")];
    for (line, changes) in [
        ("sh \"$PWD/.hooks/h.sh\"", ".hooks/lib.sh"),
        ("bash -c 'cd .hooks && sh ./h.sh'", ".hooks/lib.sh"),
        ("sh ${CLAUDE_PROJECT_DIR}/.hooks/h.sh", ".hooks/deep.sh"),
        ("cd .hooks && sh h.sh", ".hooks/h.sh"),
        ("python3 -m pkg.guard", "pkg/guard.py"),
        ("python3 .hooks/guard.py", ".hooks/part.py"),
        ("sh .hooks/*.sh", ".hooks/new.sh"),
        ("find . -maxdepth 0 -exec sh .hooks/h.sh ';'", ".hooks/deep.sh"),
        ("./tool", "tool"),
    ] {
        let stage = stage(line, &library);
        stage.write(".hooks/deep.sh", "exit 0\n");
        stage.write(".hooks/.hooks/deep.sh", "exit 0\n");
        stage.write("pkg/guard.py", "pass\n");
        stage.write(".hooks/guard.py", "import part\n");
        stage.write(".hooks/part.py", "pass\n");
        let tool = stage.write("tool", "#!/bin/sh\nexit 0\n");
        #[cfg(unix)]
        std::fs::set_permissions(&tool, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        stage.trust();
        assert!(off(&stage).is_null(), "{line}: {}", shown(&stage));
        assert!(passes(&stage), "{line}");
        stage.write(changes, "print = 1\n");
        assert_eq!(off(&stage), "script_changed", "{line}");
        assert_eq!(outcomes(&stage), [], "{line}");
        assert!(shown(&stage).contains(&format!("{changes} is ")), "{line}: {}", shown(&stage));
        stage.trust();
        assert!(off(&stage).is_null(), "{line}");
    }
}

#[test]
fn a_script_that_comes_to_run_what_cannot_be_pinned_puts_its_hook_off() {
    let stage = stage("sh a.sh", &[("a.sh", "sh b.sh\n"), ("b.sh", "exit 0\n")]);
    stage.trust();
    assert!(passes(&stage));
    stage.write("b.sh", "make lint\n");
    assert_eq!(off(&stage), "script_changed");
    stage.trust();
    assert_eq!(off(&stage), "unpinned");
    assert!(shown(&stage).contains("b.sh: `make` runs what files of the project say"), "{}", shown(&stage));
}

#[test]
fn a_library_that_changes_in_the_middle_of_a_run_runs_no_more() {
    let path = std::sync::Arc::new(std::sync::OnceLock::<std::path::PathBuf>::new());
    let library = path.clone();
    let list = || Turn::calls().call("list_directory", json!({}));
    let changes = Turn::computed(move |_| {
        std::fs::write(library.get().unwrap(), "echo changed >&2; exit 2\n").unwrap();
        list()
    });
    let script = Script::new(vec![list(), changes, Turn::text("Done.")]).sequential();
    let stage = Stage::untrusted(script, &Value::Null);
    stage.write("h.sh", ". ./lib.sh\n");
    path.set(stage.write("lib.sh", "exit 0\n")).unwrap();
    configure(&stage, "sh h.sh");
    stage.trust();
    let outcomes = outcomes(&stage);
    assert_eq!((outcomes[0].0.as_str(), outcomes[1].0.as_str()), ("passed", "failed"), "{outcomes:?}");
    assert!(outcomes[1].1.contains("changed since you approved it"), "{outcomes:?}");
}

/// A user's own hooks are theirs.
#[test]
fn a_hook_of_the_users_runs_whatever_it_is() {
    let list = || Turn::calls().call("list_directory", json!({}));
    let hooks = json!({"PostToolUse": [{"command": "sh \"$(echo h.sh)\""}]});
    let script = Script::new(vec![list(), list(), Turn::text("Done.")]).sequential();
    let stage = Stage::configured(script, &json!({"hooks": hooks}));
    stage.write("h.sh", "exit 0\n");
    assert!(passes(&stage));
}
