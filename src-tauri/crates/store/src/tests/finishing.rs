use super::{Fixture, completed, created, options, started};
use crate::{LogCursor, Store, StoreError};
use arki_domain::{RunId, SessionId};

async fn run(fixture: &Fixture, session: &str, run: &str) {
    let run = RunId::from(run);
    let drafts = vec![created("t", "/p"), started(&run, "go"), completed(&run)];
    fixture.append(&SessionId::from(session), drafts).await;
}

async fn finished(fixture: &Fixture, from: &LogCursor, limit: usize) -> (Vec<String>, usize, LogCursor) {
    let found = fixture.store.commits().finished_runs(from.clone(), limit).await.unwrap();
    let names = found.runs.iter().map(|run| run.run_id.to_string()).collect();
    (names, found.left_out, found.next)
}

#[tokio::test]
async fn runs_that_ended_after_a_cursor_are_told_the_newest_if_they_are_too_many() {
    let fixture = Fixture::new();
    fixture.clock.set(7000);
    run(&fixture, "a", "before").await;
    let from = fixture.store.commits().end().await.unwrap();
    for name in ["one", "two", "three"] {
        run(&fixture, name, name).await;
    }
    let (names, left_out, next) = finished(&fixture, &from, 2).await;
    assert_eq!((names, left_out), (vec!["two".to_owned(), "three".to_owned()], 1));
    assert_eq!(finished(&fixture, &next, 2).await.0, Vec::<String>::new());
    let all = fixture.store.commits().finished_runs(from.clone(), 9).await.unwrap().runs;
    assert_eq!((all.len(), all[0].started_at, all[0].ended_at), (3, 7000, 7000));
    let found = fixture.store.commits().finished_runs(from, 2).await.unwrap();
    assert_eq!(found.begin, all[0].after);
    assert_eq!(finished(&fixture, &found.begin, 9).await.0, ["two", "three"]);
}

#[tokio::test]
async fn a_run_under_way_or_removed_is_not_finished() {
    let fixture = Fixture::new();
    let from = fixture.store.commits().begin().await.unwrap();
    let (gone, working) = (SessionId::from("gone"), RunId::from("working"));
    fixture.append(&"a".into(), vec![created("t", "/p"), started(&working, "go")]).await;
    run(&fixture, "gone", "removed").await;
    fixture.store.upkeep().remove_session(&gone, "owner", |_| Vec::new()).await.unwrap();
    let (names, _, next) = finished(&fixture, &from, 9).await;
    assert!(names.is_empty(), "{names:?}");
    fixture.append(&"a".into(), vec![completed(&working)]).await;
    assert_eq!(finished(&fixture, &next, 9).await.0, ["working"]);
}

#[tokio::test]
async fn a_cursor_of_another_database_is_refused() {
    let (fixture, elsewhere) = (Fixture::new(), Store::open_in_memory(options()).unwrap());
    let strange = elsewhere.commits().end().await.unwrap();
    assert_eq!(fixture.store.commits().finished_runs(strange, 1).await.unwrap_err(), StoreError::CursorUnknown);
}
