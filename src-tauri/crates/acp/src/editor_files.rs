//! The client's open files, as the tools of runs look at them.

use crate::agent::EditorAgent;
use crate::live_session::{LiveSession, OpenSessions};
use crate::messages::tell_update;
use crate::rpc::{AskFailure, RpcConnection};
use crate::telling::message;
use arki_domain::SessionId;
use arki_engine::{BufferChange, BufferText, BufferWrite, Engine, OpenBuffers};
use async_trait::async_trait;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The time that the client has to answer about a file.
const PATIENCE: Duration = Duration::from_secs(3);
/// The time for which one that didn't answer is left alone.
const PAUSE: Duration = Duration::from_secs(60);
/// The time that it has to take a new text: it may save and format the file.
const PATIENCE_TO_WRITE: Duration = Duration::from_secs(10);
/// A longer text isn't taken.
const MAX_TEXT_BYTES: usize = 4 << 20;
const SILENT: &str = "This editor doesn't answer about unsaved files, so Arki reads and changes the saved ones. It asks again later.\n\n";

/// The files of one folder.
pub(crate) struct EditorFiles {
    engine: Arc<Engine>,
    connection: Arc<RpcConnection>,
    sessions: Arc<OpenSessions>,
    folder: PathBuf,
    takes_texts: bool,
    /// It didn't answer, and isn't asked again before this.
    silent_until: Mutex<Option<Instant>>,
    is_told: AtomicBool,
    /// The files that were unsaved when it last told of them.
    unsaved: Mutex<HashSet<PathBuf>>,
}

impl EditorFiles {
    pub(crate) fn new(agent: &EditorAgent, folder: PathBuf, takes_texts: bool) -> Self {
        Self {
            engine: agent.client.engine().clone(),
            connection: agent.connection.clone(),
            sessions: agent.sessions.clone(),
            folder,
            takes_texts,
            silent_until: Mutex::default(),
            is_told: AtomicBool::new(false),
            unsaved: Mutex::default(),
        }
    }

    fn silent(&self) -> MutexGuard<'_, Option<Instant>> {
        self.silent_until.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The sessions by which the client may know a file, with its path as they name it: the one that asks, or the one above
    /// a sub-agent's; otherwise each, those first that name the folder as it is.
    async fn named(&self, session: Option<&SessionId>, path: &Path) -> Vec<(Arc<LiveSession>, PathBuf)> {
        let Ok(inside) = path.strip_prefix(&self.folder) else { return Vec::new() };
        let mut open: Vec<_> = self.sessions.list().into_iter().filter(|open| open.folder == self.folder).collect();
        open.sort_by_key(|open| (open.named_folder != open.folder, open.id.clone()));
        let is_open = |id: &SessionId| open.iter().position(|open| open.id == *id);
        let own = match session {
            Some(session) => match is_open(session) {
                None => self.above(session).await.and_then(|above| is_open(&above)),
                own => own,
            },
            None => None,
        };
        if let Some(own) = own {
            open = vec![open.swap_remove(own)];
        }
        open.into_iter().map(|session| (session.clone(), session.named_folder.join(inside))).collect()
    }

    async fn above(&self, session: &SessionId) -> Option<SessionId> {
        let (engine, session) = (self.engine.clone(), session.clone());
        tokio::task::spawn_blocking(move || engine.session_reader().run_above(&session).ok()).await.ok()?
    }

    async fn text_in(&self, session: &LiveSession, path: &Path) -> BufferText {
        let asked = json!({"sessionId": session.id, "path": path});
        let answer = self.connection.ask::<Value>("fs/read_text_file", &asked);
        match tokio::time::timeout(PATIENCE, answer).await {
            Ok(Ok(answer)) => match answer["content"].as_str() {
                Some(text) if text.len() <= MAX_TEXT_BYTES => BufferText::Text(text.to_owned()),
                // Longer than any file that is asked about: it isn't as on the disk.
                Some(_) => BufferText::Gone,
                None => BufferText::Silent,
            },
            // It has no such file, or none that it shows.
            Ok(Err(AskFailure::Refused)) => BufferText::Unknown,
            Ok(Err(AskFailure::Gone)) => BufferText::Gone,
            Err(_) => {
                *self.silent() = Some(Instant::now() + PAUSE);
                if !self.is_told.swap(true, Ordering::Relaxed) {
                    let update = message("files", SILENT);
                    tell_update(&self.connection, &session.id, &update).await;
                }
                BufferText::Silent
            }
        }
    }
}

#[async_trait]
impl OpenBuffers for EditorFiles {
    async fn text(&self, session: Option<&SessionId>, path: &Path) -> BufferText {
        if self.silent().is_some_and(|until| Instant::now() < until) {
            return BufferText::Silent;
        }
        for (session, path) in self.named(session, path).await {
            match self.text_in(&session, &path).await {
                BufferText::Unknown => {}
                known => return known,
            }
        }
        BufferText::Unknown
    }

    fn note(&self, path: &Path, is_unsaved: bool) {
        let mut unsaved = self.unsaved.lock().unwrap_or_else(PoisonError::into_inner);
        if is_unsaved {
            unsaved.insert(path.to_owned())
        } else {
            unsaved.remove(path)
        };
    }

    fn was_unsaved(&self, path: &Path) -> bool {
        self.unsaved.lock().unwrap_or_else(PoisonError::into_inner).contains(path)
    }

    fn takes_texts(&self) -> bool {
        self.takes_texts
    }

    async fn replace(&self, session: Option<&SessionId>, change: BufferChange<'_>) -> BufferWrite {
        let _alone = self.sessions.writing.lock().await;
        for (session, path) in self.named(session, change.path).await {
            match self.text_in(&session, &path).await {
                BufferText::Unknown => continue,
                BufferText::Text(text) if text == change.before => {}
                BufferText::Text(_) => return BufferWrite::Changed,
                BufferText::Silent | BufferText::Gone => return BufferWrite::Refused,
            }
            let asked = json!({"sessionId": session.id, "path": path, "content": change.after});
            let answer = self.connection.ask::<Value>("fs/write_text_file", &asked);
            return match tokio::time::timeout(PATIENCE_TO_WRITE, answer).await {
                Ok(Ok(_)) => BufferWrite::Taken,
                Ok(Err(AskFailure::Refused)) => BufferWrite::Refused,
                Ok(Err(AskFailure::Gone)) | Err(_) => BufferWrite::Silent,
            };
        }
        BufferWrite::Refused
    }
}
