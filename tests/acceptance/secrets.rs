//! Secrets of the project, and whatever looks like one: the model never sees them, the log never holds them, and what a
//! tool writes has them to the byte.

use crate::harness::{Stage, contains, files_below, payload, payloads, text};
use crate::mcp::{server, with};
use arki_testkit::{Script, Turn};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD_NO_PAD;
use serde_json::{Value, json};

const PASSWORD: &str = "tr0ub4dor-and-3-more";

/// Put together here, so that no scanner takes this file for a leak.
fn token() -> String {
    format!("{}_{}", "ghp", "0123456789abcdefghijABCDEFGHIJ012345")
}

fn settings() -> String {
    format!("password = \"{PASSWORD}\"\ntoken = \"{}\"\nretries = 3\n", token())
}

fn stage(turns: Vec<Turn>) -> Stage {
    let stage = Stage::new(turns);
    stage.write(".env", format!("DEBUG=true\nDB_PASSWORD={PASSWORD}\n"));
    stage.write("settings.toml", settings());
    stage
}

fn read(path: &str) -> Turn {
    Turn::calls().call("read_file", json!({"path": path}))
}

/// A call with what the model was shown in the place of `PASSWORD` and `TOKEN`.
fn call(tool: &'static str, args: Value) -> Turn {
    Turn::computed(move |request| {
        let shown = request.to_string();
        let filled = args.to_string();
        let filled = filled.replace("PASSWORD", &placeholder(&shown, "[secret:DB_PASSWORD#"));
        let filled = filled.replace("TOKEN", &placeholder(&shown, "[secret:github-token#"));
        Turn::calls().call(tool, serde_json::from_str(&filled).unwrap())
    })
}

fn placeholder(shown: &str, beginning: &str) -> String {
    let Some(start) = shown.rfind(beginning) else { return "nothing shown".to_owned() };
    shown[start..=start + shown[start..].find(']').unwrap()].to_owned()
}

/// Neither the provider nor the log nor a list, a search index or a diagnosis has the secrets.
fn are_hidden(stage: &Stage) {
    for secret in [PASSWORD.to_owned(), token()] {
        let sent = stage.model.requests();
        assert!(!sent.is_empty() && !sent.iter().any(|request| contains(&request.body, secret.as_bytes())), "sent");
        assert!(!Value::from(stage.log()).to_string().contains(&secret), "in the log");
        for args in [&["sessions", "list"][..], &["approvals", "list"], &["sessions", "search", "password"]] {
            assert!(!stage.arki(&[args, &["--json"]].concat()).stdout.contains(&secret), "{args:?}");
        }
    }
    stage.verifies();
}

/// The whole data directory, byte by byte: where no file was changed there are no images to except.
fn are_nowhere_on_the_disk(stage: &Stage) {
    let kept = files_below(&stage.home.data_dir());
    assert!(!kept.is_empty());
    for secret in [PASSWORD.to_owned(), token()] {
        let has_it = |file: &&std::path::PathBuf| contains(&std::fs::read(file).unwrap(), secret.as_bytes());
        assert_eq!(kept.iter().find(has_it), None);
    }
}

#[test]
fn the_model_is_shown_placeholders_whatever_the_way_it_looks() {
    for (tool, args) in [
        ("read_file", json!({"path": "settings.toml"})),
        ("search_files", json!({"pattern": "password|token"})),
        ("run_command", json!({"command": "cat settings.toml"})),
        ("read_file", json!({"path": ".env"})),
    ] {
        let stage = stage(vec![Turn::calls().call(tool, args.clone()), Turn::text("I see.")]);
        let done = stage.exec(&["what is in the settings?"]);
        if done.code == Some(3) {
            stage.arki(&["approvals", "approve", &stage.waiting()]).exits(0);
        }
        assert!(stage.told().contains("[secret:DB_PASSWORD#"), "{args} {}", stage.told());
        are_hidden(&stage);
        are_nowhere_on_the_disk(&stage);
    }
}

