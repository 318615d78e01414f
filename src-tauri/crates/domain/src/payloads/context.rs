//! Changes to what the model sees of a conversation: late additions and compactions.

use crate::{CallId, EventId, Image};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The strategy that makes a conversation shorter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CompactionStrategy {
    /// Notes stand in for old results.
    Prune,
    /// The newest messages stay.
    KeepRecent,
    /// The newest stay, and of the older ones those that say most.
    KeepImportant,
    /// A model's summary stands for the older messages.
    SummarizeEarly,
    /// A model's summary stands for all but the last exchange.
    Checkpoint,
}

payload! {
    /// A compaction: from this event on the model is shown less of the conversation. The log keeps all of it.
    ContextCompacted {
        pub strategy: CompactionStrategy,
        /// The size of the next request if nothing were compacted.
        pub tokens_before: u64,
        pub tokens_after: u64,
        #[serde(default)]
        pub target_tokens: u64,
        /// First and last event whose messages the summary replaces; null where it replaces none. In a fork the events
        /// of its origins come first and are counted too.
        pub dropped_seq_range: Option<(u64, u64)>,
        /// Events in that range whose messages stay.
        pub kept_seqs?: Vec<u64>,
        /// The calls whose results a note stands in for from now on.
        pub pruned_calls?: Vec<CallId>,
        /// The message that the model is shown first from now on; empty where nothing was dropped.
        pub summary: String,
    }
    /// A part that a provider refuses: from here on no request has it.
    ContextDropped {
        /// The event that the part is in; of a tool the start of its run.
        pub event_id: EventId,
        /// `image:HASH`, `result:CALL`, `reasoning` (up to that event) or `tool:NAME` (for the rest of the run).
        pub part: String,
        /// The provider's words.
        pub reason: String,
        /// The provider refused the request without it too, so that requests have it again.
        pub restored?: bool,
    }
    /// An addition to the context during a run that is no message, such as the rules of a folder or a file that the
    /// user mentions.
    ContextAdded {
        /// The kind of addition: `rule`, `skill`, `mention`, `picture`, `git`, `hook`, `stage`, `reminder`,
        /// `memory` or `tools`.
        pub part: String,
        /// The source, for people: a path, for example.
        pub origin: String,
        /// The text that the model sees.
        pub text: String,
        /// Bytes that the model doesn't see, since what comes late in a run has a bound; `text` says so.
        pub left_out_bytes?: Option<u64>,
        /// The pictures that the model is shown with it.
        pub images?: Vec<Image>,
    }
}

impl ContextAdded {
    /// A text that comes in whole.
    #[must_use]
    pub fn new(part: impl Into<String>, origin: impl Into<String>, text: impl Into<String>) -> Self {
        Self { part: part.into(), origin: origin.into(), text: text.into(), left_out_bytes: None, images: Vec::new() }
    }
}

impl ContextCompacted {
    /// Returns whether the messages of the event with that number are replaced.
    #[must_use]
    pub fn drops(&self, place: u64) -> bool {
        self.dropped_seq_range.is_some_and(|(first, last)| (first..=last).contains(&place))
            && !self.kept_seqs.contains(&place)
    }
}
