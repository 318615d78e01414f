//! `arki sessions search` finds what was said, run and changed, takes everything a user can type, and forgets what is gone.

use crate::harness::{Stage, text};
use crate::tree::{go, playing, session_of};
use arki_testkit::Turn;
use serde_json::{Value, json};

/// A session with a prompt, an answer, a command with its result, and a file.
fn with_a_past() -> (Stage, String) {
    let stage = playing(vec![
        Turn::text("Let me look at the aardvarks.")
            .call("run_command", json!({"command": "echo bumblebees"}))
            .call("write_file", json!({"path": "src/caterpillar.rs", "content": "fn dragonfly() {}\n"})),
        Turn::text("The elephants are fed."),
        Turn::text("Quiet."),
    ]);
    let events = stage.exec(&["--approve", "all", "please count the flamingos in Zürich"]).exits(0).lines();
    (stage, session_of(&events))
}

fn search(stage: &Stage, query: &[&str]) -> Vec<Value> {
    stage.arki(&[&["sessions", "search", "--json"], query].concat()).exits(0).lines()
}

fn kinds(hits: &[Value]) -> Vec<String> {
    hits.iter().map(|hit| text(&hit["type"])).collect()
}

#[test]
fn prompts_answers_commands_results_and_paths_are_found() {
    let (stage, session) = with_a_past();
    for (query, kind) in [
        ("flamingos", "run.started"),
        ("aardvarks", "output.message"),
        ("elephants", "output.message"),
        ("bumblebees", "tool.result"),
        ("echo", "tool.call"),
        ("caterpillar", "file.changed"),
        ("dragonfly", "tool.call"),
    ] {
        let hits = search(&stage, &[query]);
        assert!(kinds(&hits).contains(&kind.to_owned()), "{query}: {hits:?}");
        let hit = hits.iter().find(|hit| hit["type"] == kind).unwrap();
        assert_eq!(hit["sessionId"], json!(session));
        assert!(text(&hit["snippet"]).contains(query), "{hit}");
        let seq = hit["seq"].as_u64().unwrap();
        let event = stage.events(&session).remove(usize::try_from(seq).unwrap() - 1);
        assert_eq!(event["type"], kind, "the number leads to the event");
    }
    let people = stage.arki(&["sessions", "search", "flamingos"]).exits(0).stdout;
    assert!(people.contains(&session) && people.contains("please count the flamingos in"), "{people}");
    assert!(!people.contains('\u{1b}') && !people.contains("\\u{1b}"), "{people:?}");
}

#[test]
fn words_are_all_needed_phrases_follow_each_other_and_beginnings_suffice() {
    let (stage, _) = with_a_past();
    for found in [
        &["count flamingos"][..],
        &["flamingos", "count"],
        &["FLAMINGOS"],
        &["zurich"],
        &["\"count the flamingos\""],
        &["flam*"],
        &["\"the flam\"*"],
        &["src/caterpillar.rs"],
    ] {
        assert!(!search(&stage, found).is_empty(), "{found:?}");
    }
    for not_found in
        [&["flamingos elephants"][..], &["\"flamingos count\""], &["flam"], &["lamingos"], &["caterpillar.py"]]
    {
        assert_eq!(search(&stage, not_found), Vec::<Value>::new(), "{not_found:?}");
    }
}

#[test]
fn nothing_that_can_be_typed_is_an_error() {
    let (stage, _) = with_a_past();
    for query in [
        "",
        " ",
        "\"",
        "\"\"",
        "*",
        "**",
        "\"*",
        "a OR",
        "OR",
        "AND",
        "NOT",
        "NOT x",
        "NEAR(",
        "(",
        ")",
        "{text}: x",
        "text:x",
        "path : x",
        "^x",
        "x^",
        "+",
        "-",
        "a-b",
        "'",
        "''",
        ";--",
        "%",
        "_",
        "\\",
        "\u{301}",
        "🦩",
        "日本語",
        "\u{202e}x",
        "\n",
        "col:\"x\" AND (",
        "x* *y",
        "a\"b\"c",
    ] {
        search(&stage, &["--", query]);
    }
    search(&stage, &[&"word ".repeat(10_000)]);
    search(&stage, &[&"x".repeat(100_000)]);
    assert!(stage.arki(&["sessions", "search", " "]).exits(0).stderr.contains("Nothing to search for"));
    stage.arki(&["sessions", "search", "x", "--since", "yesterday"]).fails(2, "USAGE");
    stage.arki(&["sessions", "search", "x", "--limit", "many"]).fails(2, "USAGE");
}

#[test]
fn the_newest_come_first_and_filters_narrow() {
    let (stage, session) = with_a_past();
    let other = session_of(&stage.exec(&["more flamingos"]).exits(0).lines());
    let hits = search(&stage, &["flamingos"]);
    let mut sessions: Vec<String> = hits.iter().map(|hit| text(&hit["sessionId"])).collect();
    sessions.dedup();
    assert_eq!(sessions, [other, session]);
    assert_eq!(search(&stage, &["flamingos", "--limit", "1"]), hits[..1]);
    let project = stage.home.project_dir();
    assert_eq!(search(&stage, &["flamingos", "--project", project.to_str().unwrap()]), hits);
    let elsewhere = tempfile::tempdir().unwrap();
    assert_eq!(search(&stage, &["flamingos", "--project", elsewhere.path().to_str().unwrap()]), Vec::<Value>::new());
    assert_eq!(search(&stage, &["flamingos", "--until", "2001-01-01"]), Vec::<Value>::new());
    assert_eq!(search(&stage, &["flamingos", "--since", "2001-01-01"]), hits);
    assert!(!search(&stage, &["bumblebees", "--tool", "run_command"]).is_empty());
    assert_eq!(search(&stage, &["bumblebees", "--tool", "read_file"]), Vec::<Value>::new());
    assert!(!search(&stage, &["dragonfly", "--file", "src/caterpillar.rs"]).is_empty());
}

#[test]
fn what_is_stored_later_is_found_and_what_was_removed_is_not() {
    let (stage, session) = with_a_past();
    assert_eq!(search(&stage, &["gazelles"]), Vec::<Value>::new());
    stage.arki(&["queue", "add", &session, "feed the gazelles"]).exits(0);
    let hits = search(&stage, &["gazelles"]);
    assert_eq!(kinds(&hits), ["message.queued"]);
    stage.arki(&["sessions", "rm", &session]).exits(0);
    for query in ["gazelles", "flamingos", "caterpillar", "bumble*", ""] {
        assert_eq!(search(&stage, &["--", query]), Vec::<Value>::new(), "{query}");
    }
    let again = go(&stage);
    assert!(search(&stage, &["quiet"]).iter().all(|hit| hit["sessionId"] == json!(again)));
}
