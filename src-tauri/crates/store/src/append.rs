//! Adding events to a session's chain, inside a transaction of the writer.

pub(crate) mod relay;

use crate::chain::heads::{Heads, SessionHead};
use crate::chain::projections::SessionRow;
use crate::chain::seal::{SealedDraft, Unhashed};
use crate::chain::{Log, cross_references, projections};
use crate::writer::write::WriteIsolation;
use crate::{StoreError, answered_requests, leases};
use arki_domain::{Event, EventBody, EventId, SAFE_INTEGER, SessionId};
use rusqlite::Connection;
use std::sync::Arc;

/// The destination of drafts.
#[derive(Clone)]
pub(crate) struct Destination {
    pub(crate) session_id: SessionId,
    /// Only while this one holds the session's lease; whoever says something from outside needs none.
    pub(crate) held_by: Option<String>,
}

pub(crate) fn append(
    transaction: &Connection,
    heads: &mut Heads,
    now_ms: i64,
    to: &Destination,
    drafts: Vec<SealedDraft>,
) -> Result<Vec<Arc<Event>>, StoreError> {
    let mut appending = Appending::begin(transaction, heads, now_ms, to)?;
    for draft in drafts {
        appending.add(draft)?;
    }
    appending.finish()
}

/// An append at work: events are stored one by one, and what is kept beside the log when all of them are.
pub(crate) struct Appending<'a> {
    transaction: &'a Connection,
    heads: &'a mut Heads,
    head: SessionHead,
    ts: i64,
    log: Log<'a>,
    events: Vec<Arc<Event>>,
    bodies: Vec<EventBody>,
}

impl<'a> Appending<'a> {
    pub(crate) fn begin(
        transaction: &'a Connection,
        heads: &'a mut Heads,
        now_ms: i64,
        to: &Destination,
    ) -> Result<Self, StoreError> {
        let mut head = heads.take(transaction, &to.session_id)?;
        if let Some(owner) = &to.held_by
            && head.held_by.as_ref() != Some(owner)
        {
            leases::ensure_held(transaction, &to.session_id, owner)?;
            head.held_by = Some(owner.clone());
        }
        let ts = now_ms.clamp(-(SAFE_INTEGER as i64), SAFE_INTEGER as i64);
        let log = Log::open(transaction)?;
        Ok(Self { transaction, heads, head, ts, log, events: Vec::new(), bodies: Vec::new() })
    }

    pub(crate) fn add(&mut self, draft: SealedDraft) -> Result<(), StoreError> {
        let (event, body) = chain(&self.head.session, self.ts, draft)?;
        self.log.insert(&event)?;
        self.head.session.apply(&event, &body);
        self.events.push(Arc::new(event));
        self.bodies.push(body);
        Ok(())
    }

    /// The drafts as they were, for an append that is going to be taken back.
    pub(crate) fn give_back(&mut self) -> Vec<SealedDraft> {
        let events = std::mem::take(&mut self.events).into_iter().map(Arc::unwrap_or_clone);
        let bodies = std::mem::take(&mut self.bodies);
        events.zip(bodies).map(|(Event { run_id, payload, .. }, body)| SealedDraft { run_id, body, payload }).collect()
    }

    pub(crate) fn finish(self) -> Result<Vec<Arc<Event>>, StoreError> {
        let Self { transaction, heads, mut head, events, bodies, .. } = self;
        head.session.save_if_due(transaction)?;
        projections::apply(transaction, &mut head.open_run, &events, &bodies)?;
        cross_references::apply(transaction, &head.session.summary.project, &mut head.images, &events, &bodies)?;
        answered_requests::note(transaction, &events, &bodies)?;
        heads.keep(head);
        Ok(events)
    }
}

/// Larger events may be refused alone, when the disk has no room for them but for others.
const LARGE_BYTES: usize = 64 << 10;

/// Returns how the write is isolated: one that may be taken back after it has written must not take its neighbours with
/// it. That costs a copy of every page it writes, and most appends either fail before they write or with everything
/// else.
pub(crate) fn isolation(drafts: &[SealedDraft]) -> WriteIsolation {
    let is_refusable = |draft: &SealedDraft| {
        matches!(draft.body, EventBody::ApprovalResolved(_)) || draft.body.answered_request().is_some()
    };
    let bytes: usize = drafts.iter().map(|draft| draft.payload.get().len()).sum();
    if bytes > LARGE_BYTES || drafts.iter().any(is_refusable) {
        WriteIsolation::Savepoint
    } else {
        WriteIsolation::Shared
    }
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