#[test]
fn a_private_key_is_hidden_also_where_only_a_part_of_it_is_read() {
    let lines: Vec<String> =
        (b'a'..b'g').map(|first| format!("{}Qx7", char::from(first).to_string().repeat(61))).collect();
    for part in [json!({"offset": 3}), json!({"offset": 3, "limit": 2}), json!({"limit": 4})] {
        let mut args = part;
        args["path"] = json!("notes.txt");
        let stage = stage(vec![Turn::calls().call("read_file", args), Turn::text("I see.")]);
        let key = format!("-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----\n", lines.join("\n"));
        stage.write("notes.txt", format!("intro\n{key}outro\n"));
        stage.exec(&["what is in the notes?"]).exits(0);
        let told = stage.told();
        assert!(told.contains("[secret:private-key#") && !lines.iter().any(|line| told.contains(line)), "{told}");
    }
}

/// The value in the forms that `base64`, `xxd -p` and `rev` give it; of base64 what does not depend on its neighbours.
fn encoded(value: &str) -> Vec<String> {
    let within = |before: usize| {
        let encoded = BASE64_STANDARD_NO_PAD.encode("-".repeat(before) + value);
        encoded[before * 2..encoded.len() - 1].to_owned()
    };
    let hexadecimal = value.bytes().map(|byte| format!("{byte:02x}")).collect();
    (0..3).map(within).chain([hexadecimal, value.chars().rev().collect()]).collect()
}

#[test]
fn encoded_forms_of_known_secrets_are_replaced_too_and_stand_for_the_encoded_text() {
    let copied = json!({"path": "copy.txt", "content": "BASE64\n"});
    let stage = stage(vec![
        read("settings.toml"),
        Turn::calls().call("run_command", json!({"command": "base64 -w0 settings.toml"})),
        Turn::calls().call("run_command", json!({"command": "rev settings.toml"})),
        Turn::calls().call("run_command", json!({"command": "od -An -v -tx1 settings.toml | tr -d ' \\n'"})),
        Turn::computed(move |request| {
            let placeholder = placeholder(&request.to_string(), "[secret:DB_PASSWORD.base64#");
            let filled = copied.to_string().replace("BASE64", &placeholder);
            Turn::calls().call("write_file", serde_json::from_str(&filled).unwrap())
        }),
        Turn::text("Done."),
    ]);
    stage.exec(&["--approve", "all", "what is in the settings?"]).exits(3);
    let asked = payload(&stage.log(), "approval.requested");
    assert!(text(&asked["reason"]).contains("DB_PASSWORD.base64"), "{asked}");
    stage.arki(&["approvals", "approve", &stage.waiting()]).exits(0);
    let copy = stage.read("copy.txt");
    assert!(encoded(PASSWORD).contains(&copy.trim().to_owned()), "{copy}");
    for form in encoded(PASSWORD).into_iter().chain(encoded(&token())) {
        assert!(!stage.model.requests().iter().any(|request| contains(&request.body, form.as_bytes())), "{form}");
        assert!(!Value::from(stage.log()).to_string().contains(&form), "{form}");
    }
    for name in ["base64", "hex", "reversed"] {
        let log = Value::from(stage.log()).to_string();
        assert!(log.contains(&format!("[secret:github-token.{name}#")), "{name} {log}");
    }
    are_hidden(&stage);
}

#[test]
fn a_secret_in_the_prompt_or_in_an_answer_is_replaced_before_anything_is_done_with_it() {
    let stage = stage(vec![Turn::text(format!("Your token {} and {PASSWORD}.", token()))]);
    let done = stage.exec(&[&format!("is {} or {PASSWORD} a good one?", token())]).exits(0);
    assert!(!done.stdout.contains(PASSWORD) && !done.stdout.contains(&token()), "{}", done.stdout);
    are_hidden(&stage);
    are_nowhere_on_the_disk(&stage);
}

/// Each of these is a process of its own, which has read no file of the project for its own sake.
#[test]
fn a_secret_in_what_the_user_says_later_is_replaced_before_it_is_stored() {
    let whole = json!({"path": "notes.md", "content": "words\n"});
    let stage = stage(vec![Turn::calls().call("write_file", whole), Turn::text("Done.")]);
    stage.exec(&["note it"]).exits(3);
    let said = format!("not beside {PASSWORD} and {}", token());
    let id = stage.waiting();
    stage.arki(&["approvals", "reject", &id, "--note", &said]).exits(0);
    let session = text(&stage.sessions()[0]["sessionId"]);
    stage.arki(&["queue", "add", &session, &said]).exits(0);
    let message = text(&stage.arki(&["queue", "list", &session, "--json"]).exits(0).lines()[0]["messageId"]);
    stage.arki(&["queue", "edit", &session, &message, &format!("rather {said}")]).exits(0);
    are_hidden(&stage);
    are_nowhere_on_the_disk(&stage);
}

