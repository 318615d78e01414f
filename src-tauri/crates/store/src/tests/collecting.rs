use super::{Fixture, START_MS, created, parsed};
use crate::{Collected, UNREFERENCED_GRACE};
use arki_domain::{Content, ContentKind, RunId, sha256_hex};
use serde_json::json;

const GRACE_MS: i64 = UNREFERENCED_GRACE.as_millis() as i64;

/// One hash a line.
fn list(bytes: &[u8]) -> Vec<String> {
    String::from_utf8_lossy(bytes).lines().map(str::to_owned).collect()
}

fn content(text: &str, kind: ContentKind) -> Content {
    Content { hash: sha256_hex(text.as_bytes()), bytes: text.into(), kind }
}

fn image(text: &str) -> String {
    sha256_hex(text.as_bytes())
}

fn is_kept(fixture: &Fixture, text: &str) -> bool {
    fixture.store.reader().contents().blob(&image(text)).unwrap().is_some()
}

#[tokio::test]
async fn what_no_session_speaks_of_goes_when_it_is_old_enough() {
    let fixture = Fixture::new();
    fixture.store.contents().put_blob(b"prompt").await.unwrap();
    let collect = || fixture.store.upkeep().collect_garbage(u64::MAX, list);
    fixture.clock.set(START_MS + GRACE_MS);
    assert_eq!(collect().await.unwrap(), Collected::default());
    fixture.clock.set(START_MS + GRACE_MS + 1);
    fixture.store.contents().put_blob(b"prompt").await.unwrap();
    assert_eq!(collect().await.unwrap(), Collected::default());
    fixture.clock.set(START_MS + 2 * GRACE_MS + 2);
    let collected = collect().await.unwrap();
    assert!(collected.removed == 1 && collected.freed_bytes > 0 && !is_kept(&fixture, "prompt"));
}

#[tokio::test]
async fn what_a_session_speaks_of_stays_also_through_a_list() {
    let fixture = Fixture::new();
    let store = &fixture.store;
    let manifest = content(&format!("{}\n", image("listed")), ContentKind::Manifest);
    store.contents().put_blob(b"listed").await.unwrap();
    store.contents().put_blob(b"changed").await.unwrap();
    let changed = json!({"path": "a", "beforeHash": null, "afterHash": image("changed"), "callId": "c", "hunks": []});
    fixture.append(&"s".into(), vec![created("t", "/p"), parsed(&RunId::new(), "file.changed", &changed)]).await;
    store.contents().put_contents(&"s".into(), vec![manifest]).await.unwrap();
    fixture.clock.set(START_MS + GRACE_MS + 1);
    assert_eq!(store.upkeep().collect_garbage(u64::MAX, list).await.unwrap(), Collected::default());
    store.upkeep().remove_session(&"s".into(), "me", list).await.unwrap();
    assert_eq!(store.reader().sizes().unwrap().blobs_bytes, 0);
}

#[tokio::test]
async fn what_only_a_removed_session_spoke_of_goes_at_once() {
    let fixture = Fixture::new();
    let store = &fixture.store;
    let names = ["listed", "changed", "shared", "wanted again"];
    let list_of = |names: &[&str]| {
        content(&names.iter().map(|name| image(name) + "\n").collect::<String>(), ContentKind::Manifest)
    };
    for name in names.into_iter().chain(["nobody's yet"]) {
        store.contents().put_blob(name.as_bytes()).await.unwrap();
    }
    store.contents().put_contents(&"a".into(), vec![list_of(&["listed", "shared"])]).await.unwrap();
    store.contents().put_contents(&"b".into(), vec![list_of(&["shared"])]).await.unwrap();
    for (hash, session) in [(image("changed"), "a"), (image("wanted again"), "a"), (image("shared"), "b")] {
        let changed = json!({"path": "a", "beforeHash": null, "afterHash": hash, "callId": "c", "hunks": []});
        fixture
            .append(&session.into(), vec![created("t", "/p"), parsed(&RunId::new(), "file.changed", &changed)])
            .await;
    }
    fixture.clock.set(START_MS + 1);
    store.contents().put_blob(b"wanted again").await.unwrap();
    store.upkeep().remove_session(&"a".into(), "me", list).await.unwrap();
    let kept: Vec<&str> = names.into_iter().chain(["nobody's yet"]).filter(|name| is_kept(&fixture, name)).collect();
    assert_eq!(kept, ["shared", "wanted again", "nobody's yet"]);
}

#[tokio::test]
async fn a_quota_takes_old_lists_images_first_then_those_of_changes_and_never_the_rest() {
    let fixture = Fixture::new();
    let store = &fixture.store;
    fixture.append(&"s".into(), vec![created("t", "/p")]).await;
    for (offset, names) in [(0, ["old", "both"]), (1, ["new", "both"])] {
        fixture.clock.set(START_MS + offset);
        for name in names {
            store.contents().put_blob(name.as_bytes()).await.unwrap();
        }
        let manifest = content(&names.map(image).join("\n"), ContentKind::Manifest);
        store.contents().put_contents(&"s".into(), vec![manifest]).await.unwrap();
    }
    for (offset, name) in [(2, "first change"), (3, "second change")] {
        fixture.clock.set(START_MS + offset);
        store.contents().put_contents(&"s".into(), vec![content(name, ContentKind::Plain)]).await.unwrap();
    }
    let names = ["old", "both", "new", "first change", "second change"];
    let mut gone = Vec::new();
    for _ in names {
        let quota = store.reader().sizes().unwrap().blobs_bytes - 1;
        assert_eq!(store.upkeep().collect_garbage(quota, list).await.unwrap().removed, 1);
        gone.extend(
            names.into_iter().filter(|name| !is_kept(&fixture, name) && !gone.contains(name)).collect::<Vec<_>>(),
        );
    }
    assert_eq!(gone[0], "old");
    assert!(gone[1..3].contains(&"both") && gone[1..3].contains(&"new"), "{gone:?}");
    assert_eq!(gone[3..], ["first change", "second change"]);
    assert_eq!(store.upkeep().collect_garbage(0, list).await.unwrap(), Collected::default());
}
