//! A fault that may pass is tried again before anybody has to: noted in the log, told on the screen, and bounded.

use crate::harness::{Stage, payload, payloads};
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};

fn busy(status: u16) -> Turn {
    Turn::json(status, json!({"error": {"message": "not now"}})).header("retry-after-ms", "1")
}

fn sequence(turns: Vec<Turn>) -> Stage {
    Stage::of(Script::new(turns).sequential())
}

#[test]
fn a_request_that_was_refused_for_now_is_sent_again() {
    for status in [408, 409, 425, 429, 500, 502, 503, 529] {
        let stage = sequence(vec![busy(status), Turn::text("Here I am.")]);
        let log = stage.exec(&["hello"]).exits(0).lines();
        let retries = payloads(&log, "engine.retry");
        assert_eq!(retries.len(), 1, "{status}");
        assert_eq!((&retries[0]["turn"], &retries[0]["attempt"]), (&json!(1), &json!(1)));
        assert!((250..=500).contains(&retries[0]["delayMs"].as_u64().unwrap()), "{retries:?}");
        assert_eq!(payload(&log, "run.completed")["response"], "Here I am.");
        let requests = stage.model.requests();
        assert_eq!((requests.len(), &requests[0].body), (2, &requests[1].body), "another request than before");
        stage.verifies();
    }
}

#[test]
fn the_wait_is_told_on_the_screen() {
    let stage = sequence(vec![busy(429), Turn::text("Here I am.")]);
    let done = stage.arki(&["exec", "hello"]).exits(0);
    assert!(done.stderr.contains("PROVIDER_RATE_LIMITED: retrying in 1 s (attempt 1)"), "{}", done.stderr);
    assert_eq!(done.stdout, "Here I am.\n");
}

#[test]
fn a_provider_that_never_recovers_is_asked_a_bounded_number_of_times() {
    let stage = sequence(vec![busy(500)]);
    stage.exec(&["hello"]).fails(1, "PROVIDER_FAILED");
    assert_eq!(stage.model.requests().len(), 12);
    let attempts = payloads(&stage.log(), "engine.retry").into_iter().map(|p| p["attempt"].as_u64().unwrap());
    assert!(attempts.eq(1..12));
}

#[test]
fn what_will_not_pass_is_not_tried_again() {
    for (status, code) in [(400, "PROVIDER_BAD_REQUEST"), (401, "KEY_REFUSED"), (402, "PROVIDER_NO_CREDIT")] {
        let stage = sequence(vec![busy(status), Turn::text("Here I am.")]);
        stage.exec(&["hello"]).fails(1, code);
        assert_eq!(stage.model.requests().len(), 1);
        assert_eq!(payloads(&stage.log(), "engine.retry"), Vec::<Value>::new());
    }
}

#[test]
fn a_wait_that_is_too_long_is_told_instead() {
    for wait in ["600", "Fri, 01 Jan 2100 00:00:00 GMT"] {
        let refused = Turn::json(429, json!({"error": {"message": "not now"}})).header("retry-after", wait);
        let stage = sequence(vec![refused, Turn::text("Here I am.")]);
        let shown = stage.exec(&["hello"]).exits(1).json_error();
        assert_eq!(shown.code, "PROVIDER_RATE_LIMITED");
        assert!(shown.message.contains("It asks to wait"), "{shown:?}");
        assert_eq!(stage.model.requests().len(), 1);
    }
}

#[test]
fn a_connection_lost_before_the_answer_is_made_anew() {
    let stage = sequence(vec![Turn::text("x").cut_after(0), Turn::text("Here I am.")]);
    let log = stage.exec(&["hello"]).exits(0).lines();
    assert_eq!(payload(&log, "engine.retry")["code"], "PROVIDER_STREAM_CUT");
}

