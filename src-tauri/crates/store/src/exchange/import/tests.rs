use super::*;
use crate::exported_lines;
use crate::tests::{
    Fixture, HandClock, approval_requested, approval_resolved, called, completed, created, foreign, parsed, started,
    subagent_created,
};
use arki_domain::{ApprovalId, EventDraft, RunId, SessionForked};
use proptest::prelude::*;
use serde_json::json;
use std::sync::Arc;

fn export(reader: &StoreReader, session: &SessionId) -> String {
    let events = reader.log().events(session, 0, usize::MAX).unwrap().events;
    events.iter().map(|event| serde_json::to_string(event).unwrap() + "\n").collect()
}

async fn import(fixture: &Fixture, export: &str) -> Result<Vec<ImportedSession>, StoreError> {
    let bytes = export.as_bytes().to_vec();
    fixture.store.import(exported_lines(std::io::Cursor::new(bytes))).await
}

/// An export of a session that waits for an approval.
async fn waiting(session: &SessionId, run: &RunId) -> String {
    let fixture = Fixture::new();
    let changed = json!({"path": "a", "beforeHash": null, "afterHash": "ab", "callId": "c1", "hunks": [1]});
    let drafts = vec![
        created("Tidy up", "/p"),
        started(run, "tidy"),
        parsed(run, "file.changed", &changed),
        approval_requested(run, &ApprovalId::from(format!("of {session}").as_str()), None),
    ];
    fixture.append(session, drafts).await;
    export(fixture.store.reader(), session)
}

fn tables(fixture: &Fixture) -> Vec<String> {
    let connection = foreign(&fixture.path);
    let tables = ["events", "sessions", "runs", "approvals", "file_changes", "blob_refs"];
    let count = |table: &&str| {
        let sql = format!("SELECT count(*) FROM {table}");
        format!("{table} {}", connection.query_row(&sql, [], |row| row.get::<_, i64>(0)).unwrap())
    };
    tables.iter().map(count).collect()
}

#[tokio::test]
async fn an_imported_session_is_the_one_that_was_exported() {
    let (session, run) = (SessionId::from("s"), RunId::from("r"));
    let exported = waiting(&session, &run).await;
    let fixture = Fixture::new();
    let imported = import(&fixture, &exported).await.unwrap();
    let added = ImportedSession { session_id: session.clone(), outcome: ImportOutcome::Added, events: 4 };
    assert_eq!(imported, [added]);
    let reader = fixture.store.reader();
    assert_eq!(export(reader, &session), exported);
    assert!(reader.verifier().verify(Some(&session)).unwrap()[0].ok);
    let summary = reader.lists().session(&session).unwrap().unwrap();
    assert_eq!((summary.title.as_str(), summary.state), ("Tidy up", SessionState::Interrupted));
    assert_eq!(reader.lists().run(&run).unwrap().unwrap().state, SessionState::Interrupted);
    assert_eq!(reader.lists().pending_approvals(9).unwrap().len(), 1);
    assert_eq!(tables(&fixture), ["events 4", "sessions 1", "runs 1", "approvals 1", "file_changes 1", "blob_refs 2"]);
    fixture.append(&session, vec![completed(&run)]).await;
    assert!(reader.verifier().verify(Some(&session)).unwrap()[0].ok);
}

#[tokio::test]
async fn a_run_that_was_active_is_interrupted_here() {
    let (session, run) = (SessionId::from("s"), RunId::from("r"));
    let there = Fixture::new();
    there.append(&session, vec![created("t", "/p"), started(&run, "go")]).await;
    there.store.leases().acquire(&session, "owner", 1).await.unwrap();
    let here = Fixture::new();
    import(&here, &export(there.store.reader(), &session)).await.unwrap();
    assert_eq!(here.store.reader().lists().run(&run).unwrap().unwrap().state, SessionState::Interrupted);
    assert_eq!(here.store.reader().lists().session(&session).unwrap().unwrap().state, SessionState::Interrupted);
}

