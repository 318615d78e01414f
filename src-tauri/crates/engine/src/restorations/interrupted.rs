//! A restoration that the end of the program cut off: its images and its intent are in the log, that it happened is not.
//! Whoever goes on with the session, or back again, tells it first and removes what it left beside the files.

use super::{Restorations, found};
use crate::projects::open::OpenProject;
use arki_domain::{
    CheckpointCreated, Error, Event, EventBody, EventDraft, EventId, RestoreAction, RestoredFile, SessionId,
    SessionRewound, sha256_hex,
};
use arki_files::{FileContent, remove_unfinished_restoration};

/// A cut-off restoration is among the session's last events: what goes on after it has told it.
const AMONG_LAST: usize = 50;

/// The files that were to be written, and from where.
struct Untold {
    checkpoint: CheckpointCreated,
    files: Vec<RestoredFile>,
}

impl Restorations {
    /// Returns what such a restoration has written, in the form in which it would have been told; `None` where none was
    /// cut off.
    pub(crate) fn interrupted_restoration(
        &self,
        session_id: &SessionId,
        open: &OpenProject,
    ) -> Result<Option<Event>, Error> {
        let written = self.untold(session_id)?.and_then(|untold| untold.written(open));
        written.map(|rewound| as_event(session_id, rewound)).transpose()
    }

    /// Returns the event like [`Self::interrupted_restoration`], to be appended; what it left half done beside the
    /// files is gone then.
    pub(crate) fn settle_interrupted_restoration(
        &self,
        session_id: &SessionId,
        open: &OpenProject,
    ) -> Result<Option<EventDraft>, Error> {
        let Some(untold) = self.untold(session_id)? else { return Ok(None) };
        if open.is_trusted() {
            untold.files.iter().for_each(|file| tidy(open, &file.path));
        }
        Ok(untold.written(open).map(EventDraft::of_session))
    }

    fn untold(&self, session_id: &SessionId) -> Result<Option<Untold>, Error> {
        let page = self.records.reader().log().page(session_id, None, AMONG_LAST)?;
        let Some(checkpoint) = untold(&page.events) else { return Ok(None) };
        let Some(manifest) = self.past_files.image(checkpoint.manifest.as_deref()).flatten() else { return Ok(None) };
        let files: Vec<RestoredFile> = serde_json::from_slice(&manifest).unwrap_or_default();
        let is_write = |file: &RestoredFile| matches!(file.action, RestoreAction::Restore | RestoreAction::Delete);
        Ok(Some(Untold { checkpoint, files: files.into_iter().filter(is_write).collect() }))
    }
}

impl Untold {
    fn written(self, open: &OpenProject) -> Option<SessionRewound> {
        let is_written = |file: &RestoredFile| {
            let now = found(open, &file.path).ok().flatten().map(|found| found.content);
            let is_link = now.as_ref().is_some_and(FileContent::is_link);
            (now.as_deref().map(sha256_hex), is_link) == (file.after_hash.clone(), file.after_link)
                && (&file.before_hash, file.before_link) != (&file.after_hash, file.after_link)
        };
        let changes: Vec<RestoredFile> = self.files.into_iter().filter(is_written).collect();
        (!changes.is_empty()).then_some(SessionRewound {
            to_seq: self.checkpoint.last_seq,
            files: true,
            conversation: false,
            checkpoint_id: Some(self.checkpoint.checkpoint_id),
            changes,
        })
    }
}

/// It is not worth failing for.
fn tidy(open: &OpenProject, path: &str) {
    let tidied = open.workplace().resolve(path).and_then(|path| remove_unfinished_restoration(open.workplace(), &path));
    if let Err(error) = tidied {
        tracing::warn!(%error, path, "what an interrupted restoration left was not removed");
    }
}

/// The last images that were kept for a restoration of which nothing was told.
fn untold(events: &[Event]) -> Option<CheckpointCreated> {
    let mut checkpoint = None;
    for event in events {
        match event.body() {
            EventBody::CheckpointCreated(created) if created.call_id.is_none() && created.reason.is_none() => {
                checkpoint = Some(created)
            }
            EventBody::SessionRewound(_) | EventBody::ChangeTakenBack(_) => checkpoint = None,
            _ => {}
        }
    }
    checkpoint
}

/// Returns the draft as it would be read from the log, behind everything else.
fn as_event(session_id: &SessionId, rewound: SessionRewound) -> Result<Event, Error> {
    let body = EventBody::from(rewound);
    let payload = body.payload().and_then(|payload| serde_json::value::to_raw_value(&payload));
    Ok(Event {
        event_id: EventId::new(),
        run_id: None,
        session_id: session_id.clone(),
        seq: u64::MAX,
        ts: 0,
        kind: body.kind().to_owned(),
        payload: payload.map_err(Error::internal)?,
        prev_hash: String::new(),
        hash: String::new(),
    })
}
