//! Snapshots of sessions' overviews: whoever reads one begins there, and not at the log's start.

use crate::{Sessions, blocking_for};
use arki_domain::projection::SNAPSHOT_EVERY;
use arki_domain::{CheckpointId, Error, SessionId, StateSnapshot};
use std::sync::Arc;

impl Sessions {
    /// Keeps a snapshot where the last one is [`SNAPSHOT_EVERY`] events old, and says so in the log. Off the way of
    /// whoever waits for an answer.
    pub(crate) async fn note_snapshot(self: &Arc<Self>, session_id: &SessionId) -> Result<(), Error> {
        if let Some(last_seq) = self.keep_snapshot(session_id).await? {
            self.records.note(session_id, StateSnapshot { checkpoint_id: CheckpointId::new(), last_seq }).await?;
        }
        Ok(())
    }

    /// Keeps a snapshot like [`Self::note_snapshot`] but without a word in the log, for a run that has ended: how it
    /// ended stays the last that is said of it. The number of the last event that is folded in, where one was kept.
    pub(crate) async fn keep_snapshot(self: &Arc<Self>, session_id: &SessionId) -> Result<Option<u64>, Error> {
        let due = blocking_for(self, session_id, move |sessions, session| sessions.due_snapshot(session)).await?;
        let Some((last_seq, bytes)) = due else { return Ok(None) };
        self.records.store().contents().put_snapshot(session_id, last_seq, &bytes).await?;
        Ok(Some(last_seq))
    }

    fn due_snapshot(&self, session_id: &SessionId) -> Result<Option<(u64, Vec<u8>)>, Error> {
        let kept = self.records.reader().contents().snapshot(session_id)?.map_or(0, |(last_seq, _)| last_seq);
        if self.records.reader().log().last_seq(session_id)? < kept + SNAPSHOT_EVERY {
            return Ok(None);
        }
        let overview = self.reader.overview(session_id)?;
        Ok(Some((overview.last_seq, overview.to_bytes().map_err(Error::internal)?)))
    }

    /// Notes a snapshot like [`Self::note_snapshot`]; an error is passed over, since nothing is lost without a snapshot
    /// but time.
    pub(crate) async fn note_snapshot_quietly(self: &Arc<Self>, session_id: &SessionId) {
        warn_without_snapshot(session_id, self.note_snapshot(session_id).await);
    }

    /// Keeps a snapshot like [`Self::keep_snapshot`]; an error is passed over too.
    pub(crate) async fn keep_snapshot_quietly(self: &Arc<Self>, session_id: &SessionId) {
        warn_without_snapshot(session_id, self.keep_snapshot(session_id).await);
    }
}

fn warn_without_snapshot<T>(session_id: &SessionId, kept: Result<T, Error>) {
    if let Err(fault) = kept {
        tracing::warn!(%session_id, %fault, "no snapshot was kept");
    }
}
