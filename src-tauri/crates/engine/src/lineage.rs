//! Where a session's conversation comes from: a fork begins with what its origin had said by then.

use crate::Engine;
use arki_domain::{Code, EventBody, Fault, SessionId};

/// The events that fork a session stand among its first.
const FIRST_EVENTS: usize = 4;
/// A fork of a fork of a fork …; longer chains are refused when they would be made.
pub(crate) const MAX_LINEAGE: usize = 64;

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

impl Engine {
    /// Where a session was forked from.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn origin(&self, session_id: &SessionId) -> Result<Option<Origin>, Fault> {
        let first = self.reader().events(session_id, 0, FIRST_EVENTS)?;
        Ok(first.events.iter().find_map(|event| match event.body() {
            EventBody::SessionForked(forked) => Some(Origin { session_id: forked.from_session, seq: forked.from_seq }),
            _ => None,
        }))
    }

    /// The stretches of log that make up a session's conversation, the oldest first; its own comes last.
    ///
    /// # Errors
    /// When the database cannot be read, or forks lead in a circle.
    pub fn lineage(&self, session_id: &SessionId) -> Result<Vec<Stretch>, Fault> {
        let mut stretches = vec![Stretch { session_id: session_id.clone(), to_seq: None }];
        while let Some(origin) = self.origin(&stretches[stretches.len() - 1].session_id)? {
            if stretches.len() >= MAX_LINEAGE {
                return Err(Fault::new(
                    Code::SESSION_READ_ONLY,
                    format!("The session {session_id} is forked more than {MAX_LINEAGE} times over."),
                    "Go on in a new session.",
                ));
            }
            stretches.push(Stretch { session_id: origin.session_id, to_seq: Some(origin.seq) });
        }
        stretches.reverse();
        Ok(stretches)
    }
}
