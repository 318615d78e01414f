//! Requests over HTTP that are sent again.

use super::{Fixture, START_MS, started};
use crate::{KEPT_ANSWERS, KeptAnswer, StoreError};
use arki_domain::{AnsweredRequest, EventBody, EventDraft, RunId, SessionId};

fn requested(run: &RunId, key: &str) -> EventDraft {
    let mut draft = started(run, "hello");
    if let EventBody::RunStarted(started) = &mut draft.body {
        let (token, path) = ("own".to_owned(), "/v1/runs".to_owned());
        started.request = Some(AnsweredRequest { token, key_hash: key.to_owned(), path, body_hash: "b".to_owned() });
    }
    draft
}

fn kept(fixture: &Fixture, token: &str, key: &str) -> Option<KeptAnswer> {
    fixture.store.reader().lists().kept_answer(token, key).unwrap()
}

#[tokio::test]
async fn a_request_is_answered_once_and_its_answer_kept_for_a_day() {
    let fixture = Fixture::new();
    let (session, other) = (SessionId::new(), SessionId::new());
    let (first, second) = (RunId::new(), RunId::new());
    fixture.append(&session, vec![requested(&first, "k")]).await;
    let answer = kept(&fixture, "own", "k").unwrap();
    assert_eq!((answer.session_id, answer.run_id), (session.clone(), first));
    assert_eq!((answer.path.as_str(), answer.body_hash.as_str()), ("/v1/runs", "b"));
    assert_eq!((kept(&fixture, "own", "other"), kept(&fixture, "another", "k")), (None, None));

    // Another server, which knew nothing of it: nothing of the append stays.
    let late = fixture.store.append(&other, vec![started(&second, "before"), requested(&second, "k")]).await;
    assert_eq!(late.unwrap_err(), StoreError::RequestAnswered);
    assert!(fixture.store.reader().log().events(&other, 0, 10).unwrap().events.is_empty());
    assert_eq!(fixture.store.reader().lists().run(&second).unwrap(), None);

    let day = i64::try_from(KEPT_ANSWERS.as_millis()).unwrap();
    fixture.clock.set(START_MS + day - 1);
    assert!(kept(&fixture, "own", "k").is_some());
    fixture.clock.set(START_MS + day);
    assert_eq!(kept(&fixture, "own", "k"), None);
    fixture.append(&other, vec![requested(&second, "k")]).await;
    assert_eq!(kept(&fixture, "own", "k").unwrap().run_id, second);
    assert!(fixture.store.reader().verifier().verify(None).unwrap().iter().all(|report| report.ok));
}
