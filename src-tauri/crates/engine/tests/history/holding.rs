//! A conversation that a window holds: what frames tell of it amounts to what it is when it is folded anew.

use crate::stage::Stage;
use arki_api::{ConversationChange, Frame, HeldConversation, PlacedItem};
use arki_domain::SessionId;
use arki_engine::{Frames, HeldConversations, RunTarget, StartRun, hold_conversation};
use arki_testkit::Turn;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A conversation as a window puts it together.
struct Shown {
    items: BTreeMap<usize, Value>,
    standing: Value,
    last_seq: u64,
}

impl Shown {
    fn of(held: HeldConversation) -> Self {
        let mut shown = Self { items: BTreeMap::new(), standing: json!(held.standing), last_seq: held.last_seq };
        held.items.into_iter().for_each(|placed| shown.put(placed, &Frame::default()));
        shown
    }

    fn take(&mut self, change: ConversationChange, frame: &Frame) {
        assert_eq!(change.base_seq, self.last_seq, "nothing was missed");
        self.last_seq = change.last_seq;
        change.standing.into_iter().for_each(|standing| self.standing = json!(standing));
        change.items.into_iter().for_each(|placed| self.put(placed, frame));
    }

    fn put(&mut self, placed: PlacedItem, frame: &Frame) {
        let Some(item) = placed.item else { return drop(self.items.remove(&placed.place)) };
        let mut item = json!(item);
        if let Some(seq) = placed.text_of {
            let event = frame.events.iter().find(|event| event.0.seq == seq).unwrap();
            let payload: Value = serde_json::from_str(event.0.payload.get()).unwrap();
            assert_eq!(item["text"], "", "a long text comes once");
            item["text"] = payload["content"].clone();
        }
        self.items.insert(placed.place, item);
    }
}

fn anew(stage: &Stage, window: &HeldConversations, session: &SessionId, to_seq: Option<u64>) -> HeldConversation {
    hold_conversation(stage.engine.session_reader(), window, session, 1, to_seq).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_frames_tell_is_what_is_there_when_it_is_folded_anew() {
    let long = "word ".repeat(2000);
    let edit = json!({"path": "a.txt", "edits": [{"old_text": "one", "new_text": "two"}]});
    let read = json!({"path": "a.txt"});
    let turns = vec![
        Turn::text("Hello."),
        Turn::calls().call("edit_file", edit).call("read_file", read.clone()).call("read_file", read),
        Turn::text(&long),
    ];
    let stage = Stage::new(turns).await;
    let (session, _) = stage.run_granted().await;
    let mut frames = Frames::new(stage.engine.subscribe());
    let held = frames.held();
    let mut shown = Shown::of(anew(&stage, &held, &session, None));
    let before = shown.items.len();
    let granted = StartRun { options: stage.granted().options, ..stage.start(RunTarget::Session(session.clone())) };
    let (_, end) = stage.client.start_run(granted).await.unwrap();
    end.await.unwrap().unwrap();
    let last_seq = stage.engine.session_reader().events_after(&session, 0, 1000).unwrap().events.last().unwrap().seq;
    while shown.last_seq < last_seq {
        let frame = frames.next().await.unwrap();
        for change in frame.conversations.clone() {
            shown.take(change, &frame);
        }
    }
    let now = Shown::of(anew(&stage, &held, &session, None));
    assert_eq!((&shown.items, &shown.standing), (&now.items, &now.standing));
    assert!(shown.items.len() > before + 3, "{:?}", shown.items.len());
    assert!(shown.items.values().any(|item| item["text"].as_str().is_some_and(|text| text.len() > 4096)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_moment_of_the_past_is_not_folded_on() {
    let stage = Stage::new(vec![Turn::text("Hello."), Turn::text("Again.")]).await;
    let (session, _) = stage.run_granted().await;
    let mut frames = Frames::new(stage.engine.subscribe());
    let held = frames.held();
    anew(&stage, &held, &session, None);
    let past = anew(&stage, &held, &session, Some(2));
    assert_eq!(past.last_seq, 2);
    stage.run_in(&session, "Go on").await;
    assert!(frames.next().await.unwrap().conversations.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stretch_that_begins_among_results_has_their_calls() {
    let read = json!({"path": "a.txt"});
    let turns = vec![Turn::calls().call("read_file", read.clone()).call("read_file", read), Turn::text("Done.")];
    let stage = Stage::new(turns).await;
    let (session, _) = stage.run_granted().await;
    let events = stage.engine.session_reader().events_after(&session, 0, 1000).unwrap().events;
    let result = events.iter().find(|event| event.kind == "tool.result").unwrap();
    let held = HeldConversations::default();
    let told = hold_conversation(stage.engine.session_reader(), &held, &session, result.seq, None).unwrap();
    let calls: Vec<Value> = told.items.iter().map(|placed| json!(placed.item)).collect();
    let calls: Vec<&Value> = calls.iter().filter(|item| item["kind"] == "tool").collect();
    assert_eq!(calls.len(), 2);
    assert!(calls.iter().all(|call| call["args"]["path"] == "a.txt" && call["category"] == "read"), "{calls:?}");
}
