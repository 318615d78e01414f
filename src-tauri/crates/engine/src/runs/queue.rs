//! Messages sent while a run works: they wait in the session's log, and survive whatever the run does not.
//!
//! The agent itself takes what steers it, between two turns. What follows up becomes the prompt of the next run, begun
//! by the program with a window once the run before has completed; a run that failed or was stopped leaves the queue to
//! the user.

use crate::{Projects, Records, RunTarget, RunningRun, SessionReader, StartRun, TypedCommands, blocking, blocking_for};
use arki_domain::projection::{MAX_QUEUED_MESSAGES, Queue, QueuedMessage};
use arki_domain::{Code, Error, MessageId, MessageQueued, QueueChanged, QueueMode, SessionId};
use std::sync::Arc;

/// The longest message that may wait.
const MAX_MESSAGE_BYTES: usize = 4 << 20;

/// The outcome of sending a message.
pub enum SendOutcome {
    Started(RunningRun),
    Queued(MessageId),
}

/// The messages that wait in sessions.
pub struct MessageQueues {
    records: Arc<Records>,
    projects: Arc<Projects>,
    reader: Arc<SessionReader>,
    typed: Arc<TypedCommands>,
}

impl MessageQueues {
    pub(super) fn new(
        records: Arc<Records>,
        projects: Arc<Projects>,
        reader: Arc<SessionReader>,
        typed: Arc<TypedCommands>,
    ) -> Self {
        Self { records, projects, reader, typed }
    }

    /// Queues what was typed; a slash command becomes its prompt.
    ///
    /// # Errors
    /// Those of [`Self::queue_message`], `COMMAND_UNKNOWN`, and `USAGE` for a command that is more than a prompt.
    pub async fn queue_typed(
        self: &Arc<Self>,
        session_id: &SessionId,
        text: String,
        mode: QueueMode,
    ) -> Result<MessageId, Error> {
        let start = StartRun::new(RunTarget::Session(session_id.clone()), text);
        let (_, start) = self.typed.typed(None, start).await?;
        if start.options.plan || !start.options.skills.is_empty() || start.allowed_tools.is_some() {
            let message = "This command changes how its run works, so it can't wait in the queue.";
            return Err(Error::new(Code::USAGE, message, "Send it when the current run has ended."));
        }
        self.queue_message(session_id, start.prompt, mode).await
    }

    /// Returns what waits in a session.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn queue(&self, session_id: &SessionId) -> Result<Queue, Error> {
        Ok(self.reader.overview(session_id)?.queue)
    }

    /// Adds a message at the end of the session's queue.
    ///
    /// # Errors
    /// `QUEUE_FULL`, `USAGE` for an empty or too long message, or when the database cannot be written.
    pub async fn queue_message(
        self: &Arc<Self>,
        session_id: &SessionId,
        text: String,
        mode: QueueMode,
    ) -> Result<MessageId, Error> {
        check(&text)?;
        blocking_for(self, session_id, move |queues, session| queues.ensure_takes_one_more(session)).await?;
        let message_id = MessageId::new();
        self.records.note(session_id, MessageQueued { message_id: message_id.clone(), text, mode }).await?;
        Ok(message_id)
    }

    fn ensure_takes_one_more(&self, session_id: &SessionId) -> Result<(), Error> {
        self.reader.ensure_found_whole(session_id)?;
        if self.queue(session_id)?.messages().len() >= MAX_QUEUED_MESSAGES {
            let message = format!("This session already has {MAX_QUEUED_MESSAGES} queued messages.");
            let hint = "Wait until some are sent, or remove some with `arki queue rm`.";
            return Err(Error::new(Code::QUEUE_FULL, message, hint));
        }
        self.projects.learn_secrets_of(&self.reader.session(session_id)?.project)
    }

    /// Makes the queue these messages in this order: edited, moved, fewer.
    ///
    /// # Errors
    /// `MESSAGE_NOT_FOUND` when one of them does not wait any more; nothing has changed then.
    pub async fn set_queue(self: &Arc<Self>, session_id: &SessionId, messages: &[QueuedMessage]) -> Result<(), Error> {
        let (session, messages) = (session_id.clone(), messages.to_vec());
        if let Some(changed) = blocking(self, move |queues| queues.changed_queue(&session, &messages)).await? {
            self.records.note(session_id, changed).await?;
        }
        Ok(())
    }

    /// The log's word for the queue as it is to be; `None` where it is so already.
    fn changed_queue(&self, session_id: &SessionId, messages: &[QueuedMessage]) -> Result<Option<QueueChanged>, Error> {
        let queue = self.queue(session_id)?;
        for message in messages {
            check(&message.text)?;
            if queue.get(&message.message_id).is_none() {
                return Err(Error::new(
                    Code::MESSAGE_NOT_FOUND,
                    "One of these messages has already been sent to the model.",
                    "Run `arki queue list` again. A message that was sent can't be changed.",
                ));
            }
        }
        if queue.messages() == messages {
            return Ok(None);
        }
        self.reader.ensure_found_whole(session_id)?;
        self.projects.learn_secrets_of(&self.reader.session(session_id)?.project)?;
        Ok(Some(queue.changed_to(messages, Vec::new())))
    }
}

fn check(text: &str) -> Result<(), Error> {
    if text.trim().is_empty() {
        return Err(Error::new(Code::USAGE, "The message is empty.", "Say what you want done."));
    }
    if text.len() > MAX_MESSAGE_BYTES {
        return Err(Error::new(
            Code::USAGE,
            format!("The message is longer than {} MiB.", MAX_MESSAGE_BYTES >> 20),
            "Name the file in the message instead of sending it.",
        ));
    }
    Ok(())
}
