//! A log in memory.

use arki_domain::*;
use async_trait::async_trait;
use std::sync::{Arc, Mutex};

/// Numbered but not chained.
#[derive(Default)]
pub(super) struct MemoryLog(pub(super) Mutex<Vec<Arc<Event>>>, pub(super) Mutex<Beside>);

pub(super) type Refusal = Box<dyn Fn(&EventBody) -> Option<Error> + Send>;

#[derive(Default)]
pub(super) struct Beside {
    pub(super) pieces: Vec<PartialAnswer>,
    /// The drafts that the log refuses.
    pub(super) refuses: Option<Refusal>,
}

impl MemoryLog {
    pub(super) fn kinds(&self) -> Vec<String> {
        self.0.lock().unwrap().iter().map(|event| event.kind.clone()).collect()
    }
}

#[async_trait]
impl EventLog for MemoryLog {
    async fn append(&self, session: &SessionId, drafts: Vec<EventDraft>) -> Result<Vec<Arc<Event>>, Error> {
        if let Some(refuses) = &self.1.lock().unwrap().refuses
            && let Some(fault) = drafts.iter().find_map(|draft| refuses(&draft.body))
        {
            return Err(fault);
        }
        let mut events = self.0.lock().unwrap();
        let stored: Vec<_> = drafts
            .into_iter()
            .zip(events.len() as u64 + 1..)
            .map(|(draft, seq)| {
                Arc::new(Event {
                    event_id: EventId::new(),
                    run_id: draft.run_id,
                    session_id: session.clone(),
                    seq,
                    ts: 0,
                    kind: draft.body.kind().into(),
                    payload: serde_json::value::to_raw_value(&draft.body.payload().unwrap()).unwrap(),
                    prev_hash: String::new(),
                    hash: String::new(),
                })
            })
            .collect();
        events.extend(stored.iter().cloned());
        Ok(stored)
    }

    async fn read_after(&self, _: &SessionId, seq: u64) -> Result<Vec<Arc<Event>>, Error> {
        Ok(self.0.lock().unwrap().iter().filter(|event| event.seq > seq).cloned().collect())
    }

    async fn event(&self, _: &SessionId, seq: u64) -> Result<Option<Arc<Event>>, Error> {
        Ok(self.0.lock().unwrap().iter().find(|event| event.seq == seq).cloned())
    }

    async fn keep_partial(&self, _: &SessionId, piece: Option<PartialAnswer>) -> Result<(), Error> {
        self.1.lock().unwrap().pieces.extend(piece);
        Ok(())
    }
}
