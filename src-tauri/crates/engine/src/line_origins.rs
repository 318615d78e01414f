//! The author of each line in a file: which turn, call and approval, or the user.

use crate::{OpenProject, PastFiles, Projects, Records};
use arki_api::LineAuthor;
use arki_domain::projection::{FileAt, FilesAt};
use arki_domain::{CallId, Code, Error, Event, EventBody, RunId, SessionId};
use arki_edit::EDIT_LIMIT_BYTES;
use arki_files::{AttributedLine, FileVersion, LineOrigin, ProjectPath, attribute, shared_lines};
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

/// By their ids: the origin of what they wrote, but for where its event stands.
type CallsOfRun = HashMap<CallId, arki_api::LineOrigin>;

const PROMPT_CHARS: usize = 80;

/// A file that was moved more often than this is followed no further back.
const MAX_MOVES: usize = 20;
/// The distance, in events from the file that was made, within which the one that replaced it is looked for.
const MAX_FILES_OF_CALL: u64 = 2000;

/// One event, and the file before and after; `None` is no file.
struct KeptChange {
    event: Event,
    before: Option<Vec<u8>>,
    after: Option<Vec<u8>>,
}

/// Finds who wrote the lines of a file.
pub struct LineOrigins {
    records: Arc<Records>,
    projects: Arc<Projects>,
    past_files: Arc<PastFiles>,
}

impl LineOrigins {
    pub(crate) fn new(records: Arc<Records>, projects: Arc<Projects>, past_files: Arc<PastFiles>) -> Self {
        Self { records, projects, past_files }
    }

    /// Every line of a file as it is now, with who wrote it.
    ///
    /// # Errors
    /// `CHANGE_NOT_FOUND` where Arki never changed the file, `FILE_NOT_FOUND`, `FILE_NOT_TEXT`, or when it has too many
    /// changes to be told apart.
    pub fn line_origins(&self, folder: &Path, path: &str) -> Result<Vec<arki_api::LineOrigin>, Error> {
        let open = self.projects.load_project(folder)?;
        let path = open.workplace().resolve(path).map_err(Error::from)?;
        let path = open.workplace().canonical(&path).unwrap_or(path);
        let changes = self.changes_of(&open.place(), path.as_str(), None, MAX_MOVES)?;
        let Some(changes) = changes else {
            let hint = "Its lines are yours, or older than the project's sessions.";
            return Err(Error::new(Code::CHANGE_NOT_FOUND, format!("Arki has never changed {path}."), hint));
        };
        let now = now(&open, &path)?;
        let mut calls = HashMap::new();
        let mut versions = Vec::with_capacity(changes.len());
        for KeptChange { event, before, after } in &changes {
            let origin = self.author(event, &mut calls)?;
            versions.push(FileVersion { before: before.as_deref(), after: after.as_deref(), origin });
        }
        let lines = attribute(&versions, &now).map_err(|error| Error::from(arki_files::FilesError::from(error)))?;
        Ok(lines.into_iter().map(line_origin).collect())
    }

    /// The changes of a file, the oldest first, up to the event `end`; where it was moved to `path`, also those before
    /// that. `None` where the log knows of none.
    fn changes_of(
        &self,
        project: &str,
        path: &str,
        end: Option<&Event>,
        moves: usize,
    ) -> Result<Option<Vec<KeptChange>>, Error> {
        let mut events = self.records.reader().log().file_changes(project, path)?;
        let end = events.iter().position(|event| end.is_some_and(|end| end.event_id == event.event_id));
        events.truncate(end.unwrap_or(events.len()));
        if events.is_empty() {
            return Ok(None);
        }
        let mut changes = self.contents_of(told_once(events), path);
        let made = changes.iter().rposition(|change| change.before.is_none() && change.after.is_some());
        if let Some(place) = made.filter(|_| moves > 0)
            && let Some((source, gone, content)) = self.moved_from(&changes[place], path)?
        {
            changes[place].before = Some(content);
            let earlier = self.changes_of(project, &source, Some(&gone), moves - 1)?;
            changes.splice(..place, earlier.unwrap_or_default());
        }
        Ok(Some(changes))
    }

    /// Returns the file that the call removed when it made this one: the one that has most of its lines, with the event
    /// of its removal and its content. `None` if none has half of them.
    fn moved_from(&self, made: &KeptChange, path: &str) -> Result<Option<(String, Event, Vec<u8>)>, Error> {
        let EventBody::FileChanged(making) = made.event.body() else { return Ok(None) };
        let Some(after) = &made.after else { return Ok(None) };
        let session_id = &made.event.session_id;
        let beside = made.event.seq.saturating_sub(MAX_FILES_OF_CALL);
        let mut best: Option<(usize, String, Event, Vec<u8>)> = None;
        for event in self.records.reader().log().session_file_events(session_id, beside)? {
            let EventBody::FileChanged(going) = event.body() else { continue };
            let is_of_call = event.run_id == made.event.run_id && going.call_id == making.call_id;
            if !is_of_call || going.path == path || going.after_hash.is_some() || going.before_link {
                continue;
            }
            let Some(Some(before)) = self.past_files.image(going.before_hash.as_deref()) else { continue };
            let shared = shared_lines(&before, after);
            if best.as_ref().is_none_or(|(most, ..)| shared > *most) && shared > 0 {
                best = Some((shared, going.path, event, before));
            }
        }
        Ok(best.map(|(_, source, event, before)| (source, event, before)))
    }

