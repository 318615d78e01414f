//! A session's log as one of its writers follows it.

use crate::{Error, Event, EventBody, EventDraft, EventLog, RunId, SessionId};
use std::sync::Arc;

/// Returns each event of a session once, in order, whoever appended it, to be folded.
pub struct FollowedLog {
    pub log: Arc<dyn EventLog>,
    pub session_id: SessionId,
    /// The last event that was returned.
    pub last_seq: u64,
}

impl FollowedLog {
    /// Appends events of a run; returns them, with what others appended before them.
    pub async fn append(
        &mut self,
        run_id: &RunId,
        bodies: impl IntoIterator<Item = EventBody> + Send,
    ) -> Result<Vec<Arc<Event>>, Error> {
        let drafts = bodies.into_iter().map(|body| EventDraft::of_run(run_id, body)).collect();
        let events = self.log.append(&self.session_id, drafts).await?;
        self.unseen(events).await
    }

    /// Returns what is new in `events`, with what others appended before them or in their midst: a call can take long
    /// enough for the user to say something.
    pub async fn unseen(&mut self, mut events: Vec<Arc<Event>>) -> Result<Vec<Arc<Event>>, Error> {
        events.retain(|event| event.seq > self.last_seq);
        if !events.iter().zip(self.last_seq + 1..).all(|(event, seq)| event.seq == seq) {
            return self.catch_up().await;
        }
        self.last_seq += events.len() as u64;
        Ok(events)
    }

    /// Returns what others appended.
    pub async fn catch_up(&mut self) -> Result<Vec<Arc<Event>>, Error> {
        let events = self.log.read_after(&self.session_id, self.last_seq).await?;
        self.last_seq = events.last().map_or(self.last_seq, |event| event.seq);
        Ok(events)
    }
}
