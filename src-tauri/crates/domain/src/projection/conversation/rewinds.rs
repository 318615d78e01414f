//! The events that still count after going back, and after going back on that.

use crate::SessionRewound;

/// A session's rewinds. One makes things stand as they did right after its `to_seq`: what was taken back at that moment
/// is taken back again, what counted then counts again.
#[derive(Debug, Clone, Default)]
pub struct RewindHistory {
    conversation: Vec<Rewind>,
    files: Vec<Rewind>,
}

#[derive(Debug, Clone, Copy)]
struct Rewind {
    seq: u64,
    to_seq: u64,
}

impl RewindHistory {
    /// Takes in the rewind that the event `seq` is.
    pub fn add(&mut self, seq: u64, rewound: &SessionRewound) {
        let rewind = Rewind { seq, to_seq: rewound.to_seq };
        self.conversation.extend(rewound.conversation.then_some(rewind));
        self.files.extend(rewound.files.then_some(rewind));
    }

    /// Returns whether what event `seq` says is no longer said to the model.
    #[must_use]
    pub fn takes_back(&self, seq: u64) -> bool {
        is_taken_back(&self.conversation, seq)
    }

    /// Returns whether the files were restored to before event `seq`.
    #[must_use]
    pub fn takes_back_file(&self, seq: u64) -> bool {
        is_taken_back(&self.files, seq)
    }
}

fn is_taken_back(rewinds: &[Rewind], seq: u64) -> bool {
    let mut end = u64::MAX;
    for rewind in rewinds.iter().rev() {
        // A later rewind has taken this one back.
        if rewind.seq > end {
            continue;
        }
        if seq >= rewind.seq {
            break;
        }
        end = rewind.to_seq;
    }
    seq > end
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// Remembers the events that count after each event, whole: the meaning, the slow way.
    fn counting(rewinds: &[Rewind], last: u64) -> BTreeSet<u64> {
        let mut after: Vec<BTreeSet<u64>> = vec![BTreeSet::new()];
        for seq in 1..=last {
            let base = rewinds.iter().find(|rewind| rewind.seq == seq).map_or(seq - 1, |rewind| rewind.to_seq);
            let mut counts = after[usize::try_from(base).unwrap()].clone();
            counts.insert(seq);
            after.push(counts);
        }
        after.pop().unwrap()
    }

    proptest! {
        #[test]
        fn it_agrees_with_remembering_everything_for_rewinds_of_rewinds_too(
            backs in proptest::collection::vec(proptest::option::weighted(0.25, 0_u64..1000), 4..34),
        ) {
            let rewinds: Vec<Rewind> = backs
                .iter()
                .zip(1..)
                .filter_map(|(back, seq)| Some(Rewind { seq, to_seq: (*back)? % seq }))
                .collect();
            let last = backs.len() as u64;
            let counts = counting(&rewinds, last);
            for seq in 1..=last {
                prop_assert_eq!(is_taken_back(&rewinds, seq), !counts.contains(&seq));
            }
        }
    }
}
