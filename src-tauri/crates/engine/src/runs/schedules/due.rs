//! When a schedule is due. Pure: the time is handed in.

use arki_api::MissedRuns;
use arki_domain::{Code, Fault};
use cronexpr::{Crontab, FallbackTimezoneOption, MakeTimestamp, ParseOptions, parse_crontab_with};

/// A time that nobody looked at for so long was missed, in milliseconds.
const LATE_MS: i64 = 90_000;
/// Times that are looked at one by one; of more, only the last ones matter.
const MAX_TIMES: usize = 2000;
/// A clock that was ahead by more than this was wrong, in milliseconds.
const WRONG_CLOCK_MS: i64 = 2 * 24 * 60 * 60 * 1000;

pub(super) struct Times(Crontab);

/// The action for the latest time that has come; the time is in milliseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Due {
    Run(i64),
    Missed(i64),
}

impl Due {
    pub(super) fn at(self) -> i64 {
        match self {
            Self::Run(at) | Self::Missed(at) => at,
        }
    }
}

impl Times {
    /// # Errors
    /// `USAGE`, for what is no expression of five fields or no time zone.
    pub(super) fn new(cron: &str, time_zone: Option<&str>) -> Result<Self, Fault> {
        let fields = cron.split_whitespace().count();
        let words = match time_zone {
            _ if fields != 5 => None,
            Some(zone) if zone.is_empty() || zone.contains(char::is_whitespace) => None,
            Some(zone) => Some(format!("{cron} {zone}")),
            None => Some(cron.to_owned()),
        };
        let mut options = ParseOptions::default();
        options.fallback_timezone_option = FallbackTimezoneOption::System;
        let parsed = words.and_then(|words| parse_crontab_with(&words, options).ok());
        parsed.map(Self).ok_or_else(|| {
            let zone = time_zone.map(|zone| format!(" in the time zone {zone:?}")).unwrap_or_default();
            Fault::new(
                Code::USAGE,
                format!("{cron:?}{zone} is no time that can be scheduled."),
                "Write minute, hour, day of month, month and day of week, such as `30 7 * * MON-FRI`, and an IANA time \
                 zone such as Europe/Berlin.",
            )
        })
    }

    /// The first time after this one.
    pub(super) fn after(&self, ms: i64) -> Option<i64> {
        let from = MakeTimestamp::from_millisecond(ms).ok()?;
        Some(self.0.find_next(from).ok()?.timestamp().as_millisecond())
    }

    /// Returns what to do now, if a time has come since `since_ms`.
    pub(super) fn due(&self, since_ms: i64, now_ms: i64, missed: MissedRuns) -> Option<Due> {
        // A clock that is set back a little repeats nothing; one that was far ahead is not waited for.
        let since_ms = if since_ms > now_ms.saturating_add(WRONG_CLOCK_MS) { now_ms } else { since_ms };
        let mut last = None;
        let mut at = since_ms;
        for _ in 0..MAX_TIMES {
            match self.after(at).filter(|next| *next <= now_ms) {
                Some(next) => {
                    last = Some(next);
                    at = next;
                }
                None => break,
            }
        }
        // After a long absence the last of them is found from the other end.
        let last = match self.after(at).filter(|next| *next <= now_ms) {
            Some(_) => self.after(now_ms.saturating_sub(LATE_MS)).filter(|next| *next <= now_ms).or(Some(now_ms)),
            None => last,
        };
        let is_late = |at: i64| now_ms.saturating_sub(at) > LATE_MS;
        last.map(|at| if is_late(at) && missed == MissedRuns::Skip { Due::Missed(at) } else { Due::Run(at) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: i64 = 3_600_000;

    /// Milliseconds of a moment in UTC.
    fn at(text: &str) -> i64 {
        text.parse::<jiff::Timestamp>().unwrap().as_millisecond()
    }

    fn hourly() -> Times {
        Times::new("0 * * * *", Some("UTC")).unwrap()
    }

    #[test]
    fn it_is_due_once_its_time_has_come_and_not_again() {
        let (since, now) = (at("2026-03-01T10:10:00Z"), at("2026-03-01T11:00:01Z"));
        assert_eq!(hourly().due(since, at("2026-03-01T10:59:59Z"), MissedRuns::Skip), None);
        let due = hourly().due(since, now, MissedRuns::Skip).unwrap();
        assert_eq!(due, Due::Run(at("2026-03-01T11:00:00Z")));
        assert_eq!(hourly().due(due.at(), now, MissedRuns::Skip), None);
    }

    #[test]
    fn times_that_passed_unseen_are_skipped_or_made_up_for_once() {
        let (since, now) = (at("2026-03-01T10:10:00Z"), at("2026-03-01T14:30:00Z"));
        let last = at("2026-03-01T14:00:00Z");
        assert_eq!(hourly().due(since, now, MissedRuns::Skip), Some(Due::Missed(last)));
        assert_eq!(hourly().due(since, now, MissedRuns::Once), Some(Due::Run(last)));
        // One that has just come is run, whatever was missed before.
        assert_eq!(hourly().due(since, last + 1000, MissedRuns::Skip), Some(Due::Run(last)));
        let years = since - 20 * 365 * 24 * HOUR;
        assert!(hourly().due(years, now, MissedRuns::Once).is_some());
    }

    #[test]
    fn a_time_zone_has_its_own_hours_also_when_they_change() {
        let daily = Times::new("30 7 * * *", Some("Europe/Berlin")).unwrap();
        assert_eq!(daily.after(at("2026-03-28T00:00:00Z")), Some(at("2026-03-28T06:30:00Z")));
        assert_eq!(daily.after(at("2026-03-29T00:00:00Z")), Some(at("2026-03-29T05:30:00Z")), "summer time");
    }

    #[test]
    fn a_clock_that_jumps_runs_nothing_twice_and_stops_nothing_for_ever() {
        let last = at("2026-03-01T11:00:00Z");
        // Set back by an hour: the same time comes again, and is not due again.
        assert_eq!(hourly().due(last, at("2026-03-01T10:00:05Z"), MissedRuns::Once), None);
        // It was a year ahead.
        let ahead = last + 365 * 24 * HOUR;
        assert_eq!(hourly().due(ahead, last + 1000, MissedRuns::Once), None);
        let missed = Times::new("0 12 * * *", Some("UTC")).unwrap();
        assert_eq!(missed.after(last), Some(at("2026-03-01T12:00:00Z")));
    }

    #[test]
    fn what_is_no_expression_is_refused() {
        for (cron, zone) in [
            ("", None),
            ("* * * *", None),
            ("61 * * * *", None),
            ("* * * * *", Some("Nowhere/Else")),
            ("* * * * * UTC", None),
        ] {
            assert!(Times::new(cron, zone).is_err(), "{cron:?} {zone:?}");
        }
    }
}
