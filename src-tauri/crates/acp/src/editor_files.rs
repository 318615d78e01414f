//! The client's open files, as the tools of runs look at them.

use crate::messages::SessionNotification;
use crate::open_sessions::OpenSessions;
use crate::rpc::{AskFailure, RpcConnection};
use crate::telling::message;
use arki_engine::{BufferText, OpenBuffers};
use async_trait::async_trait;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The time that the client has to answer about a file.
const PATIENCE: Duration = Duration::from_secs(3);
/// A longer text isn't taken.
const MAX_TEXT_BYTES: usize = 4 << 20;
const SILENT: &str = "This editor doesn't answer about unsaved files, so Arki reads and changes the saved ones.\n\n";

/// The files of one folder.
pub(crate) struct EditorFiles {
    connection: Arc<RpcConnection>,
    sessions: Arc<OpenSessions>,
    folder: PathBuf,
    /// It didn't answer once, and isn't asked again.
    is_silent: AtomicBool,
}

impl EditorFiles {
    pub(crate) fn new(connection: Arc<RpcConnection>, sessions: Arc<OpenSessions>, folder: PathBuf) -> Self {
        Self { connection, sessions, folder, is_silent: AtomicBool::new(false) }
    }
}

#[async_trait]
impl OpenBuffers for EditorFiles {
    async fn text(&self, path: &Path) -> BufferText {
        if self.is_silent.load(Ordering::Relaxed) {
            return BufferText::Silent;
        }
        let open = self.sessions.list().into_iter().find(|session| session.folder == self.folder);
        let (Some(session), Ok(inside)) = (open, path.strip_prefix(&self.folder)) else { return BufferText::Unknown };
        let asked = json!({"sessionId": session.id, "path": session.named_folder.join(inside)});
        let answer = self.connection.ask::<Value>("fs/read_text_file", &asked);
        match tokio::time::timeout(PATIENCE, answer).await {
            Ok(Ok(answer)) => match answer["content"].as_str() {
                Some(text) if text.len() <= MAX_TEXT_BYTES => BufferText::Text(text.to_owned()),
                Some(_) | None => BufferText::Silent,
            },
            // It has no such file, or none that it shows.
            Ok(Err(AskFailure::Refused)) => BufferText::Unknown,
            Ok(Err(AskFailure::Gone)) => BufferText::Silent,
            Err(_) => {
                if !self.is_silent.swap(true, Ordering::Relaxed) {
                    let update = message("files", SILENT);
                    let update = SessionNotification { session_id: session.id.as_str(), update: &update };
                    self.connection.notify("session/update", &update).await;
                }
                BufferText::Silent
            }
        }
    }
}
