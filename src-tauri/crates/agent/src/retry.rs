//! Asking again after a fault that may pass. What had come of the answer is kept, marked as retried. How long to wait is
//! a plain function; the wait itself ends at once when the user says so.

use crate::answer::{AnswerEnd, AnswerSoFar};
use crate::run_log::RunLog;
use crate::stop_signals::StopSignals;
use arki_domain::{Code, EngineRetry, Error};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

/// The number of times one turn is asked whose answers begin and break off, the first included: each of them costs.
pub(crate) const MAX_ATTEMPTS: u32 = 5;
/// The same where no answer begins.
pub(crate) const MAX_REQUESTS: u32 = 12;
/// The same where what comes is no answer: a gateway's page mostly passes, a wrong address never does.
pub(crate) const MAX_UNREADABLE: u32 = 3;
/// The wait before the first retry, where the provider names none; each further one is twice as long.
pub(crate) const FIRST_WAIT: Duration = Duration::from_millis(500);
/// No wait is longer unless the provider asks for it.
pub(crate) const MAX_BACKOFF: Duration = Duration::from_secs(30);
/// All waits for one turn together. Whoever asks for more is not asked again.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// The retries of one turn so far.
#[derive(Default)]
pub(crate) struct Retries {
    count: u32,
    waited: Duration,
}

/// The way to treat an error that may pass.
#[derive(Debug, PartialEq)]
pub(crate) enum RetryVerdict {
    Wait(Duration),
    GiveUp(Error),
}

impl Retries {
    /// Counts a retry after `fault`, before which `answer` came, and decides whether there is one.
    pub(crate) fn next(&mut self, fault: Error, answer: &AnswerSoFar) -> RetryVerdict {
        self.count += 1;
        let broke_off = answer.has_begun() || fault.is(Code::PROVIDER_STREAM_CUT);
        let is_unreadable = !answer.has_begun() && fault.is(Code::PROVIDER_BAD_ANSWER);
        let attempts = match broke_off {
            true => MAX_ATTEMPTS,
            false if is_unreadable => MAX_UNREADABLE,
            false => MAX_REQUESTS,
        };
        let verdict = decide(fault, self, attempts, RandomState::new().build_hasher().finish());
        if let RetryVerdict::Wait(delay) = verdict {
            self.waited += delay;
        }
        verdict
    }

    /// Notes the retry and waits for its time. `None`: ask again now.
    pub(crate) async fn wait(
        &self,
        delay: Duration,
        (turn, code): (u32, String),
        log: &mut RunLog,
        stops: &StopSignals,
    ) -> Result<Option<AnswerEnd>, Error> {
        // Listens before it is announced: whoever sees the countdown can end it.
        let skipped = stops.skip_wait.notified();
        tokio::pin!(skipped);
        skipped.as_mut().enable();
        let delay_ms = u64::try_from(delay.as_millis()).unwrap_or(u64::MAX);
        log.append(vec![EngineRetry { turn, code, delay_ms, attempt: self.count }.into()]).await?;
        Ok(tokio::select! {
            biased;
            () = stops.cancel.cancelled() => Some(AnswerEnd::Cancelled),
            () = stops.pause.cancelled() => Some(AnswerEnd::Paused),
            () = stops.out_of_time(&log.state) => Some(AnswerEnd::OutOfTime),
            () = skipped => None,
            () = tokio::time::sleep(delay) => None,
        })
    }
}

fn decide(fault: Error, retries: &Retries, attempts: u32, random: u64) -> RetryVerdict {
    let left = PATIENCE.saturating_sub(retries.waited);
    if retries.count >= attempts || left.is_zero() {
        return RetryVerdict::GiveUp(fault);
    }
    match fault.retry_after_ms.map(Duration::from_millis) {
        Some(asked) if asked > left => RetryVerdict::GiveUp(asks_too_much(fault, asked)),
        // No provider means that it wants to be asked again at once.
        Some(asked) if !asked.is_zero() => RetryVerdict::Wait(asked.max(backoff(1, random)).min(left)),
        Some(_) | None => RetryVerdict::Wait(backoff(retries.count, random).min(left)),
    }
}

/// Returns a wait between half of the full wait and all of it, so that many who failed at once don't come back at once.
fn backoff(retry: u32, random: u64) -> Duration {
    let full = FIRST_WAIT.saturating_mul(2u32.saturating_pow(retry.saturating_sub(1))).min(MAX_BACKOFF);
    let half_ms = u64::try_from(full.as_millis() / 2).unwrap_or(u64::MAX).max(1);
    full / 2 + Duration::from_millis(random % (half_ms + 1))
}

