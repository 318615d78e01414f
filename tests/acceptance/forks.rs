//! A fork goes on from where another session stood, an export takes a session elsewhere, and removing one leaves nothing.

use crate::harness::{Stage, contains, files_below, payload, payloads, text};
use crate::tree::{go, last_seq, playing, rewind, session_of, writing};
use arki_testkit::{Turn, verify_chain};
use rusqlite::Connection;
use serde_json::{Value, json};
use std::path::PathBuf;

fn fork(stage: &Stage, id: &str, at: Option<u64>) -> String {
    let at = at.map(|at| at.to_string());
    let more: Vec<&str> = at.iter().flat_map(|at| ["--at", at]).collect();
    let line = stage.arki(&[&["sessions", "fork", id, "--json"], &more[..]].concat()).exits(0).lines().remove(0);
    assert_eq!(line["fromSession"], json!(id));
    text(&line["sessionId"])
}

/// Two prompts and their answers, more of both to come; the session, and the last event of the first run.
fn two_prompts() -> (Stage, String, u64) {
    let stage = playing(["One.", "Two.", "Three.", "Four."].map(Turn::text).to_vec());
    let session = session_of(&stage.exec(&["first"]).exits(0).lines());
    let first = last_seq(&stage, &session);
    stage.exec(&["--session", &session, "second"]).exits(0);
    (stage, session, first)
}

fn export(stage: &Stage, session: &str) -> PathBuf {
    let file = stage.home.data_dir().with_file_name(format!("{session}.jsonl"));
    stage.arki(&["sessions", "export", session, "--output", file.to_str().unwrap()]).exits(0);
    file
}

fn import(stage: &Stage, file: &std::path::Path) -> Vec<Value> {
    stage.arki(&["sessions", "import", file.to_str().unwrap(), "--json"]).exits(0).lines()
}

#[test]
fn the_fork_sends_the_origins_beginning_word_by_word_and_leaves_it_alone() {
    let (stage, session, first) = two_prompts();
    let origin = stage.events(&session);
    let fork_id = fork(&stage, &session, Some(first));
    let begun = stage.events(&fork_id);
    let created = payload(&begun, "session.created");
    assert_eq!((&created["parentSession"], &created["title"]), (&json!(session), &json!("first")));
    let mut forked = created;
    forked["fromSession"] = json!(session);
    forked["fromSeq"] = json!(first);
    assert_eq!(payload(&begun, "session.forked"), forked);
    stage.exec(&["--session", &fork_id, "rather"]).exits(0);
    let requests = stage.model.requests();
    let messages = |request: usize| requests[request].json["messages"].as_array().unwrap().clone();
    let (second, forked) = (messages(1), messages(2));
    assert_eq!(forked[..forked.len() - 1], second[..second.len() - 1], "what was said before the two part");
    assert_eq!(text(&forked.last().unwrap()["content"]), "rather");
    assert_eq!(stage.events(&session), origin);
    assert_eq!(stage.sessions().len(), 2);
    let shown = stage.arki(&["sessions", "show", &fork_id]).exits(0).stdout;
    assert!(shown.contains("› first") && shown.contains("› rather") && !shown.contains("› second"), "{shown}");
    assert_eq!(verify_chain(&stage.events(&fork_id)), Ok(()));
    stage.verifies();
}

#[test]
fn a_fork_of_a_fork_has_the_beginnings_of_both() {
    let (stage, session, first) = two_prompts();
    let one = fork(&stage, &session, Some(first));
    stage.exec(&["--session", &one, "rather"]).exits(0);
    let two = fork(&stage, &one, None);
    stage.exec(&["--session", &two, "or else"]).exits(0);
    let said: Vec<String> = stage.messages()[1..].iter().map(|message| text(&message["content"])).collect();
    assert_eq!(said, ["first", "One. ", "rather", "Three. ", "or else"]);
    // A fork at its beginning is its origin's fork.
    let three = fork(&stage, &two, Some(2));
    stage.exec(&["--session", &three, "again"]).exits(0);
    assert_eq!(stage.messages().len(), 6);
    // Going back in a fork does not reach into its origin.
    rewind(&stage, &two, 1, &["--conversation"]).exits(0);
    stage.exec(&["--session", &two, "anew"]).exits(0);
    assert_eq!(stage.messages().len(), 6, "system, two prompts with their answers, one more");
    stage.verifies();
}

#[test]
fn a_fork_where_there_is_no_event_is_a_wrong_use() {
    let (stage, session, _) = two_prompts();
    let beyond = (last_seq(&stage, &session) + 1).to_string();
    for at in ["0", &beyond] {
        stage.arki(&["sessions", "fork", &session, "--at", at]).fails(2, "EVENT_NOT_FOUND");
    }
    stage.arki(&["sessions", "fork", &session, "--at", "x"]).fails(2, "USAGE");
    stage.arki(&["sessions", "fork", "none"]).fails(2, "SESSION_NOT_FOUND");
    assert_eq!(stage.sessions().len(), 1);
}

