//! The events that a later rewind took back.

use arki_domain::{EventBody, SessionRewound};
use std::ops::RangeInclusive;

/// The part of an event that a rewind took back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    Stands,
    Rewound,
    FilesRewound,
}

#[derive(Debug, Default)]
pub(super) struct Rewound {
    conversation: Vec<RangeInclusive<u64>>,
    files: Vec<RangeInclusive<u64>>,
}

impl Rewound {
    /// Builds it from a session's rewinds with their numbers, the oldest first.
    pub(super) fn of(rewinds: &[(u64, SessionRewound)]) -> Self {
        let ranges = |counts: fn(&SessionRewound) -> bool| {
            let (mut ranges, mut end) = (Vec::new(), u64::MAX);
            for (seq, rewound) in rewinds.iter().rev().filter(|(_, rewound)| counts(rewound)) {
                // One that was itself gone back behind counts no more.
                if *seq <= end {
                    ranges.push(rewound.to_seq + 1..=seq - 1);
                    end = rewound.to_seq;
                }
            }
            ranges
        };
        Self { conversation: ranges(|rewound| rewound.conversation), files: ranges(|rewound| rewound.files) }
    }

    pub(super) fn fate(&self, seq: u64, body: &EventBody) -> Fate {
        let is_in = |ranges: &[RangeInclusive<u64>]| ranges.iter().any(|range| range.contains(&seq));
        match body {
            _ if is_in(&self.conversation) => Fate::Rewound,
            EventBody::FileChanged(_) if is_in(&self.files) => Fate::FilesRewound,
            _ => Fate::Stands,
        }
    }
}
