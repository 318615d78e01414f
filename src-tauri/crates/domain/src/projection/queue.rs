//! The user's messages that the model has not been given yet.

use crate::{EventBody, MessageId, QueueChanged, QueueMode, QueuedEntry};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Messages that may wait in one session.
pub const MAX_QUEUED_MESSAGES: usize = 1000;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueuedMessage {
    pub message_id: MessageId,
    pub text: String,
    pub mode: QueueMode,
}

/// A fold over a session's events; events about other things are ignored.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Queue {
    messages: Vec<QueuedMessage>,
}

impl Queue {
    pub fn apply(&mut self, body: &EventBody) {
        match body {
            EventBody::MessageQueued(queued) => self.messages.push(QueuedMessage {
                message_id: queued.message_id.clone(),
                text: queued.text.clone(),
                mode: queued.mode,
            }),
            EventBody::QueueChanged(changed) => self.rearrange(changed),
            EventBody::RunStarted(started) => {
                if let Some(message_id) = &started.message_id {
                    self.messages.retain(|message| message.message_id != *message_id);
                }
            }
            _ => {}
        }
    }

    /// Returns the messages in the order in which they reach the model.
    #[must_use]
    pub fn messages(&self) -> &[QueuedMessage] {
        &self.messages
    }

    #[must_use]
    pub fn get(&self, message_id: &MessageId) -> Option<&QueuedMessage> {
        self.messages.iter().find(|message| message.message_id == *message_id)
    }

    /// Returns what the model is told at its next turn.
    pub fn steering(&self) -> impl Iterator<Item = &QueuedMessage> {
        self.messages.iter().filter(|message| message.mode == QueueMode::Steer)
    }

    /// The event that says the queue is now `messages`, and that `delivered` went from it to the model.
    #[must_use]
    pub fn changed_to(&self, messages: &[QueuedMessage], delivered: Vec<MessageId>) -> QueueChanged {
        let entry = |message: &QueuedMessage| {
            let before = self.get(&message.message_id);
            let is_edited = before.is_none_or(|before| before.text != message.text);
            QueuedEntry {
                message_id: message.message_id.clone(),
                mode: message.mode,
                text: is_edited.then(|| message.text.clone()),
            }
        };
        QueueChanged { queued: messages.iter().map(entry).collect(), delivered }
    }

    fn rearrange(&mut self, changed: &QueueChanged) {
        let mut known = std::mem::take(&mut self.messages);
        for entry in &changed.queued {
            let place = known.iter().position(|message| message.message_id == entry.message_id);
            let before = place.map(|place| known.swap_remove(place));
            let text = entry.text.clone().or_else(|| before.map(|message| message.text));
            // An entry that nobody has said anything of has nothing to tell the model.
            if let Some(text) = text {
                self.messages.push(QueuedMessage { message_id: entry.message_id.clone(), text, mode: entry.mode });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MessageQueued;

    fn queue(texts: &[&str]) -> Queue {
        let mut queue = Queue::default();
        for text in texts {
            let message_id = MessageId::from(*text);
            queue.apply(&MessageQueued { message_id, text: (*text).into(), mode: QueueMode::FollowUp }.into());
        }
        queue
    }

    fn texts(queue: &Queue) -> Vec<&str> {
        queue.messages().iter().map(|message| message.text.as_str()).collect()
    }

    #[test]
    fn messages_are_reordered_edited_and_removed_by_what_the_event_lists() {
        let mut queue = queue(&["a", "b", "c"]);
        let [first, _, third] = queue.messages() else { panic!() };
        let edited = QueuedMessage { text: "A".into(), ..first.clone() };
        let change = queue.changed_to(&[third.clone(), edited], Vec::new());
        assert_eq!(change.queued.iter().map(|entry| entry.text.as_deref()).collect::<Vec<_>>(), [None, Some("A")]);
        queue.apply(&change.into());
        assert_eq!(texts(&queue), ["c", "A"]);
    }

    #[test]
    fn the_message_that_became_a_prompt_waits_no_longer() {
        let mut queue = queue(&["a", "b"]);
        let started = crate::RunStarted {
            prompt: "a".into(),
            agent: String::new(),
            model: String::new(),
            core: String::new(),
            system_prompt_hash: String::new(),
            options: crate::RunOptions::default(),
            message_id: Some(MessageId::from("a")),
            parent: None,
            session_start: None,
            request: None,
        };
        queue.apply(&started.into());
        assert_eq!(texts(&queue), ["b"]);
    }
}
