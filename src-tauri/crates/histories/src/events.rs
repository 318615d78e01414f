//! A session of another agent as events of Arki's own.
//!
//! Each prompt begins a run, which the next one ends. What a model said before the first result of its calls is one
//! turn. Ids are made of what they stand for, so that the same history makes the same events. There are no requests and
//! no usage among them: Arki sent nothing, and its reports count only what it did.

use crate::foreign_session::{ForeignSession, Told};
use arki_api::HistorySource;
use arki_domain::{
    CallId, Category, EventBody, EventDraft, EventId, OutputMessage, PastEvent, Role, RunCompleted, RunId, RunOptions,
    RunStarted, SessionCreated, SessionId, ToolCall, ToolResult, Usage, sha256_hex,
};
use sha2::{Digest, Sha256};
use std::mem;
use uuid::Builder;

/// Longer titles are cut.
const MAX_TITLE_CHARS: usize = 80;
const NO_PROMPT: &str = "(The beginning of this conversation is not in its file.)";
const NO_RESULT: &str = "The history has no result of this call.";
/// The names that agents have for what they run by, and Arki's own.
const AGENT: &str = "arki";
const CORE: &str = "tool-loop";

/// Makes the events of a session, which can be brought in under the id that is returned with them. None where nothing
/// was said in it.
#[must_use]
pub fn past_events(source: HistorySource, session: &ForeignSession) -> (SessionId, Vec<PastEvent>) {
    let began = session.moments.iter().map(|moment| moment.at_ms).find(|at| *at > 0).unwrap_or_default();
    let mut ids = DerivedIds { of: format!("{} {}", word(source), session.id), at_ms: began, made: 0 };
    let session_id = SessionId::from(ids.next());
    let mut writing = Writing { ids, events: Vec::new(), run: None, model: "unknown/unknown".to_owned() };
    let says = session.moments.iter().any(|moment| !matches!(moment.told, Told::Model(_)));
    if says {
        let created = SessionCreated {
            title: title_of(session),
            project: session.folder.clone(),
            agent: AGENT.to_owned(),
            parent_session: None,
            worktree: None,
        };
        writing.add(None, created);
    }
    for moment in &session.moments {
        if matches!(moment.told, Told::Prompt(_)) {
            // At the time of what it ends with, whether another one follows or not.
            writing.end_run();
        }
        writing.ids.at_ms = writing.ids.at_ms.max(moment.at_ms);
        writing.note(&moment.told);
    }
    writing.end_run();
    (session_id, writing.events)
}

/// Ids are made of it, so that it never changes.
fn word(source: HistorySource) -> &'static str {
    match source {
        HistorySource::ClaudeCode => "claude_code",
        HistorySource::Codex => "codex",
        HistorySource::Opencode => "opencode",
    }
}

fn title_of(session: &ForeignSession) -> String {
    let first_prompt = session.moments.iter().find_map(|moment| match &moment.told {
        Told::Prompt(text) => Some(text.as_str()),
        _ => None,
    });
    let titles = [session.title.as_str(), first_prompt.unwrap_or(NO_PROMPT)];
    let title = titles.into_iter().find_map(|title| title.lines().map(str::trim).find(|line| !line.is_empty()));
    let title = title.unwrap_or(NO_PROMPT);
    match title.char_indices().nth(MAX_TITLE_CHARS) {
        Some((end, _)) => format!("{}…", title[..end].trim_end()),
        None => title.to_owned(),
    }
}

/// UUIDs of version 7, in order also within a millisecond: after the time they have their number, and then the hash of
/// what they stand for.
struct DerivedIds {
    of: String,
    at_ms: i64,
    made: u32,
}

impl DerivedIds {
    fn next(&mut self) -> String {
        let hash = Sha256::digest(format!("{} {}", self.of, self.made));
        let [first, second, third, fourth] = self.made.to_be_bytes();
        self.made += 1;
        // The upper bits of the first and third are the version's and the variant's.
        let number = [first >> 6, (first << 2) | (second >> 6), second & 0x3f, third, fourth];
        let mut random = [0; 10];
        random.iter_mut().zip(number.into_iter().chain(hash)).for_each(|(byte, given)| *byte = given);
        Builder::from_unix_timestamp_millis(u64::try_from(self.at_ms).unwrap_or_default(), &random)
            .into_uuid()
            .to_string()
    }
}

/// Events as they are written, with the run that is open.
struct Writing {
    ids: DerivedIds,
    events: Vec<PastEvent>,
    run: Option<OpenRun>,
    /// `provider/model` of what follows.
    model: String,
}

struct OpenRun {
    id: RunId,
    turn: u32,
    said: String,
    thoughts: String,
    calls: Vec<OpenCall>,
    /// The last answer.
    response: String,
}

struct OpenCall {
    call: ToolCall,
    began_ms: i64,
    result: Option<ToolResult>,
}

impl OpenCall {
    /// The call and its result, which says so where there is none.
    fn ended(self) -> (ToolCall, ToolResult) {
        let (id, tool) = (self.call.call_id.clone(), self.call.tool_id.clone());
        let none = || ToolResult { is_error: true, ..ToolResult::new(id, tool, NO_RESULT.to_owned()) };
        (self.call, self.result.unwrap_or_else(none))
    }
}

