//! Databases as earlier versions left them: `tests/fixtures/databases`, whose README says how each was made.

use super::{created, foreign, options};
use crate::chain::cross_references;
use crate::chain::cross_references::KnownImages;
use crate::database::schema;
use crate::{ApprovalStatus, EventSearchQuery, Store};
use arki_domain::projection::SessionState;
use arki_domain::{ApprovalId, RunId, SessionId};
use rusqlite::Connection;
use std::path::PathBuf;
use std::sync::Arc;
use tempfile::TempDir;

const DONE: &str = "01a2011c-a6ee-77b4-a288-1836147901f9";
const WAITING: &str = "01a2011c-c003-753c-91c1-96c4b6cacf59";

/// A copy of the database of that layout, in a folder of its own.
fn database_of(version: i64) -> (TempDir, PathBuf) {
    let file = format!("{}/../../../tests/fixtures/databases/{version:04}.db.zst", env!("CARGO_MANIFEST_DIR"));
    let packed = std::fs::read(&file).unwrap_or_else(|error| panic!("{file}: {error}"));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("arki.db");
    std::fs::write(&path, zstd::stream::decode_all(packed.as_slice()).unwrap()).unwrap();
    (folder, path)
}

fn rows(connection: &Connection, sql: &str) -> Vec<String> {
    let mut statement = connection.prepare(sql).unwrap();
    let columns = statement.column_count();
    let text = |row: &rusqlite::Row<'_>| {
        Ok((0..columns).map(|column| format!("{:?}", row.get_ref(column).unwrap())).collect::<Vec<_>>().join(" "))
    };
    let rows = statement.query_map([], text).unwrap();
    rows.map(Result::unwrap).collect()
}

#[test]
fn every_layout_before_this_one_has_a_database_here() {
    for version in 1..schema::VERSION {
        let (_folder, path) = database_of(version);
        assert_eq!(schema::version(&foreign(&path)).unwrap(), version);
    }
}

#[tokio::test]
async fn every_earlier_database_is_brought_up_to_date_verified_and_appended_to() {
    for version in 1..schema::VERSION {
        let (_folder, path) = database_of(version);
        let before = rows(&foreign(&path), "SELECT rowid, * FROM events ORDER BY rowid");
        let store = Store::open(&path, options()).unwrap();
        assert_eq!(rows(&foreign(&path), "SELECT rowid, * FROM events ORDER BY rowid"), before);
        let sessions = store.reader().lists().sessions(100, 0).unwrap();
        assert!(!sessions.is_empty());
        for session in sessions {
            store.append(&session.session_id, vec![created("later", &session.project)]).await.unwrap();
        }
        assert!(store.reader().verifier().verify(None).unwrap().iter().all(|report| report.ok));
    }
}

#[test]
fn the_first_layout_keeps_its_sessions_approvals_trust_and_blobs() {
    let (_folder, path) = database_of(1);
    let store = Store::open(&path, options()).unwrap();
    let reader = store.reader();
    let sessions = reader.lists().sessions(10, 0).unwrap();
    let listed: Vec<_> = sessions.iter().map(|session| (session.session_id.as_str(), session.state)).collect();
    assert_eq!(listed, [(WAITING, SessionState::Waiting), (DONE, SessionState::Done)]);
    assert!(sessions.iter().all(|session| session.project == "/tmp/notes"));
    assert_eq!(reader.log().events(&SessionId::from(DONE), 0, 100).unwrap().events.len(), 32);
    assert_eq!(reader.log().events(&SessionId::from(WAITING), 0, 100).unwrap().events.len(), 22);
    let run = reader.lists().run(&RunId::from("01a2011c-a6f6-75f8-a884-4623e2a1672c")).unwrap().unwrap();
    assert_eq!((run.name.as_str(), run.state), ("Improve the README", SessionState::Done));
    let pending = reader.lists().pending_approvals(10).unwrap();
    assert_eq!(pending[0].approval_id, ApprovalId::from("01a2011c-cafe-7122-81b6-aadbeee15d79"));
    assert_eq!((pending.len(), pending[0].status), (1, ApprovalStatus::Pending));
    let trust = reader.trust("/tmp/notes").unwrap().unwrap();
    assert_eq!((trust.trusted, trust.pins.len()), (true, 1));
    let prompt =
        reader.contents().blob("4c578d18704dd3585775963186dcd032956a9d818891925594a9f6cf5b655b9f").unwrap().unwrap();
    assert_eq!(prompt.len(), 984);
}

