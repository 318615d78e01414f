//! A session's log, folded for going on with it.

use crate::sessions::Sessions;
use crate::sessions::lineage::{Stretch, each_event};
use arki_domain::projection::{Progress, RunState, Transcript};
use arki_domain::{Error, Event, EventBody, RunId, SessionId, TrustChanged};
use serde_json::Value;

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

impl Sessions {
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
        let own = Stretch { session_id: session.clone(), to_seq: None };
        self.each_event_after(&own, history.last_seq, |event| history.apply(event, Some(wanted)))?;
        Ok(history)
    }

    /// Hands out the stretch's events, the oldest first.
    pub(crate) fn each_event(&self, stretch: &Stretch, each: impl FnMut(&Event)) -> Result<(), Error> {
        self.each_event_after(stretch, 0, each)
    }

    pub(crate) fn each_event_after(
        &self,
        stretch: &Stretch,
        after: u64,
        mut each: impl FnMut(&Event),
    ) -> Result<(), Error> {
        each_event(self, stretch, after, |event| {
            each(event);
            Ok(())
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
