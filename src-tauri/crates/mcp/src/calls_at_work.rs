//! The calls that a server works on, so that what it asks in the middle of one can be told to whom it belongs, and is taken
//! back when the call ends.

use arki_tools::Caller;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio_util::sync::{CancellationToken, DropGuard};

tokio::task_local! {
    /// Servers of the newest protocol answer a call with what they ask, which is then known to be this one's.
    static THIS_CALL: CallAtWork;
}

#[derive(Debug, Default)]
pub(crate) struct CallsAtWork(Mutex<Vec<CallAtWork>>);

#[derive(Debug, Clone)]
pub(crate) struct CallAtWork {
    pub(crate) caller: Caller,
    ended: CancellationToken,
}

impl CallsAtWork {
    /// Does the call, which is at work until then.
    pub(crate) async fn during<T>(&self, caller: &Caller, call: impl Future<Output = T>) -> T {
        let ended = CancellationToken::new();
        let _guard: DropGuard = ended.clone().drop_guard();
        let at_work = CallAtWork { caller: caller.clone(), ended };
        self.add(at_work.clone());
        THIS_CALL.scope(at_work, call).await
    }

    /// Returns the calls that a question of the server may belong to.
    pub(crate) fn asking(&self) -> Vec<CallAtWork> {
        if let Ok(this) = THIS_CALL.try_with(Clone::clone) {
            return vec![this];
        }
        self.calls().iter().filter(|call| !call.ended.is_cancelled()).cloned().collect()
    }

    fn add(&self, call: CallAtWork) {
        let mut calls = self.calls();
        calls.retain(|call| !call.ended.is_cancelled());
        calls.push(call);
    }

    fn calls(&self) -> MutexGuard<'_, Vec<CallAtWork>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends when all of them have.
pub(crate) async fn all_ended(calls: &[CallAtWork]) {
    for call in calls {
        call.ended.cancelled().await;
    }
}
