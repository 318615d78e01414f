//! Facts and reflections remembered from a conversation.

use std::collections::BTreeMap;

payload! {
    enum ObservedKind {
        Fact,
        Error,
        Success,
    }

    /// The scope of a memory: the project or the user.
    enum MemoryScope {
        /// `<project>/.arki/memory`
        Project,
        /// `<config>/memory`
        User,
    }

    enum MemoryDecision {
        Accepted,
        Rejected,
    }

    /// The observations of a run, derived from its events.
    #[derive(Default)]
    MemoryObserved {
        pub observations: Vec<Remembered>,
        /// The events that they were read off.
        pub processed_seq_range?: Option<SeqRange>,
    }
    /// The numbers of the first and the last event.
    SeqRange {
        pub start: u64,
        pub end: u64,
    }
    /// The conclusions that a model drew from observations.
    #[derive(Default)]
    MemoryReflected {
        pub reflections: Vec<Remembered>,
        /// The texts of those that are goals still open.
        pub goals?: Vec<String>,
        /// The texts of those that stood in the way.
        pub blockers?: Vec<String>,
    }
    /// One fact, or one conclusion from others.
    #[derive(Default)]
    Remembered {
        pub id: String,
        /// The kind of an observation; absent for a conclusion.
        #[serde(rename = "type")]
        pub kind?: Option<ObservedKind>,
        pub text: String,
        /// The ids of the events that it comes from.
        pub based_on?: Vec<String>,
        /// The subject of an observation, such as `toolId`.
        pub context?: BTreeMap<String, String>,
        /// The model's confidence in a conclusion, from 0 to 1.
        pub confidence?: Option<f64>,
        /// The scope proposed for keeping it beyond the session, if any: the user decides.
        pub proposed_for?: Option<MemoryScope>,
    }
    /// The user decided about something that is proposed to be remembered.
    MemoryReviewed {
        pub id: String,
        pub decision: MemoryDecision,
        /// The user's wording, if they changed it.
        pub text?: Option<String>,
    }
}
