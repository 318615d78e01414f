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
    id: CallId,
    tool: String,
    args: serde_json::Value,
    began_ms: i64,
    result: Option<CallResult>,
}

struct CallResult {
    text: String,
    is_error: bool,
    duration_ms: u64,
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
                let (id, tool, args) = (CallId::from(id.as_str()), tool.clone(), args.clone());
                let call = OpenCall { id, tool, args, began_ms: self.ids.at_ms, result: None };
                self.answering().calls.push(call);
            }
            Told::Result { id, text, is_error } => {
                let at_ms = self.ids.at_ms;
                let calls = self.run.iter_mut().flat_map(|run| &mut run.calls);
                if let Some(call) = calls.into_iter().find(|call| call.id.as_str() == id && call.result.is_none()) {
                    let duration_ms = u64::try_from(at_ms - call.began_ms).unwrap_or_default();
                    call.result = Some(CallResult { text: text.clone(), is_error: *is_error, duration_ms });
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
        let calls = mem::take(&mut run.calls);
        for call in &calls {
            self.add(Some(&run.id), called(run.turn, call));
        }
        for call in calls {
            self.add(Some(&run.id), answered(call));
        }
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

fn called(turn: u32, call: &OpenCall) -> ToolCall {
    ToolCall {
        turn,
        call_id: call.id.clone(),
        tool_id: call.tool.clone(),
        args: call.args.clone(),
        category: category_of(&call.tool),
        async_call_id: None,
    }
}

fn answered(call: OpenCall) -> ToolResult {
    let none = || CallResult { text: NO_RESULT.to_owned(), is_error: true, duration_ms: 0 };
    let CallResult { text: result, is_error, duration_ms } = call.result.unwrap_or_else(none);
    ToolResult {
        call_id: call.id,
        tool_id: call.tool,
        result,
        styles: Vec::new(),
        is_error,
        duration_ms,
        truncated: false,
        code: None,
        possible_secrets: 0,
        async_call_id: None,
        process_id: None,
        background: Vec::new(),
        usage: None,
        elicitations: Vec::new(),
    }
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
