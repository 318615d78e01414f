//! Traces that an event leaves beyond its own session: the files it changed, the contents it refers to, the sessions
//! that its own began in or works for. Written in the transaction that appends, so that each can be asked for by its
//! name; made again from the log alone when the layout changes or a session is brought in from elsewhere.
//!
//! A content is remembered as spoken of whether it is stored or not: it may be stored later by another session, and
//! must then outlive that one.

use crate::StoreError;
use crate::database::row;
use crate::database::statements::change;
use arki_domain::{Event, EventBody, NestedDefinition, RestoreAction, RestoredFile, SessionId};
use rusqlite::{Connection, params};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

const CHANGE: &str = "INSERT INTO file_changes (project, path, session_id, seq) VALUES (?1, ?2, ?3, ?4) \
     ON CONFLICT DO NOTHING";
/// Adds a reference; a content that is used in several ways is kept for the use that needs most.
const REFERENCE: &str = "INSERT INTO blob_refs (session_id, hash, kind) VALUES (?1, ?2, ?3) \
     ON CONFLICT (session_id, hash) DO UPDATE SET kind = excluded.kind WHERE excluded.kind > kind";
const AGENT: &str = "UPDATE sessions SET agent = ?2, parent = ?3 WHERE session_id = ?1";
/// A fork names the session that it began in as its parent too, and is nobody's sub-agent.
const ORIGIN: &str = "UPDATE sessions SET origin = ?2, parent = NULL WHERE session_id = ?1";

/// The use that a session makes of a content: it says how much is lost without it. The numbers are those of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ContentUse {
    /// A file before or after a change: without it the change cannot be taken back.
    Image = 0,
    /// A system prompt, what a request was made of, a large diff, or what the agent made for the user.
    Whole = 1,
    /// A list of images.
    Manifest = 2,
}

/// Remembers that the session speaks of the content.
pub(crate) fn refer(
    transaction: &Connection,
    session: &SessionId,
    hash: &str,
    content_use: ContentUse,
) -> Result<(), StoreError> {
    change(transaction, REFERENCE, params![session.as_str(), hash, content_use as i64]).map(drop)
}

/// Images of files that the session is known to speak of, so that they need not be remembered again: a decision names
/// what the change after it names too, and a file is mostly changed from what it was changed to before.
#[derive(Default)]
pub(crate) struct KnownImages {
    hashes: HashSet<String>,
}

/// Images that are known at once; past that, each is remembered anew.
const MAX_KNOWN_IMAGES: usize = 16;

impl KnownImages {
    /// `false` when it was there.
    fn add(&mut self, hash: &str) -> bool {
        if self.hashes.contains(hash) {
            return false;
        }
        if self.hashes.len() >= MAX_KNOWN_IMAGES {
            self.hashes.clear();
        }
        self.hashes.insert(hash.to_owned())
    }
}

/// `project`: the session's folder (its canonical path). The session's row must be there.
pub(crate) fn apply(
    transaction: &Connection,
    project: &str,
    images: &mut KnownImages,
    events: &[Arc<Event>],
    bodies: &[EventBody],
) -> Result<(), StoreError> {
    for (event, body) in events.iter().zip(bodies) {
        Trace { transaction, project, images, event }.leave(body)?;
    }
    Ok(())
}

struct Trace<'a> {
    transaction: &'a Connection,
    project: &'a str,
    images: &'a mut KnownImages,
    event: &'a Event,
}

