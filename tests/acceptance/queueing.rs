//! `arki queue`: what waits while a run works, steers it or follows it, and survives whatever happens to it.

use crate::harness::{Done, Stage, asking_policy, payload, payloads, text};
use crate::tree::{playing, session_of};
use arki_testkit::{Script, Turn, verify_chain};
use serde_json::{Value, json};

/// As the contract of the window and of `docs/` has it.
const MAX_QUEUED: usize = 1000;

fn idle() -> (Stage, String) {
    let stage = playing(["One.", "Two.", "Three."].map(Turn::text).to_vec());
    let session = session_of(&stage.exec(&["hello"]).exits(0).lines());
    (stage, session)
}

fn add(stage: &Stage, session: &str, words: &str, more: &[&str]) -> String {
    let done = stage.arki(&[&["queue", "add", session, words, "--json"], more].concat()).exits(0);
    let line = done.lines().remove(0);
    assert_eq!(line["sessionId"], json!(session));
    text(&line["messageId"])
}

fn list(stage: &Stage, session: &str) -> Vec<Value> {
    stage.arki(&["queue", "list", session, "--json"]).exits(0).lines()
}

fn texts(stage: &Stage, session: &str) -> Vec<String> {
    list(stage, session).iter().map(|message| text(&message["text"])).collect()
}

fn change(stage: &Stage, args: &[&str]) -> Done {
    stage.arki(&[&["queue"], args].concat())
}

#[test]
fn messages_are_added_edited_moved_and_removed() {
    let (stage, session) = idle();
    assert_eq!(list(&stage, &session), Vec::<Value>::new());
    let a = add(&stage, &session, "a", &[]);
    let b = add(&stage, &session, "b\nof two lines", &["--mode", "steer"]);
    let c = add(&stage, &session, "c", &["--mode", "follow-up"]);
    let expected = [
        json!({"messageId": a, "text": "a", "mode": "follow_up"}),
        json!({"messageId": b, "text": "b\nof two lines", "mode": "steer"}),
        json!({"messageId": c, "text": "c", "mode": "follow_up"}),
    ];
    assert_eq!(list(&stage, &session), expected);
    change(&stage, &["edit", &session, &b, "B"]).exits(0);
    change(&stage, &["move", &session, &c, "1"]).exits(0);
    assert_eq!(texts(&stage, &session), ["c", "a", "B"]);
    change(&stage, &["move", &session, &c, "99"]).exits(0);
    assert_eq!(texts(&stage, &session), ["a", "B", "c"]);
    change(&stage, &["rm", &session, &a]).exits(0);
    assert_eq!(texts(&stage, &session), ["B", "c"]);
    let people = change(&stage, &["list", &session]).exits(0).stdout;
    assert!(people.contains("steer") && people.contains(&c), "{people}");
    let events = stage.events(&session);
    assert_eq!(payloads(&events, "message.queued").len(), 3);
    let queued = payloads(&events, "queue.changed").pop().unwrap();
    assert_eq!(queued["queued"].as_array().unwrap().len(), 2);
    assert_eq!(verify_chain(&events), Ok(()));
    stage.verifies();
}

#[test]
fn what_is_not_there_or_says_nothing_changes_nothing() {
    let (stage, session) = idle();
    let a = add(&stage, &session, "a", &[]);
    let before = stage.events(&session);
    for args in [&["edit", &session, "none", "x"][..], &["move", &session, "none", "1"], &["rm", &session, "none"]] {
        change(&stage, args).fails(2, "MESSAGE_NOT_FOUND");
    }
    for args in [
        &["add", &session, ""][..],
        &["add", &session, " \n "],
        &["edit", &session, &a, ""],
        &["add", &session],
        &["add", &session, "x", "--mode", "loudly"],
        &["move", &session, &a, "x"],
        &["move", &session, &a, "0"],
    ] {
        change(&stage, args).fails(2, "USAGE");
    }
    for args in [&["add", "none", "x"][..], &["list", "none"], &["rm", "none", &a]] {
        change(&stage, args).fails(2, "SESSION_NOT_FOUND");
    }
    // What is as it was is no event.
    change(&stage, &["move", &session, &a, "1"]).exits(0);
    change(&stage, &["edit", &session, &a, "a"]).exits(0);
    assert_eq!(stage.events(&session), before);
}

