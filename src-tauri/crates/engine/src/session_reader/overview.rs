//! The overview of a session, without reading all of it: a fold that begins at the last snapshot.

use crate::{SessionReader, blocking_for};
use arki_api::{ChangedFile, ForkOrigin, SessionOverview};
use arki_config::AGENT;
use arki_domain::projection::{Overview, UsageTotal};
use arki_domain::{Error, PlanUpdated, SessionId, Usage};
use std::sync::Arc;

impl SessionReader {
    /// The session's plan, usage, queue, changed files and where its run stands.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn overview(&self, session_id: &SessionId) -> Result<Overview, Error> {
        let kept = self.records.reader().contents().snapshot(session_id)?;
        let mut overview = kept.and_then(|(_, bytes)| Overview::from_bytes(&bytes)).unwrap_or_default();
        self.each_own_event(session_id, overview.last_seq, |event| overview.apply(event))?;
        Ok(overview)
    }

    /// Reads [`Self::overview`] on a blocking thread.
    pub(crate) async fn overview_now(self: &Arc<Self>, session_id: &SessionId) -> Result<Overview, Error> {
        blocking_for(self, session_id, move |reader, session| reader.overview(session)).await
    }

    /// Reads [`Self::run_above`] on a blocking thread.
    pub(crate) async fn run_above_now(self: &Arc<Self>, session_id: &SessionId) -> Result<SessionId, Error> {
        blocking_for(self, session_id, move |reader, session| reader.run_above(session)).await
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
                let forked = self.records.reader().lists().session(&origin.session_id)?;
                let title = forked.map(|session| session.title).unwrap_or_default();
                Some(ForkOrigin { session_id: origin.session_id.to_string(), seq: origin.seq, title })
            }
            None => None,
        };
        let broken_at = self.known_broken(session_id)?;
        let holder = self.records.reader().lists().lease_holder(session_id)?;
        let run_by = holder.filter(|(owner, _)| *owner != self.records.owner()).map(|(_, pid)| pid);
        let plan = overview.plan.current();
        let changed = overview.changed_files.files().iter();
        Ok(SessionOverview {
            plan: plan.map(|plan| PlanUpdated { intent: plan.intent.clone(), steps: plan.steps.clone() }),
            usage: usage(overview.usage.session()),
            queue: overview.queue.messages().to_vec(),
            changed_files: changed
                .map(|(path, file)| ChangedFile {
                    path: path.clone(),
                    changes: u32::try_from(file.changes).unwrap_or(u32::MAX),
                    last_seq: file.last_seq,
                })
                .collect(),
            memory: overview.memory.observations().map(|remembered| remembered.text.clone()).collect(),
            origin,
            model: overview.model.clone(),
            effort: overview.effort.clone(),
            broken_at,
            run_by,
        })
    }

    pub(crate) fn agent_of(&self, session_id: &SessionId) -> Result<String, Error> {
        self.overview(session_id).map(agent_in)
    }
}

/// The agent that works in a session; the first one where a damaged log no longer says.
pub(crate) fn agent_in(overview: Overview) -> String {
    if overview.agent.is_empty() { AGENT.to_owned() } else { overview.agent }
}

fn usage(total: &UsageTotal) -> Usage {
    Usage {
        prompt_tokens: total.prompt_tokens,
        completion_tokens: total.completion_tokens,
        total_tokens: total.total_tokens,
        cached_tokens: total.cached_tokens,
        cost_usd: total.cost_usd(),
        unknown: total.untold(),
        ..Usage::default()
    }
}
