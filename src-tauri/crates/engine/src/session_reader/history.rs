//! A session's log, folded for going on with it, and the origins of its conversation.

use crate::SessionReader;
use arki_domain::projection::{Progress, RunState, Transcript};
use arki_domain::{Code, Error, Event, EventBody, RunId, RunStarted, SessionId, TrustChanged, sha256_hex};
use arki_export::{EventSource, Origin, Stretch, each_event};
use arki_store::EventPage;
use serde_json::Value;
use std::sync::Arc;

/// Runs that work for each other, one beneath the other: a pipeline can run others, and an agent.
const MAX_LEVELS: usize = 16;

#[derive(Default)]
pub(crate) struct History {
    pub(crate) transcript: Transcript,
    pub(crate) progress: Progress,
    /// The run asked for, or the last one of the session's own.
    pub(crate) run: Option<RunState>,
    run_last_seq: u64,
    /// The trust last noted in this session.
    pub(crate) trust: Option<TrustChanged>,
    /// The permissions that the session itself last recorded, and where they hold.
    pub(crate) grants: Vec<Value>,
    pub(crate) grants_seq: u64,
    pub(crate) last_seq: u64,
}

impl SessionReader {
    pub(crate) fn history(&self, session: &SessionId) -> Result<History, Error> {
        let mut history = History::default();
        for stretch in self.lineage(session)? {
            let is_own = stretch.session_id == *session;
            self.each_event(&stretch, |event| match is_own {
                true => history.apply(event, None),
                false => history.apply_inherited(event),
            })?;
        }
        Ok(history)
    }

    /// The same of a log that is whole, proved on the way: nothing is added to one that was changed.
    pub(crate) fn whole_history(&self, session: &SessionId) -> Result<History, Error> {
        self.proved(session, History::default())
    }

    /// The same for a run, which lets go of what compactions left out: so it takes as much memory in a long session as in
    /// a short one.
    pub(crate) fn history_for_run(&self, session: &SessionId) -> Result<History, Error> {
        if self.lineage(session)?.len() > 1 {
            return self.whole_history(session);
        }
        match self.proved(session, History::for_run())? {
            history if history.transcript.lacks_text() => self.whole_history(session),
            history => Ok(history),
        }
    }

    fn proved(&self, session: &SessionId, mut history: History) -> Result<History, Error> {
        for stretch in self.lineage(session)?.iter().filter(|stretch| stretch.session_id != *session) {
            self.each_event(stretch, |event| history.apply_inherited(event))?;
        }
        self.ensure_whole_and_each(session, |event| history.apply(event, None))?;
        Ok(history)
    }

    /// Goes on with what was appended since, by whomever, for the run `wanted`: what was read is not read again, however
    /// long the session is.
    pub(crate) fn history_since(
        &self,
        mut history: History,
        session: &SessionId,
        wanted: &RunId,
    ) -> Result<History, Error> {
        self.each_own_event(session, history.last_seq, |event| history.apply(event, Some(wanted)))?;
        Ok(history)
    }

    /// Hands out the stretch's events, the oldest first.
    pub(crate) fn each_event(&self, stretch: &Stretch, each: impl FnMut(&Event)) -> Result<(), Error> {
        self.each_event_after(stretch, 0, each)
    }

    /// Hands out the session's own events after `after`, without those of its origins.
    pub(crate) fn each_own_event(
        &self,
        session: &SessionId,
        after: u64,
        each: impl FnMut(&Event),
    ) -> Result<(), Error> {
        self.each_event_after(&Stretch { session_id: session.clone(), to_seq: None }, after, each)
    }

    fn each_event_after(&self, stretch: &Stretch, after: u64, mut each: impl FnMut(&Event)) -> Result<(), Error> {
        each_event(self, stretch, after, |event| {
            each(event);
            Ok(())
        })
    }

