//! What was used, by day and model.

use crate::Engine;
use crate::launch::day;
use arki_domain::projection::DailyUsage;
use arki_domain::{Fault, SessionId};

impl Engine {
    /// Of one session or of all that are kept; days are the user's. A fork's origin has used what it used itself.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn daily_usage(&self, session: Option<&SessionId>) -> Result<DailyUsage, Fault> {
        let mut usage = DailyUsage::default();
        self.reader().each_usage_event(session, |event| usage.apply(event, day))?;
        Ok(usage)
    }
}