    /// The changes whose contents are still kept; what lies between the others counts as the user's.
    fn contents_of(&self, events: Vec<Event>, path: &str) -> Vec<KeptChange> {
        // Where a link leads are no lines of a file's.
        let content = |at: &FileAt| match at {
            FileAt::Unknown => None,
            FileAt::Link(_) => Some(None),
            FileAt::File(_) | FileAt::Nothing => self.past_files.image(at.hash()),
        };
        let of_path = |event: Event| {
            // Before the change is what is wanted when it is gone back on, after it what the log last knows.
            let change = FilesAt::fold(0, [&event]).into_iter().find(|file| file.path == path)?;
            let before = content(&change.wanted)?;
            Some(KeptChange { event, before, after: content(&change.last_known)? })
        };
        let mut kept: Vec<KeptChange> = Vec::new();
        for change in events.into_iter().filter_map(of_path) {
            match is_restored_state(&kept, &change) {
                // Whoever had written the lines then has written them now.
                Some(place) => kept.truncate(place),
                None => kept.push(change),
            }
        }
        kept
    }

    fn author(
        &self,
        event: &Event,
        known: &mut HashMap<RunId, CallsOfRun>,
    ) -> Result<Arc<arki_api::LineOrigin>, Error> {
        let call_id = match event.body() {
            EventBody::FileChanged(changed) => Some(changed.call_id),
            EventBody::ChangeTakenBack(taken) => Some(taken.call_id),
            _ => None,
        };
        if let Some(run_id) = &event.run_id
            && !known.contains_key(run_id)
        {
            known.insert(run_id.clone(), calls(&self.records.reader().log().run_events(run_id)?));
        }
        let of_run = event.run_id.as_ref().and_then(|run_id| known.get(run_id));
        let call = call_id.and_then(|call_id| of_run?.get(&call_id).cloned());
        Ok(Arc::new(arki_api::LineOrigin {
            session_id: Some(event.session_id.to_string()),
            run_id: event.run_id.as_ref().map(ToString::to_string),
            seq: Some(event.seq),
            ts: Some(event.ts),
            ..call.unwrap_or_else(|| written_by(LineAuthor::Arki))
        }))
    }
}

/// Returns the events with each change of a sub-agent once: its own session has them call by call, and the one above in
/// one, which says nothing more.
fn told_once(events: Vec<Event>) -> Vec<Event> {
    let sessions: HashSet<SessionId> = events.iter().map(|event| event.session_id.clone()).collect();
    let is_told_by_itself = |event: &Event| match event.body() {
        EventBody::FileChanged(changed) => changed.by_session.is_some_and(|session| sessions.contains(&session)),
        _ => false,
    };
    events.into_iter().filter(|event| !is_told_by_itself(event)).collect()
}

/// Returns where a file was brought back to exactly what it was after so many changes.
fn is_restored_state(kept: &[KeptChange], KeptChange { event, after, .. }: &KeptChange) -> Option<usize> {
    if !matches!(event.kind.as_str(), "session.rewound" | "change.taken_back") {
        return None;
    }
    let after_change = kept.iter().rposition(|change| change.after == *after).map(|place| place + 1);
    after_change.or_else(|| kept.iter().position(|change| change.before == *after))
}

fn now(open: &OpenProject, path: &ProjectPath) -> Result<Vec<u8>, Error> {
    open.workplace().read_if_present(path, EDIT_LIMIT_BYTES).map_err(Error::from)?.map(|file| file.bytes).ok_or_else(
        || {
            let message = format!("The file {path} doesn't exist now.");
            Error::new(Code::FILE_NOT_FOUND, message, "`arki rewind` can bring it back.")
        },
    )
}

/// The calls of a run, with the approvals that permitted them.
fn calls(events: &[Event]) -> CallsOfRun {
    let mut prompt = String::new();
    let mut calls = CallsOfRun::new();
    for event in events {
        match event.body() {
            EventBody::RunStarted(started) => prompt = started.prompt.chars().take(PROMPT_CHARS).collect(),
            EventBody::ToolCall(call) => {
                let origin = arki_api::LineOrigin {
                    turn: Some(call.turn),
                    prompt: Some(prompt.clone()),
                    call_id: Some(call.call_id.to_string()),
                    tool_id: Some(call.tool_id),
                    ..written_by(LineAuthor::Arki)
                };
                calls.insert(call.call_id, origin);
            }
            EventBody::PolicyDecided(decided) => {
                if let Some(approval) = decided.rule.strip_prefix("approval:")
                    && let Some(call) = calls.get_mut(&decided.call_id)
                {
                    call.approval_id = Some(approval.to_owned());
                }
            }
            _ => {}
        }
    }
    calls
}

/// A line with who wrote it.
fn line_origin(line: AttributedLine<Arc<arki_api::LineOrigin>>) -> arki_api::LineOrigin {
    let origin = match line.origin {
        LineOrigin::Before => written_by(LineAuthor::Before),
        LineOrigin::User => written_by(LineAuthor::User),
        LineOrigin::Arki(origin) => Arc::unwrap_or_clone(origin),
    };
    arki_api::LineOrigin { number: u32::try_from(line.number).unwrap_or(u32::MAX), text: line.text, ..origin }
}

/// The origin of a line of which no more is known.
fn written_by(author: LineAuthor) -> arki_api::LineOrigin {
    arki_api::LineOrigin {
        number: 0,
        text: String::new(),
        author,
        session_id: None,
        run_id: None,
        turn: None,
        prompt: None,
        call_id: None,
        tool_id: None,
        approval_id: None,
        seq: None,
        ts: None,
    }
}
