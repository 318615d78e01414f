use crate::{Store, StoreOptions};
use arki_domain::{EventDraft, Redactor, SessionCreated, SessionId, SystemClock};
use std::sync::Arc;

#[tokio::test]
async fn an_appended_event_is_read_back_as_it_was_answered() {
    let options = StoreOptions { clock: Arc::new(SystemClock), redactor: Redactor::default() };
    let store = Store::open_in_memory(options).unwrap();
    let session = SessionId::new();
    let created =
        SessionCreated { title: "t".into(), project: "/p".into(), agent: "arki".into(), parent_session: None };
    let answered = store.append(&session, vec![EventDraft::of_session(created)]).await.unwrap();
    let page = store.reader().page(&session, None, 10).unwrap();
    assert_eq!(page.events[0].hash, answered[0].hash);
    assert_eq!(page.events[0].computed_hash().unwrap(), answered[0].hash);
    assert!(store.reader().verify(None).unwrap()[0].ok);
}
