//! The overview of a session, without reading all of it: a fold that begins at the last snapshot.

use crate::config::AGENT;
use crate::records::blocking;
use crate::sessions::Sessions;
use crate::sessions::for_clients;
use crate::sessions::lineage::Stretch;
use arki_api::{ForkOrigin, SessionOverview};
use arki_domain::projection::{Overview, SNAPSHOT_EVERY};
use arki_domain::{CheckpointId, Error, EventDraft, EventLog, SessionId, StateSnapshot};
use std::sync::Arc;

impl Sessions {
    /// The session's plan, usage, queue, changed files and where its run stands.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn overview(&self, session_id: &SessionId) -> Result<Overview, Error> {
        let kept = self.records.reader().contents().snapshot(session_id)?;
        let mut overview = kept.and_then(|(_, bytes)| Overview::from_bytes(&bytes)).unwrap_or_default();
        self.each_event_after(&Stretch { session_id: session_id.clone(), to_seq: None }, overview.last_seq, |event| {
            overview.apply(event);
        })?;
        Ok(overview)
    }

    /// Returns the overview for the window, with who runs the session and whether its log is whole.
    ///
    /// # Errors
    /// `SESSION_NOT_FOUND`, or when the database cannot be read.
    pub fn session_overview(self: &Arc<Self>, session_id: &SessionId) -> Result<SessionOverview, Error> {
        self.session(session_id)?;
        let overview = self.overview(session_id)?;
        let origin = match &overview.origin {
            Some(origin) => {
                let title = self
                    .records
                    .reader()
                    .lists()
                    .session(&origin.session_id)?
                    .map(|session| session.title)
                    .unwrap_or_default();
                Some(ForkOrigin { session_id: origin.session_id.to_string(), seq: origin.seq, title })
            }
            None => None,
        };
        let broken_at = self.known_broken(session_id)?;
        let holder = self.records.reader().lists().lease_holder(session_id)?;
        let run_by = holder.filter(|(owner, _)| *owner != self.records.owner()).map(|(_, pid)| pid);
        Ok(SessionOverview { broken_at, run_by, ..for_clients::session_overview(&overview, origin) })
    }

    /// Keeps a snapshot where the last one is [`SNAPSHOT_EVERY`] events old, and says so in the log. Off the way of
    /// whoever waits for an answer.
    pub(crate) async fn note_snapshot(self: &Arc<Self>, session_id: &SessionId) -> Result<(), Error> {
        if let Some(last_seq) = self.keep_snapshot(session_id).await? {
            let noted = StateSnapshot { checkpoint_id: CheckpointId::new(), last_seq };
            self.records.log().append(session_id, vec![EventDraft::of_session(noted)]).await?;
        }
        Ok(())
    }

    /// Keeps a snapshot like [`Self::note_snapshot`] but without a word in the log, for a run that has ended: how it
    /// ended stays the last that is said of it. The number of the last event that is folded in, where one was kept.
    pub(crate) async fn keep_snapshot(self: &Arc<Self>, session_id: &SessionId) -> Result<Option<u64>, Error> {
        let session = session_id.clone();
        let due = blocking(self, move |sessions| sessions.due_snapshot(&session)).await?;
        let Some((last_seq, bytes)) = due else { return Ok(None) };
        self.records.store().contents().put_snapshot(session_id, last_seq, &bytes).await?;
        Ok(Some(last_seq))
    }

    fn due_snapshot(&self, session_id: &SessionId) -> Result<Option<(u64, Vec<u8>)>, Error> {
        let kept = self.records.reader().contents().snapshot(session_id)?.map_or(0, |(last_seq, _)| last_seq);
        if self.records.reader().log().last_seq(session_id)? < kept + SNAPSHOT_EVERY {
            return Ok(None);
        }
        let overview = self.overview(session_id)?;
        Ok(Some((overview.last_seq, overview.to_bytes().map_err(Error::internal)?)))
    }

    pub(crate) fn agent_of(&self, session_id: &SessionId) -> Result<String, Error> {
        self.overview(session_id).map(agent_in)
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

/// The agent that works in a session; the first one where a damaged log no longer says.
pub(crate) fn agent_in(overview: Overview) -> String {
    if overview.agent.is_empty() { AGENT.to_owned() } else { overview.agent }
}

fn warn_without_snapshot<T>(session_id: &SessionId, kept: Result<T, Error>) {
    if let Err(fault) = kept {
        tracing::warn!(%session_id, %fault, "no snapshot was kept");
    }
}
