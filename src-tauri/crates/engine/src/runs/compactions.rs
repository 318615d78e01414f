//! Making a session's conversation shorter because the user asks.

use crate::sessions::compacting::compaction_parts;
use crate::{
    Accounts, ClaimedWork, EstimatedTokens, History, NextRequests, Records, SessionHold, SessionReader, Sessions,
    blocking_for,
};
use arki_agent::{Compacted, RunControl, SessionLog, SessionToCompact, compact_session};
use arki_context::CountTokens;
use arki_domain::{Error, SessionId};
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

/// Compacts sessions between their runs.
pub struct Compactions {
    pub(super) records: Arc<Records>,
    pub(super) accounts: Arc<Accounts>,
    pub(super) reader: Arc<SessionReader>,
    pub(super) sessions: Arc<Sessions>,
    pub(super) next_requests: Arc<NextRequests>,
}

impl Compactions {
    /// Makes the session's conversation shorter. `focus` says what is to be kept above all; `stop` ends the wait for a
    /// summary.
    ///
    /// # Errors
    /// `SESSION_BUSY` where a run works on it, `CONTEXT_TOO_LONG` where it can't be made shorter.
    pub async fn compact(
        self: &Arc<Self>,
        session_id: &SessionId,
        focus: Option<&str>,
        stop: impl Future<Output = ()>,
    ) -> Result<Compacted, Error> {
        self.sessions.until_let_go(session_id).await?;
        let claim = self.sessions.claim(session_id, ClaimedWork::Change)?;
        let control = RunControl::default();
        let hold = SessionHold::take(&self.records, &self.sessions, claim, control.clone()).await?;
        let compacting = async {
            let mut compacting = pin!(self.compact_held(session_id, focus, &control));
            tokio::select! {
                compacted = &mut compacting => return compacted,
                () = stop => control.cancel.cancel(),
            }
            compacting.await
        };
        hold.during(compacting).await.0
    }

    async fn compact_held(
        self: &Arc<Self>,
        session_id: &SessionId,
        focus: Option<&str>,
        control: &RunControl,
    ) -> Result<Compacted, Error> {
        let told = blocking_for(self, session_id, move |compactions, session| {
            Ok((
                compactions.next_requests.head(Path::new(""), Some(session))?,
                compactions.reader.whole_history(session)?,
            ))
        });
        let (head, mut history) = told.await?;
        let model = head.model(history.run.as_ref());
        let model = self.accounts.providers(&head.config).model(&model)?;
        model.learn().await;
        let tools: u64 = head.tools.iter().map(|tool| EstimatedTokens.tool(tool)).sum();
        let History { transcript, progress, .. } = &mut history;
        compact_session(SessionToCompact {
            log: SessionLog { log: &*self.records.run_log(), session_id },
            model,
            compaction: &compaction_parts(&self.accounts, &head.config)?,
            transcript,
            progress,
            fixed: tools + EstimatedTokens.text(&head.system.text()),
            focus,
            max_answer: Duration::from_secs(head.config.max_answer_seconds),
            cancel: &control.cancel,
        })
        .await
    }
}
