//! When a schedule is due. Pure: the time is handed in.
//!
//! A time of day comes once a day, also where the clocks change: one that is skipped in spring comes as much later as
//! they went forward, one that there is twice in autumn comes the first time. Every hour is every hour that passes.

use arki_api::MissedRuns;
use arki_domain::{Code, Error};
use cronexpr::{Crontab, FallbackTimezoneOption, MakeTimestamp, ParseOptions, parse_crontab_with};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan, Zoned};

/// A time that nobody looked at for so long was missed, in milliseconds.
const LATE_MS: i64 = 90_000;
/// Times that are looked at one by one; of more, only the last ones matter.
const MAX_TIMES: usize = 2000;
/// A clock that was ahead by more than this was wrong, in milliseconds.
const WRONG_CLOCK_MS: i64 = 60 * 60 * 1000;
/// The library looks four years ahead; this often, for a 29 February on a certain weekday, also across 2100.
const MAX_SEARCHES: usize = 11;

pub(super) struct Times {
    /// The schedule in clock time, read as if that were UTC; a schedule for every hour is read in its own time zone.
    crontab: Crontab,
    /// `None` where it is for every hour.
    zone: Option<TimeZone>,
}

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

/// Returns up to when the times are dealt with, by what is noted: a clock that is set back a little repeats nothing; one
/// that was far ahead is not waited for.
pub(super) fn dealt_with(since_ms: i64, now_ms: i64) -> i64 {
    if since_ms > now_ms.saturating_add(WRONG_CLOCK_MS) { now_ms } else { since_ms }
}

impl Times {
    /// # Errors
    /// `USAGE`, for what is no expression of five fields or no time zone.
    pub(super) fn new(cron: &str, time_zone: Option<&str>) -> Result<Self, Error> {
        let fields: Vec<&str> = cron.split_whitespace().collect();
        let zone = match time_zone {
            Some(zone) => TimeZone::get(zone).ok(),
            None => Some(TimeZone::system()),
        };
        let zone = zone.filter(|_| fields.len() == 5);
        let is_hourly = fields.get(1).is_some_and(|hours| ["*", "*/1", "0-23"].contains(hours));
        let mut options = ParseOptions::default();
        options.fallback_timezone_option = FallbackTimezoneOption::System;
        let parse = |zone: &str| parse_crontab_with(&format!("{cron} {zone}"), options).ok();
        let parsed = match is_hourly {
            true => parse(time_zone.unwrap_or_default()),
            false => parse("UTC"),
        };
        if let (Some(crontab), Some(zone)) = (parsed, zone) {
            return Ok(Self { crontab, zone: (!is_hourly).then_some(zone) });
        }
        let zone = time_zone.map(|zone| format!(" in the time zone {zone:?}")).unwrap_or_default();
        Err(Error::new(
            Code::USAGE,
            format!("{cron:?}{zone} isn't a time that can be scheduled."),
            "Write minute, hour, day of month, month and day of week, such as `30 7 * * MON-FRI`, and an IANA time zone \
             such as Europe/Berlin.",
        ))
    }

    /// Checks that there is a time after this one.
    ///
    /// # Errors
    /// `USAGE`, for a date that never comes, such as 31 February.
    pub(super) fn ensure_comes(&self, cron: &str, now_ms: i64) -> Result<(), Error> {
        self.after(now_ms).map(drop).ok_or_else(|| {
            let message = format!("{cron:?} never comes: there is no such date.");
            Error::new(Code::USAGE, message, "Choose a day that the month has; `0 0 L * *` is the last day of a month.")
        })
    }

    /// The first time after this one.
    pub(super) fn after(&self, ms: i64) -> Option<i64> {
        let now = Timestamp::from_millisecond(ms).ok()?;
        let Some(zone) = &self.zone else { return Some(self.next(now)?.timestamp().as_millisecond()) };
        let here = now.to_zoned(zone.clone());
        // What the clock skipped, or showed twice, is looked at again.
        let day_before = now.checked_sub(25.hours()).ok()?.to_zoned(zone.clone());
        let change = here.offset().duration_since(day_before.offset()).abs();
        let mut shown = here.datetime().checked_sub(change).ok()?;
        let mut found: Option<Zoned> = None;
        loop {
            shown = self.next(TimeZone::UTC.to_timestamp(shown).ok()?)?.datetime();
            // One that is skipped may come after one that follows it.
            if let Some(found) = found.take_if(|found| shown > found.datetime()) {
                return Some(found.timestamp().as_millisecond());
            }
            let at = zone.to_zoned(shown).ok().filter(|at| at.timestamp() > now);
            found = found.into_iter().chain(at).min();
        }
    }

    fn next(&self, after: Timestamp) -> Option<Zoned> {
        let years = |from: &Timestamp| from.checked_add((4 * 365 * 24).hours()).ok();
        let starts = std::iter::successors(Some(after), years).take(MAX_SEARCHES);
        starts.into_iter().find_map(|from| self.crontab.find_next(MakeTimestamp(from)).ok())
    }

