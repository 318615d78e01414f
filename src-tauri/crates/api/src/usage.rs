//! Tokens and cost, over all sessions that are kept.

wire! {
    /// The usage of one model on one day in one project. Each figure is the sum of those that are known; where a request
    /// has none, there was more.
    UsageEntry {
        /// The day the answers were complete where the user is, such as `2026-11-22`.
        pub day: String,
        /// `provider/model`; `other` for answers whose request is not in the log.
        pub model: String,
        /// The folder's path.
        pub project: String,
        /// Requests that were answered.
        pub requests: u64,
        /// The cached ones included.
        pub prompt_tokens: u64,
        pub completion_tokens: u64,
        pub cached_tokens: u64,
        pub known_cost_usd: f64,
        pub unknown_prompt: bool,
        pub unknown_completion: bool,
        pub unknown_cached: bool,
        pub unknown_cost: bool,
    }
    /// The oldest day first; days on which nothing was used are left out.
    UsageReport {
        /// The day it is where the user is.
        pub today: String,
        pub entries: Vec<UsageEntry>,
    }
}
