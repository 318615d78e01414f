use super::*;
use arki_domain::{canonical_json, sha256_hex};
use serde_json::{Value, json};

fn chain(session: &str, length: u64) -> Vec<Value> {
    let mut previous = GENESIS_HASH.to_owned();
    let event = |seq| {
        let mut event = json!({"eventId": format!("e{seq}"), "runId": null, "sessionId": session, "seq": seq, "ts": 1,
            "type": "run.paused", "payload": {"reason": "user", "ü": 0.5}, "prevHash": previous});
        previous = sha256_hex(canonical_json(&event).unwrap().as_bytes());
        event["hash"] = json!(previous);
        event
    };
    (1..=length).map(event).collect()
}

fn file(events: &[Value]) -> String {
    events.iter().map(|event| format!("{event}\n")).collect()
}

fn verify(file: impl AsRef<[u8]>) -> Vec<FileReport> {
    verify_export(file.as_ref(), "x.jsonl").unwrap()
}

#[track_caller]
fn broken(file: impl AsRef<[u8]>) -> (u64, String) {
    let reports = verify(file);
    assert_eq!(reports.len(), 1, "{reports:?}");
    let FileReport { report, reason } = reports[0].clone();
    assert!(!report.ok && !report.anchored, "{report:?}");
    (report.first_broken_seq.unwrap(), reason.unwrap())
}

#[test]
fn a_whole_file_verifies_whatever_its_line_breaks() {
    let whole = file(&chain("s", 3));
    for file in [whole.clone(), whole.trim_end().to_owned(), whole.replace('\n', "\r\n"), whole.replace('\n', "\n\n")] {
        let reports = verify(file);
        assert_eq!((reports.len(), reports[0].report.events, reports[0].report.ok), (1, 3, true), "{reports:?}");
        assert_eq!(reports[0].reason, None);
    }
}

#[test]
fn a_line_that_was_only_laid_out_anew_is_the_same_event() {
    let events = chain("s", 2);
    let spaced: String = events
        .iter()
        .map(|event| format!("{}\n", serde_json::to_string(event).unwrap().replace("\":", "\" : ")))
        .collect();
    assert!(verify(spaced)[0].report.ok);
}

#[test]
fn each_session_of_a_file_has_a_report() {
    let (one, two) = (chain("one", 2), chain("two", 3));
    let mixed = file(&[&one[..1], &two[..2], &one[1..], &two[2..]].concat());
    let found: Vec<(String, u64, bool)> = verify(mixed)
        .iter()
        .map(|file| (file.report.session_id.to_string(), file.report.events, file.report.ok))
        .collect();
    assert_eq!(found, [("one".to_owned(), 2, true), ("two".to_owned(), 3, true)]);
}

#[test]
fn any_byte_of_any_event_that_is_changed_is_found() {
    let events = chain("s", 3);
    let whole = file(&events);
    let second = whole.find('\n').unwrap() + 1..whole.match_indices('\n').nth(1).unwrap().0;
    for at in second {
        let mut changed = whole.clone().into_bytes();
        changed[at] = if changed[at] == b'1' { b'2' } else { b'1' };
        let reports = verify(&changed);
        let report = &reports[0].report;
        assert_eq!((report.ok, report.first_broken_seq), (false, Some(2)), "byte {at}: {reports:?}");
    }
}

#[test]
fn events_that_are_missing_moved_or_there_twice_are_found() {
    let events = chain("s", 4);
    let without = [&events[..1], &events[2..]].concat();
    assert_eq!(broken(file(&without)), (2, "line 2 has the number 3, but 2 comes next".to_owned()));
    let swapped = [&events[..1], &events[2..3], &events[1..2], &events[3..]].concat();
    assert_eq!(broken(file(&swapped)).0, 2);
    let twice = [&events[..2], &events[1..]].concat();
    assert_eq!(broken(file(&twice)).0, 2);
    assert_eq!(broken(file(&events[1..])).0, 1);
}

#[test]
fn a_file_that_was_cut_off_says_so() {
    let whole = file(&chain("s", 4));
    assert_eq!(broken(&whole[..whole.len() - 20]), (4, "line 4 is cut off".to_owned()));
    // In the middle of a character.
    let at = whole.rfind('ü').unwrap() + 1;
    assert_eq!(broken(&whole.as_bytes()[..at]), (4, "line 4 is cut off".to_owned()));
}

#[test]
fn a_line_that_is_no_event_breaks_the_chain_where_it_stands() {
    let events = chain("s", 2);
    let lines: Vec<String> = events.iter().map(Value::to_string).collect();
    assert_eq!(broken(format!("{}\noops\n{}\n", lines[0], lines[1])), (2, "line 2 is no event".to_owned()));
    assert_eq!(broken(format!("oops\n{}\n{}\n", lines[0], lines[1])), (1, "line 1 is no event".to_owned()));
    for (from, to) in
        [("\"ts\":1", "\"ts\":1,\"more\":1"), ("\"runId\":null,", ""), ("\"seq\":2", "\"seq\":2,\"seq\":2")]
    {
        let changed = lines[1].replace(from, to);
        assert_ne!(changed, lines[1], "{from}");
        assert_eq!(broken(format!("{}\n{changed}\n", lines[0])).0, 2, "{to}");
    }
}

#[test]
fn a_name_that_stands_twice_in_a_payload_is_found() {
    let line = file(&chain("s", 1)).replace("{\"reason\":\"user\"", "{\"reason\":\"budget\",\"reason\":\"user\"");
    assert!(verify_export(line.as_bytes(), "x").is_err_and(|fault| fault.is(Code::EXPORT_INVALID)));
}

#[test]
fn what_is_no_export_is_an_error_with_a_hint() {
    let endless = "{}\n".repeat(usize::try_from(MAX_FOREIGN_LINES).unwrap() + 5) + &file(&chain("s", 1));
    for foreign in ["", "\n\n", "{}\n", "# A session\n\nhello\n", "\u{0}\u{1}", &endless] {
        let fault = verify_export(foreign.as_bytes(), "x.jsonl").unwrap_err();
        assert!(
            fault.is(Code::EXPORT_INVALID) && fault.message.contains("x.jsonl") && !fault.hint.is_empty(),
            "{fault:?}"
        );
    }
}

#[test]
fn a_line_longer_than_any_event_is_passed_over() {
    let events = chain("s", 2);
    let long = "x".repeat(MAX_LINE_BYTES + 10);
    assert_eq!(broken(format!("{}\n{long}\n{}\n", events[0], events[1])), (2, "line 2 is no event".to_owned()));
}

#[test]
fn more_sessions_than_the_limit_are_an_error() {
    let mut many = String::new();
    let event = chain("one-of-many", 1).remove(0).to_string();
    for number in 0..=MAX_SESSIONS {
        many.push_str(&event.replace("one-of-many", &format!("s{number}")));
        many.push('\n');
    }
    let fault = verify_export(many.as_bytes(), "x").unwrap_err();
    assert!(fault.is(Code::EXPORT_INVALID) && fault.message.contains("10000"), "{fault:?}");
}

#[test]
fn a_file_that_is_not_there_says_so() {
    let folder = tempfile::tempdir().unwrap();
    assert!(verify_file(&folder.path().join("none.jsonl")).unwrap_err().is(Code::FILE_NOT_FOUND));
    assert!(verify_file(folder.path()).unwrap_err().is(Code::EXPORT_INVALID));
}
