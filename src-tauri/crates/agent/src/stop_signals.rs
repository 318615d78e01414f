//! Everything that stops a run from outside: the user, and its hard limits of turns, seconds and money. Limits pause and
//! ask; they never fail the run.

use arki_domain::Clock;
use arki_domain::projection::RunState;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::{Instant, Sleep};
use tokio_util::sync::CancellationToken;

/// Without a word for so long a request counts as silent, and the user may end it to ask again.
const SILENCE: Duration = Duration::from_secs(5);

/// The control of a run from outside: to stop it, or to pause it after its present step.
#[derive(Debug, Clone, Default)]
pub struct RunControl {
    pub cancel: CancellationToken,
    pub pause: CancellationToken,
    /// Ends the wait before a retry, or a request of which nothing comes; otherwise nothing.
    pub skip_wait: Arc<Notify>,
}

/// The clock of a run's time limit: it begins with the time of day and goes on steadily, whoever sets that.
#[derive(Debug, Clone, Copy)]
struct SteadyClock {
    began: Instant,
    began_ms: i64,
}

impl SteadyClock {
    fn begin(clock: &dyn Clock) -> Self {
        Self { began: Instant::now(), began_ms: clock.now_ms() }
    }

    /// Milliseconds since 1970, unless the time of day was set meanwhile.
    fn now_ms(&self) -> i64 {
        self.began_ms.saturating_add(i64::try_from(self.began.elapsed().as_millis()).unwrap_or(i64::MAX))
    }
}

/// A run's control, and the clock of its limits.
#[derive(Debug, Clone)]
pub(crate) struct StopSignals {
    pub(crate) cancel: CancellationToken,
    pub(crate) pause: CancellationToken,
    pub(crate) skip_wait: Arc<Notify>,
    clock: SteadyClock,
}

impl StopSignals {
    pub(crate) fn new(control: RunControl, clock: &dyn Clock) -> Self {
        let RunControl { cancel, pause, skip_wait } = control;
        Self { cancel, pause, skip_wait, clock: SteadyClock::begin(clock) }
    }

    /// Returns whether nothing more may be asked of the model within the run's limits.
    pub(crate) fn is_out_of_budget(&self, state: &RunState) -> bool {
        let options = &state.options;
        let out_of_turns = options.max_turns.is_some_and(|limit| state.turns_in_budget >= limit);
        let out_of_money = options
            .max_cost_usd
            .is_some_and(|limit| spent(state).is_some_and(|cost| cost >= limit && state.turns_in_budget > 0));
        out_of_turns || out_of_money || self.time_left(state) == Some(Duration::ZERO)
    }

    /// Ends when the run's time is over: never, where it has no limit.
    pub(crate) fn out_of_time(&self, state: &RunState) -> Sleep {
        tokio::time::sleep(self.time_left(state).unwrap_or(Duration::MAX))
    }

    /// Ends when the user wants to ask again, and nothing has come since `heard` for so long that it is no mistake.
    pub(crate) async fn asked_again(&self, heard: Instant) {
        loop {
            self.skip_wait.notified().await;
            if heard.elapsed() >= SILENCE {
                return;
            }
        }
    }

    /// Until the time limit; `None` without one.
    pub(crate) fn time_left(&self, state: &RunState) -> Option<Duration> {
        let limit_ms = state.options.max_seconds?.saturating_mul(1000);
        let spent_ms = u64::try_from(self.clock.now_ms().saturating_sub(state.budget_since_ms)).unwrap_or(0);
        Some(Duration::from_millis(limit_ms.saturating_sub(spent_ms)))
    }
}

/// Until the cost limit, in US dollars; `None` without one, or where it cannot be kept.
pub(crate) fn cost_left(state: &RunState) -> Option<f64> {
    Some((state.options.max_cost_usd? - spent(state)?).max(0.0))
}

/// The cost so far, with what is set aside for sub-agents in the background: that may be spent at any moment.
fn spent(state: &RunState) -> Option<f64> {
    Some(state.cost_in_budget? + state.cost_set_aside())
}