#[test]
fn what_the_first_layout_did_not_note_is_noted_from_its_log() {
    let (_folder, path) = database_of(1);
    drop(Store::open(&path, options()).unwrap());
    let noted = |connection: &Connection| {
        let changes = rows(connection, "SELECT project, path, session_id, seq FROM file_changes");
        (changes, rows(connection, "SELECT session_id, hash, kind FROM blob_refs ORDER BY session_id, hash"))
    };
    let connection = foreign(&path);
    let (changes, contents) = noted(&connection);
    let place = connection.query_row("SELECT path, session_id, seq FROM file_changes", [], |row| {
        Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get::<_, i64>(2)?))
    });
    assert_eq!(place.unwrap(), ("README.md".into(), DONE.into(), 21));
    // The prompt of either run, and the one file before and after.
    assert_eq!((changes.len(), contents.len()), (1, 4));
    assert_eq!(rows(&connection, "SELECT 1 FROM sessions WHERE origin IS NOT NULL"), Vec::<String>::new());

    // The same that appending notes.
    connection.execute_batch("DELETE FROM file_changes; DELETE FROM blob_refs").unwrap();
    let reader = Store::open_read_only(&path).unwrap();
    for session in [DONE, WAITING] {
        let events: Vec<_> = reader.log().events(&SessionId::from(session), 0, 100).unwrap().events;
        let bodies: Vec<_> = events.iter().map(arki_domain::Event::body).collect();
        let events: Vec<_> = events.into_iter().map(Arc::new).collect();
        cross_references::apply(&connection, "/tmp/notes", &mut KnownImages::default(), &events, &bodies).unwrap();
    }
    assert_eq!(noted(&connection), (changes, contents));
}

#[tokio::test]
async fn the_second_layout_keeps_its_places_in_the_log_images_and_search() {
    const CHANGED: &str = "01a201da-d95f-7377-8812-a2efbdaa960a";
    let (_folder, path) = database_of(2);
    let store = Store::open(&path, options()).unwrap();
    let reader = store.reader();
    let of_path = reader.log().file_changes("/tmp/notes", "README.md").unwrap();
    let of_session = reader.log().session_file_events(&SessionId::from(CHANGED), 0).unwrap();
    for changes in [of_path, of_session] {
        let places: Vec<_> = changes.iter().map(|event| (event.session_id.as_str(), event.seq)).collect();
        assert_eq!(places, [(CHANGED, 21)]);
    }
    assert_eq!(reader.lists().forks(&SessionId::from(CHANGED)).unwrap().len(), 1);
    for (hash, bytes) in [
        ("166bcc2cf7a9addbf10546e70d292e0999b39a3e03a3e1cd5b9eb1d95301debc", 88),
        ("5bea5b143a7bea7b1affd1abd4fd743b2a43c7b08044cca36edb6dda9ac01077", 208),
    ] {
        assert_eq!(reader.contents().blob(hash).unwrap().unwrap().len(), bytes);
    }
    assert_eq!(store.upkeep().collect_garbage(u64::MAX, |_| Vec::new()).await.unwrap().removed, 0);
    // Without indexing anything.
    let query = EventSearchQuery { text: "dentist".into(), limit: 10, ..EventSearchQuery::default() };
    assert_eq!(reader.search(&query).unwrap().len(), 3);
}

#[test]
fn a_payload_that_was_tampered_with_does_not_stop_the_migration() {
    let (_folder, path) = database_of(1);
    foreign(&path)
        .execute_batch(
            "DROP TRIGGER events_are_never_updated; UPDATE events SET payload = '{' WHERE type = 'file.changed'; \
             UPDATE events SET payload = '{\"systemPromptHash\":7,\"path\":null}' WHERE type = 'run.started'",
        )
        .unwrap();
    let store = Store::open(&path, options()).unwrap();
    assert!(store.reader().verifier().verify(None).unwrap().iter().all(|report| !report.ok));
    assert_eq!(rows(&foreign(&path), "SELECT * FROM file_changes"), Vec::<String>::new());
}
