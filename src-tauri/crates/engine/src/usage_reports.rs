//! Usage by day, model and project.

use crate::{Records, blocking};
use arki_api::{UsageEntry, UsageReport};
use arki_domain::projection::{DailyUsage, UsagePlace, UsageTotal};
use arki_domain::{Error, SessionId, sha256_hex};
use arki_store::{StoreReader, UsageMark};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;
use std::sync::Arc;

/// The days of a time zone that are sampled: 2020 to 2039.
const SAMPLED_DAYS: RangeInclusive<i64> = 18_262..=25_566;
const SECONDS_A_DAY: i64 = 86_400;

/// The key under which the sum of all sessions is kept.
const KEPT: &str = "usage_by_day.3";

#[derive(Default, Serialize, Deserialize)]
struct KeptUsage {
    /// The [`signature`] of the time zone whose days they are.
    zone: String,
    mark: UsageMark,
    usage: DailyUsage,
}

/// The usage of sessions, told by day.
pub struct UsageReports {
    records: Arc<Records>,
}

impl UsageReports {
    pub(crate) fn new(records: Arc<Records>) -> Self {
        Self { records }
    }

    /// Returns the daily usage of one session, or of all that are kept; days are those of the user's time zone. A
    /// fork's origin has used what it used itself. Of all sessions only what is new since the last time is read.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn daily_usage(&self, session: Option<&SessionId>) -> Result<DailyUsage, Error> {
        let session = session.cloned();
        let used = blocking(&self.records, move |records| used(records.reader(), session.as_ref()));
        let (usage, to_keep) = used.await?;
        if let Some(text) = to_keep
            // Nothing is lost without it but time.
            && let Err(error) = self.records.store().set_meta(KEPT, &text).await
        {
            tracing::warn!(%error, "what was used was not kept by day");
        }
        Ok(usage)
    }

    /// The usage of all sessions for a client, with the day it is where the user is.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn usage_report(&self) -> Result<UsageReport, Error> {
        let usage = self.daily_usage(None).await?;
        let entries = usage.totals().iter().map(|(place, total)| usage_entry(place, total)).collect();
        Ok(UsageReport { today: day(Timestamp::now().as_millisecond()), entries })
    }
}

/// The usage, and what is to be kept for the next time where there is news.
fn used(reader: &StoreReader, session: Option<&SessionId>) -> Result<(DailyUsage, Option<String>), Error> {
    let zone = TimeZone::system();
    let day = |ts| day_in(&zone, ts);
    let mut usage = DailyUsage::default();
    if let Some(session) = session {
        reader.log().each_usage_event_of(session, |event, project| usage.apply(event, project, day))?;
        return Ok((usage, None));
    }
    let signature = signature(&zone);
    let kept = kept_usage(reader, &signature)?;
    usage = kept.usage;
    let mut mark = reader.log().each_usage_event_after(kept.mark, |event, project| usage.apply(event, project, day))?;
    if mark.is_none() {
        usage = DailyUsage::default();
        let from_start = UsageMark::default();
        mark = reader.log().each_usage_event_after(from_start, |event, project| usage.apply(event, project, day))?;
    }
    let Some(mark) = mark.filter(|mark| *mark != kept.mark) else { return Ok((usage, None)) };
    let kept = KeptUsage { zone: signature, mark, usage };
    let text = serde_json::to_string(&kept).ok();
    Ok((kept.usage, text))
}

/// Returns the kept usage; one that cannot be read is built anew from the log.
fn kept_usage(reader: &StoreReader, zone: &str) -> Result<KeptUsage, Error> {
    let kept = reader.meta(KEPT)?.and_then(|text| serde_json::from_str::<KeptUsage>(&text).ok());
    Ok(kept.filter(|kept| kept.zone == zone).unwrap_or_default())
}

fn usage_entry(place: &UsagePlace, total: &UsageTotal) -> UsageEntry {
    UsageEntry {
        day: place.day.clone(),
        model: place.model.clone(),
        project: place.project.clone(),
        requests: total.requests,
        prompt_tokens: total.prompt_tokens,
        completion_tokens: total.completion_tokens,
        cached_tokens: total.cached_tokens,
        known_cost_usd: total.known_cost_usd,
        unknown_prompt: total.unknown.prompt,
        unknown_completion: total.unknown.completion,
        unknown_cached: total.unknown.cached,
        unknown_cost: total.has_unknown_cost,
    }
}

/// A zone's name is not always known; what it does to the clock is.
fn signature(zone: &TimeZone) -> String {
    let offset = |day| zone.to_offset(Timestamp::from_second(day * SECONDS_A_DAY).unwrap_or_default()).seconds();
    let offsets: Vec<u8> = SAMPLED_DAYS.flat_map(|day| offset(day).to_le_bytes()).collect();
    sha256_hex(&offsets)
}

/// The day of a moment (milliseconds since 1970) in the user's time zone, as YYYY-MM-DD.
pub(crate) fn day(ts: i64) -> String {
    day_in(&TimeZone::system(), ts)
}

pub(crate) fn day_in(zone: &TimeZone, ts: i64) -> String {
    zone.to_datetime(Timestamp::from_millisecond(ts).unwrap_or_default()).date().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zone_is_known_by_what_it_does_to_the_clock() {
        let of = |zone: &str| signature(&TimeZone::posix(zone).unwrap());
        assert_eq!(of("CET-1CEST,M3.5.0,M10.5.0/3"), of("MEZ-1MESZ,M3.5.0,M10.5.0/3"));
        assert_ne!(of("CET-1CEST,M3.5.0,M10.5.0/3"), of("CET-1"));
        assert_ne!(of("CET-1"), signature(&TimeZone::UTC));
    }
}
