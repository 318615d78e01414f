//! Memory beyond a session, as the user reviews it: what sessions propose to remember, and what was accepted.

use crate::projects::memory_files::{FoundMemory, edit_own_memory, edit_project_memory, own_memory, project_memory};
use crate::session_names::{LAST, ambiguous, shown, unknown};
use crate::{Projects, Records, SessionReader};
use arki_api::{MemoryEntry, MemoryState};
use arki_context::{MAX_MEMORY_BYTES, add_memory, memories, remove_memory};
use arki_domain::projection::{InboxEntry, MemoryInbox};
use arki_domain::{Code, Error, MemoryDecision, MemoryReviewed, MemoryScope, SessionId, sha256_hex};
use arki_store::{MIN_ID_PART_BYTES, is_named};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

const ACCEPTED_ID_CHARS: usize = 12;
/// The newest events of all sessions that are searched for proposals.
const MAX_SCANNED_EVENTS: u32 = 500_000;

/// Memory beyond sessions: proposed, accepted, changed.
pub struct MemoryReviews {
    records: Arc<Records>,
    projects: Arc<Projects>,
    reader: Arc<SessionReader>,
}

impl MemoryReviews {
    pub(crate) fn new(records: Arc<Records>, projects: Arc<Projects>, reader: Arc<SessionReader>) -> Self {
        Self { records, projects, reader }
    }

    /// Lists what waits for the user in all sessions, the newest first, as far as the newest [`MAX_SCANNED_EVENTS`] tell of
    /// it; then what was accepted, of the user's own and of this folder's.
    ///
    /// # Errors
    /// When the folder or the database cannot be read.
    pub fn memory(&self, folder: Option<&Path>) -> Result<Vec<MemoryEntry>, Error> {
        let mut entries = self.proposed_memory()?;
        entries.sort_by(|a, b| b.ts.cmp(&a.ts).then_with(|| b.id.cmp(&a.id)));
        if let Some(folder) = folder {
            let open = self.projects.load_project(folder)?;
            let project = open.path();
            entries.extend(project_memory(&open).iter().flat_map(|file| accepted(file, Some(&project))));
        }
        entries.extend(own_memory(&self.projects).iter().flat_map(|file| accepted(file, None)));
        Ok(entries)
    }

    /// Accepts what a session proposes, in the user's words where there are any: it is written into its file, and is in
    /// the prompts of the runs that begin from then on.
    ///
    /// # Errors
    /// `MEMORY_UNKNOWN`, `UNTRUSTED` where the project's folder is not trusted, `USAGE` for words that can't be kept.
    pub async fn accept_memory(&self, name: &str, words: Option<&str>) -> Result<MemoryEntry, Error> {
        let entry = self.pending_memory(name)?;
        let (session_id, project) = (session_of(&entry)?, entry.project.clone().unwrap_or_default());
        let own = words.map(|words| self.kept_words(words)).transpose()?;
        let text = own.clone().unwrap_or_else(|| entry.text.clone());
        self.reader.ensure_found_whole(&session_id)?;
        // Before it's said to be done: what is in the file already isn't added twice.
        let added = |file: &str| Ok(add_memory(file, &text));
        match entry.scope {
            MemoryScope::User => edit_own_memory(&self.projects, None, added)?,
            MemoryScope::Project => edit_project_memory(&self.projects, Path::new(&project), None, added).await?,
        }
        self.reviewed(&session_id, &entry.id, MemoryDecision::Accepted, own).await?;
        // From now on it has the id of its place in the file.
        let folder = (entry.scope == MemoryScope::Project).then(|| Path::new(&project));
        let is_it =
            |one: &MemoryEntry| (one.state, one.scope) == (MemoryState::Accepted, entry.scope) && one.text == text;
        let accepted = self.memory(folder)?.into_iter().find(is_it);
        Ok(accepted.unwrap_or(MemoryEntry { text, state: MemoryState::Accepted, used: true, ..entry }))
    }

    /// # Errors
    /// `MEMORY_UNKNOWN`, or when the log cannot be written.
    pub async fn reject_memory(&self, name: &str) -> Result<MemoryEntry, Error> {
        let entry = self.pending_memory(name)?;
        let session_id = session_of(&entry)?;
        self.reader.ensure_found_whole(&session_id)?;
        self.reviewed(&session_id, &entry.id, MemoryDecision::Rejected, None).await?;
        Ok(entry)
    }

    /// Changes the words of one that was accepted.
    ///
    /// # Errors
    /// `MEMORY_UNKNOWN`, `UNTRUSTED`, `USAGE` for words that can't be kept.
    pub async fn edit_memory(&self, folder: Option<&Path>, name: &str, words: &str) -> Result<MemoryEntry, Error> {
        let words = self.kept_words(words)?;
        self.change_accepted(folder, name, Some(&words)).await
    }

    /// Forgets one that was accepted.
    ///
    /// # Errors
    /// `MEMORY_UNKNOWN`, `UNTRUSTED`.
    pub async fn remove_memory(&self, folder: Option<&Path>, name: &str) -> Result<MemoryEntry, Error> {
        self.change_accepted(folder, name, None).await
    }

