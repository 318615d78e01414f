//! Sessions that other agents have kept, brought in: each by itself, so that a damaged one holds nothing up.

use crate::{Projects, Records, Retention, blocking};
use arki_api::{HistoryOutcome, HistorySession, HistorySource, ImportedHistory};
use arki_domain::{Code, Error, EventBody, PastEvent, SessionId};
use arki_histories::{FoundHistory, HistoryHomes, past_events};
use arki_store::ImportOutcome;
use std::path::PathBuf;
use std::sync::Arc;

/// The faults of a session by itself: the next one may well be brought in.
const OF_ONE_SESSION: [Code; 5] =
    [Code::HISTORY_UNREADABLE, Code::EXPORT_INVALID, Code::FILE_TOO_LARGE, Code::EVENT_TOO_LARGE, Code::EVENT_TOO_DEEP];

/// Brings in other agents' sessions.
pub struct Histories {
    records: Arc<Records>,
    projects: Arc<Projects>,
    retention: Arc<Retention>,
}

/// A session as it was read, in the form in which it is stored.
struct ReadHistory {
    session_id: SessionId,
    title: String,
    project: String,
    left_out: u32,
    events: Vec<PastEvent>,
}

impl Histories {
    pub(crate) fn new(records: Arc<Records>, projects: Arc<Projects>, retention: Arc<Retention>) -> Self {
        Self { records, projects, retention }
    }

    /// Brings in the sessions that an agent has kept of a folder, or of all. What can't be read is told, and the others
    /// are brought in.
    ///
    /// # Errors
    /// `HISTORY_UNREADABLE` where none can be found at all, or when the database can't be written.
    pub async fn import_history(
        self: &Arc<Self>,
        source: HistorySource,
        folder: Option<PathBuf>,
    ) -> Result<ImportedHistory, Error> {
        let found = blocking(self, move |_| homes()?.find(source, folder.as_deref())).await?;
        let mut imported = ImportedHistory { sessions: Vec::new(), faults: Vec::new() };
        for one in found {
            let read = blocking(self, move |it| {
                it.projects.learn_secrets_of(&canonical(&one.folder))?;
                read(source, &one)
            });
            let brought = match read.await {
                Ok(None) => continue,
                Ok(Some(read)) => self.bring(read).await,
                Err(fault) => Err(fault),
            };
            match brought {
                Ok(session) => imported.sessions.push(session),
                Err(fault) if OF_ONE_SESSION.iter().any(|code| fault.is(*code)) => {
                    imported.faults.push(fault.message);
                }
                Err(fault) => return Err(fault),
            }
        }
        Ok(imported)
    }

    async fn bring(&self, read: ReadHistory) -> Result<HistorySession, Error> {
        let ReadHistory { session_id, title, project, left_out, events } = read;
        let outcome = self.store(&session_id, events).await?;
        Ok(HistorySession { session_id: session_id.to_string(), title, project, outcome, left_out })
    }

    async fn store(&self, session: &SessionId, events: Vec<PastEvent>) -> Result<HistoryOutcome, Error> {
        let stored = self.records.store().import_past(session, events.clone()).await;
        match stored.map_err(Error::from) {
            Ok(imported) if imported.outcome == ImportOutcome::Unchanged => Ok(HistoryOutcome::Unchanged),
            Ok(imported) if imported.outcome == ImportOutcome::Extended => Ok(HistoryOutcome::Replaced),
            Ok(_) => Ok(HistoryOutcome::Added),
            Err(fault) if fault.is(Code::SESSION_EXISTS) => {
                if self.is_continued(session).await? {
                    return Ok(HistoryOutcome::Kept);
                }
                match self.retention.remove_session(session).await {
                    Ok(_) => {}
                    Err(fault) if fault.is(Code::SESSION_HAS_FORKS) || fault.is(Code::SESSION_BUSY) => {
                        return Ok(HistoryOutcome::Kept);
                    }
                    Err(fault) => return Err(fault),
                }
                self.records.store().import_past(session, events).await?;
                Ok(HistoryOutcome::Replaced)
            }
            Err(fault) => Err(fault),
        }
    }

    /// Returns whether something was added here to a session that was brought in.
    async fn is_continued(&self, session: &SessionId) -> Result<bool, Error> {
        let session = session.clone();
        let read = move |reader: &arki_store::StoreReader| {
            Ok(reader.log().last_seq(&session)? > reader.imported_to(&session)?)
        };
        Ok(self.records.store().read(read).await?)
    }
}

fn homes() -> Result<HistoryHomes, Error> {
    HistoryHomes::of_user().ok_or_else(|| {
        let message = "There is no home folder, where other agents keep their sessions.";
        Error::new(Code::HISTORY_UNREADABLE, message, "Set HOME to it.")
    })
}

/// One that is gone stays as it was told.
fn canonical(folder: &str) -> String {
    std::fs::canonicalize(folder).map_or_else(|_| folder.to_owned(), |folder| folder.display().to_string())
}

/// `None` where nothing was said in it.
fn read(source: HistorySource, found: &FoundHistory) -> Result<Option<ReadHistory>, Error> {
    let mut session = found.read()?;
    session.folder = canonical(&session.folder);
    let (session_id, events) = past_events(source, &session);
    let title = events.iter().find_map(|event| match &event.draft.body {
        EventBody::SessionCreated(created) => Some(created.title.clone()),
        _ => None,
    });
    let left_out = u32::try_from(session.left_out).unwrap_or(u32::MAX);
    Ok(title.map(|title| ReadHistory { session_id, title, project: session.folder, left_out, events }))
}
