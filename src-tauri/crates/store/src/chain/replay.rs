//! Events that are there already, as they are, and what appending them would have noted beside them.
//!
//! For logs that come from elsewhere: an export, a damaged database. Nothing is hashed or judged here.

use crate::StoreError;
use crate::chain::cross_references;
use crate::chain::cross_references::KnownImages;
use crate::chain::projections::{self, SessionRow};
use arki_domain::{Event, EventBody, RunId};
use rusqlite::Connection;
use std::sync::Arc;

/// A session whose events are gone through in order.
pub(crate) struct Replay {
    pub(crate) session: SessionRow,
    open_run: Option<RunId>,
    images: KnownImages,
    is_saved: bool,
}

impl Replay {
    /// Goes on where `session` ends.
    pub(crate) fn after(session: SessionRow) -> Self {
        Self { session, open_run: None, images: KnownImages::default(), is_saved: false }
    }

    /// Notes what the event says. The event itself must be stored by whoever calls.
    pub(crate) fn note(&mut self, transaction: &Connection, event: Event, body: &EventBody) -> Result<(), StoreError> {
        self.session.apply(&event, body);
        if !self.is_saved {
            self.save(transaction)?;
        }
        let (events, bodies) = ([Arc::new(event)], std::slice::from_ref(body));
        match projections::apply(transaction, &mut self.open_run, &events, bodies) {
            // Whoever appends is told; a log from elsewhere may say it twice, and the first decision counts.
            Err(StoreError::ApprovalDecided { .. }) => {}
            other => other?,
        }
        cross_references::apply(transaction, &self.session.summary.project, &mut self.images, &events, bodies)
    }

    /// Saves the session. Call it after the last event.
    pub(crate) fn save(&mut self, transaction: &Connection) -> Result<(), StoreError> {
        self.is_saved = true;
        self.session.save(transaction)
    }
}
