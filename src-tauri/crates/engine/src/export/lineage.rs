//! Where a session's conversation begins: a fork holds only what came after it, the rest is its origin's.

use super::EventSource;
use arki_domain::{Code, Fault, SessionId};
use serde::Deserialize;

/// Forks of forks are followed this far.
const MAX_ORIGINS: usize = 1000;
/// `session.forked` is the second event of a fork.
const FIRST_EVENTS: usize = 2;

/// The events of one session from the first to `up_to_seq`; to the last where that is `None`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stretch {
    pub(crate) session: SessionId,
    pub(crate) up_to_seq: Option<u64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Fork {
    from_session: SessionId,
    from_seq: u64,
}

/// The origins first, each up to where it was forked; last the session itself.
pub(crate) fn lineage(source: &dyn EventSource, session: &SessionId) -> Result<Vec<Stretch>, Fault> {
    let mut stretches = vec![Stretch { session: session.clone(), up_to_seq: None }];
    let mut at = session.clone();
    while let Some(fork) = fork_of(source, &at)? {
        if stretches.len() > MAX_ORIGINS || stretches.iter().any(|stretch| stretch.session == fork.from_session) {
            return Err(Fault::new(
                Code::LOG_CHAIN_BROKEN,
                format!("The origins of the session {session} lead nowhere."),
                "`arki verify` says which of them was changed.",
            ));
        }
        at = fork.from_session.clone();
        stretches.push(Stretch { session: fork.from_session, up_to_seq: Some(fork.from_seq) });
    }
    stretches.reverse();
    Ok(stretches)
}

fn fork_of(source: &dyn EventSource, session: &SessionId) -> Result<Option<Fork>, Fault> {
    let page = source.events(session, 0, FIRST_EVENTS)?;
    let forked = page.events.iter().find(|event| event.kind == "session.forked");
    Ok(forked.and_then(|event| serde_json::from_str(event.payload.get()).ok()))
}
