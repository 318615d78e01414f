//! Drafts of one append that are stored while those after them are still being sealed: two threads share the work of a
//! large append that has the writer to itself.
//!
//! The writer has a transaction open meanwhile. It waits for the caller only shortly, all in all; then it takes back what
//! it has written and leaves the drafts to the caller, who appends them again when all of them are sealed.

use crate::StoreError;
use crate::append::Appending;
use crate::chain::seal::{SealedDraft, seal};
use arki_domain::{Event, EventDraft};
use arki_redaction::Redactor;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Drafts from which on an append is worth it: waking the writer takes as long as sealing ten.
pub(crate) const MIN_RELAYED: usize = 32;
/// Drafts that change hands at once.
const PIECE: usize = 8;
/// The time the writer waits for drafts of one append, in total.
const MAX_WAIT: Duration = Duration::from_millis(1);

#[derive(Default)]
pub(crate) struct Relay {
    state: Mutex<RelayState>,
}

#[derive(Default)]
struct RelayState {
    sealed: Vec<SealedDraft>,
    progress: SealingProgress,
}

#[derive(Default)]
enum SealingProgress {
    #[default]
    Sealing,
    Sealed,
    Failed(StoreError),
    /// The writer has given up; all that was sealed is here.
    Abandoned,
}

impl Relay {
    /// The caller's part.
    ///
    /// # Errors
    /// Those of sealing. The writer is told too, so that nothing of the append is stored.
    pub(crate) fn seal(&self, drafts: Vec<EventDraft>, redactor: &Redactor) -> Result<(), StoreError> {
        let mut drafts = drafts.into_iter().peekable();
        while drafts.peek().is_some() {
            let piece: Result<Vec<_>, _> = drafts.by_ref().take(PIECE).map(|draft| seal(draft, redactor)).collect();
            match piece {
                Ok(piece) => self.state().sealed.extend(piece),
                Err(error) => {
                    self.end(SealingProgress::Failed(error.clone()));
                    return Err(error);
                }
            }
        }
        self.end(SealingProgress::Sealed);
        Ok(())
    }

    /// All drafts, where the writer has given up waiting for them.
    pub(crate) fn abandoned(&self) -> Option<Vec<SealedDraft>> {
        let mut state = self.state();
        matches!(state.progress, SealingProgress::Abandoned).then(|| std::mem::take(&mut state.sealed))
    }

    /// The writer's part.
    pub(crate) fn append(&self, mut appending: Appending<'_>) -> Result<Vec<Arc<Event>>, StoreError> {
        let mut waited = Duration::ZERO;
        loop {
            let (piece, is_all) = self.take()?;
            if is_all && piece.is_empty() {
                return appending.finish();
            }
            if piece.is_empty() {
                let started = Instant::now();
                std::thread::yield_now();
                waited += started.elapsed();
            }
            for draft in piece {
                appending.add(draft)?;
            }
            if waited > MAX_WAIT && self.abandon(&mut appending) {
                return Err(StoreError::internal("the drafts came too late"));
            }
        }
    }

    fn take(&self) -> Result<(Vec<SealedDraft>, bool), StoreError> {
        let mut state = self.state();
        match &state.progress {
            SealingProgress::Failed(error) => Err(error.clone()),
            progress => {
                let is_all = matches!(progress, SealingProgress::Sealed);
                Ok((std::mem::take(&mut state.sealed), is_all))
            }
        }
    }

    /// `false` when the last draft has just come.
    fn abandon(&self, appending: &mut Appending<'_>) -> bool {
        let mut state = self.state();
        if !matches!(state.progress, SealingProgress::Sealing) {
            return false;
        }
        let mut sealed = appending.give_back();
        sealed.append(&mut state.sealed);
        *state = RelayState { sealed, progress: SealingProgress::Abandoned };
        true
    }

    fn end(&self, progress: SealingProgress) {
        let mut state = self.state();
        if let SealingProgress::Sealing = state.progress {
            state.progress = progress;
        }
    }

    fn state(&self) -> MutexGuard<'_, RelayState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::append::Destination;
    use crate::chain::heads::Heads;
    use crate::database::connection::Location;
    use arki_domain::{SessionCreated, SessionId};

    fn drafts(titles: std::ops::Range<usize>) -> Vec<EventDraft> {
        let created = |title: usize| SessionCreated {
            title: title.to_string(),
            project: "/p".to_owned(),
            agent: "arki".to_owned(),
            parent_session: None,
            worktree: None,
        };
        titles.map(|title| EventDraft::of_session(created(title))).collect()
    }

    #[test]
    fn a_caller_that_is_too_slow_gets_every_draft_back_in_order() {
        let connection = Location::memory().open_writer().unwrap();
        let (relay, redactor, mut heads) = (Relay::default(), Redactor::default(), Heads::default());
        let first = drafts(0..20).into_iter().map(|draft| seal(draft, &redactor).unwrap());
        relay.state().sealed.extend(first);
        let to = Destination { session_id: SessionId::from("s"), held_by: None };
        let refused = relay.append(Appending::begin(&connection, &mut heads, 0, &to).unwrap());
        assert!(matches!(refused, Err(StoreError::Internal { .. })));
        relay.seal(drafts(20..50), &redactor).unwrap();
        let back = relay.abandoned().unwrap();
        let expected: Vec<_> = drafts(0..50).into_iter().map(|draft| seal(draft, &redactor).unwrap()).collect();
        let payloads =
            |drafts: &[SealedDraft]| drafts.iter().map(|draft| draft.payload.to_string()).collect::<Vec<_>>();
        assert_eq!(payloads(&back), payloads(&expected));
    }

    #[test]
    fn a_caller_whose_last_draft_has_come_is_not_given_up() {
        let connection = Location::memory().open_writer().unwrap();
        let (relay, redactor, mut heads) = (Relay::default(), Redactor::default(), Heads::default());
        let to = Destination { session_id: SessionId::from("s"), held_by: None };
        relay.seal(drafts(0..50), &redactor).unwrap();
        let mut appending = Appending::begin(&connection, &mut heads, 0, &to).unwrap();
        assert!(!relay.abandon(&mut appending));
        assert_eq!(relay.append(appending).unwrap().len(), 50);
        assert!(relay.abandoned().is_none());
    }
}