impl Trace<'_> {
    fn leave(&mut self, body: &EventBody) -> Result<(), StoreError> {
        match body {
            EventBody::SessionCreated(created) => {
                let parent = created.parent_session.as_ref().map(SessionId::as_str);
                let columns = params![self.event.session_id.as_str(), created.agent, parent];
                change(self.transaction, AGENT, columns).map(drop)
            }
            EventBody::SessionForked(forked) => {
                let ids = params![self.event.session_id.as_str(), forked.from_session.as_str()];
                change(self.transaction, ORIGIN, ids).map(drop)
            }
            EventBody::RunStarted(started) => {
                self.whole([&started.system_prompt_hash])?;
                if let Some(pipeline) = &started.options.pipeline {
                    self.whole([&pipeline.definition_hash])?;
                    self.definitions(&pipeline.nested)?;
                    self.whole([&pipeline.input_hash])?;
                }
                self.whole(started.options.images.iter().map(|image| &image.content_hash))
            }
            EventBody::EngineRequest(request) => self.whole(request.head_hash.as_ref()),
            EventBody::RunResumed(resumed) if resumed.definition_hash.is_some() => {
                self.whole(resumed.definition_hash.as_ref())?;
                self.definitions(&resumed.nested)
            }
            EventBody::StepCompleted(completed) if completed.output.is_none() && completed.output_bytes > 0 => {
                self.whole([&completed.output_hash])
            }
            EventBody::PolicyDecided(decided) => {
                self.whole(decided.landing.as_ref())?;
                decided.files.iter().try_for_each(|file| self.images(&file.before_hash, &file.after_hash))
            }
            EventBody::FileChanged(changed) => {
                self.images(&changed.before_hash, &changed.after_hash)?;
                self.change(&changed.path)
            }
            EventBody::SessionRewound(rewound) => rewound.changes.iter().try_for_each(|file| self.restore(file)),
            EventBody::ChangeTakenBack(taken) => taken.changes.iter().try_for_each(|file| self.restore(file)),
            EventBody::HookRan(ran) => {
                ran.restored.iter().try_for_each(|file| self.images(&file.before_hash, &file.after_hash))
            }
            EventBody::CheckpointCreated(created) => self.whole(created.manifest.as_ref()),
            EventBody::ApprovalRequested(requested) => {
                self.whole(requested.preview.as_ref().and_then(|preview| preview.diff_hash.as_ref()))
            }
            EventBody::CommandEnded(ended) => self.whole([&ended.effects]),
            EventBody::ArtifactEmitted(emitted) => self.whole([&emitted.content_hash]),
            _ => Ok(()),
        }
    }

    /// Records restored files; those that were kept or left alone did not change.
    fn restore(&mut self, file: &RestoredFile) -> Result<(), StoreError> {
        self.images(&file.before_hash, &file.after_hash)?;
        match file.action {
            RestoreAction::Restore | RestoreAction::Delete => self.change(&file.path),
            RestoreAction::Keep | RestoreAction::Conflict => Ok(()),
        }
    }

    fn change(&self, path: &str) -> Result<(), StoreError> {
        let Event { session_id, seq, .. } = self.event;
        let place = params![self.project, path, session_id.as_str(), row::signed(*seq)];
        change(self.transaction, CHANGE, place).map(drop)
    }

    fn images(&mut self, before: &Option<String>, after: &Option<String>) -> Result<(), StoreError> {
        for hash in before.iter().chain(after) {
            if self.images.add(hash) {
                self.refer(hash, ContentUse::Image)?;
            }
        }
        Ok(())
    }

    fn definitions(&self, nested: &BTreeMap<String, NestedDefinition>) -> Result<(), StoreError> {
        self.whole(nested.values().map(|definition| &definition.definition_hash))
    }

    fn whole<'h>(&self, hashes: impl IntoIterator<Item = &'h String>) -> Result<(), StoreError> {
        hashes.into_iter().try_for_each(|hash| self.refer(hash, ContentUse::Whole))
    }

    fn refer(&self, hash: &str, content_use: ContentUse) -> Result<(), StoreError> {
        refer(self.transaction, &self.event.session_id, hash, content_use)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_images_are_known_than_the_limit() {
        let mut images = KnownImages::default();
        for number in 0..=MAX_KNOWN_IMAGES {
            assert!(images.add(&number.to_string()));
            assert!(!images.add(&number.to_string()));
            assert!(images.hashes.len() <= MAX_KNOWN_IMAGES);
        }
        assert!(images.add("0"), "it was forgotten with the others");
    }
}
