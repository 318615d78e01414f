//! Finds the session, run or event that a name on the command line means: the one place where ids are looked up.
//!
//! A name is an id, an unambiguous prefix or ending of one (at least four characters), or `last`, the newest. Whatever
//! belongs to a session names that session too, so that every id which some command prints is taken where a session is
//! wanted. Of several kinds that fit, the one that the command is about counts: a session's prefix is mostly that of its
//! first run as well.

use crate::{OpenQuestion, OpenQuestions, Records, SessionReader};
use arki_domain::projection::{QueuedMessage, SessionSummary};
use arki_domain::visible::{InvisibleCharacters, one_line, visible};
use arki_domain::{Code, Error, RunId, SessionId};
use arki_store::{IdKind, MIN_ID_PART_BYTES, NamedId, StoreReader, is_named};
use std::sync::Arc;

/// Stands for the newest.
pub(crate) const LAST: &str = "last";
/// Candidates that an error names.
pub(crate) const MAX_CANDIDATES: usize = 10;
const MAX_TITLE_CHARS: usize = 40;

/// A session, or one of its runs, with the event's number where one was named (`ID#SEQ`, as `arki blame` prints it).
#[derive(Debug, Clone)]
pub struct NamedPlace {
    pub session: SessionSummary,
    /// The run, where one was named and not its session.
    pub run: Option<RunId>,
    pub seq: Option<u64>,
}

/// Refuses `last`: to approve or remove something, name it.
///
/// # Errors
/// `USAGE` for `last`.
pub fn refuse_last(name: &str) -> Result<(), Error> {
    if name != LAST {
        return Ok(());
    }
    let message = "`last` can't be used here: it may not be the one you have seen.";
    Err(Error::new(Code::USAGE, message, "Give the id, or a part of it with at least 4 characters."))
}

/// Finds sessions by what the user calls them.
pub struct SessionNames {
    records: Arc<Records>,
    reader: Arc<SessionReader>,
    questions: Arc<OpenQuestions>,
}

impl SessionNames {
    pub(crate) fn new(records: Arc<Records>, reader: Arc<SessionReader>, questions: Arc<OpenQuestions>) -> Self {
        Self { records, reader, questions }
    }

    /// The session that is named, by its own id or by that of what belongs to it.
    ///
    /// # Errors
    /// `SESSION_NOT_FOUND`, `ID_AMBIGUOUS`.
    pub fn find_session(&self, name: &str) -> Result<SessionSummary, Error> {
        Ok(self.find_place(name)?.session)
    }

    /// Finds like [`Self::find_session`], for what can be about a run or an event of it too.
    ///
    /// # Errors
    /// `SESSION_NOT_FOUND`, `ID_AMBIGUOUS`.
    pub fn find_place(&self, name: &str) -> Result<NamedPlace, Error> {
        let place = |found: NamedSession, seq| {
            let (session_id, run) = (found.session_id, found.run);
            Ok(NamedPlace { session: self.reader.session(&session_id)?, run, seq })
        };
        match found(self.records.reader(), name)? {
            Some(found) => return place(found, None),
            None => {
                if let Some((id, seq)) = event_of(name)
                    && let Some(found) = found(self.records.reader(), id)?
                {
                    return place(found, Some(seq));
                }
            }
        }
        let asked = self.questions.open_questions()?;
        let asked = asked.into_iter().filter(|open| is_named(open.asked.question_id.as_str(), name));
        let id = |open: OpenQuestion| NamedId { id: open.asked.question_id.to_string(), session_id: open.session_id };
        let asked: Vec<NamedId> = asked.map(id).collect();
        match one_session(self.records.reader(), name, "questions", &asked)? {
            Some(session_id) => place(NamedSession { session_id, run: None }, None),
            None => Err(unknown(Code::SESSION_NOT_FOUND, "session", name, "arki sessions list")),
        }
    }

    /// The place of a message among those that wait.
    ///
    /// # Errors
    /// `MESSAGE_NOT_FOUND`, `ID_AMBIGUOUS`.
    pub fn find_message(&self, session: &SessionId, waiting: &[QueuedMessage], name: &str) -> Result<usize, Error> {
        let ids = || waiting.iter().map(|message| message.message_id.as_str());
        if name == LAST {
            let newest = ids().enumerate().max_by_key(|(_, id)| *id).map(|(place, _)| place);
            return newest.ok_or_else(|| no_message(session, name));
        }
        if let Some(place) = ids().position(|id| id == name) {
            return Ok(place);
        }
        let named: Vec<(usize, &str)> = ids().enumerate().filter(|(_, id)| is_named(id, name)).collect();
        match named.as_slice() {
            [] => Err(no_message(session, name)),
            [(place, _)] => Ok(*place),
            several => {
                let several = several.iter().map(|(_, id)| (*id).to_owned()).collect();
                Err(ambiguous(&format!("\"{}\" fits", shown(name)), "messages", several))
            }
        }
    }
}

