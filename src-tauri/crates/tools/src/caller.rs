//! The caller of a tool from outside, for questions to the user in the middle of the call: where the call stands, that
//! its time stands still meanwhile, and the questions and answers, which become part of its result.

use arki_domain::{CallContext, CallId, Elicitation, ElicitationAnswer, RunId, SessionId, ToolCall};
use serde_json::{Map, Value};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

/// One call may ask the user so often, however it is answered; else one that asks again and again would never end.
pub const MAX_ELICITATIONS_A_CALL: usize = 20;

/// The place of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallPlace {
    pub session_id: SessionId,
    pub run_id: RunId,
    pub call_id: CallId,
}

impl CallPlace {
    pub(crate) fn of(call: &ToolCall, context: &CallContext) -> Self {
        let CallContext { session_id, run_id, .. } = context.clone();
        Self { session_id, run_id, call_id: call.call_id.clone() }
    }
}

/// One call; clones are the same one.
#[derive(Debug, Clone)]
pub struct Caller(Arc<CallerState>);

#[derive(Debug)]
struct CallerState {
    place: CallPlace,
    /// Questions that wait for the user.
    open: watch::Sender<usize>,
    asked: Mutex<Vec<AskedElicitation>>,
}

#[derive(Debug)]
struct AskedElicitation {
    elicitation: Elicitation,
    since: Instant,
    is_open: bool,
}

/// A question that waits; the call's time stands still as long as it is held.
#[derive(Debug)]
pub struct OpenElicitation {
    caller: Caller,
    index: usize,
}

impl Caller {
    #[must_use]
    pub fn new(place: CallPlace) -> Self {
        Self(Arc::new(CallerState { place, open: watch::Sender::new(0), asked: Mutex::default() }))
    }

    #[must_use]
    pub fn place(&self) -> &CallPlace {
        &self.0.place
    }

    /// Records the question before the user is asked. A question that is never answered stays as it is given here.
    /// `None` if this call has asked often enough.
    #[must_use]
    pub fn ask(&self, elicitation: Elicitation) -> Option<OpenElicitation> {
        let mut asked = self.asked();
        if asked.len() == MAX_ELICITATIONS_A_CALL {
            return None;
        }
        asked.push(AskedElicitation { elicitation, since: Instant::now(), is_open: true });
        self.0.open.send_modify(|open| *open += 1);
        Some(OpenElicitation { caller: self.clone(), index: asked.len() - 1 })
    }

    /// All that was asked until now.
    #[must_use]
    pub fn elicitations(&self) -> Vec<Elicitation> {
        let told = |asked: &AskedElicitation| match asked.is_open {
            true => Elicitation { waited_ms: milliseconds(asked.since), ..asked.elicitation.clone() },
            false => asked.elicitation.clone(),
        };
        self.asked().iter().map(told).collect()
    }

    /// Ends when so much time has passed in which nobody was asked.
    pub(crate) async fn time_is_up(&self, limit: Duration) {
        let mut open = self.0.open.subscribe();
        let mut left = limit;
        loop {
            let since = Instant::now();
            tokio::select! {
                () = tokio::time::sleep(left) => return,
                _ = open.wait_for(|open| *open > 0) => left = left.saturating_sub(since.elapsed()),
            }
            // The sender is here, so that it cannot be gone.
            let _ = open.wait_for(|open| *open == 0).await;
        }
    }

    fn asked(&self) -> MutexGuard<'_, Vec<AskedElicitation>> {
        self.0.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OpenElicitation {
    pub fn answered(self, answer: ElicitationAnswer, values: Map<String, Value>) {
        if let Some(asked) = self.caller.asked().get_mut(self.index) {
            asked.elicitation.answer = answer;
            asked.elicitation.values = values;
        }
    }
}

impl Drop for OpenElicitation {
    fn drop(&mut self) {
        if let Some(asked) = self.caller.asked().get_mut(self.index) {
            asked.elicitation.waited_ms = milliseconds(asked.since);
            asked.is_open = false;
        }
        self.caller.0.open.send_modify(|open| *open -= 1);
    }
}

fn milliseconds(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caller() -> Caller {
        Caller::new(CallPlace {
            session_id: SessionId::from("s"),
            run_id: RunId::from("r"),
            call_id: CallId::from("c"),
        })
    }

    fn question() -> Elicitation {
        Elicitation {
            server: "x".into(),
            message: "Which?".into(),
            url: None,
            fields: Vec::new(),
            answer: ElicitationAnswer::Cancelled,
            values: Map::new(),
            waited_ms: 0,
        }
    }

    #[tokio::test(start_paused = true)]
    async fn time_stands_still_while_the_user_is_asked() {
        let (caller, began) = (caller(), Instant::now());
        let asking = async {
            for _ in 0..2 {
                tokio::time::sleep(Duration::from_secs(4)).await;
                let open = caller.ask(question()).unwrap();
                tokio::time::sleep(Duration::from_secs(100)).await;
                open.answered(ElicitationAnswer::Declined, Map::new());
            }
        };
        tokio::join!(asking, caller.time_is_up(Duration::from_secs(10)));
        assert_eq!(began.elapsed().as_secs(), 210);
        let asked = caller.elicitations();
        assert!(asked.iter().all(|asked| asked.answer == ElicitationAnswer::Declined));
        assert!(asked.iter().all(|asked| asked.waited_ms >= 100_000));
    }

    #[tokio::test]
    async fn what_is_still_open_is_told_as_it_was_asked_and_nobody_asks_for_ever() {
        let caller = caller();
        let open: Vec<_> = (0..MAX_ELICITATIONS_A_CALL).map(|_| caller.ask(question()).unwrap()).collect();
        assert_eq!(caller.elicitations()[0].answer, ElicitationAnswer::Cancelled);
        drop(open);
        assert!(caller.ask(question()).is_none());
    }
}