#[tokio::test]
async fn what_is_there_is_left_alone_or_extended_and_never_changed() {
    let (session, run) = (SessionId::from("s"), RunId::from("r"));
    let exported = waiting(&session, &run).await;
    let beginning: String = exported.split_inclusive('\n').take(2).collect();
    let fixture = Fixture::new();
    let outcome = |imported: Vec<ImportedSession>| (imported[0].outcome, imported[0].events);
    assert_eq!(outcome(import(&fixture, &beginning).await.unwrap()), (ImportOutcome::Added, 2));
    assert_eq!(outcome(import(&fixture, &exported).await.unwrap()), (ImportOutcome::Extended, 2));
    assert_eq!(outcome(import(&fixture, &exported).await.unwrap()), (ImportOutcome::Unchanged, 0));
    assert_eq!(outcome(import(&fixture, &beginning).await.unwrap()), (ImportOutcome::Unchanged, 0));
    assert_eq!(export(fixture.store.reader(), &session), exported);

    let other = Fixture::new();
    other.append(&session, vec![created("another", "/p")]).await;
    let before = export(other.store.reader(), &session);
    assert_eq!(import(&other, &exported).await, Err(StoreError::SessionExists { session_id: session.clone() }));
    assert_eq!(export(other.store.reader(), &session), before);
}

#[tokio::test]
async fn a_session_that_is_running_here_is_not_extended_under_its_run() {
    let (session, run) = (SessionId::from("s"), RunId::from("r"));
    let exported = waiting(&session, &run).await;
    let fixture = Fixture::new();
    import(&fixture, &exported.split_inclusive('\n').take(2).collect::<String>()).await.unwrap();
    fixture.store.leases().acquire(&session, "owner", 7).await.unwrap();
    assert_eq!(import(&fixture, &exported).await, Err(StoreError::SessionBusy { session_id: session, pid: 7 }));
}

#[tokio::test]
async fn several_sessions_come_all_or_none() {
    let (one, two) = (SessionId::from("one"), SessionId::from("two"));
    let both = waiting(&one, &RunId::from("r1")).await + &waiting(&two, &RunId::from("r2")).await;
    let fixture = Fixture::new();
    fixture.append(&two, vec![created("another", "/p")]).await;
    let before = tables(&fixture);
    assert_eq!(import(&fixture, &both).await, Err(StoreError::SessionExists { session_id: two.clone() }));
    assert_eq!(tables(&fixture), before);
    let fresh = Fixture::new();
    assert_eq!(import(&fresh, &both).await.unwrap().len(), 2);
    assert_eq!(export(fresh.store.reader(), &one) + &export(fresh.store.reader(), &two), both);
}

/// Returns the line where the import of a changed export is refused; nothing of it may be stored.
async fn refused_at(export: &str) -> u64 {
    let fixture = Fixture::new();
    let error = import(&fixture, export).await.unwrap_err();
    let StoreError::ExportInvalid { line, .. } = &error else { panic!("{error:?}: {export}") };
    assert!(tables(&fixture).iter().all(|count| count.ends_with(" 0")), "{:?}", tables(&fixture));
    *line
}

#[tokio::test]
async fn an_export_that_was_changed_is_refused_by_its_line() {
    let exported = waiting(&SessionId::from("s"), &RunId::from("r")).await;
    let lines: Vec<&str> = exported.split_inclusive('\n').collect();
    let with_second = |line: &str| [lines[0], line, lines[2]].concat();
    assert_eq!(refused_at(&with_second("\n")).await, 2);
    assert_eq!(refused_at(&with_second("{}\n")).await, 2);
    assert_eq!(refused_at(&with_second(&lines[1].replace("tidy", "tidx"))).await, 2);
    assert_eq!(refused_at(&with_second(&lines[1].replace("\"payload\":{", "\"payload\":{ "))).await, 2);
    assert_eq!(refused_at(&with_second(&lines[1].replace("{\"eventId\"", "{\"note\":1,\"eventId\""))).await, 2);
    assert_eq!(refused_at(&with_second(&lines[1].replace("\"seq\":2", "\"seq\":3"))).await, 2);
    assert_eq!(refused_at(&[lines[0], lines[2]].concat()).await, 2);
    assert_eq!(refused_at(&[lines[0], lines[0]].concat()).await, 2);
    assert_eq!(refused_at(lines[1]).await, 1);
    let other = waiting(&SessionId::from("t"), &RunId::from("u")).await;
    assert_eq!(refused_at(&[lines[0], &other, lines[1]].concat()).await, 6);
}

