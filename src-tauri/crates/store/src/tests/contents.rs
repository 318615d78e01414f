use super::{Fixture, foreign};
use crate::{MAX_BLOB_BYTES, StoreError};
use arki_domain::{Content, ContentKind, SessionId, sha256_hex};

fn content(bytes: &[u8]) -> Content {
    Content { hash: sha256_hex(bytes), bytes: bytes.to_vec(), kind: ContentKind::Plain }
}

#[tokio::test]
async fn contents_are_kept_once_and_read_back() {
    let Fixture { store, path, .. } = &Fixture::new();
    let contents = vec![content(b"one"), content(b""), content(b"one")];
    for session in ["a", "b"] {
        store.contents().put_contents(&session.into(), contents.clone()).await.unwrap();
    }
    for content in &contents {
        assert_eq!(store.reader().contents().blob(&content.hash).unwrap().as_ref(), Some(&content.bytes));
    }
    let rows = |table: &str| -> i64 {
        foreign(path).query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
    };
    assert_eq!((rows("blobs"), rows("blob_refs")), (2, 4));
}

#[tokio::test]
async fn what_is_missing_is_told() {
    let Fixture { store, .. } = &Fixture::new();
    let (here, gone) = (content(b"here"), content(b"gone"));
    store.contents().put_contents(&SessionId::new(), vec![here.clone()]).await.unwrap();
    assert_eq!(store.reader().contents().missing_contents(&[&here.hash, &gone.hash]).unwrap(), [&gone.hash]);
}

#[tokio::test]
async fn contents_are_kept_together_or_not_at_all() {
    let Fixture { store, .. } = &Fixture::new();
    let good = content(b"good");
    let foreign_hash = Content { hash: sha256_hex(b"other"), ..content(b"bytes") };
    let refused = store.contents().put_contents(&SessionId::new(), vec![good.clone(), foreign_hash]).await.unwrap_err();
    assert!(matches!(refused, StoreError::Internal { .. }), "{refused}");
    let too_long = content(&vec![0; MAX_BLOB_BYTES + 1]);
    let refused = store.contents().put_contents(&SessionId::new(), vec![good.clone(), too_long]).await.unwrap_err();
    assert_eq!(refused, StoreError::BlobTooLarge { bytes: MAX_BLOB_BYTES + 1, limit: MAX_BLOB_BYTES });
    assert_eq!(store.reader().contents().blob(&good.hash).unwrap(), None);
}
