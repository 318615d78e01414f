//! The overview from a snapshot, against the overview from the start.

use super::*;
use crate::projection::tests::generated::{User, event, sessions};
use crate::projection::*;
use crate::*;
use proptest::prelude::*;

proptest! {
    #[test]
    fn going_on_from_a_snapshot_is_the_same_as_folding_from_the_start(
        session in sessions(User::Edits),
        cut in any::<prop::sample::Index>(),
    ) {
        let events = session.all();
        let (first, rest) = events.split_at(cut.index(events.len() + 1));
        let mut overview = Overview::from_bytes(&Overview::fold(first).to_bytes().unwrap()).unwrap();
        rest.iter().for_each(|event| overview.apply(event));
        prop_assert_eq!(overview, Overview::fold(&events));
    }

    #[test]
    fn the_parts_are_the_folds_of_their_own(session in sessions(User::Edits)) {
        let events = session.all();
        let overview = Overview::fold(&events);
        let mut queue = Queue::default();
        session.events.iter().for_each(|event| queue.apply(&event.body()));
        prop_assert_eq!(&overview.queue, &queue);
        let started = session.events.iter().rposition(|event| event.kind == "run.started");
        prop_assert_eq!(overview.run, started.and_then(|place| RunState::fold(&session.events[place..])));
        prop_assert_eq!(overview.last_seq, session.events.len() as u64);
    }

    #[test]
    fn damaged_bytes_are_never_taken_for_a_snapshot(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert_eq!(Overview::from_bytes(&bytes), None);
    }
}

fn small() -> Overview {
    let parent_session = Some(SessionId::from("o"));
    let remembered = |id: &str| vec![Remembered { id: id.into(), text: "t".into(), ..Remembered::default() }];
    let (provider, model, request_hash) = ("p".to_owned(), "m".to_owned(), String::new());
    let events = [
        event(
            1,
            SessionCreated {
                title: "T".into(),
                project: "/p".into(),
                agent: "arki".into(),
                parent_session,
                worktree: None,
            },
        ),
        event(2, SessionForked { created: None, from_session: SessionId::from("o"), from_seq: 9 }),
        event(3, TrustChanged { project: "/p".into(), trusted: true, pins: vec![] }),
        event(
            4,
            SessionConfigured {
                model: Some("p/m".into()),
                effort: Some("low".into()),
                off: Some(vec!["rule:AGENTS.md".into()]),
                ..SessionConfigured::default()
            },
        ),
        event(5, SessionConfigured { approve: Some(ApprovalMode::Edits), ..SessionConfigured::default() }),
        event(6, MessageQueued { message_id: MessageId::from("m1"), text: "x".into(), mode: QueueMode::Steer }),
        event(
            7,
            RunStarted {
                prompt: "go".into(),
                agent: "arki".into(),
                model: "p/m".into(),
                core: "tool-loop".into(),
                system_prompt_hash: "h".into(),
                options: RunOptions::default(),
                message_id: None,
                parent: None,
                session_start: None,
                request: None,
            },
        ),
        event(
            8,
            EngineRequest {
                turn: 1,
                provider,
                model,
                request_hash,
                message_count: 1,
                context_window: None,
                purpose: None,
                stage: None,
                head_hash: None,
            },
        ),
        event(9, MemoryObserved { observations: remembered("o1"), ..MemoryObserved::default() }),
        event(10, MemoryReflected { reflections: remembered("r1"), ..MemoryReflected::default() }),
        event(11, PlanProposed { intent: "i".into(), steps: vec![], steps_left_out: 0 }),
        event(
            12,
            FileChanged {
                path: "a".into(),
                before_hash: None,
                after_hash: Some("h".into()),
                before_unknown: false,
                after_unknown: false,
                before_permissions: Permissions::default(),
                before_link: false,
                after_link: false,
                call_id: CallId::from("c"),
                hunks: vec![],
                by_session: None,
                by_hook: None,
            },
        ),
    ];
    Overview::fold(&events)
}

/// When this fails, raise `SNAPSHOT_VERSION` together with the file: what was stored before would be misread.
#[test]
fn the_form_of_a_snapshot_changes_only_with_its_version() {
    let stored: serde_json::Value = serde_json::from_str(include_str!("snapshot.json")).unwrap();
    let now: serde_json::Value = serde_json::from_slice(&small().to_bytes().unwrap()).unwrap();
    assert_eq!(now, stored, "{now}");
}

#[test]
fn a_snapshot_of_another_version_is_left_and_the_fold_starts_over() {
    let text = String::from_utf8(small().to_bytes().unwrap()).unwrap();
    assert_eq!(Overview::from_bytes(text.as_bytes()), Some(small()));
    let other = text.replace(&format!("\"version\":{SNAPSHOT_VERSION}"), "\"version\":99");
    assert_ne!(other, text);
    assert_eq!(Overview::from_bytes(other.as_bytes()), None);
    assert_eq!(Overview::from_bytes(&text.as_bytes()[..text.len() - 1]), None);
}

#[test]
fn a_snapshot_is_due_every_hundred_events() {
    let due: Vec<u64> = (0..=250).filter(|seq| Overview::is_snapshot_due(*seq)).collect();
    assert_eq!(due, [SNAPSHOT_EVERY, 2 * SNAPSHOT_EVERY]);
}

#[test]
fn a_title_has_its_limit() {
    let (project, agent) = (String::new(), String::new());
    let title = "x".repeat(2 * MAX_TITLE_BYTES);
    let overview =
        Overview::fold(&[event(1, SessionCreated { title, project, agent, parent_session: None, worktree: None })]);
    assert_eq!(overview.title.len(), MAX_TITLE_BYTES);
}
