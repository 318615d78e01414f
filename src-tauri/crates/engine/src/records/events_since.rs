//! Stored events in the order in which they were committed, from a cursor on: a client that was away catches up exactly.

use crate::events::subscription::EventFilter;
use crate::records::Records;
use arki_domain::{Error, Event, EventBody, RunId};
use arki_store::{LogCursor, StoreError, StoreReader};
use std::collections::HashMap;
use std::sync::Arc;

/// A piece of the log, as far as the filter lets it through.
#[derive(Debug)]
pub struct EventsSince {
    /// May be none although more come: what is looked through at once is bounded, too.
    pub events: Vec<Arc<Event>>,
    /// The cursor to continue from, at any time and in any process on the same data.
    pub next: String,
    pub has_more: bool,
}

impl Records {
    /// The place behind everything that is stored now.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub(crate) async fn end_of_events(&self) -> Result<String, Error> {
        Ok(self.store().commits().end().await?.to_string())
    }

    /// Returns what was stored after a cursor, or from the beginning where there is none, by whichever process.
    ///
    /// # Errors
    /// `CURSOR_UNKNOWN` for one that this database has not given out, or when it cannot be read.
    pub(crate) async fn events_since(
        &self,
        cursor: Option<&str>,
        filter: &EventFilter,
        limit: usize,
    ) -> Result<EventsSince, Error> {
        let cursor = match cursor {
            Some(cursor) => cursor.parse::<LogCursor>()?,
            None => self.store().commits().begin().await?,
        };
        let page = self.store().commits().after(cursor, limit).await?;
        let (next, has_more) = (page.next.to_string(), page.has_more);
        let mut events = page.events;
        events.retain(|event| filter.is_in_session(&event.session_id) && filter.is_in_classes(&event.kind));
        if let Some(agent) = filter.one_agent().map(str::to_owned) {
            events = self.store().read(move |reader| of_agent(reader, events, &agent)).await?;
        }
        Ok(EventsSince { events: events.into_iter().map(Arc::new).collect(), next, has_more })
    }
}

/// Events outside a run belong to no agent and are always told.
fn of_agent(reader: &StoreReader, events: Vec<Event>, agent: &str) -> Result<Vec<Event>, StoreError> {
    let mut known: HashMap<RunId, bool> = HashMap::new();
    let mut kept = Vec::new();
    for event in events {
        let is_wanted = match &event.run_id {
            None => true,
            Some(run_id) => match known.get(run_id) {
                Some(is_wanted) => *is_wanted,
                None => {
                    let is_its = is_run_of(reader, run_id, agent)?;
                    known.insert(run_id.clone(), is_its);
                    is_its
                }
            },
        };
        if is_wanted {
            kept.push(event);
        }
    }
    Ok(kept)
}

fn is_run_of(reader: &StoreReader, run_id: &RunId, agent: &str) -> Result<bool, StoreError> {
    let Some(run) = reader.lists().run(run_id)? else { return Ok(false) };
    let begun = reader.log().event(&run.session_id, run.first_seq)?;
    Ok(begun.is_some_and(|begun| matches!(begun.body(), EventBody::RunStarted(started) if started.agent == agent)))
}