#[test]
fn what_a_server_says_of_its_tools_reaches_the_model_and_the_disk_without_secrets() {
    let more = json!({ "env": { "SAID": format!("use {PASSWORD} or {}", token()) } });
    let config = json!({ "mcpServers": { "x": with(server("tells"), &more) } });
    let stage = Stage::configured(Script::new(["Done.", "Done."].map(Turn::text).to_vec()).sequential(), &config);
    stage.write(".env", format!("DB_PASSWORD={PASSWORD}\n"));
    stage.exec(&["go"]).exits(0);
    let offered = stage.model.requests().remove(0).json["tools"].to_string();
    assert!(offered.contains("mcp__x__echo") && offered.contains("[secret:DB_PASSWORD#"), "{offered}");
    are_hidden(&stage);
    are_nowhere_on_the_disk(&stage);
    // Without the server: as it was remembered.
    stage.exec(&["--continue", "go on"]).exits(0);
    let again = stage.model.requests().remove(1).json["tools"].to_string();
    assert_eq!(again, offered);
    are_hidden(&stage);
}

#[test]
fn an_edit_beside_and_of_a_secret_keeps_its_bytes() {
    let edit = json!({"path": "settings.toml", "edits": [
        {"old_text": "token = \"TOKEN\"\nretries = 3", "new_text": "retries = 4\ntoken = \"TOKEN\" # the same"},
    ]});
    let stage = stage(vec![read("settings.toml"), call("edit_file", edit), Turn::text("Done.")]);
    stage.exec(&["--approve", "edits", "more retries"]).exits(0);
    let expected = format!("password = \"{PASSWORD}\"\nretries = 4\ntoken = \"{}\" # the same\n", token());
    assert_eq!(stage.read("settings.toml"), expected);
    are_hidden(&stage);
}

#[test]
fn a_review_shows_the_secret_and_the_log_does_not_also_when_another_process_goes_on() {
    let whole = json!({"path": "settings.toml", "content": "password = \"PASSWORD\"\ntoken = \"TOKEN\"\n"});
    let stage = stage(vec![read("settings.toml"), call("write_file", whole), Turn::text("Done.")]);
    stage.exec(&["tidy up"]).exits(3);
    let id = stage.waiting();
    let shown = stage.arki(&["approvals", "show", &id]).exits(0).stdout;
    assert!(shown.contains(&token()) && shown.contains(PASSWORD), "{shown}");
    assert!(!stage.arki(&["approvals", "show", &id, "--json"]).exits(0).stdout.contains(&token()));
    stage.arki(&["approvals", "approve", &id]).exits(0);
    assert_eq!(stage.read("settings.toml"), format!("password = \"{PASSWORD}\"\ntoken = \"{}\"\n", token()));
    are_hidden(&stage);
}

#[test]
fn a_secret_that_would_go_where_it_is_not_yet_is_asked_about_whatever_was_granted() {
    for (tool, args) in [
        ("write_file", json!({"path": "other.txt", "content": "TOKEN\n"})),
        ("run_command", json!({"command": "printf '%s\n' 'TOKEN' > other.txt; printf '%s' 'TOKEN' | wc -c"})),
    ] {
        let stage = stage(vec![read("settings.toml"), call(tool, args), Turn::text("Done.")]);
        stage.exec(&["--approve", "all", "copy it"]).exits(3);
        let asked = payload(&stage.log(), "approval.requested");
        assert_eq!((&asked["rule"], &asked["risk"]), (&json!("builtin:secret"), &json!("high")));
        assert!(text(&asked["reason"]).contains("github-token"), "{asked}");
        assert!(!stage.path("other.txt").exists());
        stage.arki(&["approvals", "approve", &stage.waiting()]).exits(0);
        assert_eq!(stage.read("other.txt"), format!("{}\n", token()));
        are_hidden(&stage);
    }
}

