//! The list of changed files, and its limit.

use super::*;
use crate::projection::tests::generated::{User, event, hash_of, sessions};
use crate::*;
use proptest::prelude::*;

fn change(files: &mut ChangedFiles, seq: u64, path: &str) {
    let body = EventBody::from(FileChanged {
        path: path.to_owned(),
        before_hash: None,
        after_hash: Some("x".into()),
        before_unknown: false,
        after_unknown: false,
        before_permissions: Permissions::default(),
        before_link: false,
        after_link: false,
        call_id: CallId::from("c"),
        hunks: vec![],
        by_session: None,
        by_hook: None,
    });
    files.apply(&event(seq, body.clone()), &body);
}

#[test]
fn beyond_the_limit_the_files_changed_the_longest_ago_are_forgotten_and_it_is_said() {
    let mut files = ChangedFiles::default();
    for seq in 1..=MAX_CHANGED_FILES as u64 {
        change(&mut files, seq, &format!("f{seq}"));
    }
    assert_eq!((files.files().len(), files.is_incomplete()), (MAX_CHANGED_FILES, false));
    change(&mut files, 20_000, "f1");
    change(&mut files, 20_001, "one more");
    assert!(files.files().len() <= MAX_CHANGED_FILES && files.is_incomplete());
    assert!(files.files().contains_key("f1") && files.files().contains_key("one more"));
    assert!(!files.files().contains_key("f2") && files.files().contains_key("f10000"));
}

proptest! {
    #[test]
    fn the_list_counts_every_touch_from_the_first_state_to_the_last(session in sessions(User::Watches)) {
        let mut files = ChangedFiles::default();
        session.all().iter().for_each(|event| files.apply(event, &event.body()));
        let mut expected = std::collections::BTreeMap::new();
        for touch in &session.touches {
            let file = expected.entry(touch.path.clone()).or_insert_with(|| ChangedFile {
                first_before_hash: hash_of(touch.before),
                last_after_hash: None,
                changes: 0,
                last_seq: 0,
            });
            file.last_after_hash = hash_of(touch.after);
            file.changes += 1;
            file.last_seq = touch.seq;
        }
        prop_assert_eq!(files.files(), &expected);
    }
}