fn asks_too_much(fault: Error, asked: Duration) -> Error {
    let message = format!("{} It asks to wait {}.", fault.message, in_words(asked));
    Error { message, hint: "Try again then, or choose another model.".to_owned(), ..fault }
}

fn in_words(wait: Duration) -> String {
    const DAY: u64 = 86_400;
    const MONTH: u64 = 30 * DAY;
    match wait.as_secs() {
        seconds @ 0..120 => format!("{seconds} s"),
        seconds @ 120..7200 => format!("{} min", seconds.div_ceil(60)),
        seconds @ 7200..=172_800 => format!("{} h", seconds.div_ceil(3600)),
        seconds @ 172_801..=MONTH => format!("{} days", seconds.div_ceil(DAY)),
        _ => "for more than 30 days".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arki_domain::Code;

    fn fault(retry_after_ms: Option<u64>) -> Error {
        Error { retry_after_ms, ..Error::new(Code::PROVIDER_RATE_LIMITED, "lab asks to slow down.", "Wait.") }
    }

    #[test]
    fn waits_double_stay_within_their_half_and_are_bounded() {
        for retry in 1..=40 {
            let full = FIRST_WAIT.saturating_mul(2u32.saturating_pow(retry - 1)).min(MAX_BACKOFF);
            assert_eq!(backoff(retry, 0), full / 2);
            for random in [1, 249, 1_000_003, u64::MAX] {
                assert!((full / 2..=full).contains(&backoff(retry, random)), "{retry} {random}");
            }
        }
        assert_ne!(backoff(3, 1), backoff(3, 2));
    }

    fn after(count: u32, waited_s: u64) -> Retries {
        Retries { count, waited: Duration::from_secs(waited_s) }
    }

    fn decided(asked: Option<u64>, retries: &Retries, random: u64) -> RetryVerdict {
        decide(fault(asked), retries, MAX_REQUESTS, random)
    }

    #[test]
    fn what_the_provider_asks_for_is_waited_up_to_the_limit() {
        assert_eq!(decided(Some(700), &after(1, 0), 7), RetryVerdict::Wait(Duration::from_millis(700)));
        assert_eq!(decided(Some(60_000), &after(4, 60), 7), RetryVerdict::Wait(Duration::from_secs(60)));
        let cases = [(120_001, "2 min"), (179_000, "3 min"), (86_400_000, "24 h")];
        let cases = cases.into_iter().chain([
            (172_800_001, "48 h"),
            (259_200_000, "3 days"),
            (2_592_001_000, "for more than 30 days"),
            (u64::MAX, "for more than 30 days"),
        ]);
        for (asked, words) in cases {
            let RetryVerdict::GiveUp(given_up) = decided(Some(asked), &after(1, 0), 7) else { panic!("waits {asked}") };
            assert_eq!(given_up.message, format!("lab asks to slow down. It asks to wait {words}."));
            assert!(given_up.is(Code::PROVIDER_RATE_LIMITED));
        }
        assert!(matches!(decided(Some(61_000), &after(4, 60), 7), RetryVerdict::GiveUp(_)), "two minutes in all");
    }

    #[test]
    fn whoever_asks_for_no_wait_is_not_asked_at_once() {
        for retry in 1..MAX_REQUESTS {
            for asked in [0, 1, 100] {
                let RetryVerdict::Wait(wait) = decided(Some(asked), &after(retry, 0), 7) else { panic!("gives up") };
                assert!(wait >= FIRST_WAIT / 2, "{retry} {asked}: {wait:?}");
            }
        }
        assert_eq!(decided(Some(0), &after(4, 0), 7), decided(None, &after(4, 0), 7));
        assert_ne!(decided(Some(0), &after(1, 0), 7), decided(Some(0), &after(1, 0), 8));
    }

    #[test]
    fn attempts_and_patience_are_bounded() {
        assert!(matches!(decided(None, &after(MAX_REQUESTS - 1, 0), 7), RetryVerdict::Wait(_)));
        assert_eq!(decided(Some(1), &after(MAX_REQUESTS, 0), 7), RetryVerdict::GiveUp(fault(Some(1))));
        assert_eq!(decided(None, &after(3, 120), 7), RetryVerdict::GiveUp(fault(None)));
        assert_eq!(decide(fault(None), &after(MAX_ATTEMPTS, 0), MAX_ATTEMPTS, 7), RetryVerdict::GiveUp(fault(None)));
        for random in [0, 1, 1_000_003, u64::MAX] {
            let mut retries = after(1, 0);
            while let RetryVerdict::Wait(wait) = decided(None, &retries, random) {
                retries = Retries { count: retries.count + 1, waited: retries.waited + wait };
            }
            assert!((Duration::from_secs(75)..=PATIENCE).contains(&retries.waited), "{:?}", retries.waited);
        }
    }
}
