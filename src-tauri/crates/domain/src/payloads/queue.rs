//! Messages that wait while a run works.

use crate::MessageId;

payload! {
    /// When a queued message reaches the model.
    #[derive(Hash)]
    enum QueueMode {
        /// Sends the message at the next turn of the current run.
        Steer,
        /// Starts a run of its own with this prompt, after the current one.
        FollowUp,
    }

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
        pub delivered?: Vec<MessageId>,
    }
    QueuedEntry {
        pub message_id: MessageId,
        pub mode: QueueMode,
        /// Only where it was edited since it was last told.
        pub text?: Option<String>,
    }
}
