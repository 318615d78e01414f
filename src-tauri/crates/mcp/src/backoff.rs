//! The time that a failing server is left alone: twice as long after each failure.

use std::time::{Duration, Instant};

const FIRST_WAIT: Duration = Duration::from_secs(1);
const MAX_WAIT: Duration = Duration::from_secs(60);

#[derive(Debug, Default)]
pub(crate) struct Backoff {
    failures: u32,
    not_before: Option<Instant>,
}

impl Backoff {
    /// The first one may be bad luck: nobody waits for it.
    pub(crate) fn note_failure(&mut self, now: Instant) {
        self.failures = self.failures.saturating_add(1);
        let doublings = self.failures.saturating_sub(2).min(16);
        let wait = FIRST_WAIT.saturating_mul(1 << doublings).min(MAX_WAIT);
        self.not_before = (self.failures > 1).then(|| now + wait);
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Why it is not tried now, if it is not.
    pub(crate) fn reason(&self, now: Instant) -> Option<String> {
        let wait = self.not_before?.checked_duration_since(now).filter(|wait| !wait.is_zero())?;
        let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
        Some(format!("failed {} times in a row; Arki will try again in {seconds} s.", self.failures))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_a_minute_and_end_with_an_answer() {
        let now = Instant::now();
        let mut backoff = Backoff::default();
        let mut waits = Vec::new();
        for _ in 0..9 {
            backoff.note_failure(now);
            let reason = backoff.reason(now).unwrap_or_default();
            waits.push(reason.rsplit(" in ").next().unwrap().to_owned());
        }
        assert_eq!(waits, ["", "1 s.", "2 s.", "4 s.", "8 s.", "16 s.", "32 s.", "60 s.", "60 s."]);
        assert_eq!(backoff.reason(now + MAX_WAIT), None);
        backoff.clear();
        backoff.note_failure(now);
        assert_eq!(backoff.reason(now), None);
    }
}
