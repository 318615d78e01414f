//! Sessions that other agents have kept, and what came of bringing them in.

words! {
    /// The agents whose sessions can be brought in.
    HistorySource {
        ClaudeCode,
        Codex,
        Opencode,
    }
    /// The outcome of bringing in a session that another agent kept.
    HistoryOutcome {
        Added,
        /// It grew there, and takes the place of what was brought in before.
        Replaced,
        /// It is here already.
        Unchanged,
        /// It grew there; but it was continued or marked here since, so it stays as it is.
        Kept,
    }
}

wire! {
    ImportedHistory {
        pub sessions: Vec<HistorySession>,
        /// Sentences on those that could not be read.
        pub faults: Vec<String>,
    }
    HistorySession {
        pub session_id: String,
        pub title: String,
        pub project: String,
        pub outcome: HistoryOutcome,
        /// Parts of its file that could not be read, and were left out.
        pub left_out: u32,
    }
}
