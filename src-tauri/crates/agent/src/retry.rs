//! Asking again after a fault that may pass. What had come of the answer is kept, marked as retried. How long to wait is
//! a plain function; the wait itself ends at once when the user says so.

use crate::answer::{Answer, AnswerEnd};
use crate::budget;
use crate::run_host::RunHost;
use crate::turn::Cut;
use arki_domain::{EngineRetry, Fault};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

/// The number of times one turn is asked, the first included.
pub(crate) const MAX_ATTEMPTS: u32 = 5;
/// The wait before the first retry, where the provider names none; each further one is twice as long.
pub(crate) const FIRST_WAIT: Duration = Duration::from_millis(500);
/// No wait is longer. Whoever asks for more is not asked again.
pub(crate) const MAX_WAIT: Duration = Duration::from_secs(60);

/// The way to treat an error that may pass.
#[derive(Debug, PartialEq)]
enum Verdict {
    Wait(Duration),
    GiveUp(Fault),
}

impl RunHost {
    /// Notes the retry and waits for its time. `None`: ask again now.
    ///
    /// `retry` counts from 1; `answer` is what came before the fault.
    pub(crate) async fn wait_for_retry(
        &mut self,
        retry: u32,
        fault: Fault,
        answer: Answer,
    ) -> Result<Option<(AnswerEnd, Answer)>, Fault> {
        let (code, turn) = (fault.code.clone(), answer.turn);
        let delay = match decide(fault, retry, RandomState::new().build_hasher().finish()) {
            Verdict::Wait(delay) => delay,
            Verdict::GiveUp(fault) => return Ok(Some((AnswerEnd::Failed(fault), answer))),
        };
        self.interrupted(answer, Cut::Retried).await?;
        // Listens before it is announced: whoever sees the countdown can end it.
        let skip_wait = self.skip_wait.clone();
        let skipped = skip_wait.notified();
        tokio::pin!(skipped);
        skipped.as_mut().enable();
        let delay_ms = u64::try_from(delay.as_millis()).unwrap_or(u64::MAX);
        self.append(vec![EngineRetry { turn, code, delay_ms, attempt: retry }.into()]).await?;
        let out_of_time = budget::out_of_time(&self.state, self.clock.now_ms());
        let end = tokio::select! {
            biased;
            () = self.cancel.cancelled() => Some(AnswerEnd::Cancelled),
            () = self.pause.cancelled() => Some(AnswerEnd::Paused),
            () = out_of_time => Some(AnswerEnd::OutOfTime),
            () = skipped => None,
            () = tokio::time::sleep(delay) => None,
        };
        Ok(end.map(|end| (end, self.answer(turn))))
    }
}

fn decide(fault: Fault, retry: u32, random: u64) -> Verdict {
    if retry >= MAX_ATTEMPTS {
        return Verdict::GiveUp(fault);
    }
    match fault.retry_after_ms.map(Duration::from_millis) {
        Some(asked) if asked > MAX_WAIT => Verdict::GiveUp(asks_too_much(fault, asked)),
        // No provider means that it wants to be asked again at once.
        Some(asked) if !asked.is_zero() => Verdict::Wait(asked.max(backoff(1, random))),
        Some(_) | None => Verdict::Wait(backoff(retry, random)),
    }
}

/// Between half of the full wait and all of it, so that many who failed at once don't come back at once.
fn backoff(retry: u32, random: u64) -> Duration {
    let full = FIRST_WAIT.saturating_mul(2u32.saturating_pow(retry.saturating_sub(1))).min(MAX_WAIT);
    let half_ms = u64::try_from(full.as_millis() / 2).unwrap_or(u64::MAX).max(1);
    full / 2 + Duration::from_millis(random % (half_ms + 1))
}

fn asks_too_much(fault: Fault, asked: Duration) -> Fault {
    let message = format!("{} It asks to wait {}.", fault.message, in_words(asked));
    Fault { message, hint: "Try again then, or choose another model.".to_owned(), ..fault }
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

    fn fault(retry_after_ms: Option<u64>) -> Fault {
        Fault { retry_after_ms, ..Fault::new(Code::PROVIDER_RATE_LIMITED, "lab asks to slow down.", "Wait.") }
    }

    #[test]
    fn waits_double_stay_within_their_half_and_are_bounded() {
        for retry in 1..=40 {
            let full = FIRST_WAIT.saturating_mul(2u32.saturating_pow(retry - 1)).min(MAX_WAIT);
            assert_eq!(backoff(retry, 0), full / 2);
            for random in [1, 249, 1_000_003, u64::MAX] {
                assert!((full / 2..=full).contains(&backoff(retry, random)), "{retry} {random}");
            }
        }
        assert_ne!(backoff(3, 1), backoff(3, 2));
    }

    #[test]
    fn what_the_provider_asks_for_is_waited_up_to_the_limit() {
        assert_eq!(decide(fault(Some(700)), 1, 7), Verdict::Wait(Duration::from_millis(700)));
        assert_eq!(decide(fault(Some(60_000)), 4, 7), Verdict::Wait(MAX_WAIT));
        let cases = [(60_001, "60 s"), (90_000, "90 s"), (179_000, "3 min"), (86_400_000, "24 h")];
        let cases = cases.into_iter().chain([
            (172_800_001, "48 h"),
            (259_200_000, "3 days"),
            (2_592_001_000, "for more than 30 days"),
            (u64::MAX, "for more than 30 days"),
        ]);
        for (asked, words) in cases {
            let Verdict::GiveUp(given_up) = decide(fault(Some(asked)), 1, 7) else { panic!("waits {asked}") };
            assert_eq!(given_up.message, format!("lab asks to slow down. It asks to wait {words}."));
            assert!(given_up.is(Code::PROVIDER_RATE_LIMITED));
        }
    }

    #[test]
    fn whoever_asks_for_no_wait_is_not_asked_at_once() {
        for retry in 1..MAX_ATTEMPTS {
            for asked in [0, 1, 100] {
                let Verdict::Wait(wait) = decide(fault(Some(asked)), retry, 7) else { panic!("gives up") };
                assert!(wait >= FIRST_WAIT / 2, "{retry} {asked}: {wait:?}");
            }
        }
        assert_eq!(decide(fault(Some(0)), 4, 7), decide(fault(None), 4, 7));
        assert_ne!(decide(fault(Some(0)), 1, 7), decide(fault(Some(0)), 1, 8));
    }

    #[test]
    fn attempts_are_bounded() {
        assert!(matches!(decide(fault(None), MAX_ATTEMPTS - 1, 7), Verdict::Wait(_)));
        assert_eq!(decide(fault(Some(1)), MAX_ATTEMPTS, 7), Verdict::GiveUp(fault(Some(1))));
    }
}
