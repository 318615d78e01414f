//! Who wrote each line of a file: which turn, call and approval, or the user.

use crate::Engine;
use crate::projects::OpenProject;
use arki_domain::projection::{FileAt, FilesAt};
use arki_domain::{ApprovalId, CallId, Code, Event, EventBody, Fault, RunId, SessionId};
use arki_workspace::{AttributedLine, EDIT_LIMIT_BYTES, LineOrigin, ProjectPath, Version, attribute};
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

/// The change that wrote a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Author {
    pub session_id: SessionId,
    /// The event that tells of the change.
    pub seq: u64,
    /// Milliseconds since 1970.
    pub ts: i64,
    pub run_id: Option<RunId>,
    pub call: Option<Arc<AuthorCall>>,
}

/// The call that made the change, and who permitted it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthorCall {
    pub call_id: CallId,
    pub turn: u32,
    pub tool_id: String,
    /// The beginning of what the user had asked for.
    pub prompt: String,
    /// Absent where the policy allowed it by itself.
    pub approval_id: Option<ApprovalId>,
}

pub type FileLine = AttributedLine<Author>;

const PROMPT_CHARS: usize = 80;

/// The event, and the file before and after; `None` is no file.
type KeptChange<'a> = (&'a Event, Option<Vec<u8>>, Option<Vec<u8>>);

impl Engine {
    /// Every line of a file as it is now, with who wrote it.
    ///
    /// # Errors
    /// `CHANGE_NOT_FOUND` where Arki never changed the file, `FILE_NOT_FOUND`, `FILE_NOT_TEXT`, or when it has too many
    /// changes to be told apart.
    pub fn line_origins(&self, folder: &Path, path: &str) -> Result<Vec<FileLine>, Fault> {
        let open = self.load_project(folder)?;
        let path = open.project.resolve(path).map_err(Fault::from)?;
        let path = open.project.canonical(&path).unwrap_or(path);
        let events = self.reader().file_changes(&open.path(), path.as_str())?;
        if events.is_empty() {
            return Err(Fault::new(
                Code::CHANGE_NOT_FOUND,
                format!("Arki has never changed {path}."),
                "Its lines are yours, or were there before.",
            ));
        }
        let now = now(&open, &path)?;
        let events = told_once(events);
        let contents = self.contents_of(&events, path.as_str());
        let mut calls = HashMap::new();
        let mut versions = Vec::with_capacity(contents.len());
        for (event, before, after) in &contents {
            let origin = self.author(event, &mut calls)?;
            versions.push(Version { before: before.as_deref(), after: after.as_deref(), origin });
        }
        attribute(&versions, &now).map_err(|error| Fault::from(arki_workspace::WorkspaceError::from(error)))
    }

    /// The changes whose contents are still kept; what lies between the others counts as the user's.
    fn contents_of<'a>(&self, events: &'a [Event], path: &str) -> Vec<KeptChange<'a>> {
        // Where a link leads are no lines of a file's.
        let content = |at: &FileAt| match at {
            FileAt::Unknown => None,
            FileAt::Link(_) => Some(None),
            FileAt::File(_) | FileAt::Nothing => self.image(at.hash()),
        };
        let of_path = |event: &'a Event| {
            // Before the change is what is wanted when it is gone back on, after it what the log last knows.
            let change = FilesAt::fold(0, [event]).into_iter().find(|file| file.path == path)?;
            let before = content(&change.wanted)?;
            Some((event, before, content(&change.last_known)?))
        };
        let mut kept: Vec<KeptChange<'a>> = Vec::new();
        for change in events.iter().filter_map(of_path) {
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
        known: &mut HashMap<RunId, HashMap<CallId, Arc<AuthorCall>>>,
    ) -> Result<Author, Fault> {
        let call_id = match event.body() {
            EventBody::FileChanged(changed) => Some(changed.call_id),
            EventBody::ChangeTakenBack(taken) => Some(taken.call_id),
            _ => None,
        };
        if let Some(run_id) = &event.run_id
            && !known.contains_key(run_id)
        {
            known.insert(run_id.clone(), calls(&self.reader().run_events(run_id)?));
        }
        let of_run = event.run_id.as_ref().and_then(|run_id| known.get(run_id));
        Ok(Author {
            session_id: event.session_id.clone(),
            seq: event.seq,
            ts: event.ts,
            run_id: event.run_id.clone(),
            call: call_id.and_then(|call_id| of_run?.get(&call_id).cloned()),
        })
    }
}

/// What a sub-agent changed is told in its own session call by call, and above in one: that one says nothing more.
fn told_once(events: Vec<Event>) -> Vec<Event> {
    let sessions: HashSet<SessionId> = events.iter().map(|event| event.session_id.clone()).collect();
    let is_told_by_itself = |event: &Event| match event.body() {
        EventBody::FileChanged(changed) => changed.by_session.is_some_and(|session| sessions.contains(&session)),
        _ => false,
    };
    events.into_iter().filter(|event| !is_told_by_itself(event)).collect()
}

/// Where a file was brought back to exactly what it was after so many changes.
fn is_restored_state(kept: &[KeptChange<'_>], (event, _, after): &KeptChange<'_>) -> Option<usize> {
    if !matches!(event.kind.as_str(), "session.rewound" | "change.taken_back") {
        return None;
    }
    let after_change = kept.iter().rposition(|(_, _, left)| left == after).map(|place| place + 1);
    after_change.or_else(|| kept.iter().position(|(_, before, _)| before == after))
}

fn now(open: &OpenProject, path: &ProjectPath) -> Result<Vec<u8>, Fault> {
    open.project.read_if_present(path, EDIT_LIMIT_BYTES).map_err(Fault::from)?.map(|file| file.bytes).ok_or_else(|| {
        Fault::new(Code::FILE_NOT_FOUND, format!("There is no file {path} now."), "`arki rewind` can bring it back.")
    })
}

/// The calls of a run, with the approvals that permitted them.
fn calls(events: &[Event]) -> HashMap<CallId, Arc<AuthorCall>> {
    let mut prompt = String::new();
    let mut calls: HashMap<CallId, AuthorCall> = HashMap::new();
    for event in events {
        match event.body() {
            EventBody::RunStarted(started) => prompt = started.prompt.chars().take(PROMPT_CHARS).collect(),
            EventBody::ToolCall(call) => {
                let (turn, tool_id) = (call.turn, call.tool_id);
                let author = AuthorCall {
                    call_id: call.call_id.clone(),
                    turn,
                    tool_id,
                    prompt: prompt.clone(),
                    approval_id: None,
                };
                calls.insert(call.call_id, author);
            }
            EventBody::PolicyDecided(decided) => {
                if let Some(approval) = decided.rule.strip_prefix("approval:")
                    && let Some(call) = calls.get_mut(&decided.call_id)
                {
                    call.approval_id = Some(ApprovalId::from(approval));
                }
            }
            _ => {}
        }
    }
    calls.into_iter().map(|(call_id, call)| (call_id, Arc::new(call))).collect()
}

/// What a line's author is called where there is only room for a word.
#[must_use]
pub fn author_word(line: &FileLine) -> &'static str {
    match line.origin {
        LineOrigin::Before => "before",
        LineOrigin::User => "user",
        LineOrigin::Arki(_) => "arki",
    }
}