#[test]
fn a_fork_in_the_middle_of_a_call_can_go_on() {
    let stage = playing([writing("a.txt", "a\n").to_vec(), vec![Turn::text("Fine.")]].concat());
    let session = go(&stage);
    let events = stage.events(&session);
    let call = events.iter().find(|event| event["type"] == "tool.call").unwrap()["seq"].as_u64().unwrap();
    let fork_id = fork(&stage, &session, Some(call));
    stage.exec(&["--session", &fork_id, "and now?"]).exits(0);
    let roles: Vec<String> = stage.messages().iter().map(|message| text(&message["role"])).collect();
    assert_eq!(roles, ["system", "user", "assistant", "tool", "user"]);
    // What the origin changed is not the fork's to take back.
    assert_eq!(rewind(&stage, &fork_id, 1, &["--files"]).exits(0).stdout, "");
    assert_eq!(stage.read("a.txt"), "a\n");
}

/// What a log from elsewhere says was granted, nobody here has granted.
#[test]
fn a_run_that_came_with_an_export_is_not_gone_on_with() {
    let turns =
        || vec![Turn::calls().call("write_file", json!({"path": "a.txt", "content": "a"})), Turn::text("Done.")];
    let stage = playing(turns());
    stage.exec(&["--approve", "all", "go"]).exits(0);
    let session = text(&stage.sessions()[0]["sessionId"]);
    let whole = stage.arki(&["sessions", "export", &session]).exits(0).stdout;
    let to_the_call: String = whole.split_inclusive('\n').take_while(|line| !line.contains("policy.decided")).collect();
    let half = stage.write("half.jsonl", to_the_call);
    stage.arki(&["sessions", "rm", &session]).exits(0);
    std::fs::remove_file(stage.path("a.txt")).unwrap();
    import(&stage, &half);
    let requests = stage.model.requests().len();
    stage.arki(&["resume", &session]).fails(2, "RUN_NOT_FOUND");
    stage.arki(&["resume", &session, "--approve", "all"]).fails(2, "RUN_NOT_FOUND");
    assert!(!stage.path("a.txt").exists() && stage.model.requests().len() == requests);
    // What a fork may do is granted here.
    let last = stage.events(&session).len() as u64;
    let fork_id = fork(&stage, &session, Some(last));
    stage.arki(&["exec", "--session", &fork_id, "go on"]).exits(0);
    stage.verifies();
}

#[test]
fn an_export_of_a_fork_brings_its_origin_along_with_the_same_hashes() {
    let (stage, session, first) = two_prompts();
    let fork_id = fork(&stage, &session, Some(first));
    stage.exec(&["--session", &fork_id, "rather"]).exits(0);
    let file = export(&stage, &fork_id);
    let exported = std::fs::read_to_string(&file).unwrap();
    let lines: Vec<Value> = exported.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let origin = stage.events(&session);
    assert_eq!(lines, [&origin[..usize::try_from(first).unwrap()], &stage.events(&fork_id)].concat());
    stage.arki(&["verify", file.to_str().unwrap()]).exits(0);
    let elsewhere = playing(vec![Turn::text("Elsewhere.")]);
    let imported = import(&elsewhere, &file);
    let expected = |id: &str, events: u64| json!({"sessionId": id, "outcome": "added", "events": events});
    let own = stage.events(&fork_id);
    assert_eq!(imported, [expected(&session, first), expected(&fork_id, own.len() as u64)]);
    assert_eq!(elsewhere.events(&fork_id), own);
    assert_eq!(elsewhere.events(&session), origin[..usize::try_from(first).unwrap()]);
    let again = elsewhere.arki(&["sessions", "export", &fork_id]).exits(0).stdout;
    assert_eq!(again, exported);
    assert!(import(&elsewhere, &file).iter().all(|line| line["outcome"] == "unchanged"));
    // The rest of the origin comes later.
    let rest = import(&elsewhere, &export(&stage, &session));
    assert_eq!(rest[0]["outcome"], "extended");
    assert_eq!(elsewhere.events(&session), origin);
    elsewhere.verifies();
}

#[test]
fn what_is_no_export_or_says_otherwise_leaves_no_trace() {
    let (stage, session, _) = two_prompts();
    let file = export(&stage, &session);
    let exported = std::fs::read_to_string(&file).unwrap();
    let elsewhere = playing(Vec::new());
    let half = &exported[..exported.len() / 2];
    let changed = exported.replacen("first", "fIrst", 1);
    let without_one: String =
        exported.lines().enumerate().filter(|(at, _)| *at != 3).map(|(_, l)| format!("{l}\n")).collect();
    for content in [half, &changed, &without_one, "", "hello\n", "{}\n", "\u{0}"] {
        std::fs::write(&file, content).unwrap();
        let done = elsewhere.arki(&["sessions", "import", file.to_str().unwrap(), "--json"]);
        assert_eq!(done.code, Some(2), "{content:?}: {done:?}");
        assert_eq!(done.json_error().code, "EXPORT_INVALID");
        assert_eq!(elsewhere.sessions(), Vec::<Value>::new());
    }
    elsewhere.arki(&["sessions", "import", "/none"]).fails(2, "FILE_NOT_FOUND");
    let folder = elsewhere.home.project_dir();
    elsewhere.arki(&["sessions", "import", folder.to_str().unwrap()]).fails(2, "EXPORT_INVALID");
    let piped = elsewhere.arki_reading(&["sessions", "import", "-", "--json"], &exported).exits(0).lines();
    assert_eq!(piped[0]["sessionId"], json!(session));
}

