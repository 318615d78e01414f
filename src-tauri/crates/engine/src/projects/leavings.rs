//! Files left by commands that make git run something, and that no call's result tells of: by those whose Arki was
//! killed, and by MCP servers. A run in that folder tells it in its session's log, the next one if there is none now;
//! until then it is kept in Arki's data, for whoever comes upon it may be no run at all (`arki doctor`, the window), or
//! end before one.

use crate::{Records, blocking};
use arki_disk::{create_private_dir, remove_private_file, write_private_file};
use arki_domain::{Error, EventId, SandboxCleanedUp, SessionId, sha256_hex};
use std::fs;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use tokio::sync::{Mutex, Notify};

/// Sentences of one folder that are told at once.
const MAX_WAITING: usize = 200;
/// The number of files that wait for one folder; beyond that it is only said in the diagnostics.
const MAX_FILES: usize = 100;

/// The notes that were not announced yet: a folder for each project, a file for each time that something was found.
pub(crate) struct Leavings {
    records: Arc<Records>,
    folder: PathBuf,
    has_more: Notify,
    /// Held while one run reports, so that two runs in one folder don't report the same.
    telling: Mutex<()>,
}

impl Leavings {
    pub(crate) fn new(records: Arc<Records>) -> Self {
        let folder = records.directories().untold();
        Self { records, folder, has_more: Notify::new(), telling: Mutex::default() }
    }

    pub(crate) fn add(&self, project: &str, notes: &[String]) {
        if notes.is_empty() {
            return;
        }
        if let Err(reason) = self.keep(project, notes) {
            tracing::warn!(project, reason, "what commands left behind: {}", notes.join(" "));
        }
        self.has_more.notify_waiters();
    }

    /// Returns what waits to be told of a folder, the oldest first.
    pub(crate) fn waiting(&self, project: &str) -> Vec<String> {
        notes_in(&self.files(project))
    }

    /// Looks for what commands left in a trusted folder whose Arki was killed.
    pub(crate) fn settle_abandoned(&self, root: &Path) {
        let (journals, trash) = (self.records.directories().journals(), self.records.directories().trash());
        self.add(&root.display().to_string(), &arki_sandbox::settle_abandoned(root, &journals, &trash));
    }

    /// Tells what waits to be told of the folder, and at once what comes while the run works.
    pub(crate) async fn with_leavings<T>(
        self: &Arc<Self>,
        session_id: &SessionId,
        project: &str,
        run: impl Future<Output = T>,
    ) -> T {
        tokio::pin!(run);
        loop {
            let mut has_more = pin!(self.has_more.notified());
            // Before looking, so that nothing is missed in between.
            has_more.as_mut().enable();
            self.tell_leavings(session_id, project).await;
            tokio::select! {
                ended = &mut run => return ended,
                () = has_more => {}
            }
        }
    }

    /// Tells what waits to be told of the folder now.
    pub(crate) async fn tell_leavings(self: &Arc<Self>, session_id: &SessionId, project: &str) {
        if let Err(fault) = self.told_leavings(session_id, project.to_owned()).await {
            tracing::warn!(%fault, "what commands left behind is not in the log yet");
        }
    }

    async fn told_leavings(self: &Arc<Self>, session_id: &SessionId, project: String) -> Result<(), Error> {
        let _telling = self.telling.lock().await;
        let (files, notes) = blocking(self, move |leavings| {
            let files = leavings.files(&project);
            let notes = notes_in(&files);
            Ok((files, notes))
        })
        .await?;
        if notes.is_empty() {
            return Ok(());
        }
        self.records.note(session_id, SandboxCleanedUp { call_id: None, notes }).await?;
        blocking(self, move |_| {
            for file in files {
                // What stays is told twice, which is better than not at all.
                if let Err(error) = remove_private_file(&file) {
                    tracing::warn!(%error, "what was told of a folder waits still");
                }
            }
            Ok(())
        })
        .await
    }

    fn keep(&self, project: &str, notes: &[String]) -> Result<(), String> {
        if self.files(project).len() >= MAX_FILES {
            return Err("too much waits to be told already".to_owned());
        }
        let folder = self.of(project);
        let kept = serde_json::to_vec(notes).map_err(|error| error.to_string())?;
        create_private_dir(&folder).map_err(|error| error.to_string())?;
        write_private_file(&folder.join(format!("{}.json", EventId::new())), &kept).map_err(|error| error.to_string())
    }

    fn of(&self, project: &str) -> PathBuf {
        self.folder.join(sha256_hex(project.as_bytes()))
    }

    /// Their names are times.
    fn files(&self, project: &str) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.of(project)).into_iter().flatten().flatten();
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        files.retain(|file| file.extension().is_some_and(|ending| ending == "json"));
        files.sort();
        files
    }
}

/// Returns the notes as far as they can be read; no sentence twice.
fn notes_in(files: &[PathBuf]) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    for file in files {
        let kept: Vec<String> =
            fs::read(file).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
        for note in kept {
            if notes.len() < MAX_WAITING && !notes.contains(&note) {
                notes.push(note);
            }
        }
    }
    notes
}
