//! Answers to what the model asks.
//!
//! An answer and the run's going on are one step, under the session's lease: of two who answer, one goes on with the run
//! and the other is told.

use crate::client_capabilities::ClientCapabilities;
use crate::records::blocking;
use crate::runs::Runs;
use crate::runs::active_run::RunningRun;
use crate::runs::resume::Resume;
use crate::session_reader::lineage::Stretch;
use arki_domain::projection::RunState;
use arki_domain::{Code, Error, EventBody, QuestionAnswered, QuestionId, SessionId};
use std::sync::Arc;

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
            return Err(Error::new(
                Code::USAGE,
                format!("The answer is longer than {} KiB.", MAX_ANSWER_BYTES >> 10),
                "Name the file in the answer instead of sending it.",
            ));
        }
        let (session, question) = (session_id.clone(), question_id.clone());
        blocking(self, move |runs| {
            runs.reader.session(&session)?;
            runs.ensure_asked(&session, runs.reader.overview(&session)?.run.as_ref(), &question)
        })
        .await?;
        self.until_stopped(session_id).await;
        let answer = Some(QuestionAnswered { question_id: question_id.clone(), text });
        self.resume(session_id, Resume { answer, presence, ..Resume::default() }).await
    }

    /// Checks that the run waits for the answer to this very question.
    pub(crate) fn ensure_asked(
        &self,
        session_id: &SessionId,
        run: Option<&RunState>,
        question_id: &QuestionId,
    ) -> Result<(), Error> {
        let open = run.and_then(RunState::open_question);
        if open.is_some_and(|open| open.question_id == *question_id) {
            return Ok(());
        }
        let mut was_asked = false;
        self.reader.each_event(&Stretch { session_id: session_id.clone(), to_seq: None }, |event| {
            was_asked |= matches!(event.body(), EventBody::QuestionAsked(asked) if asked.question_id == *question_id);
        })?;
        Err(match was_asked {
            true => Error::new(
                Code::QUESTION_ALREADY_ANSWERED,
                "This question no longer waits for an answer.",
                "It was answered before, or its run has ended. Send a message instead.",
            ),
            false => Error::new(
                Code::QUESTION_NOT_FOUND,
                format!("The session {session_id} has no question {question_id}."),
                format!("`arki resume {session_id}` shows the open question, if there is one."),
            ),
        })
    }
}
