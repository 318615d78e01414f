//! Messages sent while a run works: they wait in the session's log, and survive whatever the run does not.
//!
//! The agent itself takes what steers it, between two turns. What follows up becomes the prompt of the next run, begun
//! by the program with a window once the run before has completed; a run that failed or was stopped leaves the queue to
//! the user.

use crate::client_capabilities::ClientCapabilities;
use crate::records::blocking;
use crate::runs::Runs;
use crate::runs::active_run::RunningRun;
use crate::runs::place::RunPlace;
use crate::runs::stopping::{STOP_PATIENCE, STOP_POLL};
use crate::{RunTarget, StartRun};
use arki_domain::projection::{MAX_QUEUED_MESSAGES, Queue, QueuedMessage};
use arki_domain::{
    Code, Error, EventDraft, EventLog, MessageId, MessageQueued, QueueChanged, QueueMode, RunOptions, SessionId,
};
use std::sync::Arc;

/// The longest message that may wait.
const MAX_MESSAGE_BYTES: usize = 4 << 20;

/// The outcome of sending a message.
pub enum Accepted {
    Started(RunningRun),
    Queued(MessageId),
}

impl Runs {
    /// Begins a run with the message or, where the session's last run has not ended, queues it.
    ///
    /// # Errors
    /// Those of [`Self::start_run`] and [`Self::queue_message`], and `SESSION_BUSY` for pictures that would have to wait.
    pub(crate) async fn send(
        self: &Arc<Self>,
        presence: ClientCapabilities,
        start: StartRun,
        mode: QueueMode,
    ) -> Result<Accepted, Error> {
        let RunTarget::Session(session_id) = start.target.clone() else {
            return self.start_run(presence, start).await.map(Accepted::Started);
        };
        let text = start.prompt.clone();
        let shows_pictures = !start.images.is_empty();
        match self.start_run(presence, start).await {
            Err(fault) if fault.is(Code::SESSION_BUSY) && shows_pictures => Err(Error::new(
                Code::SESSION_BUSY,
                "A message with pictures can't wait in the queue.",
                "Send it when the current run has ended, or without its pictures.",
            )),
            Err(fault) if fault.is(Code::SESSION_BUSY) => {
                self.queue_message(&session_id, text, mode).await.map(Accepted::Queued)
            }
            started => started.map(Accepted::Started),
        }
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
        let session = session_id.clone();
        blocking(self, move |runs| runs.ensure_takes_one_more(&session)).await?;
        let message_id = MessageId::new();
        let queued = MessageQueued { message_id: message_id.clone(), text, mode };
        self.records.log().append(session_id, vec![EventDraft::of_session(queued)]).await?;
        Ok(message_id)
    }

    fn ensure_takes_one_more(&self, session_id: &SessionId) -> Result<(), Error> {
        self.reader.ensure_found_whole(session_id)?;
        if self.queue(session_id)?.messages().len() >= MAX_QUEUED_MESSAGES {
            return Err(Error::new(
                Code::QUEUE_FULL,
                format!("This session already has {MAX_QUEUED_MESSAGES} queued messages."),
                "Wait until some are sent, or remove some with `arki queue rm`.",
            ));
        }
        self.projects.learn_secrets_of(&self.reader.session(session_id)?)
    }

    /// Makes the queue these messages in this order: edited, moved, fewer.
    ///
    /// # Errors
    /// `MESSAGE_NOT_FOUND` when one of them does not wait any more; nothing has changed then.
    pub async fn set_queue(self: &Arc<Self>, session_id: &SessionId, messages: &[QueuedMessage]) -> Result<(), Error> {
        let (session, messages) = (session_id.clone(), messages.to_vec());
        if let Some(changed) = blocking(self, move |runs| runs.changed_queue(&session, &messages)).await? {
            self.records.log().append(session_id, vec![EventDraft::of_session(changed)]).await?;
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
        self.projects.learn_secrets_of(&self.reader.session(session_id)?)?;
        Ok(Some(queue.changed_to(messages, Vec::new())))
    }

    /// Begins a run with the first message that waits, as the run before was begun; `None` when none waits.
    ///
    /// # Errors
    /// Those of [`Self::start_run`].
    pub(crate) async fn send_next(
        self: &Arc<Self>,
        presence: ClientCapabilities,
        session_id: &SessionId,
    ) -> Result<Option<RunningRun>, Error> {
        self.until_let_go(session_id).await?;
        let session = session_id.clone();
        match blocking(self, move |runs| runs.next_start(session, presence)).await? {
            Some((place, start)) => self.start_at(place, start).await.map(Some),
            None => Ok(None),
        }
    }

    fn next_start(
        &self,
        session_id: SessionId,
        presence: ClientCapabilities,
    ) -> Result<Option<(RunPlace, StartRun)>, Error> {
        let overview = self.reader.overview(&session_id)?;
        let Some(next) = overview.queue.messages().first().cloned() else { return Ok(None) };
        let last = overview.run.as_ref();
        let start = StartRun {
            model: overview.model.clone().or_else(|| last.map(|run| run.model.clone())),
            options: last.map_or_else(RunOptions::default, |run| RunOptions {
                images: Vec::new(),
                // What is off and how hard the model thinks is the session's to say.
                off: Vec::new(),
                reasoning_effort: None,
                ..run.options.clone()
            }),
            message_id: Some(next.message_id),
            ..StartRun::new(RunTarget::Session(session_id.clone()), next.text)
        };
        Ok(Some((self.next_place(session_id, overview, presence)?, start)))
    }

    /// A run that has completed is followed by the next message that waits, where its program stays. Runs that others worked
    /// on, or that came with an import, begin nothing here.
    pub(crate) fn follow_up_soon(self: &Arc<Self>, presence: ClientCapabilities, session_id: &SessionId) {
        if presence.stays {
            let (runs, session_id) = (self.clone(), session_id.clone());
            tokio::spawn(async move { runs.follow_up(presence, &session_id).await });
        }
    }

    /// Another may have taken the session meanwhile, for a moment.
    async fn follow_up(self: &Arc<Self>, presence: ClientCapabilities, session_id: &SessionId) {
        let give_up = tokio::time::Instant::now() + STOP_PATIENCE;
        loop {
            match self.send_next(presence, session_id).await {
                Err(fault) if fault.is(Code::SESSION_BUSY) && tokio::time::Instant::now() < give_up => {
                    tokio::time::sleep(STOP_POLL).await;
                }
                Err(fault) => return tracing::warn!(%session_id, %fault, "the next message waits on"),
                Ok(_) => return,
            }
        }
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
