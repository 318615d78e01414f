//! A restoration that the end of the program cut off: its images and its intent are in the log, that it happened is not.

use crate::Engine;
use crate::projects::OpenProject;
use crate::rewind::found;
use arki_domain::{
    CheckpointCreated, Event, EventBody, EventId, Fault, RestoreAction, RestoredFile, SessionId, SessionRewound,
    sha256_hex,
};
use arki_workspace::FileContent;

/// A cut-off restoration is among the session's last events: nothing is added after it but by going on.
const AMONG_LAST: usize = 200;

impl Engine {
    /// What such a restoration has written, in the form in which it would have been told; `None` where none was cut off.
    pub(crate) fn interrupted_restoration(
        &self,
        session_id: &SessionId,
        open: &OpenProject,
    ) -> Result<Option<SessionRewound>, Fault> {
        let page = self.reader().page(session_id, None, AMONG_LAST)?;
        let Some(checkpoint) = untold(&page.events) else { return Ok(None) };
        let Some(manifest) = self.image(checkpoint.manifest.as_deref()).flatten() else { return Ok(None) };
        let files: Vec<RestoredFile> = serde_json::from_slice(&manifest).unwrap_or_default();
        let written = |file: &RestoredFile| {
            let now = found(open, &file.path).ok().flatten().map(|found| found.content);
            let is_link = now.as_ref().is_some_and(FileContent::is_link);
            (now.as_deref().map(sha256_hex), is_link) == (file.after_hash.clone(), file.after_link)
                && (&file.before_hash, file.before_link) != (&file.after_hash, file.after_link)
        };
        let is_write = |file: &RestoredFile| matches!(file.action, RestoreAction::Restore | RestoreAction::Delete);
        let changes: Vec<RestoredFile> = files.into_iter().filter(|file| is_write(file) && written(file)).collect();
        if changes.is_empty() {
            return Ok(None);
        }
        Ok(Some(SessionRewound {
            to_seq: checkpoint.last_seq,
            files: true,
            conversation: false,
            checkpoint_id: Some(checkpoint.checkpoint_id),
            changes,
        }))
    }
}

/// The last images that were kept for a restoration of which nothing was told.
fn untold(events: &[Event]) -> Option<CheckpointCreated> {
    let mut checkpoint = None;
    for event in events {
        match event.body() {
            EventBody::CheckpointCreated(created) if created.call_id.is_none() => checkpoint = Some(created),
            EventBody::SessionRewound(_) | EventBody::ChangeTakenBack(_) => checkpoint = None,
            _ => {}
        }
    }
    checkpoint
}

/// As it would be read from the log, behind everything else.
pub(super) fn as_event(session_id: &SessionId, rewound: SessionRewound) -> Result<Event, Fault> {
    let body = EventBody::from(rewound);
    let payload = body.payload().and_then(|payload| serde_json::value::to_raw_value(&payload));
    Ok(Event {
        event_id: EventId::new(),
        run_id: None,
        session_id: session_id.clone(),
        seq: u64::MAX,
        ts: 0,
        kind: body.kind().to_owned(),
        payload: payload.map_err(Fault::internal)?,
        prev_hash: String::new(),
        hash: String::new(),
    })
}
