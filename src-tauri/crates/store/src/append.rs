//! Adding events to a session's chain, inside a transaction of the writer.

use crate::projections::{self, SessionRow};
use crate::seal::{SealedDraft, Unhashed};
use crate::{StoreError, row, traces};
use arki_domain::{Event, EventBody, EventId, GENESIS_HASH, SAFE_INTEGER, SessionId};
use rusqlite::{Connection, OptionalExtension, params};
use std::sync::Arc;

/// `OR FAIL`: a row that is refused was not written, so that SQLite need not keep every page to undo it.
const INSERT: &str = "INSERT OR FAIL INTO events (event_id, run_id, session_id, seq, ts, type, payload, prev_hash, hash) \
                      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
const LAST: &str = "SELECT seq, hash FROM events WHERE session_id = ?1 ORDER BY seq DESC LIMIT 1";

pub(crate) fn append(
    transaction: &Connection,
    now_ms: i64,
    session_id: &SessionId,
    drafts: Vec<SealedDraft>,
) -> Result<Vec<Arc<Event>>, StoreError> {
    let mut session = SessionRow::load(transaction, session_id)?;
    ensure_unbroken(transaction, &session)?;
    let ts = now_ms.clamp(-(SAFE_INTEGER as i64), SAFE_INTEGER as i64);
    let mut events = Vec::with_capacity(drafts.len());
    let mut bodies = Vec::with_capacity(drafts.len());
    for draft in drafts {
        let (event, body) = chain(&session, ts, draft)?;
        insert(transaction, &event)?;
        session.apply(&event, &body);
        events.push(Arc::new(event));
        bodies.push(body);
    }
    session.save(transaction)?;
    projections::apply(transaction, &events, &bodies)?;
    traces::apply(transaction, &session.summary.project, &events, &bodies)?;
    Ok(events)
}

/// Nothing is added to a log that was cut off or rewritten: that would hide it.
fn ensure_unbroken(transaction: &Connection, session: &SessionRow) -> Result<(), StoreError> {
    let last: Option<(i64, String)> = transaction
        .prepare_cached(LAST)?
        .query_row([session.id()], |row| Ok((row.get(0)?, row::lossy_text(row.get_ref(1)?))))
        .optional()?;
    let (seq, hash) = last.unwrap_or_else(|| (0, GENESIS_HASH.to_owned()));
    if row::unsigned(seq) != session.last_seq || hash != session.last_hash {
        let seq = row::unsigned(seq).min(session.last_seq) + 1;
        return Err(StoreError::SessionBroken { session_id: session.summary.session_id.clone(), seq });
    }
    Ok(())
}

fn chain(after: &SessionRow, ts: i64, draft: SealedDraft) -> Result<(Event, EventBody), StoreError> {
    let SealedDraft { run_id, body, payload } = draft;
    let mut event = Event {
        event_id: EventId::new(),
        run_id,
        session_id: after.summary.session_id.clone(),
        seq: after.last_seq + 1,
        ts,
        kind: body.kind().to_owned(),
        payload,
        prev_hash: after.last_hash.clone(),
        hash: String::new(),
    };
    event.hash = Unhashed::of(&event)
        .hash(event.payload.get())
        .ok_or_else(|| StoreError::internal("the session has too many events"))?;
    Ok((event, body))
}

fn insert(transaction: &Connection, event: &Event) -> Result<(), StoreError> {
    transaction.prepare_cached(INSERT)?.execute(params![
        event.event_id.as_str(),
        event.run_id.as_ref().map(|id| id.as_str()),
        event.session_id.as_str(),
        row::signed(event.seq),
        event.ts,
        event.kind,
        event.payload.get(),
        event.prev_hash,
        event.hash,
    ])?;
    Ok(())
}