/// Holds the run at a command until it is let go, and does something meanwhile. The command works on the project itself:
/// what the user makes while it runs need not be seen in a view.
#[cfg(unix)]
fn meanwhile(turns: Vec<Turn>, act: impl FnOnce(&Stage, &str)) -> (Stage, String) {
    let hold = "until [ -e go.now ]; do sleep 0.01; done";
    let turns = [vec![Turn::calls().call("run_command", json!({"command": hold}))], turns].concat();
    let stage = Stage::configured(Script::new(turns).sequential(), &asking_policy());
    let mut run = stage.start(&["exec", "--approve", "all", "go"]);
    run.until(|event| event["type"] == "policy.decided");
    let session = text(&stage.sessions()[0]["sessionId"]);
    act(&stage, &session);
    stage.write("go.now", "");
    run.end().exits(0);
    (stage, session)
}

#[cfg(unix)]
#[test]
fn a_steering_message_reaches_the_model_at_its_next_turn_and_a_follow_up_the_next_run() {
    let (stage, session) = meanwhile(vec![Turn::text("Steered."), Turn::text("Followed.")], |stage, session| {
        add(stage, session, "and then this", &[]);
        add(stage, session, "rather do that", &["--mode", "steer"]);
        add(stage, session, "and mind the gap", &["--mode", "steer"]);
    });
    assert_eq!(stage.model.requests().len(), 3, "the same run, one more turn, and the next run");
    let messages = stage.model.requests()[1].json["messages"].as_array().unwrap().clone();
    let roles: Vec<String> = messages.iter().map(|message| text(&message["role"])).collect();
    assert_eq!(roles, ["system", "user", "assistant", "tool", "user"], "users and model take turns");
    assert_eq!(messages[4]["content"], "rather do that\n\nand mind the gap");
    assert_eq!(texts(&stage, &session), Vec::<String>::new(), "exec goes on with what is queued");
    let started = payloads(&stage.log(), "run.started");
    assert_eq!((started.len(), &started[1]["prompt"]), (2, &json!("and then this")));
    let delivered = payload(&stage.log(), "queue.changed");
    assert_eq!(delivered["delivered"].as_array().unwrap().len(), 2);
    let shown = stage.arki(&["sessions", "show", &session]).exits(0).stdout;
    assert!(shown.contains("› rather do that") && shown.contains("› and then this"), "{shown}");
    stage.verifies();
}

/// A session whose next run is steered while the model says its last words.
#[cfg(unix)]
fn steered_at_the_end() -> (std::sync::Arc<Stage>, String) {
    let asked = std::sync::Arc::new(std::sync::Mutex::new(None::<Box<dyn FnOnce() + Send>>));
    let asking = asked.clone();
    let turn = Turn::computed(move |_| {
        if let Some(act) = asking.lock().unwrap().take() {
            act();
        }
        Turn::text("Nearly done.")
    });
    let stage = std::sync::Arc::new(playing(vec![Turn::text("Hello."), turn, Turn::text("Now done.")]));
    let session = session_of(&stage.exec(&["hello"]).exits(0).lines());
    let (staged, of) = (stage.clone(), session.clone());
    *asked.lock().unwrap() = Some(Box::new(move || {
        add(&staged, &of, "one more thing", &["--mode", "steer"]);
    }));
    (stage, session)
}

#[cfg(unix)]
#[test]
fn a_message_that_steers_after_the_last_words_gets_its_answer_in_the_same_run() {
    let (stage, session) = steered_at_the_end();
    let events = stage.exec(&["--session", &session, "go"]).exits(0).lines();
    assert_eq!(text(&stage.messages().last().unwrap()["content"]), "one more thing");
    assert_eq!(payload(&events, "run.completed")["response"], "Now done.");
    assert_eq!(list(&stage, &session), Vec::<Value>::new());
}

#[cfg(unix)]
#[test]
fn of_several_answers_of_a_run_a_program_gets_the_last() {
    let (stage, session) = steered_at_the_end();
    let done = stage.arki(&["exec", "--session", &session, "go"]).exits(0);
    assert_eq!(done.stdout, "Now done.\n");
    assert!(done.stderr.contains("Nearly done."), "{done:?}");
}

