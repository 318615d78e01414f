//! opencode's sessions: since its version 1.2 the tables `session`, `message` and `part` of `opencode.db`, whose `data`
//! is the JSON that lay in files of its own before: `storage/session/PROJECT/ID.json`, the messages in
//! `storage/message/ID`, their parts in `storage/part/MESSAGE`.

use crate::fields::{is_set, text};
use crate::foreign_session::{ForeignSession, Told};
use crate::lines::{entries, unreadable};
use arki_domain::{Error, io_words};
use rusqlite::{Connection, OpenFlags, Row};
use serde_json::Value;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Its program may be writing.
const PATIENCE: Duration = Duration::from_secs(5);
/// The most messages of a session, and parts of them, that are read.
const MAX_ROWS: u32 = 200_000;

/// A session in a list, without what was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedSession {
    pub(crate) id: String,
    pub(crate) folder: String,
    pub(crate) title: String,
    pub(crate) taken_back: Option<TakenBack>,
}

/// The place from which on the user has taken a session back; what comes after it is stored until the next prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TakenBack {
    message: String,
    /// Empty where it is the whole message.
    part: String,
}

impl TakenBack {
    /// `told`: `{"messageID": …, "partID": …}`.
    fn of(told: &Value) -> Option<Self> {
        let (message, part) = (text(told, "messageID").to_owned(), text(told, "partID").to_owned());
        (!message.is_empty()).then_some(Self { message, part })
    }

    /// The messages and parts that stand.
    fn standing<'a>(&self, messages: &'a [Stored], parts: &'a [Stored]) -> (&'a [Stored], &'a [Stored]) {
        let Some(from) = messages.iter().position(|one| one.id == self.message) else { return (messages, parts) };
        match parts.iter().position(|one| one.id == self.part && one.message == self.message) {
            Some(part) => (&messages[..=from], &parts[..part]),
            None => (&messages[..from], parts),
        }
    }
}

/// A message or a part of one: its id, that of its message, and its JSON.
struct Stored {
    id: String,
    message: String,
    data: Value,
}

/// Lists the sessions that users began, of all folders.
///
/// # Errors
/// `HISTORY_UNREADABLE`.
pub(crate) fn list(database: &Path) -> Result<Vec<ListedSession>, Error> {
    let read = |connection: &Connection| {
        let columns = "SELECT COUNT(*) FROM pragma_table_info('session') WHERE name = 'revert'";
        let knows_revert: bool = connection.query_row(columns, [], |row| row.get(0))?;
        let revert = if knows_revert { "revert" } else { "NULL" };
        let sql = format!(
            "SELECT id, directory, title, {revert} FROM session WHERE parent_id IS NULL ORDER BY time_created, id"
        );
        let listed = |row: &Row<'_>| {
            let revert: Option<String> = row.get(3)?;
            let taken_back = revert.and_then(|told| TakenBack::of(&serde_json::from_str(&told).ok()?));
            Ok(ListedSession { id: row.get(0)?, folder: row.get(1)?, title: row.get(2)?, taken_back })
        };
        connection.prepare(&sql)?.query_map([], listed)?.collect()
    };
    read_from(database, read)
}

/// Reads a session.
///
/// # Errors
/// `HISTORY_UNREADABLE`.
pub(crate) fn read(database: &Path, listed: &ListedSession) -> Result<ForeignSession, Error> {
    let rows = |connection: &Connection, sql: &str| {
        let stored = |row: &Row<'_>| {
            let data: String = row.get(2)?;
            Ok(Stored { id: row.get(0)?, message: row.get(1)?, data: serde_json::from_str(&data).unwrap_or_default() })
        };
        let read: rusqlite::Result<Vec<Stored>> =
            connection.prepare(sql)?.query_map((&listed.id, MAX_ROWS), stored)?.collect();
        read
    };
    let (messages, parts) = read_from(database, |connection| {
        let messages = rows(
            connection,
            "SELECT id, id, data FROM message WHERE session_id = ?1 ORDER BY time_created, id LIMIT ?2",
        )?;
        let parts =
            rows(connection, "SELECT id, message_id, data FROM part WHERE session_id = ?1 ORDER BY id LIMIT ?2")?;
        Ok((messages, parts))
    })?;
    Ok(session_of(listed, &messages, &parts))
}