#[tokio::test]
async fn an_export_that_is_cut_within_a_line_stores_nothing() {
    let exported = waiting(&SessionId::from("s"), &RunId::from("r")).await;
    assert_eq!(refused_at(&exported[..exported.len() / 2]).await, 2);
    assert_eq!(refused_at(&exported[..exported.len() - 2]).await, 4);
}

#[tokio::test]
async fn an_id_that_arki_would_not_make_is_refused() {
    let long = "x".repeat(crate::MAX_EXPORT_ID_BYTES + 1);
    for id in ["", "two words", "\u{1b}[2J", "ä", "../../etc/passwd", &long] {
        let fixture = Fixture::new();
        let session = SessionId::from(id);
        fixture.append(&session, vec![created("t", "/p")]).await;
        assert_eq!(refused_at(&export(fixture.store.reader(), &session)).await, 1, "{id}");
    }
}

#[tokio::test]
async fn a_session_begins_with_its_creation() {
    let (fixture, session) = (Fixture::new(), SessionId::from("s"));
    fixture.append(&session, vec![started(&RunId::from("r"), "go")]).await;
    assert_eq!(refused_at(&export(fixture.store.reader(), &session)).await, 1);
}

/// An export of a session that works for, or was forked from, the other.
async fn child_of(parent: &str, session: &str, kind: &str) -> String {
    let (fixture, session) = (Fixture::new(), SessionId::from(session));
    let mut drafts = vec![subagent_created("helper", parent)];
    if kind == "fork" {
        let forked = SessionForked { created: None, from_session: parent.into(), from_seq: 1 };
        drafts.push(EventDraft::of_session(forked));
    }
    fixture.append(&session, drafts).await;
    export(fixture.store.reader(), &session)
}

#[tokio::test]
async fn a_session_that_leads_back_to_itself_is_refused() {
    for kind in ["sub-agent", "fork"] {
        assert_eq!(refused_at(&child_of("one", "one", kind).await).await, 1, "{kind}");
        let (one, two, three) = (
            child_of("three", "one", kind).await,
            child_of("one", "two", kind).await,
            child_of("two", "three", kind).await,
        );
        assert_eq!(refused_at(&[one.as_str(), &two, &three].concat()).await, 1, "{kind}");
        let fixture = Fixture::new();
        import(&fixture, &[one, two].concat()).await.unwrap();
        let before = tables(&fixture);
        let refused = import(&fixture, &three).await.unwrap_err();
        assert!(refused.to_string().contains("leads back to itself"), "{refused}");
        assert_eq!(tables(&fixture), before);
    }
}

#[tokio::test]
async fn a_line_over_the_limit_is_refused() {
    let line = " ".repeat(crate::MAX_EXPORT_LINE_BYTES + 1);
    assert_eq!(refused_at(&line).await, 1);
}

