//! The memory of a conversation: facts, and conclusions from them. Bounded; what is older stays in the log.

use super::short_text::cut;
use crate::{Event, EventBody, Remembered};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Observations that are kept, the newest.
pub const MAX_REMEMBERED_OBSERVATIONS: usize = 500;
/// Reflections that are kept, the newest.
pub const MAX_REMEMBERED_REFLECTIONS: usize = 100;
/// Bytes of one of them.
pub const MAX_REMEMBERED_BYTES: usize = 2_000;
/// The number of sources kept for one reflection, from the first.
pub const MAX_REMEMBERED_SOURCES: usize = 20;

/// A fold over a session's events; for a fork over its origins' first.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkingMemory {
    observations: VecDeque<RememberedAt>,
    reflections: VecDeque<RememberedAt>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct RememberedAt {
    /// The event that said it; 0 for what a fork took over.
    seq: u64,
    #[serde(flatten)]
    remembered: Remembered,
}

impl WorkingMemory {
    pub fn apply(&mut self, event: &Event, body: &EventBody) {
        match body {
            EventBody::MemoryObserved(observed) => {
                keep(&mut self.observations, event.seq, &observed.observations, MAX_REMEMBERED_OBSERVATIONS);
            }
            EventBody::MemoryReflected(reflected) => {
                keep(&mut self.reflections, event.seq, &reflected.reflections, MAX_REMEMBERED_REFLECTIONS);
            }
            EventBody::SessionRewound(rewound) if rewound.conversation => {
                self.observations.retain(|kept| kept.seq <= rewound.to_seq);
                self.reflections.retain(|kept| kept.seq <= rewound.to_seq);
            }
            EventBody::SessionForked(_) => {
                self.observations.iter_mut().chain(&mut self.reflections).for_each(|kept| kept.seq = 0);
            }
            _ => {}
        }
    }

    /// Oldest first.
    pub fn observations(&self) -> impl ExactSizeIterator<Item = &Remembered> + DoubleEndedIterator {
        self.observations.iter().map(|kept| &kept.remembered)
    }

    /// Oldest first.
    pub fn reflections(&self) -> impl ExactSizeIterator<Item = &Remembered> + DoubleEndedIterator {
        self.reflections.iter().map(|kept| &kept.remembered)
    }
}

fn keep(all: &mut VecDeque<RememberedAt>, seq: u64, new: &[Remembered], limit: usize) {
    let newest = &new[new.len().saturating_sub(limit)..];
    all.extend(newest.iter().map(|remembered| RememberedAt { seq, remembered: shortened(remembered) }));
    all.drain(..all.len().saturating_sub(limit));
}

fn shortened(remembered: &Remembered) -> Remembered {
    let short = |text: &String| cut(text, MAX_REMEMBERED_BYTES).into_owned();
    Remembered {
        id: short(&remembered.id),
        text: short(&remembered.text),
        based_on: remembered.based_on.iter().take(MAX_REMEMBERED_SOURCES).map(short).collect(),
        context: remembered
            .context
            .iter()
            .take(MAX_REMEMBERED_SOURCES)
            .map(|(key, value)| (short(key), short(value)))
            .collect(),
        ..remembered.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::projection::tests::generated::event;
    use crate::{MemoryObserved, MemoryReflected, SessionForked, SessionId, SessionRewound};

    fn apply(memory: &mut WorkingMemory, seq: u64, body: impl Into<EventBody>) {
        let body = body.into();
        memory.apply(&event(seq, body.clone()), &body);
    }

    fn remembered(text: &str) -> Remembered {
        Remembered { id: "o".into(), text: text.into(), based_on: vec!["p".into()], ..Remembered::default() }
    }

    fn rewound(to_seq: u64) -> SessionRewound {
        SessionRewound { to_seq, files: false, conversation: true, checkpoint_id: None, changes: Vec::new() }
    }

    fn of_one_each() -> WorkingMemory {
        let mut memory = WorkingMemory::default();
        apply(&mut memory, 3, MemoryObserved { observations: vec![remembered("fact")], ..MemoryObserved::default() });
        apply(
            &mut memory,
            6,
            MemoryReflected { reflections: vec![remembered("conclusion")], ..MemoryReflected::default() },
        );
        memory
    }

    fn counts(memory: &WorkingMemory) -> (usize, usize) {
        (memory.observations().len(), memory.reflections().len())
    }

    #[test]
    fn going_back_forgets_what_was_learned_since() {
        for (to_seq, expected) in [(2, (0, 0)), (3, (1, 0)), (6, (1, 1))] {
            let mut memory = of_one_each();
            apply(&mut memory, 9, rewound(to_seq));
            assert_eq!(counts(&memory), expected, "back to {to_seq}");
        }
    }

    #[test]
    fn a_fork_remembers_what_its_origin_learned() {
        let mut memory = of_one_each();
        apply(&mut memory, 2, SessionForked { created: None, from_session: SessionId::from("o"), from_seq: 6 });
        apply(&mut memory, 3, rewound(2));
        assert_eq!(counts(&memory), (1, 1));
    }

    #[test]
    fn the_newest_are_kept_and_long_ones_cut() {
        let mut memory = WorkingMemory::default();
        let observations = (0..MAX_REMEMBERED_OBSERVATIONS + 7).map(|n| remembered(&n.to_string())).collect();
        apply(&mut memory, 1, MemoryObserved { observations, ..MemoryObserved::default() });
        apply(&mut memory, 2, MemoryObserved { observations: vec![remembered("last")], ..MemoryObserved::default() });
        assert_eq!(memory.observations().next().map(|first| first.text.as_str()), Some("8"));
        let mut long = remembered(&"x".repeat(2 * MAX_REMEMBERED_BYTES));
        long.based_on = vec!["p".into(); MAX_REMEMBERED_SOURCES + 1];
        for seq in 0..=MAX_REMEMBERED_REFLECTIONS as u64 {
            apply(&mut memory, seq, MemoryReflected { reflections: vec![long.clone()], ..MemoryReflected::default() });
        }
        assert_eq!(counts(&memory), (MAX_REMEMBERED_OBSERVATIONS, MAX_REMEMBERED_REFLECTIONS));
        let kept = memory.reflections().next().unwrap();
        assert_eq!((kept.text.len(), kept.based_on.len()), (MAX_REMEMBERED_BYTES, MAX_REMEMBERED_SOURCES));
    }
}
