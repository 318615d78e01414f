//! Permission rules that the user writes, what one would have changed so far, and how a decision came about.

use arki_domain::{Decision, PolicyTrace};

wire! {
    /// The past calls that a rule matches, and what it would decide about them.
    BacktestResult {
        /// The matching calls, those whose decision would change first; not all of them if there are many.
        pub matched: Vec<PastCallEntry>,
        pub matched_count: usize,
        /// The number of matched calls that would be decided differently.
        pub changed: usize,
        /// All calls that were looked at.
        pub calls: usize,
        /// Calls whose folders no longer exist, which can't be judged.
        pub left_out: usize,
    }
    PastCallEntry {
        pub session_id: String,
        pub seq: u64,
        /// The session's.
        pub title: String,
        /// The session's folder.
        pub project: String,
        pub tool_id: String,
        /// The command or path that it is about, or else its arguments; cut if it is long.
        pub call: String,
        /// Then, by the rules of that time; null where it was never judged.
        pub decided: Option<Decision>,
        /// Today, without the rule.
        pub decision: Decision,
        pub with_rule: Decision,
    }
    /// Why the policy decided as it did.
    ExplainedDecision {
        pub trace: PolicyTrace,
        /// The rule that decided, as JSON, where it is one of the configuration's and still says the same of the call;
        /// null where it has changed since.
        pub rule: Option<String>,
    }
}
