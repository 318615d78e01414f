//! Messages that wait while a run works.

use crate::MessageId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// When a queued message reaches the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum QueueMode {
    /// Sends the message at the next turn of the current run.
    Steer,
    /// Starts a run of its own with this prompt, after the current one.
    FollowUp,
}

payload! {
    /// Added at the end of the queue.
    MessageQueued {
        pub message_id: MessageId,
        pub text: String,
        pub mode: QueueMode,
    }
    /// The whole queue, in order, whenever it changes otherwise than by a message added at its end.
    QueueChanged {
        pub queued: Vec<QueuedEntry>,
        /// The messages delivered to the model since, taken from the queue in this order.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub delivered: Vec<MessageId>,
    }
    QueuedEntry {
        pub message_id: MessageId,
        pub mode: QueueMode,
        /// Only where it was edited since it was last told.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub text: Option<String>,
    }
}