/// Case 8: in every place at which a stream can break.
#[test]
fn an_answer_that_breaks_off_is_asked_for_again_and_shown_once() {
    let thoughts = json!({"choices": [{"index": 0, "delta": {"reasoning_content": "Let me think. "}}]});
    let overloaded = json!({"error": {"message": "Overloaded", "type": "overloaded_error"}});
    let half_a_call =
        Turn::text("These words").call("write_file", json!({"path": "a.txt", "content": "x".repeat(900)}));
    let broken = [
        Turn::chunks(std::slice::from_ref(&thoughts)).cut_after(90),
        Turn::text("These words have come and the rest has not").cut_after(700),
        half_a_call.cut_after(900),
        Turn::chunks(&[thoughts.clone(), overloaded]),
        Turn::stream(format!("data: {thoughts}\n\ndata: {{\"choices\": <garbage>\n\n")),
    ];
    for (number, broken) in broken.into_iter().enumerate() {
        let whole = "These words have come and so has the rest.";
        let next = Turn::text("It was told.");
        let stage = sequence(vec![broken, Turn::text(whole), next]);
        let done = stage.arki(&["exec", "--approve", "all", "hello"]).exits(0);
        assert_eq!(done.stdout.replace('\n', ""), whole, "{number}");
        assert!(done.stderr.contains("retrying in"), "{number}: {}", done.stderr);
        let log = stage.log();
        assert_eq!(payloads(&log, "engine.retry").len(), 1, "{number}");
        assert_eq!(payloads(&log, "tool.call"), Vec::<Value>::new(), "{number}");
        assert!(!stage.path("a.txt").exists());
        let messages = payloads(&log, "output.message");
        let (retried, last) = messages.split_at(messages.len() - 1);
        assert_eq!((&last[0]["content"], &last[0]["interrupted"]), (&json!(format!("{whole} ")), &json!(false)));
        assert!(retried.iter().all(|message| message["interrupted"] == true && message["retried"] == true));
        let requests = stage.model.requests();
        assert_eq!((requests.len(), &requests[0].body), (2, &requests[1].body), "{number}");

        let told = stage.arki(&["sessions", "show", "last"]).exits(0).stdout;
        assert_eq!(told.matches("These words").count(), 1, "{number}: {told}");
        stage.exec(&["--continue", "and now?"]).exits(0);
        let sent = String::from_utf8(stage.model.requests()[2].body.clone()).unwrap();
        assert_eq!(sent.matches("These words").count(), 1, "{number}: {sent}");
        assert!(!sent.contains("interrupted"), "{number}: {sent}");
        stage.verifies();
    }
}

#[test]
fn a_silence_in_the_midst_of_an_answer_is_a_retry_too() {
    let stage = sequence(vec![Turn::text("These words have come").hang_after(500), Turn::text("Here I am.")]);
    let models = json!({"mock": {"contextWindow": 32768}});
    let provider = json!({"kind": "custom", "baseUrl": stage.model.url(), "timeoutSeconds": 1, "models": models});
    stage.write_config(
        &json!({"agents": {"arki": {"model": "mock/mock"}}, "providers": {"mock": provider}}).to_string(),
    );
    let log = stage.exec(&["hello"]).exits(0).lines();
    assert_eq!(payload(&log, "engine.retry")["code"], "PROVIDER_TIMEOUT");
}

#[test]
fn whoever_asks_for_no_wait_is_not_asked_again_at_once() {
    let hurried = Turn::json(429, json!({"error": {"message": "not now"}})).header("retry-after", "0");
    let stage = sequence(vec![hurried.clone(), hurried.clone(), hurried.clone(), hurried, Turn::text("Here I am.")]);
    stage.exec(&["hello"]).exits(0);
    let delays: Vec<u64> =
        payloads(&stage.log(), "engine.retry").iter().map(|retry| retry["delayMs"].as_u64().unwrap()).collect();
    assert!(delays.iter().all(|delay| *delay >= 250) && delays[3] > delays[0], "{delays:?}");
}

#[test]
fn a_wait_that_nobody_means_is_told_in_words() {
    for asked in ["18446744073709551615", "1e300"] {
        let absurd = Turn::json(429, json!({"error": {"message": "not now"}})).header("retry-after", asked);
        let stage = sequence(vec![absurd]);
        let shown = stage.exec(&["hello"]).exits(1).json_error();
        assert!(shown.message.ends_with("It asks to wait for more than 30 days."), "{shown:?}");
        assert_eq!(stage.model.requests().len(), 1);
    }
}

#[test]
fn a_wait_that_stands_in_the_words_is_kept_to() {
    let refused = json!({"error": {"message": "Rate limit reached. Please try again in 1.2s."}});
    let stage = sequence(vec![Turn::json(429, refused), Turn::text("Here I am.")]);
    let log = stage.exec(&["hello"]).exits(0).lines();
    assert_eq!(payload(&log, "engine.retry")["delayMs"], 1200);
}
