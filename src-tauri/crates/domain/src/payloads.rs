//! The payloads of the contract's events, typed, one file a subject.

macro_rules! payload {
    ($($(#[$doc:meta])* $name:ident { $($body:tt)* })*) => {
        $($(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
        #[serde(rename_all = "camelCase")]
        pub struct $name { $($body)* })*
    };
}

mod answered_request;
mod approval;
mod call;
mod checkpoint;
mod context;
mod memory;
mod pipeline;
mod plan;
mod question;
mod queue;
mod run;
mod session;
mod state;
mod turn;

pub use answered_request::*;
pub use approval::*;
pub use call::*;
pub use checkpoint::*;
pub use context::*;
pub use memory::*;
pub use pipeline::*;
pub use plan::*;
pub use question::*;
pub use queue::*;
pub use run::*;
pub use session::*;
pub use state::*;
pub use turn::*;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PauseReason {
    Approval,
    Budget,
    Plan,
    User,
    /// The program ended in the middle; the run went on later.
    Interrupted,
    /// The run had failed and was tried again.
    Failed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    Assistant,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalDecision {
    Approve,
    Reject,
}
