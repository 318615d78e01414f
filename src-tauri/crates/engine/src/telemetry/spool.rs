//! The spool: up to where in the log finished runs were sent, and who is sending.
//!
//! There is no queue: the log is one. What is kept is a setting of the database, which whoever sends changes only from
//! what it last saw, so that of several processes one sends, and a run that ends meanwhile is the next one's.

use crate::Records;
use arki_domain::Error;
use arki_store::{LogCursor, StoreError};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;

const SETTING: &str = "telemetry";
/// The setting while telemetry is off: what ends from now on is never sent.
const OFF: &str = "off";
/// A process that was killed while it sent is waited for so long.
const HOLD_MS: i64 = 30_000;
/// The first wait for a receiver that took its time to fail; each further one is twice as long.
const FIRST_WAIT: Duration = Duration::from_secs(15);
const LONGEST_WAIT: Duration = Duration::from_secs(300);

/// The state of the sending, as it is stored.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct TelemetrySpool {
    /// When telemetry was switched on, in milliseconds since 1970: runs that began before are never sent.
    pub(super) since_ms: i64,
    /// Runs that ended before this place of the log are done with.
    pub(super) cursor: String,
    /// The process that is sending, and until when it may.
    pub(super) holder: Option<Holder>,
    /// The receivers that the rest is about.
    pub(super) receivers: String,
    /// The failures since something was last sent.
    pub(super) failures: u32,
    /// The receiver wants to be left alone until then.
    pub(super) not_before_ms: i64,
    pub(super) sent: u64,
    /// Runs that waited too long, or were too many.
    pub(super) left_out: u64,
    /// The last thing that went wrong, a sentence.
    pub(super) trouble: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Holder {
    owner: String,
    until_ms: i64,
}

impl TelemetrySpool {
    /// Returns whether a process may send now.
    pub(super) fn is_free(&self, owner: &str, now_ms: i64) -> bool {
        let is_held = |holder: &Holder| holder.owner != owner && (now_ms..now_ms + HOLD_MS).contains(&holder.until_ms);
        !self.holder.as_ref().is_some_and(is_held) && self.not_before_ms <= now_ms
    }

    /// Other receivers need not be left alone for what these did.
    pub(super) fn meet(&mut self, receivers: String) {
        if self.receivers != receivers {
            let rest = std::mem::take(self);
            *self = Self { receivers, failures: 0, not_before_ms: 0, trouble: None, ..rest };
        }
    }

    /// The wait after so many failures.
    pub(super) fn growing_wait(&self) -> Duration {
        let doubled = FIRST_WAIT.saturating_mul(1 << self.failures.saturating_sub(1).min(16));
        doubled.min(LONGEST_WAIT)
    }

    pub(super) fn hold(&mut self, owner: &str, now_ms: i64) {
        self.holder = Some(Holder { owner: owner.to_owned(), until_ms: now_ms + HOLD_MS - 1 });
    }
}

/// The spool as it was last seen: it changes only if nobody else has changed it.
pub(super) struct StoredSpool {
    records: Arc<Records>,
    seen: Option<String>,
    pub(super) spool: TelemetrySpool,
}

impl StoredSpool {
    /// The spool of a database; `None` while telemetry is off.
    pub(super) async fn find(records: &Arc<Records>) -> Result<Option<Self>, Error> {
        let seen = seen(records).await?;
        let spool = seen.as_deref().and_then(|text| serde_json::from_str(text).ok());
        Ok(spool.map(|spool| Self { records: records.clone(), seen, spool }))
    }

    /// The spool of a database. One that isn't there yet begins here and now.
    pub(super) async fn begin(records: &Arc<Records>, now_ms: i64) -> Result<Self, Error> {
        if let Some(found) = Self::find(records).await? {
            return Ok(found);
        }
        let cursor = records.store().commits().end().await?.to_string();
        let spool = TelemetrySpool { since_ms: now_ms, cursor, ..TelemetrySpool::default() };
        let mut begun = Self { records: records.clone(), seen: seen(records).await?, spool };
        begun.keep().await?;
        Ok(begun)
    }

    /// Telemetry is off: forgets the spool, if there is one.
    pub(super) async fn end(records: &Arc<Records>) -> Result<(), Error> {
        if seen(records).await?.is_some_and(|text| text != OFF) {
            records.store().set_meta(SETTING, OFF).await?;
        }
        Ok(())
    }

    /// Stores it as it is now. `false`: somebody else has changed it meanwhile.
    pub(super) async fn keep(&mut self) -> Result<bool, Error> {
        let text = serde_json::to_string(&self.spool).map_err(Error::internal)?;
        let kept = self.records.store().swap_meta(SETTING, self.seen.as_deref(), &text).await?;
        if kept {
            self.seen = Some(text);
        }
        Ok(kept)
    }

    /// The place to go on from. One of another database, such as of before a backup, is the end of this one.
    pub(super) async fn cursor(&self) -> Result<LogCursor, Error> {
        let commits = self.records.store().commits();
        let known = match self.spool.cursor.parse::<LogCursor>() {
            Ok(cursor) => commits.finished_runs(cursor.clone(), 0).await.map(|_| cursor),
            Err(error) => Err(error),
        };
        match known {
            Err(StoreError::CursorUnknown) => Ok(commits.end().await?),
            known => Ok(known?),
        }
    }
}

async fn seen(records: &Arc<Records>) -> Result<Option<String>, Error> {
    Ok(records.store().read(|reader| reader.meta(SETTING)).await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_up_to_a_bound() {
        let wait = |failures| TelemetrySpool { failures, ..TelemetrySpool::default() }.growing_wait().as_secs();
        assert_eq!([1, 2, 3, 7, 60].map(wait), [15, 30, 60, 300, 300]);
    }

    #[test]
    fn one_process_sends_at_a_time_and_a_killed_one_or_a_clock_set_back_holds_nobody_up() {
        let mut spool = TelemetrySpool::default();
        spool.hold("a", 1_000_000);
        assert!(spool.is_free("a", 1_000_000) && !spool.is_free("b", 1_000_000 + HOLD_MS - 2));
        assert!(spool.is_free("b", 1_000_000 + HOLD_MS) && spool.is_free("b", 1_000_000 - HOLD_MS));
        let mut asked = TelemetrySpool { not_before_ms: 5, sent: 3, ..TelemetrySpool::default() };
        assert!(!asked.is_free("a", 4) && asked.is_free("a", 5));
        asked.meet("https://other.example".into());
        assert!(asked.is_free("a", 4) && asked.sent == 3);
    }
}
