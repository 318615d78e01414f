//! The state of the files at any moment, against what a simulated disk really held.

use super::*;
use crate::projection::tests::generated::{Disk, Generated, User, event, hash_of, sessions};
use crate::*;
use proptest::prelude::*;

fn hash(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

/// An empty text stands for no file.
pub(super) fn changed(seq: u64, before: &str, after: &str) -> Event {
    let (call_id, hunks) = (CallId::from("c"), vec![]);
    let (before_hash, after_hash) = (hash(before), hash(after));
    let changed = FileChanged {
        path: "a".into(),
        before_hash,
        after_hash,
        before_unknown: false,
        after_unknown: false,
        before_permissions: Permissions::default(),
        before_link: false,
        after_link: false,
        call_id,
        hunks,
        by_session: None,
        by_hook: None,
    };
    event(seq, changed)
}

fn restored(action: RestoreAction, before: &str, after: &str) -> RestoredFile {
    RestoredFile {
        path: "a".into(),
        action,
        before_hash: hash(before),
        after_hash: hash(after),
        before_permissions: Permissions::default(),
        before_link: false,
        after_link: false,
    }
}

fn rewound(seq: u64, to_seq: u64, action: RestoreAction, before: &str, after: &str) -> Event {
    let changes = vec![restored(action, before, after)];
    event(seq, SessionRewound { to_seq, files: true, conversation: false, checkpoint_id: None, changes })
}

fn at(text: &str) -> FileAt {
    hash(text).map_or(FileAt::Nothing, FileAt::File)
}

fn wanted(wanted: &str, last_known: &str) -> WantedFile {
    WantedFile {
        path: "a".into(),
        wanted: at(wanted),
        last_known: at(last_known),
        wanted_permissions: Permissions::default(),
        steps: vec![step(wanted, last_known)],
    }
}

fn step(before: &str, after: &str) -> FileStep {
    FileStep { before: at(before), after: at(after) }
}

#[test]
fn a_file_is_wanted_as_it_was_before_the_first_later_change() {
    let events = [changed(1, "", "x"), changed(2, "x", "y"), changed(3, "y", "")];
    assert_eq!(FilesAt::fold(0, &events), [wanted("", "")]);
    assert_eq!(FilesAt::fold(1, &events), [wanted("x", "")]);
    assert_eq!(FilesAt::fold(2, &events), [wanted("y", "")]);
    assert_eq!(FilesAt::fold(3, &events), []);
}

#[test]
fn the_users_edit_between_two_changes_is_wanted_back_not_what_the_agent_wrote() {
    let events = [changed(1, "", "x"), changed(2, "edited", "y")];
    assert_eq!(FilesAt::fold(1, &events), [wanted("edited", "y")]);
}

#[test]
fn what_others_changed_in_between_parts_the_steps() {
    let events = [changed(1, "a", "b"), changed(2, "b", "c"), changed(3, "c-edited", "d"), changed(4, "d", "e")];
    let steps = FilesAt::fold(0, &events).remove(0).steps;
    assert_eq!(steps, [step("a", "c"), step("c-edited", "e")]);
}

#[test]
fn a_rewind_counts_as_a_change_and_can_be_gone_back_on() {
    let events = [changed(1, "", "x"), rewound(2, 0, RestoreAction::Delete, "x", "")];
    assert_eq!(FilesAt::fold(1, &events), [wanted("x", "")]);
    assert_eq!(FilesAt::fold(2, &events), []);
}

#[test]
fn a_single_change_that_was_taken_back_counts_as_one() {
    let changes = vec![restored(RestoreAction::Restore, "y", "x")];
    let taken_back = event(3, ChangeTakenBack { call_id: CallId::from("c"), seq: 2, changes });
    let events = [changed(1, "", "x"), changed(2, "x", "y"), taken_back];
    assert_eq!(FilesAt::fold(2, &events), [wanted("y", "x")]);
    assert_eq!(FilesAt::fold(0, &events), [wanted("", "x")]);
}

#[test]
fn a_file_that_was_found_as_it_should_be_is_known_but_not_changed() {
    let events = [changed(1, "x", "y"), rewound(2, 0, RestoreAction::Keep, "x", "x")];
    assert_eq!(FilesAt::fold(0, &events), [WantedFile { steps: vec![step("x", "y")], ..wanted("x", "x") }]);
    assert_eq!(FilesAt::fold(1, &events), []);
}

#[test]
fn a_conflict_is_not_taken_for_what_the_agent_wrote() {
    let events = [changed(1, "x", "y"), rewound(2, 0, RestoreAction::Conflict, "edited", "edited")];
    assert_eq!(FilesAt::fold(0, &events), [wanted("x", "y")]);
}

#[test]
fn what_the_origin_of_a_fork_changed_is_not_the_forks_to_take_back() {
    let forked = event(2, SessionForked { created: None, from_session: SessionId::from("o"), from_seq: 7 });
    let events = [changed(7, "", "x"), forked, changed(3, "x", "y")];
    assert_eq!(FilesAt::fold(0, &events), [wanted("x", "y")]);
    assert_eq!(FilesAt::fold(5, &events), []);
}

#[test]
fn a_content_that_was_not_kept_is_not_taken_for_no_file() {
    let EventBody::FileChanged(known) = changed(1, "", "x").body() else { panic!("another kind") };
    let unknown = event(1, FileChanged { before_unknown: true, ..known });
    assert_eq!(FilesAt::fold(0, [&unknown])[0].wanted, FileAt::Unknown);
}

#[test]
fn a_link_is_told_from_a_file_that_says_where_it_leads() {
    let EventBody::FileChanged(known) = changed(1, "x", "x").body() else { panic!("another kind") };
    let replaced = event(1, FileChanged { before_link: true, ..known });
    let file = FilesAt::fold(0, [&replaced]).remove(0);
    assert_eq!((file.wanted, file.last_known), (FileAt::Link("x".into()), FileAt::File("x".into())));
}

#[test]
fn permissions_that_a_later_change_tells_of_were_there_at_first() {
    let EventBody::FileChanged(gone) = changed(2, "y", "").body() else { panic!("another kind") };
    let closed = Permissions::of_mode(0o600);
    let events = [changed(1, "x", "y"), event(2, FileChanged { before_permissions: closed, ..gone })];
    assert_eq!(FilesAt::fold(0, &events)[0].wanted_permissions, closed);
}

fn put_back(session: &Generated, events: &[Event], to_seq: u64) -> Disk {
    let mut hashes: std::collections::BTreeMap<String, Option<String>> =
        session.disk_now().into_iter().map(|(path, content)| (path, hash_of(Some(content)))).collect();
    for file in FilesAt::fold(to_seq, events) {
        hashes.insert(file.path, file.wanted.hash().map(str::to_owned));
    }
    let content = |hash: String| u8::from_str_radix(&hash, 16).unwrap();
    hashes.into_iter().filter_map(|(path, hash)| Some((path, content(hash?)))).collect()
}

proptest! {
    // Each case asks for every moment of its session.
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn putting_back_what_is_wanted_gives_the_disk_of_every_moment(session in sessions(User::Watches)) {
        let events = session.all();
        for to_seq in 0..=session.events.len() {
            prop_assert_eq!(&put_back(&session, &events, to_seq as u64), &session.disks[to_seq], "back to {}", to_seq);
        }
    }

    #[test]
    fn last_known_is_what_the_disk_holds_when_nobody_else_writes(session in sessions(User::Watches)) {
        let disk = session.disk_now();
        for file in FilesAt::fold(0, &session.all()) {
            prop_assert_eq!(file.last_known.hash().map(str::to_owned), hash_of(disk.get(&file.path).copied()));
        }
    }

    #[test]
    fn files_are_wanted_as_they_were_just_before_they_were_touched(session in sessions(User::Edits)) {
        let events = session.all();
        for to_seq in 0..=session.events.len() as u64 {
            let later: Vec<_> = session.touches.iter().filter(|touch| touch.seq > to_seq).collect();
            let files = FilesAt::fold(to_seq, &events);
            let touched: std::collections::BTreeSet<&str> = later.iter().map(|touch| touch.path.as_str()).collect();
            prop_assert_eq!(files.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(), touched.into_iter().collect::<Vec<_>>());
            for file in files {
                let first = later.iter().find(|touch| touch.path == file.path).unwrap();
                prop_assert_eq!(file.wanted.hash().map(str::to_owned), hash_of(first.before));
            }
        }
    }

    #[test]
    fn events_up_to_the_moment_need_not_be_read(session in sessions(User::Edits), cut in any::<prop::sample::Index>()) {
        let to_seq = cut.index(session.events.len() + 1);
        prop_assert_eq!(
            FilesAt::fold(to_seq as u64, &session.events[to_seq..]),
            FilesAt::fold(to_seq as u64, &session.all())
        );
    }
}
