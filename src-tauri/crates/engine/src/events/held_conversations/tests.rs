use super::*;
use arki_domain::RunId;
use serde_json::value::RawValue;

fn said(seq: u64) -> Arc<Event> {
    let payload = format!(r#"{{"role":"assistant","content":"{seq}","turn":1,"interrupted":false}}"#);
    Arc::new(Event {
        event_id: format!("e-{seq}").as_str().into(),
        run_id: Some(RunId::from("r")),
        session_id: SessionId::from("s"),
        seq,
        ts: 0,
        kind: "output.message".to_owned(),
        payload: RawValue::from_string(payload).unwrap(),
        prev_hash: String::new(),
        hash: String::new(),
    })
}

fn folded(events: std::ops::RangeInclusive<u64>) -> Conversation {
    let mut conversation = Conversation::default();
    for event in events.map(said) {
        conversation.apply(&event, &event.body());
    }
    conversation
}

#[test]
fn what_comes_while_the_log_is_read_is_in_the_answer_and_what_comes_later_is_told() {
    let window = HeldConversations::default();
    let hold = window.begin(&SessionId::from("s"));
    for seq in 1..=3 {
        assert!(window.apply(&said(seq)).is_none());
    }
    let told = window.follow(hold, folded(1..=2), 2);
    assert_eq!((told.hold, told.last_seq, told.items.len()), (hold, 3, 3));
    assert!(window.apply(&said(3)).is_none(), "it was announced late");
    let change = window.apply(&said(4)).unwrap();
    assert_eq!((change.hold, change.base_seq, change.last_seq, change.items.len()), (hold, 3, 4, 1));
}

#[test]
fn a_conversation_of_which_something_was_lost_is_let_go() {
    let window = HeldConversations::default();
    let hold = window.begin(&SessionId::from("s"));
    window.follow(hold, folded(1..=2), 2);
    assert!(window.apply(&said(4)).is_none());
    assert!(window.apply(&said(5)).is_none());
}

#[test]
fn changes_of_two_holds_stay_apart_in_a_frame() {
    let window = HeldConversations::default();
    let mut all = Vec::new();
    for seq in 3..=6 {
        if seq % 2 == 1 {
            let hold = window.begin(&SessionId::from("s"));
            window.follow(hold, folded(seq - 1..=seq - 1), seq - 1);
        }
        join(&mut all, window.apply(&said(seq)).unwrap());
    }
    let seen: Vec<_> = all.iter().map(|change| (change.hold, change.base_seq, change.last_seq)).collect();
    assert_eq!(seen, [(1, 2, 4), (2, 4, 6)]);
}
