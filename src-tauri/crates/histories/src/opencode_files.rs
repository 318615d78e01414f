//! opencode's sessions as they lay in files before its version 1.2: `storage/session/PROJECT/ID.json`, the messages in
//! `storage/message/ID`, their parts in `storage/part/MESSAGE`.

use crate::fields::text;
use crate::foreign_session::ForeignSession;
use crate::lines::{entries, unreadable};
use crate::opencode::{ListedSession, Stored, TakenBack, session_of};
use arki_domain::{Error, io_words};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// The largest file that is read, in bytes.
const MAX_FILE_BYTES: u64 = 32 << 20;

/// Lists the sessions that users began, of all folders.
pub(crate) fn list(storage: &Path) -> Vec<ListedSession> {
    let projects = entries(&storage.join("session"));
    let files = projects.iter().flat_map(|project| entries(project));
    let described = files.filter_map(|file| read_json(&file)).filter(|session| text(session, "parentID").is_empty());
    described
        .filter(|session| !text(session, "id").is_empty())
        .map(|session| ListedSession {
            id: text(&session, "id").to_owned(),
            folder: text(&session, "directory").to_owned(),
            title: text(&session, "title").to_owned(),
            taken_back: session.get("revert").and_then(TakenBack::of),
        })
        .collect()
}

/// Reads a session.
///
/// # Errors
/// `HISTORY_UNREADABLE`.
pub(crate) fn read(storage: &Path, listed: &ListedSession) -> Result<ForeignSession, Error> {
    let folder = storage.join("message").join(&listed.id);
    fs::metadata(&folder)
        .map_err(|error| unreadable(&folder, &format!("can't be read: {}", io_words(error.kind()))))?;
    let mut messages = stored(&folder, None);
    let created = |one: &Stored| one.data["time"]["created"].as_i64();
    messages.sort_by(|one, other| created(one).cmp(&created(other)).then_with(|| one.id.cmp(&other.id)));
    let parts: Vec<Stored> = messages
        .iter()
        .flat_map(|message| stored(&storage.join("part").join(&message.id), Some(&message.id)))
        .collect();
    Ok(session_of(listed, &messages, &parts))
}

/// The JSON of a folder's files, by name; a damaged one is null.
fn stored(folder: &Path, message: Option<&str>) -> Vec<Stored> {
    let one = |path: PathBuf| {
        let id = path.file_stem()?.to_str()?.to_owned();
        let message = message.map_or_else(|| id.clone(), str::to_owned);
        Some(Stored { id, message, data: read_json(&path).unwrap_or_default() })
    };
    entries(folder).into_iter().filter_map(one).collect()
}

fn read_json(path: &Path) -> Option<Value> {
    let is_read = fs::metadata(path).is_ok_and(|told| told.is_file() && told.len() <= MAX_FILE_BYTES);
    if !is_read {
        return None;
    }
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}