    /// Returns what to do now, if a time has come since `since_ms`.
    pub(super) fn due(&self, since_ms: i64, now_ms: i64, missed: MissedRuns) -> Option<Due> {
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

    /// The times of a few days, as the clock of Berlin shows them, with the offset.
    fn in_berlin(cron: &str, from: &str, to: &str) -> Vec<String> {
        let times = Times::new(cron, Some("Europe/Berlin")).unwrap();
        let all = std::iter::successors(times.after(at(from)), |last| times.after(*last));
        let zone = TimeZone::get("Europe/Berlin").unwrap();
        let shown = |ms: i64| {
            Timestamp::from_millisecond(ms).unwrap().to_zoned(zone.clone()).strftime("%d %H:%M %z").to_string()
        };
        all.take_while(|ms| *ms < at(to)).map(shown).collect()
    }

    #[test]
    fn a_time_of_day_comes_once_where_the_clocks_go_forward() {
        let check = |cron, expected: &[&str]| {
            assert_eq!(in_berlin(cron, "2026-03-28T12:00:00Z", "2026-03-30T03:00:00Z"), expected, "{cron}");
        };
        check("30 2 * * *", &["29 03:30 +0200", "30 02:30 +0200"]);
        check("0 2 * * *", &["29 03:00 +0200", "30 02:00 +0200"]);
        check("59 2 29 3 *", &["29 03:59 +0200"]);
        check("30 1-3 29 * *", &["29 01:30 +0100", "29 03:30 +0200"]);
        check("15,45 2 29 * *", &["29 03:15 +0200", "29 03:45 +0200"]);
        check(
            "0 */2 29 3 *",
            &[
                "29 00:00 +0100",
                "29 03:00 +0200",
                "29 04:00 +0200",
                "29 06:00 +0200",
                "29 08:00 +0200",
                "29 10:00 +0200",
                "29 12:00 +0200",
                "29 14:00 +0200",
                "29 16:00 +0200",
                "29 18:00 +0200",
                "29 20:00 +0200",
                "29 22:00 +0200",
            ],
        );
    }

    #[test]
    fn a_time_of_day_comes_once_where_the_clocks_go_back() {
        let check = |cron, expected: &[&str]| {
            assert_eq!(in_berlin(cron, "2026-10-24T12:00:00Z", "2026-10-26T03:00:00Z"), expected, "{cron}");
        };
        check("30 2 * * *", &["25 02:30 +0200", "26 02:30 +0100"]);
        check("0 2 * * *", &["25 02:00 +0200", "26 02:00 +0100"]);
        check("15,45 2 25 * *", &["25 02:15 +0200", "25 02:45 +0200"]);
        check("0 3 * * *", &["25 03:00 +0100", "26 03:00 +0100"]);
    }

    #[test]
    fn every_hour_is_every_hour_that_passes() {
        let minutes = |times: Vec<String>| times.len();
        for cron in ["*/30 * * * *", "0,30 0-23 * * *"] {
            let spring = in_berlin(cron, "2026-03-29T00:01:00Z", "2026-03-29T04:00:00Z");
            let autumn = in_berlin(cron, "2026-10-24T23:01:00Z", "2026-10-25T03:00:00Z");
            assert_eq!((minutes(spring), minutes(autumn)), (7, 7), "{cron}");
        }
    }

    #[test]
    fn a_change_of_half_an_hour_keeps_the_order() {
        // Lord Howe goes forward by half an hour, from 2:00.
        let times = Times::new("15,40 2 * * *", Some("Australia/Lord_Howe")).unwrap();
        let before = at("2026-10-03T15:00:00Z");
        let first = times.after(before).unwrap();
        assert_eq!([first, times.after(first).unwrap()], [at("2026-10-03T15:40:00Z"), at("2026-10-03T15:45:00Z")]);
    }

    #[test]
    fn a_date_that_never_comes_is_told_from_one_that_is_far_away() {
        let now = at("2026-11-28T05:00:00Z");
        let comes = |cron: &str| Times::new(cron, Some("UTC")).unwrap().ensure_comes(cron, now).is_ok();
        let never = ["0 0 31 2 *", "0 0 30 2 *", "0 0 31 4,6,9,11 *", "* * 30 2 *", "*/5 3 31 FEB *"];
        assert_eq!(never.map(comes), [false; 5]);
        let far = ["0 0 29 2 *", "0 0 31 2,3 *", "0 0 */28 2 MON", "0 0 30 2 MON", "0 0 L 2 *"];
        assert_eq!(far.map(comes), [true; 5]);
        let leap = Times::new("0 0 29 2 *", Some("UTC")).unwrap();
        assert_eq!(leap.after(at("2096-03-01T00:00:00Z")), Some(at("2104-02-29T00:00:00Z")));
    }

    #[test]
    fn a_clock_that_jumps_runs_nothing_twice_and_stops_nothing_for_ever() {
        let last = at("2026-03-01T11:00:00Z");
        // Set back by an hour: the same time comes again, and is not due again.
        let now = at("2026-03-01T10:00:05Z");
        assert_eq!(hourly().due(dealt_with(last, now), now, MissedRuns::Once), None);
        // It was ahead, by ten years or some hours: from now on.
        for ahead in [10 * 365 * 24 * HOUR, 5 * HOUR] {
            let since = dealt_with(last + ahead, last + 1000);
            assert_eq!(since, last + 1000);
            assert_eq!(hourly().due(since, last + HOUR, MissedRuns::Skip), Some(Due::Run(last + HOUR)));
        }
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