#[test]
fn a_move_that_carries_a_secret_into_another_file_is_asked_about_whatever_was_granted() {
    let moving = "*** Begin Patch\n*** Update File: settings.toml\n*** Move to: public.toml\n@@\n-retries = 3\n\
        +retries = 4\n*** End Patch\n";
    for granted in ["edits", "all"] {
        let patch = Turn::calls().call("apply_patch", json!({ "patch": moving }));
        let stage = stage(vec![read("settings.toml"), patch, Turn::text("Done.")]);
        stage.exec(&["--approve", granted, "move it"]).exits(3);
        assert_eq!(payload(&stage.log(), "approval.requested")["rule"], "builtin:secret");
        assert!(!stage.path("public.toml").exists());
        stage.arki(&["approvals", "approve", &stage.waiting()]).exits(0);
        assert!(stage.read("public.toml").contains(&token()) && !stage.path("settings.toml").exists());
        are_hidden(&stage);
    }
}

#[cfg(unix)]
#[test]
fn a_move_from_a_link_carries_what_the_link_leads_to() {
    let moving = "*** Begin Patch\n*** Update File: link.toml\n*** Move to: public.toml\n@@\n-retries = 3\n\
        +retries = 4\n*** End Patch\n";
    let patch = Turn::calls().call("apply_patch", json!({ "patch": moving }));
    let stage = stage(vec![read("link.toml"), patch, Turn::text("Done.")]);
    std::os::unix::fs::symlink("settings.toml", stage.path("link.toml")).unwrap();
    stage.exec(&["--approve", "all", "move it"]).exits(3);
    assert_eq!(payload(&stage.log(), "approval.requested")["rule"], "builtin:secret");
    assert!(!stage.path("public.toml").exists());
}

#[test]
fn a_secret_that_was_typed_and_nobody_knows_any_more_is_told_of_before_anything_is_decided() {
    let stage =
        stage(vec![call("write_file", json!({"path": "other.txt", "content": "TOKEN\n"})), Turn::text("Done.")]);
    stage.write("settings.toml", "retries = 3\n");
    stage.exec(&[&format!("put {} into other.txt", token())]).exits(3);
    let id = stage.waiting();
    let shown = stage.arki(&["approvals", "show", &id]).exits(0).stdout;
    assert!(shown.contains("is not stored") && !shown.contains(&token()), "{shown}");
    stage.arki(&["approvals", "approve", &id]).fails(1, "SECRET_UNRESOLVED");
    assert_eq!(stage.waiting(), id);
    stage.write("mine.txt", token());
    let shown = stage.arki(&["approvals", "show", &id]).exits(0).stdout;
    assert!(shown.contains(&token()), "{shown}");
    stage.arki(&["approvals", "approve", &id]).exits(0);
    assert_eq!(stage.read("other.txt"), format!("{}\n", token()));
    are_hidden(&stage);
}

#[test]
fn a_server_is_not_handed_a_secret_unasked_because_the_user_calls_its_tool_reading() {
    let harmless = with(server("good"), &json!({"categories": {"echo": "read"}}));
    let turns = vec![read("settings.toml"), call("mcp__x__echo", json!({"text": "TOKEN"})), Turn::text("Done.")];
    let stage = Stage::configured(Script::new(turns), &json!({"mcpServers": {"x": harmless}}));
    stage.write("settings.toml", settings());
    stage.exec(&["--approve", "all", "echo it"]).exits(3);
    assert_eq!(payload(&stage.log(), "approval.requested")["rule"], "builtin:secret");
}

#[test]
fn a_placeholder_that_stands_for_nothing_fails_and_is_never_written() {
    for made_up in ["[secret:DB_PASSWORD#0123456789ab]", "[secret:DB_PASSWORD]"] {
        for (tool, args) in [
            ("write_file", json!({"path": "other.txt", "content": format!("x = {made_up}")})),
            ("run_command", json!({"command": format!("echo '{made_up}' > other.txt")})),
        ] {
            let stage = stage(vec![Turn::calls().call(tool, args), Turn::text("Oh.")]);
            stage.exec(&["--approve", "all", "write it"]).exits(0);
            let result = payload(&stage.log(), "tool.result");
            assert_eq!((&result["isError"], &result["code"]), (&json!(true), &json!("SECRET_UNRESOLVED")));
            assert!(!stage.path("other.txt").exists());
        }
    }
}