#[tokio::test]
async fn more_than_one_import_may_hold_is_refused() {
    let exported = waiting(&SessionId::from("s"), &RunId::from("r")).await;
    let fill =
        |bytes, events| Spool::fill(exported_lines(exported.as_bytes()), ImportLimits { bytes, events }).map(|_| ());
    let payload = |line: Result<ExportedLine, StoreError>| match line.unwrap() {
        ExportedLine::Event(event) => event.payload.get().len() as u64,
        ExportedLine::Piece(piece) => piece.text.len() as u64,
    };
    let bytes: u64 = exported_lines(exported.as_bytes()).map(payload).sum();
    assert_eq!(fill(bytes, 4), Ok(()));
    assert_eq!(fill(bytes - 1, 4), Err(StoreError::ImportTooLarge { bytes: bytes - 1, events: 4 }));
    assert_eq!(fill(bytes, 3), Err(StoreError::ImportTooLarge { bytes, events: 3 }));
}

#[tokio::test]
async fn a_file_from_elsewhere_does_not_touch_runs_and_approvals_of_other_sessions() {
    let (run, approval) = (RunId::from("r"), ApprovalId::from("a"));
    let fixture = Fixture::new();
    let drafts = vec![created("t", "/p"), started(&run, "go"), approval_requested(&run, &approval, None)];
    fixture.append(&SessionId::from("mine"), drafts).await;
    let other = RunId::from("other");
    for (draft, line) in [(completed(&run), 2), (approval_resolved(&other, &approval, "approve"), 2)] {
        let there = Fixture::new();
        let session = SessionId::from("theirs");
        there.append(&session, vec![created("t", "/p")]).await;
        // As a log from elsewhere may have it: the approval is not known there.
        foreign(&there.path)
            .execute_batch("INSERT INTO approvals VALUES ('a', 'theirs', NULL, 0, 0, NULL, NULL)")
            .unwrap();
        there.append(&session, vec![draft]).await;
        let refused = import(&fixture, &export(there.store.reader(), &session)).await.unwrap_err();
        assert!(matches!(&refused, StoreError::ExportInvalid { line: at, .. } if *at == line), "{refused}");
        assert_eq!(fixture.store.reader().lists().pending_approvals(9).unwrap().len(), 1);
    }
}

fn any_args() -> impl Strategy<Value = serde_json::Value> {
    prop_oneof![
        any::<f64>().prop_map(|value| json!({"value": value})),
        any::<u64>().prop_map(|value| json!([value])),
        ".*".prop_map(|value| json!({"text": value})),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn an_export_of_an_import_is_the_same_bytes(payloads in prop::collection::vec(any_args(), 1..8)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let open = || {
            let clock = Arc::new(HandClock::new());
            Store::open_in_memory(crate::StoreOptions { clock, redactor: arki_redaction::Redactor::default() }).unwrap()
        };
        let (there, here) = (open(), open());
        let (session, run) = (SessionId::new(), RunId::new());
        let calls = payloads.into_iter().map(|args| called(&run, args));
        let drafts = std::iter::once(created("t", "/p")).chain(calls).collect();
        runtime.block_on(there.append(&session, drafts)).unwrap();
        let exported = export(there.reader(), &session);
        let events = exported_lines(std::io::Cursor::new(exported.clone()));
        runtime.block_on(here.import(events)).unwrap();
        prop_assert_eq!(export(here.reader(), &session), exported);
        prop_assert!(here.reader().verifier().verify(None).unwrap()[0].ok);
    }
}

/// Each session is looked for among its own ancestors, not among all.
#[tokio::test]
async fn looking_for_a_sessions_beginning_goes_through_no_other_session() {
    let fixture = Fixture::new();
    let connection = foreign(&fixture.path);
    let mut plan = connection.prepare(&format!("EXPLAIN QUERY PLAN {LEADS_TO_ITSELF}")).unwrap();
    let steps = plan.query_map(["s"], |row| row.get::<_, String>("detail")).unwrap();
    let steps: Vec<String> = steps.map(Result::unwrap).collect();
    assert!(steps.iter().any(|step| step.contains("SEARCH sessions")), "{steps:?}");
    assert!(!steps.iter().any(|step| step.contains("SCAN sessions") || step.contains("SCAN above")), "{steps:?}");
}
