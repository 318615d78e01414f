use super::{Fixture, created, options, options_with};
use crate::{LogCursor, Store, StoreError};
use arki_domain::SessionId;

async fn numbers(store: &Store, from: &LogCursor, limit: usize) -> (Vec<(String, u64)>, LogCursor, bool) {
    let page = store.commits().after(from.clone(), limit).await.unwrap();
    let told = page.events.iter().map(|event| (event.session_id.to_string(), event.seq)).collect();
    (told, page.next, page.has_more)
}

#[tokio::test]
async fn a_cursor_holds_across_processes_and_goes_on_where_it_was() {
    let fixture = Fixture::new();
    let begin = fixture.store.commits().begin().await.unwrap();
    fixture.append(&"a".into(), vec![created("t", "/p"); 3]).await;
    let (told, next, has_more) = numbers(&fixture.store, &begin, 2).await;
    assert_eq!((told, has_more), (vec![("a".to_owned(), 1), ("a".to_owned(), 2)], true));

    let other = Store::open(&fixture.path, options_with(&fixture.clock)).unwrap();
    other.append(&"b".into(), vec![created("t", "/p")]).await.unwrap();
    let written: LogCursor = next.to_string().parse().unwrap();
    let (told, next, has_more) = numbers(&other, &written, 100).await;
    assert_eq!((told, has_more), (vec![("a".to_owned(), 3), ("b".to_owned(), 1)], false));
    assert_eq!(numbers(&fixture.store, &next, 100).await.0, []);
    assert_eq!(next, fixture.store.commits().end().await.unwrap());
}

#[tokio::test]
async fn a_cursor_of_another_database_or_of_none_is_refused() {
    let (fixture, elsewhere) = (Fixture::new(), Store::open_in_memory(options()).unwrap());
    let strange = elsewhere.commits().end().await.unwrap();
    assert_eq!(fixture.store.commits().after(strange, 1).await.unwrap_err(), StoreError::CursorUnknown);
    for text in ["", "x", "a.1", "a.b.c", "a.1.-1", "a.1.2.3"] {
        assert_eq!(text.parse::<LogCursor>().unwrap_err(), StoreError::CursorUnknown, "{text}");
    }
    // Beyond its end, as when a backup of before was put in its place.
    let end = fixture.store.commits().end().await.unwrap().to_string();
    let beyond = format!("{}.9", end.rsplit_once('.').unwrap().0);
    let beyond = fixture.store.commits().after(beyond.parse().unwrap(), 1).await;
    assert_eq!(beyond.unwrap_err(), StoreError::CursorUnknown);
}

#[tokio::test]
async fn what_is_stored_after_the_last_rows_were_removed_is_told() {
    let fixture = Fixture::new();
    fixture.append(&"a".into(), vec![created("t", "/p")]).await;
    fixture.append(&"gone".into(), vec![created("t", "/p"); 3]).await;
    let end = fixture.store.commits().end().await.unwrap();
    fixture.store.upkeep().remove_session(&SessionId::from("gone"), "owner", |_| Vec::new()).await.unwrap();
    fixture.append(&"b".into(), vec![created("t", "/p"); 2]).await;
    let (told, ..) = numbers(&fixture.store, &end, 100).await;
    assert_eq!(told, [("b".to_owned(), 1), ("b".to_owned(), 2)]);
}