/// The session that is named where only the database is at hand.
///
/// # Errors
/// `SESSION_NOT_FOUND`, `ID_AMBIGUOUS`.
pub(crate) fn session(reader: &StoreReader, name: &str) -> Result<SessionId, Error> {
    match found(reader, name)? {
        Some(found) => Ok(found.session_id),
        None => Err(unknown(Code::SESSION_NOT_FOUND, "session", name, "arki sessions list")),
    }
}

pub(crate) struct NamedSession {
    pub(crate) session_id: SessionId,
    run: Option<RunId>,
}

pub(crate) fn found(reader: &StoreReader, name: &str) -> Result<Option<NamedSession>, Error> {
    if name == LAST {
        let newest = reader.lists().newest_session()?;
        return Ok(newest.map(|newest| NamedSession { session_id: newest.session_id, run: None }));
    }
    let sessions = reader.lists().named_ids(IdKind::Session, name, MAX_CANDIDATES + 1)?;
    if let Some(session_id) = one_session(reader, name, "sessions", &sessions)? {
        return Ok(Some(NamedSession { session_id, run: None }));
    }
    let runs = reader.lists().named_ids(IdKind::Run, name, MAX_CANDIDATES + 1)?;
    if let Some(session_id) = one_session(reader, name, "runs", &runs)? {
        // Several runs of one session name the session alone.
        let run = match runs.as_slice() {
            [one] => Some(RunId::from(one.id.as_str())),
            _ => None,
        };
        return Ok(Some(NamedSession { session_id, run }));
    }
    let approvals = reader.lists().named_ids(IdKind::Approval, name, MAX_CANDIDATES + 1)?;
    let session = one_session(reader, name, "approvals", &approvals)?;
    Ok(session.map(|session_id| NamedSession { session_id, run: None }))
}

/// The session that all of them belong to.
fn one_session(reader: &StoreReader, name: &str, kinds: &str, named: &[NamedId]) -> Result<Option<SessionId>, Error> {
    let Some(first) = named.first() else { return Ok(None) };
    if named.iter().all(|other| other.session_id == first.session_id) {
        return Ok(Some(first.session_id.clone()));
    }
    let mut told = Vec::new();
    for NamedId { id, session_id } in named {
        let title = reader.lists().session(session_id)?.map(|session| session.title).unwrap_or_default();
        told.push(with_title(id, &title));
    }
    Err(ambiguous(&format!("\"{}\" fits", shown(name)), kinds, told))
}

/// `ID#SEQ`.
fn event_of(name: &str) -> Option<(&str, u64)> {
    let (id, seq) = name.rsplit_once('#')?;
    Some((id, seq.parse().ok()?))
}

pub(crate) fn with_title(id: &str, title: &str) -> String {
    let title: String = shown(title).chars().take(MAX_TITLE_CHARS).collect();
    if title.is_empty() { id.to_owned() } else { format!("{id} ({})", title.trim_end()) }
}

pub(crate) fn shown(text: &str) -> String {
    visible(&one_line(text), InvisibleCharacters::Code)
}

pub(crate) fn ambiguous(what: &str, kinds: &str, mut candidates: Vec<String>) -> Error {
    let count = candidates.len();
    candidates.truncate(MAX_CANDIDATES);
    let more = if count > MAX_CANDIDATES { ", and more" } else { "" };
    let hint = "Give more of the id: a longer prefix, or an ending of it, which is random.";
    Error::new(Code::ID_AMBIGUOUS, format!("{what} several {kinds}: {}{more}.", candidates.join(", ")), hint)
}

pub(crate) fn unknown(code: Code, kind: &str, name: &str, list: &str) -> Error {
    let article = if matches!(kind, "approval" | "artifact") { "an" } else { "a" };
    let hint = format!("`{list}` lists every {kind}.");
    match name.len() {
        0 => Error::new(code, format!("No {kind} was given."), hint),
        1..MIN_ID_PART_BYTES => Error::new(
            code,
            format!("\"{}\" is too short to name {article} {kind}.", shown(name)),
            format!("A part of an id has at least {MIN_ID_PART_BYTES} characters. {hint}"),
        ),
        _ if name == LAST => Error::new(code, format!("There is no {kind} yet."), hint),
        _ => Error::new(code, format!("There is no {kind} {}.", shown(name)), hint),
    }
}

fn no_message(session: &SessionId, name: &str) -> Error {
    let message = format!("No message {} is queued in the session {session}.", shown(name));
    Error::new(Code::MESSAGE_NOT_FOUND, message, format!("`arki queue list {session}` shows the queued messages."))
}