fn read_from<T>(database: &Path, read: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let opened = Connection::open_with_flags(database, flags).and_then(|connection| {
        connection.busy_timeout(PATIENCE)?;
        read(&connection)
    });
    opened.map_err(|error| unreadable(database, &format!("can't be read: {error}")))
}

/// Puts a session together from its messages and their parts, each in order.
fn session_of(listed: &ListedSession, messages: &[Stored], parts: &[Stored]) -> ForeignSession {
    let ListedSession { id, folder, title, taken_back } = listed.clone();
    let (messages, parts) = taken_back.map_or((messages, parts), |from| from.standing(messages, parts));
    let mut session = ForeignSession { id, folder, title, ..ForeignSession::default() };
    let mut model = String::new();
    let mut of_message: HashMap<&str, Vec<&Value>> = HashMap::new();
    parts.iter().for_each(|part| of_message.entry(&part.message).or_default().push(&part.data));
    for message in messages {
        let at_ms = time(&message.data, "created");
        let is_users = text(&message.data, "role") == "user";
        let named = model_of(&message.data);
        if !is_users && !named.is_empty() && named != model {
            session.note(at_ms, Told::Model(named.clone()));
            model = named;
        }
        let own = of_message.remove(message.id.as_str()).unwrap_or_default();
        if is_users {
            let said = own.into_iter().filter(|part| is_said(part)).map(|part| text(part, "text"));
            session.note(at_ms, Told::Prompt(said.collect::<Vec<_>>().join("\n")));
        } else {
            own.into_iter().for_each(|part| note_part(&mut session, at_ms, part));
        }
        session.left_out += usize::from(message.data.is_null());
    }
    session
}

fn time(data: &Value, which: &str) -> i64 {
    data["time"][which].as_i64().unwrap_or_default()
}

fn model_of(message: &Value) -> String {
    let holder = message.get("model").filter(|model| model.is_object()).unwrap_or(message);
    match (text(holder, "providerID"), text(holder, "modelID")) {
        ("", _) | (_, "") => String::new(),
        (provider, model) => format!("{provider}/{model}"),
    }
}

/// A text of the user's own; others are added in their name.
fn is_said(part: &Value) -> bool {
    text(part, "type") == "text" && !is_set(part, "synthetic") && !is_set(part, "ignored")
}

fn note_part(session: &mut ForeignSession, at_ms: i64, part: &Value) {
    let began = Some(time(part, "start")).filter(|began| *began != 0).unwrap_or(at_ms);
    match text(part, "type") {
        "text" if is_said(part) => session.note(began, Told::Answer(text(part, "text").to_owned())),
        "reasoning" => session.note(began, Told::Thought(text(part, "text").to_owned())),
        "tool" => note_call(session, began, part),
        _ => {}
    }
}

fn note_call(session: &mut ForeignSession, at_ms: i64, part: &Value) {
    let state = &part["state"];
    let id = text(part, "callID").to_owned();
    let args = state.get("input").cloned().unwrap_or_default();
    session.note(at_ms, Told::Call { id: id.clone(), tool: text(part, "tool").to_owned(), args });
    let result = match text(state, "status") {
        "completed" => Told::Result { id, text: text(state, "output").to_owned(), is_error: false },
        "error" => Told::Result { id, text: text(state, "error").to_owned(), is_error: true },
        _ => return,
    };
    session.note(time(state, "end").max(at_ms), result);
}

/// The largest file that is read, in bytes.
const MAX_FILE_BYTES: u64 = 32 << 20;

/// Lists the sessions that lie in files, of all folders, but those of sub-agents.
pub(crate) fn list_files(storage: &Path) -> Vec<ListedSession> {
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

/// Reads a session from its files.
///
/// # Errors
/// `HISTORY_UNREADABLE`.
pub(crate) fn read_files(storage: &Path, listed: &ListedSession) -> Result<ForeignSession, Error> {
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

#[cfg(test)]
mod tests;
