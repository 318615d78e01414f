//! Artifacts that runs and pipelines emitted for the user to keep: listed, and handed out.

use crate::session_names::{ambiguous, shown, unknown};
use crate::{Records, SessionReader};
use arki_domain::{ArtifactEmitted, Code, Error, EventBody, RunId, SessionId};
use std::sync::Arc;

/// The shortest part of an id that names an artifact.
const MIN_ID_PART: usize = 4;

/// An artifact, and where it was emitted.
#[derive(Debug, Clone)]
pub struct ListedArtifact {
    pub session_id: SessionId,
    pub run_id: Option<RunId>,
    pub seq: u64,
    /// Milliseconds since 1970.
    pub ts: i64,
    pub emitted: ArtifactEmitted,
}

/// The artifacts of sessions.
pub struct Artifacts {
    records: Arc<Records>,
    reader: Arc<SessionReader>,
}

impl Artifacts {
    pub(crate) fn new(records: Arc<Records>, reader: Arc<SessionReader>) -> Self {
        Self { records, reader }
    }

    /// Returns the artifacts of a session or, where none is named, of the newest `most` sessions; newest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn artifacts(&self, session: Option<&SessionId>, most: usize) -> Result<Vec<ListedArtifact>, Error> {
        let sessions = match session {
            Some(session) => vec![session.clone()],
            None => self.reader.list(most)?.into_iter().map(|session| session.session_id).collect(),
        };
        let mut found = Vec::new();
        for session in &sessions {
            self.reader.each_own_event(session, 0, |event| {
                if let EventBody::ArtifactEmitted(emitted) = event.body() {
                    let (session_id, run_id) = (session.clone(), event.run_id.clone());
                    found.push(ListedArtifact { session_id, run_id, seq: event.seq, ts: event.ts, emitted });
                }
            })?;
        }
        found.sort_by(|a, b| b.ts.cmp(&a.ts).then_with(|| b.seq.cmp(&a.seq)));
        Ok(found)
    }

    /// Returns the artifact whose id, or the only one whose name, is this, with its content. `last` is the newest.
    ///
    /// # Errors
    /// `ARTIFACT_NOT_FOUND`, `ID_AMBIGUOUS`, `CONTENT_DAMAGED`, or when the database cannot be read.
    pub fn artifact(&self, name: &str, most: usize) -> Result<(ListedArtifact, Vec<u8>), Error> {
        let all = self.artifacts(None, most)?;
        let is_meant = |listed: &&ListedArtifact| {
            let id = &listed.emitted.artifact_id;
            let is_part = name.len() >= MIN_ID_PART && (id.starts_with(name) || id.ends_with(name));
            name == "last" || is_part || listed.emitted.name == name
        };
        let mut meant: Vec<&ListedArtifact> = all.iter().filter(is_meant).collect();
        // The same content under one id is one artifact, however often it was emitted.
        meant.dedup_by(|a, b| a.emitted.content_hash == b.emitted.content_hash);
        let found = match meant.as_slice() {
            [] => return Err(unknown(Code::ARTIFACT_NOT_FOUND, "artifact", name, "arki artifacts list")),
            [found, ..] if name == "last" => *found,
            [found] => *found,
            several => {
                let told = |listed: &&ListedArtifact| {
                    format!("{} ({})", listed.emitted.artifact_id, shown(&listed.emitted.name))
                };
                let told = several.iter().map(told).collect();
                return Err(ambiguous(&format!("\"{}\" fits", shown(name)), "artifacts", told));
            }
        };
        let bytes = self.records.reader().contents().artifact(&found.session_id, &found.emitted.content_hash)?;
        let gone = || {
            let message = format!("The content of the artifact {} is no longer stored.", found.emitted.artifact_id);
            Error::new(Code::ARTIFACT_NOT_FOUND, message, "`arki artifacts list` lists all artifacts.")
        };
        Ok((found.clone(), bytes.ok_or_else(gone)?))
    }
}
