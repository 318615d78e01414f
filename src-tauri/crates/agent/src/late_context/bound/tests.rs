use super::*;
use arki_domain::Event;
use serde_json::json;

const WINDOW: Option<u64> = Some(16_384);

/// What is in the conversation so far.
#[derive(Default)]
struct Had(Transcript, u64);

impl Had {
    fn add(&mut self, added: &ContextAdded) {
        self.1 += 1;
        let event = json!({"eventId": format!("e{}", self.1), "runId": "r", "sessionId": "s", "seq": self.1, "ts": 0,
            "type": "context.added", "payload": added, "prevHash": "", "hash": ""});
        self.0.apply(&serde_json::from_value::<Event>(event).unwrap());
    }

    /// Adds what there is room for, with `of_run` bytes of this run before.
    fn take(&mut self, of_run: usize, added: &ContextAdded) -> Option<ContextAdded> {
        let taken = LateRoom::new(WINDOW, of_run, &mut self.0).take(added.clone(), &mut self.0);
        taken.iter().for_each(|taken| self.add(taken));
        taken
    }
}

fn rule(number: usize, bytes: usize) -> ContextAdded {
    ContextAdded::new("rule", format!("{number}/AGENTS.md"), format!("Rule {number}.\n").repeat(bytes / 8))
}

#[test]
fn the_rules_of_hundreds_of_folders_stay_within_the_bound_and_the_model_is_told() {
    let mut had = Had::default();
    let came: Vec<ContextAdded> = (0..300).filter_map(|number| had.take(0, &rule(number, 4_000))).collect();
    let whole = came.iter().take_while(|added| added.left_out_bytes.is_none()).count();
    assert!(whole >= 3 && came[..whole].iter().enumerate().all(|(number, it)| it.text == rule(number, 4_000).text));
    let cut = &came[whole];
    assert!(cut.text.starts_with("Rule 3.\n") && cut.text.contains("\n[Cut here: "), "{}", cut.text);
    assert!(cut.text.ends_with(" bytes more. Read 3/AGENTS.md before you go on.]"), "{}", cut.text);
    assert!(came.len() > whole + 2 && came.len() < 50, "{} came in", came.len());
    let note = &came[whole + 1];
    assert!(note.text.starts_with("[The rule 4/AGENTS.md is left out, since"), "{}", note.text);
    assert_eq!(note.left_out_bytes, Some(rule(4, 4_000).text.len() as u64));
    let bytes: usize = came.iter().map(|added| added.text.len()).sum();
    assert!(bytes > 15_000 && bytes <= 16_384, "{bytes} bytes");
    assert!((0..5).all(|number| had.take(0, &rule(number, 4_000)).is_none()), "it came again");
}

#[test]
fn what_was_left_out_comes_in_once_there_is_room() {
    let mut had = Had::default();
    let added = rule(1, 8_000);
    assert!(had.take(16_000, &added).unwrap().text.starts_with("[The rule 1/AGENTS.md"));
    assert_eq!(had.take(16_200, &added), None);
    assert_eq!(had.take(9_000, &added), None, "a piece of it would fit");
    assert_eq!(had.take(0, &added), Some(added), "the next run");
}

#[test]
fn rules_of_earlier_runs_count_and_their_mentions_do_not() {
    let mut had = Had::default();
    for part in ["mention", "hook"] {
        had.add(&ContextAdded::new(part, "a", "x".repeat(15_000)));
    }
    assert_eq!(had.take(0, &rule(1, 8_000)), Some(rule(1, 8_000)));
    assert_eq!(had.take(0, &rule(2, 8_000)).unwrap().left_out_bytes.map(|bytes| bytes > 0), Some(true));
}

#[test]
fn without_a_known_window_the_bound_is_the_constant() {
    let used = MAX_LATE_BYTES - MAX_LATE_BYTES / NOTES_SHARE - 100;
    let mut room = LateRoom::new(None, used, &mut Transcript::default());
    assert_eq!(room.take(rule(1, 80), &mut Transcript::default()), Some(rule(1, 80)));
    assert!(room.take(rule(2, 800), &mut Transcript::default()).unwrap().left_out_bytes.is_some());
    assert_eq!(max_late_text_bytes(Some(u64::MAX)), max_late_text_bytes(None));
}