#[test]
fn a_file_with_text_like_a_placeholder_stays_editable() {
    let line = "See [secret:NAME#0123456789ab] and [secret:prod].";
    let edit = json!({"path": "notes.md", "edits": [{"old_text": line, "new_text": format!("{line} Done.")}]});
    let stage = stage(vec![Turn::calls().call("edit_file", edit), Turn::text("Done.")]);
    stage.write("notes.md", line);
    stage.exec(&["--approve", "edits", "note it"]).exits(0);
    assert_eq!(stage.read("notes.md"), format!("{line} Done."));
}

#[test]
fn what_only_looks_random_is_told_and_left() {
    let random = "q8Zr2Lx0Vt6Nw4Ks9Bm1";
    let stage = stage(vec![read("b.yml"), Turn::text("ok")]);
    stage.write("b.yml", format!("# the password of the old server: {random}\n"));
    stage.exec(&["look"]).exits(0);
    assert!(stage.told().contains(random));
    assert_eq!(payloads(&stage.log(), "tool.result")[0]["possibleSecrets"], 1);
}

#[test]
fn a_value_that_comes_into_an_environment_file_during_the_run_is_hidden_from_then_on() {
    let stage = stage(vec![
        Turn::calls().call(
            "run_command",
            json!({"command": "printf 'API_TOKEN=%s' new-value-of-it > .env.local; cat .env.local"}),
        ),
        Turn::text("Done."),
    ]);
    stage.exec(&["make one"]).exits(3);
    // In a view the file is asked about once more when the command has ended.
    let ran = stage.arki(&["approvals", "approve", &stage.waiting()]);
    if ran.code == Some(3) {
        assert!(!ran.stdout.contains("new-value-of-it") && !ran.stderr.contains("new-value-of-it"), "{ran:?}");
        stage.arki(&["approvals", "reject", &stage.waiting()]).exits(0);
    }
    assert!(stage.told().contains("API_TOKEN=[secret:API_TOKEN#"), "{}", stage.told());
}

#[test]
fn in_a_folder_that_is_not_trusted_no_environment_file_is_read_unasked() {
    let stage = Stage::untrusted(Script::new(vec![read("settings.toml"), Turn::text("ok")]), &json!({}));
    stage.write(".env", format!("DB_PASSWORD={PASSWORD}\n"));
    stage.write("settings.toml", settings().replace("password", "greeting"));
    stage.exec(&["look"]).exits(0);
    assert!(stage.told().contains(PASSWORD), "nothing of the folder is read but by the tools");
    assert!(!stage.told().contains(&token()), "what has a secret's form is recognised all the same");
}

#[test]
fn files_that_the_configuration_names_are_secret_too() {
    let turns = vec![
        Turn::calls()
            .call("search_files", json!({"pattern": "hidden"}))
            .call("read_file", json!({"path": "keys/a.json"})),
        Turn::text("done"),
    ];
    let config = json!({"policy": {"secretFiles": ["keys/", "*.private"]}});
    let stage = Stage::configured(Script::new(turns), &config);
    stage.write("keys/a.json", "hidden\n");
    stage.write("src/b.private", "hidden\n");
    stage.write("src/c.txt", "hidden\n");
    let events = stage.exec(&["look"]).exits(3).lines();
    let found = text(&payloads(&events, "tool.result")[0]["result"]);
    assert!(found.contains("src/c.txt") && found.contains("2 secret files"), "{found}");
    assert_eq!(payloads(&events, "approval.requested")[0]["args"]["path"], "keys/a.json");
    assert_eq!(
        stage.arki(&["policy", "check", "--json", "cat src/b.private"]).exits(0).lines()[0]["decision"],
        "approval"
    );
    stage.write_config(&json!({"policy": {"secretFiles": ["a["]}}).to_string());
    stage.exec(&["look"]).fails(2, "CONFIG_INVALID");
}
