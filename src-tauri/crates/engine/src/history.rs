//! What the log says of a session, folded for going on with it.

use crate::Engine;
use arki_domain::projection::{RunState, Transcript};
use arki_domain::{EventBody, Fault, RunId, SessionId, TrustChanged};

/// Events are read in pieces of this many, so that a long session is never in memory as a whole.
const EVENTS_A_PIECE: usize = 1000;

pub(crate) struct History {
    pub(crate) transcript: Transcript,
    /// The run asked for, or the last one.
    pub(crate) run: Option<RunState>,
    /// The trust last noted in this session.
    pub(crate) trust: Option<TrustChanged>,
}

impl Engine {
    pub(crate) fn history(&self, session: &SessionId, wanted: Option<&RunId>) -> Result<History, Fault> {
        let mut history = History { transcript: Transcript::default(), run: None, trust: None };
        let mut after = 0;
        loop {
            let page = self.reader().events(session, after, EVENTS_A_PIECE)?;
            for event in &page.events {
                after = event.seq;
                history.transcript.apply(event);
                match event.body() {
                    EventBody::RunStarted(_) if wanted.is_none() || event.run_id.as_ref() == wanted => {
                        history.run = RunState::start(event);
                    }
                    EventBody::TrustChanged(trust) => history.trust = Some(trust),
                    _ => {
                        if let Some(run) = &mut history.run {
                            run.apply(event);
                        }
                    }
                }
            }
            if !page.has_more {
                return Ok(history);
            }
        }
    }
}
