//! The types that only `arki serve` takes and tells: tokens, and runs as programs start and steer them.

use crate::ApprovalMode;
use arki_domain::projection::SessionState;
use arki_domain::{ApprovalDecision, QueueMode};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

words! {
    /// The rights of a token: each has those before it.
    #[derive(PartialOrd, Ord)]
    TokenRights {
        /// To see everything but keys.
        Read,
        /// To answer, to approve what was shown, to steer and to stop.
        Decide,
        /// The user's own.
        Full,
    }
}

wire! {
    /// A further token of `arki serve`, without the token itself.
    Pairing {
        pub id: String,
        pub rights: TokenRights,
        /// Milliseconds since 1970.
        pub created_at: i64,
        /// It was made for a browser that signed in.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        pub browser: bool,
    }
    /// A run as lists show it.
    RunSummary {
        pub run_id: String,
        pub session_id: String,
        /// The beginning of its prompt.
        pub name: String,
        pub state: SessionState,
        /// Milliseconds since 1970.
        pub started_at: i64,
    }
    /// The address of a server, and the file of its token.
    ServedAt {
        pub url: String,
        pub token_file: String,
        /// The link with which a browser signs in, once and within five minutes; null without `--ui`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional = nullable)]
        pub sign_in: Option<String>,
    }
    /// The commands that a token may ask for from where it asks.
    BrowserAccess {
        pub rights: TokenRights,
        /// The names of the commands, in the protocol's order.
        pub commands: Vec<String>,
    }
    /// The run that was started.
    StartedRun {
        pub session_id: String,
        pub run_id: String,
    }

    /// A run to start.
    #[serde(deny_unknown_fields)]
    RunRequest {
        /// The folder; may be absent where a session is named.
        #[serde(default)]
        #[ts(optional = nullable)]
        pub project: Option<String>,
        pub prompt: String,
        /// The session to go on with; absent: a new one.
        #[serde(default)]
        #[ts(optional = nullable)]
        pub session_id: Option<String>,
        /// Skills that the model uses.
        #[serde(default)]
        #[ts(optional, as = "Option<Vec<String>>")]
        pub skills: Vec<String>,
        #[serde(default)]
        #[ts(optional, as = "Option<RunRequestOptions>")]
        pub options: RunRequestOptions,
    }

    /// The options of one run.
    #[derive(Default)]
    #[serde(deny_unknown_fields, default)]
    RunRequestOptions {
        /// As `provider/model`; null: the configured one.
        #[ts(optional = nullable)]
        pub model: Option<String>,
        /// Null: `ask`.
        #[ts(optional = nullable)]
        pub approve: Option<ApprovalMode>,
        #[ts(optional = nullable)]
        pub max_turns: Option<u32>,
        #[ts(optional = nullable)]
        pub max_seconds: Option<u64>,
        #[ts(optional = nullable)]
        pub max_cost_usd: Option<f64>,
    }

    /// A message to a run.
    #[serde(deny_unknown_fields)]
    SteerRequest {
        pub text: String,
        /// Null: after the step that the run is at.
        #[serde(default)]
        #[ts(optional = nullable)]
        pub mode: Option<QueueMode>,
    }

    /// A decision on an approval.
    #[serde(deny_unknown_fields)]
    DecisionRequest {
        pub decision: ApprovalDecision,
        /// The accepted hunks; null = all.
        #[serde(default)]
        #[ts(optional = nullable)]
        pub hunks: Option<Vec<usize>>,
        /// The note for the model, by 002's name.
        #[serde(default)]
        #[ts(optional = nullable)]
        pub reason: Option<String>,
        /// The note for the model.
        #[serde(default)]
        #[ts(optional = nullable)]
        pub note: Option<String>,
        /// The hash of the preview that was shown; null: whatever stands there now.
        #[serde(default)]
        #[ts(optional = nullable)]
        pub preview_hash: Option<String>,
    }
}

/// The id of the user's own token.
pub const OWN_TOKEN: &str = "own";

impl Pairing {
    /// Returns whether it is the user's own token, which is made for no program.
    #[must_use]
    pub fn is_own(&self) -> bool {
        self.id == OWN_TOKEN
    }
}

/// A browser that signs in: with the code of a link, or with a token.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum BrowserSignIn {
    Code(String),
    Token(String),
}
