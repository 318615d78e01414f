//! Answers to what the model asks, and approvals that nobody answers in time while a program stays: it goes on with their
//! runs, which rejects them.
//!
//! An answer and the run's going on are one step, under the session's lease: of two who answer, one goes on with the run
//! and the other is told.

use crate::{ClientCapabilities, ResumeOptions, RunningRun, Runs, blocking};
use arki_domain::{ApprovalId, Code, Error, QuestionAnswered, QuestionId, SessionId};
use arki_store::ApprovalStatus;
use std::sync::Arc;
use std::time::Duration;

/// The longest answer.
const MAX_ANSWER_BYTES: usize = 256 << 10;

impl Runs {
    /// Records the answer and goes on with the run.
    ///
    /// # Errors
    /// `QUESTION_NOT_FOUND`, `QUESTION_ALREADY_ANSWERED`, `USAGE` for an empty or too long answer, `SESSION_BUSY` where
    /// another process works on the session, and those of [`Self::resume_run`]. Nothing is recorded then.
    pub(crate) async fn answer_question(
        self: &Arc<Self>,
        presence: ClientCapabilities,
        session_id: &SessionId,
        question_id: &QuestionId,
        text: &str,
    ) -> Result<RunningRun, Error> {
        let text = text.trim().to_owned();
        if text.is_empty() {
            return Err(Error::new(Code::USAGE, "The answer is empty.", "Say something, or stop the run."));
        }
        if text.len() > MAX_ANSWER_BYTES {
            let message = format!("The answer is longer than {} KiB.", MAX_ANSWER_BYTES >> 10);
            return Err(Error::new(Code::USAGE, message, "Name the file in the answer instead of sending it."));
        }
        let (session, question) = (session_id.clone(), question_id.clone());
        blocking(self, move |runs| {
            runs.reader.session(&session)?;
            runs.questions.ensure_asked(&session, runs.reader.overview(&session)?.run.as_ref(), &question)
        })
        .await?;
        self.sessions.until_stopped(session_id).await;
        let answer = Some(QuestionAnswered { question_id: question_id.clone(), text });
        self.resume(session_id, ResumeOptions { answer, presence, ..ResumeOptions::default() }).await
    }

    /// Rejects it once its time is over, if this program stays and nobody has answered by then.
    pub(crate) fn expire_in_time(
        self: &Arc<Self>,
        presence: ClientCapabilities,
        session_id: &SessionId,
        approval_id: &ApprovalId,
    ) {
        if !presence.stays {
            return;
        }
        let (runs, session_id, approval_id) = (self.clone(), session_id.clone(), approval_id.clone());
        tokio::spawn(async move {
            let waits = runs.approvals.pending().approval_now(&approval_id).await;
            let left = waits.and_then(|record| runs.approvals.pending().milliseconds_to_answer(&record));
            let Some(left) = left else { return };
            tokio::time::sleep(Duration::from_millis(left)).await;
            let record = runs.approvals.pending().approval_now(&approval_id).await;
            if record.is_some_and(|record| record.status == ApprovalStatus::Pending)
                && let Err(fault) = runs.go_on_after_decision(presence, &session_id).await
            {
                tracing::warn!(%session_id, %fault, "what nobody answered in time waits on");
            }
        });
    }

    /// Rejects, in time, the approvals that were pending before this program began. To be called within the runtime.
    pub(crate) fn expire_waiting(self: &Arc<Self>, presence: ClientCapabilities) {
        let runs = self.clone();
        tokio::spawn(async move {
            let pending = blocking(&runs, |runs| runs.approvals.pending().pending_approvals()).await;
            for record in pending.unwrap_or_default() {
                if let Some(asked) = record.request() {
                    runs.expire_in_time(presence, &record.session_id, &asked.approval_id);
                }
            }
        });
    }
}
