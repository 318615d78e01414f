//! A session's next request part by part, what compactions left out of it, and the settings that its next run begins with.

use arki_domain::CompactionStrategy;

words! {
    /// The kind of a message that a compaction left out.
    LeftOutKind { User, Assistant, Result }
}

wire! {
    /// The request with which the next run would begin, but for its prompt.
    NextRequest {
        /// `provider/model`.
        pub model: String,
        /// In tokens; null where nobody knows it.
        pub window: Option<u64>,
        pub total_tokens: u64,
        /// The part of the total that the provider has counted; the rest is estimated.
        pub counted_tokens: u64,
        /// The parts in the order in which they are sent.
        pub parts: Vec<ContextPart>,
        pub left_out: LeftOut,
        /// Oldest first.
        pub compactions: Vec<ContextCompaction>,
        pub settings: SessionSettings,
        pub configured: ConfiguredSettings,
        /// Problems with rules and other parts of the prompt, a sentence each.
        pub warnings: Vec<String>,
    }
    ContextPart {
        /// `base`, `custom`, `rules`, `skills`, `procedures`, `memory`, `tools`, `summary`, `messages`, `results` and
        /// others.
        pub part: String,
        /// The source, for people: a path, a server, a call, the beginning of a prompt.
        pub origin: String,
        pub tokens: u64,
        /// The part's share of the whole request, from 0 to 1.
        pub share: f64,
        /// The first event it comes from; null for what stands before the conversation.
        pub seq: Option<u64>,
        /// Switches it off and on again (`SessionChanges`); null where it has to stay.
        pub id: Option<String>,
        /// It is switched off: of a result a note is left, of anything else nothing.
        pub off: bool,
    }
    /// All that compactions left out.
    LeftOut {
        pub messages: usize,
        /// An estimate, results that notes stand in for included.
        pub tokens: u64,
    }
    /// A compaction that still holds.
    ContextCompaction {
        /// Its event.
        pub seq: u64,
        pub strategy: CompactionStrategy,
        pub tokens_before: u64,
        pub tokens_after: u64,
        pub target_tokens: u64,
        /// The message that stands for what was left out; empty where only results were taken out.
        pub summary: String,
        /// The first of the messages that it left out or shortened to a note.
        pub dropped: Vec<LeftOutMessage>,
        pub dropped_count: usize,
    }
    LeftOutMessage {
        pub seq: u64,
        pub kind: LeftOutKind,
        /// Its beginning.
        pub text: String,
    }
    /// The tokens of the next request before and after a compaction.
    CompactedSession {
        pub tokens_before: u64,
        pub tokens_after: u64,
    }
    /// The settings that hold where neither the session nor a call says otherwise.
    ConfiguredSettings {
        /// `provider/model`.
        pub model: String,
        /// Null: the model's own.
        pub effort: Option<String>,
        pub core: String,
        /// The names of all cores, the default first.
        pub cores: Vec<String>,
        /// Null: none is added to the built-in one.
        pub system: Option<String>,
    }
    /// The settings of a session's own; null where the configuration's hold.
    SessionSettings {
        pub model: Option<String>,
        /// The reasoning effort: `minimal`, `low`, `medium` or `high`.
        pub effort: Option<String>,
        /// The name of the core.
        pub core: Option<String>,
        /// Its own prompt.
        pub system: Option<String>,
    }

    /// Changes to a session's settings, from its next run on. What is absent stays; an empty text is as configured again.
    #[derive(Default)]
    #[serde(default)]
    SessionChanges {
        pub model: Option<String>,
        pub effort: Option<String>,
        /// The name of the core.
        pub core: Option<String>,
        pub system: Option<String>,
        /// The parts to go without, by their ids; a tool as `tool:NAME`.
        pub off: Vec<String>,
        /// The parts to have again.
        pub on: Vec<String>,
    }
}