#[cfg(unix)]
#[test]
fn the_queue_survives_the_death_of_the_run() {
    use rustix::process::Signal;
    let stage = playing(vec![
        Turn::text("These words have come and the rest has not").hang_after(700),
        Turn::text("ok"),
        Turn::text("ok"),
    ]);
    let mut run = stage.start(&["exec", "go"]);
    let session = text(&run.until_kind("output.delta")["sessionId"]);
    let steer = add(&stage, &session, "rather that", &["--mode", "steer"]);
    add(&stage, &session, "and then this", &[]);
    run.signal(Signal::KILL);
    assert_eq!(run.end().code, None);
    assert_eq!(texts(&stage, &session), ["rather that", "and then this"]);
    change(&stage, &["edit", &session, &steer, "rather something else"]).exits(0);
    stage.arki(&["resume", &session]).exits(0);
    let told =
        |request: usize| stage.model.requests()[request].json["messages"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(text(&told(1)["content"]), "go\n\nrather something else", "what the user says in a row is one message");
    assert_eq!(text(&told(2)["content"]), "and then this");
    assert_eq!(texts(&stage, &session), Vec::<String>::new());
    stage.verifies();
}

#[test]
fn a_full_queue_takes_no_more_and_loses_nothing() {
    let (stage, session) = idle();
    fill(&stage, &session, MAX_QUEUED - 1);
    assert_eq!(list(&stage, &session).len(), MAX_QUEUED - 1);
    let last = add(&stage, &session, "the last", &[]);
    let before = stage.events(&session);
    let shown = stage.arki(&["queue", "add", &session, "too many", "--json"]).exits(1).json_error();
    assert_eq!(shown.code, "QUEUE_FULL");
    assert_eq!(stage.events(&session), before);
    let listed = list(&stage, &session);
    assert_eq!((listed.len(), &listed[0]["text"]), (MAX_QUEUED, &json!("message 0")));
    change(&stage, &["rm", &session, &last]).exits(0);
    add(&stage, &session, "now there is room", &[]);
    stage.verifies();
}

/// As if so many had been added one by one, each by a program of its own.
fn fill(stage: &Stage, session: &str, count: usize) {
    let mut database = rusqlite::Connection::open(stage.database()).unwrap();
    let transaction = database.transaction().unwrap();
    let last = stage.events(session).pop().unwrap();
    let mut previous = text(&last["hash"]);
    let mut seq = last["seq"].as_i64().unwrap();
    for number in 0..count {
        seq += 1;
        let id = format!("queued-{number}");
        let payload =
            json!({"messageId": format!("m{number}"), "mode": "follow_up", "text": format!("message {number}")});
        let mut event = json!({"eventId": id, "runId": null, "sessionId": session, "seq": seq, "ts": 1_760_000_000_000_i64,
            "type": "message.queued", "payload": payload, "prevHash": previous});
        let hash = arki_domain::sha256_hex(arki_domain::canonical_json(&event).unwrap().as_bytes());
        let row = (&id, session, seq, payload.to_string(), &previous, &hash);
        let insert = "INSERT INTO events (event_id, run_id, session_id, seq, ts, type, payload, prev_hash, hash) \
            VALUES (?1, NULL, ?2, ?3, 1760000000000, 'message.queued', ?4, ?5, ?6)";
        transaction.execute(insert, row).unwrap();
        event["hash"] = json!(hash);
        previous = hash;
    }
    let update = "UPDATE sessions SET last_seq = ?2, last_hash = ?3 WHERE session_id = ?1";
    transaction.execute(update, (session, seq, &previous)).unwrap();
    transaction.commit().unwrap();
}

#[test]
fn a_queued_command_becomes_its_prompt_and_what_is_no_prompt_is_refused() {
    let (stage, session) = idle();
    stage.write(".arki/commands/greet.md", "Say hello to $1.\n");
    stage.trust();
    add(&stage, &session, "/greet Bob", &[]);
    assert_eq!(texts(&stage, &session), ["Say hello to Bob."]);
    stage.arki(&["queue", "add", &session, "/compact"]).fails(2, "USAGE");
    stage.arki(&["queue", "add", &session, "/plan the work"]).fails(2, "USAGE");
    stage.arki(&["queue", "add", &session, "/nope"]).fails(2, "COMMAND_UNKNOWN");
    assert_eq!(texts(&stage, &session).len(), 1);
}