impl Writing {
    fn add(&mut self, run: Option<&RunId>, body: impl Into<EventBody>) {
        let event_id = EventId::from(self.ids.next());
        let draft = EventDraft { run_id: run.cloned(), body: body.into() };
        self.events.push(PastEvent { event_id, ts: self.ids.at_ms, draft });
    }

    fn note(&mut self, told: &Told) {
        match told {
            Told::Model(model) => model.clone_into(&mut self.model),
            Told::Prompt(prompt) => self.run = Some(self.begun_run(prompt)),
            Told::Thought(text) => append(&mut self.answering().thoughts, text),
            Told::Answer(text) => append(&mut self.answering().said, text),
            Told::Call { id, tool, args } => {
                let (call_id, category, began_ms) = (CallId::from(id.as_str()), category_of(tool), self.ids.at_ms);
                let (tool_id, args) = (tool.clone(), args.clone());
                let run = self.answering();
                let call = ToolCall { turn: run.turn, call_id, tool_id, args, category, async_call_id: None };
                run.calls.push(OpenCall { call, began_ms, result: None });
            }
            Told::Result { id, text, is_error } => {
                let at_ms = self.ids.at_ms;
                let calls = self.run.iter_mut().flat_map(|run| &mut run.calls);
                let is_it = |open: &&mut OpenCall| open.call.call_id.as_str() == id && open.result.is_none();
                if let Some(OpenCall { call, began_ms, result }) = calls.into_iter().find(is_it) {
                    let duration_ms = u64::try_from(at_ms - *began_ms).unwrap_or_default();
                    let told = ToolResult::new(call.call_id.clone(), call.tool_id.clone(), text.clone());
                    *result = Some(ToolResult { is_error: *is_error, duration_ms, ..told });
                }
            }
        }
    }

    fn begun_run(&mut self, prompt: &str) -> OpenRun {
        let id = RunId::from(self.ids.next());
        let started = RunStarted {
            prompt: prompt.to_owned(),
            agent: AGENT.to_owned(),
            model: self.model.clone(),
            core: CORE.to_owned(),
            system_prompt_hash: sha256_hex(b""),
            options: RunOptions::default(),
            message_id: None,
            parent: None,
            session_start: None,
            request: None,
        };
        self.add(Some(&id), started);
        let (said, thoughts, response) = (String::new(), String::new(), String::new());
        OpenRun { id, turn: 1, said, thoughts, calls: Vec::new(), response }
    }

    /// The run whose model says more; after results that is its next turn.
    fn answering(&mut self) -> &mut OpenRun {
        if self.run.as_ref().is_some_and(|run| run.calls.iter().any(|call| call.result.is_some())) {
            self.end_turn();
        }
        let run = match self.run.take() {
            Some(run) => run,
            None => self.begun_run(NO_PROMPT),
        };
        self.run.insert(run)
    }

    fn end_turn(&mut self) {
        let Some(mut run) = self.run.take() else { return };
        let is_turn = !(run.said.is_empty() && run.thoughts.is_empty() && run.calls.is_empty());
        let (said, thoughts) = (mem::take(&mut run.said), mem::take(&mut run.thoughts));
        if !said.is_empty() || !thoughts.is_empty() {
            run.response.clone_from(&said);
            let thoughts = Some(thoughts).filter(|thoughts| !thoughts.is_empty());
            let (turn, role) = (run.turn, Role::Assistant);
            let message = OutputMessage {
                turn,
                role,
                content: said,
                thoughts,
                reasoning: None,
                interrupted: false,
                retried: false,
            };
            self.add(Some(&run.id), message);
        }
        let (calls, results): (Vec<_>, Vec<_>) = mem::take(&mut run.calls).into_iter().map(OpenCall::ended).unzip();
        calls.into_iter().for_each(|call| self.add(Some(&run.id), call));
        results.into_iter().for_each(|result| self.add(Some(&run.id), result));
        run.turn += u32::from(is_turn);
        self.run = Some(run);
    }

    fn end_run(&mut self) {
        self.end_turn();
        let Some(run) = self.run.take() else { return };
        let completed = RunCompleted { response: run.response, turns: run.turn - 1, usage: Usage::default() };
        self.add(Some(&run.id), completed);
    }
}

fn append(text: &mut String, more: &str) {
    if !text.is_empty() {
        text.push_str("\n\n");
    }
    text.push_str(more);
}

/// By the names that the three agents give their tools.
fn category_of(tool: &str) -> Option<Category> {
    Some(match tool.to_ascii_lowercase().as_str() {
        "read" | "grep" | "glob" | "list" | "ls" | "view_image" | "read_file" => Category::Read,
        "edit" | "multiedit" | "write" | "notebookedit" | "apply_patch" | "patch" => Category::Write,
        "bash" | "shell" | "local_shell" | "exec_command" | "shell_command" | "write_stdin" => Category::Exec,
        "webfetch" | "websearch" => Category::Network,
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
