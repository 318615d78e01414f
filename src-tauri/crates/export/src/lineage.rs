//! The origins of a session's conversation: a fork begins with what its origin had said by then.

use arki_domain::{Code, Error, Event, EventBody, RunId, RunStarted, SessionId};
use arki_store::EventPage;

/// The events that fork a session stand among its first.
const FIRST_EVENTS: usize = 4;
/// A fork of a fork of a fork …; longer chains are refused when they would be made.
pub const MAX_LINEAGE: usize = 64;
/// Events are read in pieces of this many, so that a long session is never in memory as a whole.
pub const EVENTS_A_PIECE: usize = 500;

/// A session, and how far into it the conversation goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stretch {
    pub session_id: SessionId,
    /// The last event that counts; `None` = all.
    pub to_seq: Option<u64>,
}

/// The session that a fork began in, and the event after which.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    pub session_id: SessionId,
    pub seq: u64,
}

/// A source of events.
pub trait EventSource {
    /// The session's events above `after_seq`, the oldest first.
    ///
    /// # Errors
    /// When they cannot be read.
    fn events(&self, session_id: &SessionId, after_seq: u64, limit: usize) -> Result<EventPage, Error>;

    /// A diff that lies beside the log; `None` where it is not kept.
    ///
    /// # Errors
    /// When it cannot be read.
    fn large_diff(&self, _hash: &str) -> Result<Option<String>, Error> {
        Ok(None)
    }

    /// The beginning of a run of any session; `None` where it is not kept.
    ///
    /// # Errors
    /// When it cannot be read.
    fn run_start(&self, _run: &RunId) -> Result<Option<RunStarted>, Error> {
        Ok(None)
    }
}

/// Returns where a session was forked from.
///
/// # Errors
/// When its events cannot be read.
pub fn origin(source: &dyn EventSource, session_id: &SessionId) -> Result<Option<Origin>, Error> {
    let first = source.events(session_id, 0, FIRST_EVENTS)?;
    Ok(first.events.iter().find_map(|event| match event.body() {
        EventBody::SessionForked(forked) => Some(Origin { session_id: forked.from_session, seq: forked.from_seq }),
        _ => None,
    }))
}

/// The stretches of log that make up a session's conversation, the oldest first; its own comes last.
///
/// # Errors
/// When its events cannot be read, or forks lead in a circle.
pub fn lineage(source: &dyn EventSource, session_id: &SessionId) -> Result<Vec<Stretch>, Error> {
    let mut stretches = vec![Stretch { session_id: session_id.clone(), to_seq: None }];
    while let Some(origin) = origin(source, &stretches[stretches.len() - 1].session_id)? {
        if stretches.iter().any(|stretch| stretch.session_id == origin.session_id) {
            let message = format!("An origin of the session {session_id} is missing or was changed.");
            return Err(Error::new(Code::LOG_CHAIN_BROKEN, message, "`arki verify` shows which one."));
        }
        if stretches.len() >= MAX_LINEAGE {
            let message = format!("The session {session_id} is forked more than {MAX_LINEAGE} times in a row.");
            return Err(Error::new(Code::SESSION_READ_ONLY, message, "Continue in a new session."));
        }
        stretches.push(Stretch { session_id: origin.session_id, to_seq: Some(origin.seq) });
    }
    stretches.reverse();
    Ok(stretches)
}

/// Hands out the stretch's events above `after`, the oldest first.
///
/// # Errors
/// When they cannot be read, and those of `take`.
pub fn each_event<E: From<Error>>(
    source: &dyn EventSource,
    stretch: &Stretch,
    mut after: u64,
    mut take: impl FnMut(&Event) -> Result<(), E>,
) -> Result<(), E> {
    let last = stretch.to_seq.unwrap_or(u64::MAX);
    loop {
        let page = source.events(&stretch.session_id, after, EVENTS_A_PIECE)?;
        for event in &page.events {
            if event.seq > last {
                return Ok(());
            }
            after = event.seq;
            take(event)?;
        }
        if !page.has_more || after >= last {
            return Ok(());
        }
    }
}
