//! The model's open questions to the user, in all sessions.

use crate::{Records, SessionReader};
use arki_api::QuestionSummary;
use arki_domain::projection::{RunPhase, RunState};
use arki_domain::{Code, Error, Event, EventBody, QuestionAsked, QuestionId, RunId, SessionId};
use std::sync::Arc;

/// A question whose run waits for the answer.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenQuestion {
    pub session_id: SessionId,
    pub run_id: RunId,
    /// Milliseconds since 1970.
    pub asked_at: i64,
    pub asked: QuestionAsked,
}

impl From<OpenQuestion> for QuestionSummary {
    fn from(open: OpenQuestion) -> Self {
        Self {
            question_id: open.asked.question_id.to_string(),
            session_id: open.session_id.to_string(),
            run_id: open.run_id.to_string(),
            call_id: open.asked.call_id.to_string(),
            text: open.asked.text,
            options: open.asked.options,
            asked_at: open.asked_at,
        }
    }
}

/// Events that are read at once to find the question: it is among the last ones of its session.
const PAGE: usize = 50;

/// The questions whose runs wait for an answer.
pub struct OpenQuestions {
    records: Arc<Records>,
    reader: Arc<SessionReader>,
}

impl OpenQuestions {
    pub(crate) fn new(records: Arc<Records>, reader: Arc<SessionReader>) -> Self {
        Self { records, reader }
    }

    /// Returns what waits for the user's answer in all sessions, the newest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn open_questions(&self) -> Result<Vec<OpenQuestion>, Error> {
        let mut open = Vec::new();
        for session_id in self.records.reader().lists().asking_sessions()? {
            open.extend(self.open_question(&session_id)?);
        }
        Ok(open)
    }

    /// Returns what a session's run waits for, where that is an answer.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn open_question(&self, session_id: &SessionId) -> Result<Option<OpenQuestion>, Error> {
        let Some(run) = self.reader.overview(session_id)?.run else { return Ok(None) };
        let Some(asked) = run.open_question() else { return Ok(None) };
        Ok(Some(OpenQuestion {
            session_id: session_id.clone(),
            run_id: run.run_id.clone(),
            asked_at: self.asked_at(session_id, &asked.question_id)?,
            asked: asked.clone(),
        }))
    }

    /// Returns when a question was asked, in milliseconds since 1970; 0 if the session has no such question.
    fn asked_at(&self, session_id: &SessionId, question_id: &QuestionId) -> Result<i64, Error> {
        let mut before = None;
        loop {
            let page = self.records.reader().log().page(session_id, before, PAGE)?;
            let is_it = |event: &&Event| matches!(event.body(), EventBody::QuestionAsked(asked) if asked.question_id == *question_id);
            if let Some(event) = page.events.iter().rev().find(is_it) {
                return Ok(event.ts);
            }
            before = page.events.first().map(|event| event.seq);
            if !page.has_more || before.is_none() {
                return Ok(0);
            }
        }
    }

    /// Returns the question that an answer in this session is for.
    ///
    /// # Errors
    /// `QUESTION_NOT_FOUND`, with what can be done instead, or when the database cannot be read.
    pub(crate) fn question_to_answer(&self, session_id: &SessionId) -> Result<OpenQuestion, Error> {
        if let Some(open) = self.open_question(session_id)? {
            return Ok(open);
        }
        let run = self.reader.overview(session_id)?.run;
        let has_ended = run.is_none_or(|run| matches!(run.phase, RunPhase::Completed | RunPhase::Cancelled));
        let (message, hint) = match has_ended {
            true => (
                "The run has ended, so it isn't waiting for an answer.",
                format!("Send a new message with `arki exec --session {session_id} PROMPT`."),
            ),
            false => (
                "This run isn't waiting for an answer.",
                format!("Run `arki resume {session_id}` without `--answer` to resume it."),
            ),
        };
        Err(Error::new(Code::QUESTION_NOT_FOUND, message, hint))
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
        self.reader.each_own_event(session_id, 0, |event| {
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
