//! Hard limits of a run: turns, seconds, money. They pause and ask; they never fail the run.

use arki_domain::Clock;
use arki_domain::projection::RunState;
use std::time::Duration;
use tokio::time::Instant;

/// The clock of a run's time limit: it begins with the time of day and goes on steadily, whoever sets that.
pub(crate) struct SteadyClock {
    began: Instant,
    began_ms: i64,
}

impl SteadyClock {
    pub(crate) fn begin(clock: &dyn Clock) -> Self {
        Self { began: Instant::now(), began_ms: clock.now_ms() }
    }

    /// Milliseconds since 1970, unless the time of day was set meanwhile.
    pub(crate) fn now_ms(&self) -> i64 {
        self.began_ms.saturating_add(i64::try_from(self.began.elapsed().as_millis()).unwrap_or(i64::MAX))
    }
}

/// Returns whether the run may ask the model once more.
pub(crate) fn is_exhausted(state: &RunState, now_ms: i64) -> bool {
    let options = &state.options;
    let out_of_turns = options.max_turns.is_some_and(|limit| state.turns_in_budget >= limit);
    let out_of_money = options
        .max_cost_usd
        .is_some_and(|limit| spent(state).is_some_and(|cost| cost >= limit && state.turns_in_budget > 0));
    out_of_turns || out_of_money || milliseconds_left(state, now_ms) == Some(0)
}

/// Until the cost limit, in US dollars; `None` without one, or where it cannot be kept.
pub(crate) fn cost_left(state: &RunState) -> Option<f64> {
    Some((state.options.max_cost_usd? - spent(state)?).max(0.0))
}

/// The cost so far, with what is set aside for sub-agents in the background: that may be spent at any moment.
fn spent(state: &RunState) -> Option<f64> {
    Some(state.cost_in_budget? + state.cost_set_aside())
}

/// Ends when the run's time is over: never, where it has no limit.
pub(crate) fn out_of_time(state: &RunState, now_ms: i64) -> tokio::time::Sleep {
    tokio::time::sleep(milliseconds_left(state, now_ms).map_or(Duration::MAX, Duration::from_millis))
}

/// Until the time limit; `None` without one.
pub(crate) fn milliseconds_left(state: &RunState, now_ms: i64) -> Option<u64> {
    let limit_ms = state.options.max_seconds?.saturating_mul(1000);
    let spent_ms = u64::try_from(now_ms.saturating_sub(state.budget_since_ms)).unwrap_or(0);
    Some(limit_ms.saturating_sub(spent_ms))
}
