use super::*;
use arki_domain::Permissions;
use proptest::collection::{btree_map, btree_set};
use proptest::prelude::*;

fn file_state() -> impl Strategy<Value = FileState> {
    let reason = prop_oneof![
        Just(NotImaged::TooLarge),
        Just(NotImaged::NotText),
        Just(NotImaged::OverBudget),
        Just(NotImaged::Unreadable),
        Just(NotImaged::Secret)
    ];
    let image = prop_oneof![
        "[ab]0{63}".prop_map(PreImage::Kept),
        "[ab]0{63}".prop_map(PreImage::Kept),
        reason.prop_map(PreImage::None)
    ];
    (0u64..3, any::<i64>(), 0..=0o777u32, any::<bool>(), any::<bool>(), image).prop_map(
        |(size, modified_ns, mode, is_link, is_fresh, image)| FileState {
            size,
            modified_ns: modified_ns % 3,
            permissions: Permissions::of_mode(mode),
            is_link,
            is_fresh,
            image,
        },
    )
}

fn snapshot() -> impl Strategy<Value = Snapshot> {
    let files = btree_map("[a-c](/[a-c]){0,2}", file_state(), 0..6);
    let until = proptest::option::weighted(0.2, "[a-c]/?");
    let unnamed = btree_map("[a-c]", (0u64..3, 0i64..3), 0..3);
    (files, btree_set("[a-c]", 0..2), until, unnamed).prop_map(|(files, unlisted, walked_until, unnamed)| Snapshot {
        files,
        unlisted,
        walked_until,
        unnamed,
    })
}

#[test]
fn a_row_a_file_and_nothing_that_says_nothing() {
    let mut snapshot = Snapshot::default();
    let kept = FileState {
        size: 120,
        modified_ns: 1_760_000_000_123_456_789,
        permissions: Permissions::of_mode(0o755),
        is_link: false,
        is_fresh: false,
        image: PreImage::Kept("ab".repeat(32)),
    };
    let large = FileState {
        size: 5_000_000,
        modified_ns: -1,
        permissions: Permissions::default(),
        is_link: false,
        is_fresh: true,
        image: PreImage::None(NotImaged::TooLarge),
    };
    snapshot.files.insert("src/a.rs".to_owned(), kept);
    snapshot.files.insert("large".to_owned(), large);
    let expected = format!(
        r#"{{"version":2,"files":{{"large":[5000000,-1,932,"tooLarge"],"src/a.rs":[120,1760000000123456789,493,"{}"]}}}}"#,
        "ab".repeat(32)
    );
    assert_eq!(serde_json::to_string(&snapshot).unwrap(), expected);
}

#[test]
fn what_is_no_snapshot_of_this_version_is_refused() {
    for (stored, problem) in [
        (r#"{"version":1,"files":{}}"#, "a snapshot of version 1, not 2"),
        (r#"{"version":2,"files":{"a":[1,2,0,"AB"]}}"#, "\"AB\" is neither a hash nor a reason"),
        (r#"{"version":2,"files":{"a":[1,2,0]}}"#, "tuple struct Row"),
        (r#"{"version":2}"#, "missing field `files`"),
    ] {
        let error = serde_json::from_str::<Snapshot>(stored).unwrap_err().to_string();
        assert!(error.contains(problem), "{error}");
    }
}

proptest! {
    #[test]
    fn a_snapshot_survives_being_stored(snapshot in snapshot()) {
        let stored = serde_json::to_vec(&snapshot).unwrap();
        prop_assert_eq!(serde_json::from_slice::<Snapshot>(&stored).unwrap(), snapshot);
    }

    #[test]
    fn a_snapshot_does_not_differ_from_itself(snapshot in snapshot()) {
        prop_assert_eq!(snapshot_changes(&snapshot, &snapshot), []);
    }

    #[test]
    fn changes_backwards_are_the_changes_with_their_sides_swapped(a in snapshot(), b in snapshot()) {
        let swapped = |change: SnapshotChange| SnapshotChange {
            before: change.after,
            after: change.before,
            path: change.path,
        };
        let forwards: Vec<SnapshotChange> = snapshot_changes(&a, &b).into_iter().map(swapped).collect();
        prop_assert_eq!(forwards, snapshot_changes(&b, &a));
    }
}