    /// The session whose run waits for this session's; the session itself where none does. A run that came with an
    /// export waits for nobody: it is not gone on with here.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn run_above(&self, session_id: &SessionId) -> Result<SessionId, Error> {
        let mut at = session_id.clone();
        for _ in 0..MAX_LEVELS {
            let above = self.run_right_above(&at)?;
            if above == at {
                break;
            }
            at = above;
        }
        Ok(at)
    }

    fn run_right_above(&self, session_id: &SessionId) -> Result<SessionId, Error> {
        let parent = self.overview(session_id)?.run.and_then(|run| run.parent.map(|parent| (run.run_id, parent)));
        let Some((run_id, parent)) = parent else { return Ok(session_id.clone()) };
        let above = self.overview(&parent.session_id)?.run.filter(|above| above.run_id == parent.run_id);
        let waits = above.is_some_and(|above| above.subagents().any(|started| started.run_id == run_id));
        let waits = waits && !self.records.reader().is_imported(&parent.run_id)?;
        Ok(if waits { parent.session_id } else { session_id.clone() })
    }

    /// Checks that the session was begun here: nobody here has granted what a log from elsewhere says was granted.
    pub(crate) fn ensure_begun_here(&self, run_id: &RunId) -> Result<(), Error> {
        if !self.records.reader().is_imported(run_id)? {
            return Ok(());
        }
        let hint = "Fork the session (`arki sessions fork`) and continue in the fork.";
        Err(Error::new(Code::RUN_NOT_FOUND, "This run came from an export, so it can't be resumed here.", hint))
    }

    /// The very text that the run began with.
    pub(crate) fn frozen_system_prompt(&self, run: &RunState) -> Result<Arc<str>, Error> {
        let stored = self.records.reader().contents().blob(&run.system_prompt_hash)?;
        let text = stored
            .filter(|bytes| sha256_hex(bytes) == run.system_prompt_hash)
            .and_then(|bytes| String::from_utf8(bytes).ok());
        text.map(Arc::from).ok_or_else(|| {
            let message = "The settings of this run are not stored here: its session came from an export.";
            let hint = "Fork the session (`arki sessions fork`) and continue in the fork.";
            Error::new(Code::IMAGE_MISSING, message, hint)
        })
    }
}

impl History {
    pub(crate) fn for_run() -> Self {
        Self { transcript: Transcript::letting_go(), ..Self::default() }
    }

    /// Applies the events that the session took over from the one that it was forked from.
    fn apply_inherited(&mut self, event: &Event) {
        let body = event.body();
        self.progress.apply(event, &body);
        self.transcript.apply_body(event, body);
    }

    fn apply(&mut self, event: &Event, wanted: Option<&RunId>) {
        self.last_seq = event.seq;
        let body = event.body();
        if let EventBody::SessionRewound(rewound) = &body
            && rewound.conversation
            && rewound.to_seq < self.grants_seq
        {
            self.grants.clear();
        }
        match &body {
            EventBody::RunStarted(_) if wanted.is_none() || event.run_id.as_ref() == wanted => {
                self.run = RunState::start(event);
            }
            EventBody::TrustChanged(trust) => self.trust = Some(trust.clone()),
            EventBody::SessionGranted(granted) => {
                self.grants.clone_from(&granted.rules);
                self.grants_seq = event.seq;
            }
            // Where the run stood is no more in the conversation, so it has no place to go on from.
            EventBody::SessionRewound(rewound) if rewound.conversation && rewound.to_seq < self.run_last_seq => {
                self.run = None;
            }
            _ => {
                if let Some(run) = &mut self.run {
                    run.apply_body(event, &body);
                }
            }
        }
        self.progress.apply(event, &body);
        self.transcript.apply_body(event, body);
        if self.run.as_ref().is_some_and(|run| event.run_id.as_ref() == Some(&run.run_id)) {
            self.run_last_seq = event.seq;
        }
    }
}

impl EventSource for SessionReader {
    fn events(&self, session_id: &SessionId, after_seq: u64, limit: usize) -> Result<EventPage, Error> {
        self.events_after(session_id, after_seq, limit)
    }

    fn large_diff(&self, hash: &str) -> Result<Option<String>, Error> {
        let bytes = self.records.reader().contents().blob(hash)?;
        Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
    }

    fn run_start(&self, run: &RunId) -> Result<Option<RunStarted>, Error> {
        let Some(record) = self.records.reader().lists().run(run)? else { return Ok(None) };
        let first = self.events_after(&record.session_id, record.first_seq.saturating_sub(1), 1)?;
        Ok(first.events.first().and_then(|event| match event.body() {
            EventBody::RunStarted(started) => Some(started),
            _ => None,
        }))
    }
}

impl SessionReader {
    /// Returns where a session was forked from.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn origin(&self, session_id: &SessionId) -> Result<Option<Origin>, Error> {
        arki_export::origin(self, session_id)
    }

    /// The stretches of log that make up a session's conversation, the oldest first; its own comes last.
    ///
    /// # Errors
    /// When the database cannot be read, or forks lead in a circle.
    pub(crate) fn lineage(&self, session_id: &SessionId) -> Result<Vec<Stretch>, Error> {
        arki_export::lineage(self, session_id)
    }
}