#[test]
fn a_session_with_forks_is_not_removed_before_them() {
    let (stage, session, first) = two_prompts();
    let fork_id = fork(&stage, &session, Some(first));
    let before = (stage.events(&session), stage.events(&fork_id));
    let shown = stage.arki(&["sessions", "rm", &session, "--json"]).exits(1).json_error();
    assert_eq!(shown.code, "SESSION_HAS_FORKS");
    assert_eq!((stage.events(&session), stage.events(&fork_id)), before);
    stage.arki(&["sessions", "rm", &fork_id]).exits(0);
    stage.arki(&["sessions", "rm", &session]).exits(0);
    assert_eq!(stage.sessions(), Vec::<Value>::new());
    stage.arki(&["sessions", "rm", &session]).fails(2, "SESSION_NOT_FOUND");
    stage.verifies();
}

#[test]
fn removing_a_session_leaves_nothing_of_it_and_frees_the_space() {
    const SAID: &str = "xylophone-said";
    const WRITTEN: &str = "xylophone-written\n";
    let long: String = (0..40_000).map(|number| format!("{number} ")).collect();
    let stage = playing([writing("a.txt", &format!("{WRITTEN}{long}")).to_vec(), vec![Turn::text("Other.")]].concat());
    let session = session_of(&stage.exec(&["--approve", "all", SAID]).exits(0).lines());
    let other = session_of(&stage.exec(&["other"]).exits(0).lines());
    assert!(!stage.arki(&["sessions", "search", "xylophone", "--json"]).exits(0).lines().is_empty());
    let (kept, size) = (stage.events(&other), std::fs::metadata(stage.database()).unwrap().len());
    let removed = stage.arki(&["sessions", "rm", &session, "--json"]).exits(0).lines().remove(0);
    assert_eq!(removed["sessionId"], json!(session));
    let freed = removed["freedBytes"].as_u64().unwrap();
    let now = std::fs::metadata(stage.database()).unwrap().len();
    assert!(
        freed > 200 << 10 && now + (200 << 10) < size,
        "{size} bytes before, {now} after, {freed} said to be freed"
    );
    assert_eq!(tables_that_name(&stage, &session), Vec::<String>::new());
    for file in files_below(&stage.home.data_dir()) {
        let bytes = std::fs::read(&file).unwrap();
        assert!(!contains(&bytes, SAID.as_bytes()), "said: {}", file.display());
        assert!(!contains(&bytes, session.as_bytes()), "id: {}", file.display());
    }
    assert_eq!(stage.arki(&["sessions", "search", "xylophone", "--json"]).exits(0).stdout, "");
    assert_eq!(stage.events(&other), kept);
    assert!(stage.read("a.txt").starts_with(WRITTEN), "the project's files are the user's");
    stage.verifies();
}

/// Tables with a row that has the id in any column.
fn tables_that_name(stage: &Stage, session: &str) -> Vec<String> {
    let database = Connection::open(stage.database()).unwrap();
    let names = |sql: &str| -> Vec<String> {
        let mut statement = database.prepare(sql).unwrap();
        statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    };
    let tables = names("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'");
    let names_it = |table: &String| {
        let columns = names(&format!("SELECT name FROM pragma_table_info('{table}')"));
        columns.iter().any(|column| {
            let sql = format!("SELECT count(*) FROM \"{table}\" WHERE instr(CAST(\"{column}\" AS TEXT), ?1) > 0");
            database.query_row(&sql, [session], |row| row.get::<_, i64>(0)).unwrap() > 0
        })
    };
    tables.into_iter().filter(names_it).collect()
}

#[cfg(unix)]
#[test]
fn a_session_at_work_is_not_removed() {
    use rustix::process::Signal;
    let stage = playing(vec![Turn::text("These words have come and the rest has not").hang_after(700)]);
    let mut run = stage.start(&["exec", "go"]);
    let session = text(&run.until_kind("output.delta")["sessionId"]);
    stage.arki(&["sessions", "rm", &session]).fails(1, "SESSION_BUSY");
    run.signal(Signal::INT);
    run.end().exits(130);
    assert_eq!(payloads(&stage.events(&session), "run.cancelled").len(), 1);
    stage.arki(&["sessions", "rm", &session]).exits(0);
}
