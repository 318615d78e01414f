//! Stored events in the order in which they were committed, from a cursor on: a client that was away catches up exactly.

use crate::{EventFilter, Records};
use arki_domain::{Error, Event, EventBody, RunId, SessionId};
use arki_store::{LogCursor, StoreError, StoreReader};
use std::collections::HashMap;
use std::sync::Arc;

/// A piece of the log, as far as the filter lets it through.
#[derive(Debug)]
pub struct EventsSince {
    /// May be none although more come: what is looked through at once is bounded, too.
    pub events: Vec<Arc<Event>>,
    /// The cursor right behind each of the events.
    pub cursors: Vec<String>,
    /// The cursor to continue from, at any time and in any process on the same data.
    pub next: String,
    pub has_more: bool,
}

impl EventsSince {
    fn of(placed: impl IntoIterator<Item = (Event, i64)>, next: &LogCursor, has_more: bool) -> Self {
        let at = |(event, row)| (Arc::new(event), next.at_row(row).to_string());
        let (events, cursors) = placed.into_iter().map(at).unzip();
        Self { events, cursors, next: next.to_string(), has_more }
    }
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
        let mut placed: Vec<(Event, i64)> = page.events.into_iter().zip(page.rows).collect();
        placed.retain(|(event, _)| filter.is_in_session(&event.session_id) && filter.is_in_classes(&event.kind));
        if let Some(agent) = filter.one_agent().map(str::to_owned) {
            placed = self.store().read(move |reader| of_agent(reader, placed, &agent)).await?;
        }
        Ok(EventsSince::of(placed, &page.next, page.has_more))
    }

    /// Returns a session's events with numbers above `after_seq`, each with its cursor.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub(crate) async fn session_since(
        &self,
        session: &SessionId,
        after_seq: u64,
        limit: usize,
    ) -> Result<EventsSince, Error> {
        let page = self.store().commits().of_session(session.clone(), after_seq, limit).await?;
        Ok(EventsSince::of(page.events.into_iter().zip(page.rows), &page.next, page.has_more))
    }
}

/// Events outside a run belong to no agent and are always told.
fn of_agent(reader: &StoreReader, events: Vec<(Event, i64)>, agent: &str) -> Result<Vec<(Event, i64)>, StoreError> {
    let mut known: HashMap<RunId, bool> = HashMap::new();
    let mut kept = Vec::new();
    for placed in events {
        let is_wanted = match &placed.0.run_id {
            None => true,
            Some(run_id) => {
                if !known.contains_key(run_id) {
                    known.insert(run_id.clone(), is_run_of(reader, run_id, agent)?);
                }
                known[run_id]
            }
        };
        if is_wanted {
            kept.push(placed);
        }
    }
    Ok(kept)
}

fn is_run_of(reader: &StoreReader, run_id: &RunId, agent: &str) -> Result<bool, StoreError> {
    let Some(run) = reader.lists().run(run_id)? else { return Ok(false) };
    let begun = reader.log().event(&run.session_id, run.first_seq)?;
    Ok(begun.is_some_and(|begun| matches!(begun.body(), EventBody::RunStarted(started) if started.agent == agent)))
}