    async fn change_accepted(
        &self,
        folder: Option<&Path>,
        name: &str,
        words: Option<&str>,
    ) -> Result<MemoryEntry, Error> {
        let entry = found(self.memory(folder)?, MemoryState::Accepted, name)?;
        let path = entry.path.as_deref();
        let changed = |file: &str| {
            let without = remove_memory(file, &entry.text).ok_or_else(|| memory_unknown(name))?;
            Ok(words.map_or_else(|| without.clone(), |words| add_memory(&without, words)))
        };
        match &entry.project {
            None => edit_own_memory(&self.projects, path, changed)?,
            Some(project) => edit_project_memory(&self.projects, Path::new(project), path, changed).await?,
        }
        Ok(match words {
            Some(words) => MemoryEntry { id: accepted_id(entry.scope, path, words), text: words.to_owned(), ..entry },
            None => entry,
        })
    }

    fn proposed_memory(&self) -> Result<Vec<MemoryEntry>, Error> {
        let mut inboxes: BTreeMap<SessionId, (MemoryInbox, BTreeMap<u64, i64>)> = BTreeMap::new();
        self.records.reader().log().each_memory_event(MAX_SCANNED_EVENTS, |event| {
            let (inbox, times) = inboxes.entry(event.session_id.clone()).or_default();
            inbox.apply(event, &event.body());
            times.insert(event.seq, event.ts);
        })?;
        let mut entries = Vec::new();
        for (session_id, (inbox, times)) in inboxes {
            let Some(session) = self.records.reader().lists().session(&session_id)? else { continue };
            let entry = |proposed: &InboxEntry| MemoryEntry {
                id: proposed.id.clone(),
                text: proposed.text.clone(),
                scope: proposed.scope,
                state: MemoryState::Pending,
                session_id: Some(session_id.to_string()),
                project: Some(session.project.clone()),
                path: None,
                ts: times.get(&proposed.seq).copied(),
                used: false,
            };
            entries.extend(inbox.candidates().map(entry));
        }
        Ok(entries)
    }

    fn pending_memory(&self, name: &str) -> Result<MemoryEntry, Error> {
        found(self.proposed_memory()?, MemoryState::Pending, name)
    }

    async fn reviewed(
        &self,
        session_id: &SessionId,
        id: &str,
        decision: MemoryDecision,
        text: Option<String>,
    ) -> Result<(), Error> {
        self.records.note(session_id, MemoryReviewed { id: id.to_owned(), decision, text }).await?;
        Ok(())
    }

    /// Joins the words into one line and redacts it. Fails if it's empty or too long.
    fn kept_words(&self, words: &str) -> Result<String, Error> {
        let line = words.split_whitespace().collect::<Vec<_>>().join(" ");
        match line.len() {
            1..=MAX_MEMORY_BYTES => Ok(self.records.redactor().redact(&line).into_owned()),
            bytes => {
                let message = format!("A memory has 1 to {MAX_MEMORY_BYTES} bytes; this one has {bytes}.");
                Err(Error::new(Code::USAGE, message, "Say it in a sentence."))
            }
        }
    }
}

fn session_of(entry: &MemoryEntry) -> Result<SessionId, Error> {
    entry.session_id.as_deref().map(SessionId::from).ok_or_else(|| Error::internal("a proposal without a session"))
}

fn accepted(file: &FoundMemory, project: Option<&str>) -> Vec<MemoryEntry> {
    let entry = |text: String| MemoryEntry {
        id: accepted_id(file.scope, Some(&file.path), &text),
        text,
        scope: file.scope,
        state: MemoryState::Accepted,
        session_id: None,
        project: project.map(str::to_owned),
        path: Some(file.path.clone()),
        ts: None,
        used: file.is_agreed,
    };
    memories(&file.text).into_iter().map(entry).collect()
}

fn accepted_id(scope: MemoryScope, path: Option<&str>, text: &str) -> String {
    let place = format!("{scope:?}\0{}\0{text}", path.unwrap_or_default());
    sha256_hex(place.as_bytes())[..ACCEPTED_ID_CHARS].to_owned()
}

/// The one of that id, or the only one whose id begins or ends so.
fn found(entries: Vec<MemoryEntry>, state: MemoryState, name: &str) -> Result<MemoryEntry, Error> {
    let mut named: Vec<MemoryEntry> =
        entries.into_iter().filter(|entry| entry.state == state && is_named(&entry.id, name)).collect();
    if let Some(whole) = named.iter().position(|entry| entry.id == name) {
        return Ok(named.swap_remove(whole));
    }
    match named.len() {
        1 => Ok(named.remove(0)),
        0 => Err(memory_unknown(name)),
        _ => {
            let ids = named.into_iter().map(|entry| entry.id).collect();
            Err(ambiguous(&format!("\"{}\" fits", shown(name)), "memories", ids))
        }
    }
}

fn memory_unknown(name: &str) -> Error {
    if name == LAST || name.len() < MIN_ID_PART_BYTES {
        let hint = format!(
            "Give the id, or a part of it with at least {MIN_ID_PART_BYTES} characters; `arki memory list` shows them."
        );
        return Error::new(Code::MEMORY_UNKNOWN, format!("No memory has the ID {}.", shown(name)), hint);
    }
    unknown(Code::MEMORY_UNKNOWN, "memory", name, "arki memory list")
}
