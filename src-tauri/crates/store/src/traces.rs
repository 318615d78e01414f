//! What an event says beyond its own session: the files it changed, the contents it speaks of, the session that its own
//! began in. Written in the transaction that appends, so that each can be asked for by its name; made again from the
//! log alone when the layout changes or a session is brought in from elsewhere.
//!
//! A content is remembered as spoken of whether it is stored or not: it may be stored later by another session, and
//! must then outlive that one.

use crate::{StoreError, row};
use arki_domain::{Event, EventBody, RestoreAction, RestoredFile};
use rusqlite::{Connection, params};
use std::sync::Arc;

const CHANGE: &str = "INSERT INTO file_changes (project, path, session_id, seq) VALUES (?1, ?2, ?3, ?4) \
     ON CONFLICT DO NOTHING";
/// A list of further contents stays one, also where its bytes are spoken of as a plain content.
const REFERENCE: &str = "INSERT INTO blob_refs (session_id, hash, is_manifest) VALUES (?1, ?2, ?3) \
     ON CONFLICT (session_id, hash) DO UPDATE SET is_manifest = 1 WHERE excluded.is_manifest AND NOT is_manifest";
const ORIGIN: &str = "UPDATE sessions SET origin = ?2 WHERE session_id = ?1";

/// `project`: the session's folder (its canonical path). The session's row must be there.
pub(crate) fn apply(
    transaction: &Connection,
    project: &str,
    events: &[Arc<Event>],
    bodies: &[EventBody],
) -> Result<(), StoreError> {
    for (event, body) in events.iter().zip(bodies) {
        Trace { transaction, project, event }.leave(body)?;
    }
    Ok(())
}

struct Trace<'a> {
    transaction: &'a Connection,
    project: &'a str,
    event: &'a Event,
}

impl Trace<'_> {
    fn leave(&self, body: &EventBody) -> Result<(), StoreError> {
        match body {
            EventBody::SessionForked(forked) => {
                let ids = params![self.event.session_id.as_str(), forked.from_session.as_str()];
                self.transaction.prepare_cached(ORIGIN)?.execute(ids)?;
                Ok(())
            }
            EventBody::RunStarted(started) => self.refer(Some(&started.system_prompt_hash), false),
            EventBody::PolicyDecided(decided) => decided.files.iter().try_for_each(|file| {
                self.refer(file.before_hash.as_deref(), false)?;
                self.refer(file.after_hash.as_deref(), false)
            }),
            EventBody::FileChanged(changed) => {
                self.refer(changed.before_hash.as_deref(), false)?;
                self.refer(changed.after_hash.as_deref(), false)?;
                self.change(&changed.path)
            }
            EventBody::SessionRewound(rewound) => rewound.changes.iter().try_for_each(|file| self.restore(file)),
            EventBody::ChangeTakenBack(taken) => taken.changes.iter().try_for_each(|file| self.restore(file)),
            EventBody::CheckpointCreated(created) => self.refer(Some(&created.manifest), true),
            EventBody::ArtifactEmitted(emitted) => self.refer(Some(&emitted.content_hash), false),
            _ => Ok(()),
        }
    }

    /// What was kept or left alone did not change.
    fn restore(&self, file: &RestoredFile) -> Result<(), StoreError> {
        self.refer(file.before_hash.as_deref(), false)?;
        self.refer(file.after_hash.as_deref(), false)?;
        match file.action {
            RestoreAction::Restore | RestoreAction::Delete => self.change(&file.path),
            RestoreAction::Keep | RestoreAction::Conflict => Ok(()),
        }
    }

    fn change(&self, path: &str) -> Result<(), StoreError> {
        let Event { session_id, seq, .. } = self.event;
        let place = params![self.project, path, session_id.as_str(), row::signed(*seq)];
        self.transaction.prepare_cached(CHANGE)?.execute(place)?;
        Ok(())
    }

    fn refer(&self, hash: Option<&str>, is_manifest: bool) -> Result<(), StoreError> {
        let Some(hash) = hash else { return Ok(()) };
        let session = self.event.session_id.as_str();
        self.transaction.prepare_cached(REFERENCE)?.execute(params![session, hash, is_manifest])?;
        Ok(())
    }
}
