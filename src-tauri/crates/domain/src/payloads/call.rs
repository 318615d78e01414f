//! One tool call: what the model wants, what the policy says, what came of it.

use crate::{
    CallId, Category, Decision, HookEvent, HookOutcome, MessageId, Permissions, RestoredFile, Risk, SessionId,
    TextStyle, TranslatableText, Usage,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use ts_rs::TS;

payload! {
    /// The outcome of a question of an MCP server.
    enum ElicitationAnswer {
        Accepted,
        Declined,
        /// The user cancelled it, or the call ended.
        Cancelled,
        /// Nobody answered in time; the server was told that it was cancelled.
        TimedOut,
    }

    ToolCall {
        pub turn: u32,
        pub call_id: CallId,
        pub tool_id: String,
        /// The arguments; a string with the raw text where the model did not send JSON.
        #[ts(type = "unknown")]
        pub args: Value,
        /// `None` for a tool that does not exist.
        pub category: Option<Category>,
        /// The call goes on in the background: its result comes later, under this id.
        pub async_call_id?: Option<CallId>,
    }
    /// Appended before anything happens. With `allow` it is also the mark that execution began: such a call without a
    /// `tool.result` was interrupted.
    PolicyDecided {
        pub call_id: CallId,
        pub decision: Decision,
        /// The rule that decided: `builtin:…`, `config:…`, `category:…`, `approve:…` or `approval:ID`.
        pub rule: String,
        pub reason: String,
        /// The same by codes, as in `approval.requested`.
        pub sentences?: Vec<TranslatableText>,
        pub risk: Risk,
        /// The future state of the files of an allowed write, so that a crash can be reconciled.
        pub files?: Vec<FileEffect>,
        /// SHA-256 hex of the content that lists in full what an allowed landing of a command's changes writes, with links,
        /// modes and folders.
        pub landing?: Option<String>,
    }
    /// A file before and after; `None` where there is no file. SHA-256 hex of the raw bytes.
    FileEffect {
        pub path: String,
        pub before_hash: Option<String>,
        pub after_hash: Option<String>,
        /// The permissions of a file that is removed.
        #[serde(flatten)]
        pub before_permissions: Permissions,
        /// A symbolic link is removed: what is told of its content is of where it leads.
        pub before_link?: bool,
    }
    ToolResult {
        pub call_id: CallId,
        pub tool_id: String,
        pub result: String,
        /// The styles of a command's output in `result`, in order. They add nothing to its text.
        pub styles?: Vec<TextStyle>,
        pub is_error: bool,
        pub duration_ms: u64,
        /// True if the result was truncated to its limit.
        pub truncated: bool,
        /// The fault's code, where there is one.
        pub code?: Option<String>,
        /// The number of values in the result that might be secrets, but don't have the form of one, so they were not
        /// replaced.
        pub possible_secrets?: usize,
        /// This is a placeholder: the call goes on, and its result comes as a `tool.async_result` of this id.
        pub async_call_id?: Option<CallId>,
        /// The process of Arki in which it goes on.
        pub process_id?: Option<u32>,
        /// The background calls that the call's sub-agent left, announced or not: the result of each comes here too.
        pub background?: Vec<LeftInBackground>,
        /// The usage of the sub-agent's run that the call was handed to. Its requests are in its own session.
        pub usage?: Option<Usage>,
        /// The questions that an MCP server asked the user during the call, in order.
        pub elicitations?: Vec<Elicitation>,
    }
    /// A call of a sub-agent's that goes on in the background when its run has ended.
    LeftInBackground {
        /// An ID in this session: the result arrives here as the `tool.async_result` with this ID.
        pub async_call_id: CallId,
        pub tool_id: String,
        /// The shell line.
        pub command: String,
        /// The process of Arki in which it goes on.
        pub process_id: u32,
        pub source: BackgroundSource,
    }
    /// The place of a call whose result is also reported elsewhere.
    #[derive(Eq)]
    BackgroundSource {
        pub session_id: SessionId,
        pub async_call_id: CallId,
    }
    /// A question of an MCP server to the user, and the answer.
    Elicitation {
        pub server: String,
        pub message: String,
        /// The address of the page to visit; absent for a form.
        pub url?: Option<String>,
        /// The form's fields by their names, in its order.
        pub fields?: Vec<String>,
        pub answer: ElicitationAnswer,
        /// The values sent to the server, by the fields' names.
        #[ts(as = "BTreeMap<String, ElicitationValue>")]
        #[schemars(with = "BTreeMap<String, ElicitationValue>")]
        pub values?: serde_json::Map<String, Value>,
        /// The time the user took to answer; it does not count as the call's.
        pub waited_ms: u64,
    }
    FileChanged {
        pub path: String,
        pub before_hash: Option<String>,
        pub after_hash: Option<String>,
        /// There was a file, but nobody knows what it contained: a command changed what was too large to be kept.
        pub before_unknown?: bool,
        pub after_unknown?: bool,
        /// The permissions of the file as it was, for creating it again. A tool records them only for a file that it
        /// removes.
        #[serde(flatten)]
        pub before_permissions: Permissions,
        /// It was a symbolic link: what is told of its content is of where it leads.
        pub before_link?: bool,
        pub after_link?: bool,
        pub call_id: CallId,
        /// The hunks of the preview that were written; none for what a command or a sub-agent changed.
        pub hunks: Vec<usize>,
        /// The session of the sub-agent that changed it. There each change is told for itself; here what they come to.
        pub by_session?: Option<SessionId>,
        /// The hook that changed it, by its name, after the call.
        pub by_hook?: Option<String>,
    }
    /// The result of a call that went on after its placeholder was answered.
    ToolAsyncResult {
        pub async_call_id: CallId,
        pub tool_id: String,
        pub result: String,
        /// The styles, as in `tool.result`.
        pub styles?: Vec<TextStyle>,
        pub is_error: bool,
        /// The usage of the sub-agent's run that the call was handed to.
        pub usage?: Option<Usage>,
        /// The background calls that the call's sub-agent left, as in `tool.result`.
        pub background?: Vec<LeftInBackground>,
    }
    /// Files that make git run something, left by commands or a server's program, were removed or restored, while the
    /// programs still ran or after they were killed with their Arki.
    SandboxCleanedUp {
        /// The command's that ran; several may have.
        pub call_id?: Option<CallId>,
        /// A sentence each.
        pub notes: Vec<String>,
    }
    /// A command ended in its view, or an MCP server's call did: its result so far, and what it changed there. Nothing of
    /// that is in the project yet; what becomes of it is decided next.
    CommandEnded {
        pub call_id: CallId,
        /// As its `tool.result` will be, but for what becomes of the changes.
        pub result: ToolResult,
        /// The number of files and links that it changed.
        pub files: u64,
        /// SHA-256 hex of the list of the changes, which lies beside the log, as their contents do.
        pub effects: String,
    }
    #[derive(Default)]
    HookRan {
        /// The hook's name.
        pub hook: String,
        /// The shell line; of a hook without one its action, such as `inject`.
        pub command: String,
        /// `None` where no command ran to its end.
        pub exit_code: Option<i32>,
        pub duration_ms: u64,
        pub event?: Option<HookEvent>,
        pub outcome?: Option<HookOutcome>,
        /// The call that it ran for.
        pub call_id?: Option<CallId>,
        /// The queued message that it was asked about.
        pub message_id?: Option<MessageId>,
        /// The hook's words to the user, or why it did not run to its end.
        pub said?: Option<String>,
        /// The call's arguments as the hook wants them; they count from here on.
        #[ts(type = "unknown")]
        pub args?: Option<Value>,
        /// Files of the edit that the hook changed: each has a `file.changed` of its own.
        pub changed?: Vec<String>,
        /// Other files that it changed and that are as they were before; `beforeHash` is what the hook had made of them.
        pub restored?: Vec<RestoredFile>,
        /// Other files that it changed and whose old content nobody has.
        pub not_restored?: Vec<String>,
    }
    /// A file that the agent made for the user to keep; its content is in the blob store.
    ArtifactEmitted {
        pub artifact_id: String,
        pub name: String,
        pub media_type: String,
        pub bytes: u64,
        /// SHA-256 hex.
        pub content_hash: String,
    }
}

impl FileChanged {
    /// Returns what is left to tell where `last` was told of the same file meanwhile: `None` where it was told already.
    #[must_use]
    pub fn since(self, last: &Self) -> Option<Self> {
        let after = |changed: &Self| (changed.after_hash.clone(), changed.after_unknown, changed.after_link);
        if after(last) == after(&self) {
            return None;
        }
        let (before_hash, before_unknown, before_link) = after(last);
        Some(Self { before_hash, before_unknown, before_link, ..self })
    }
}

/// A value that a field of a server's form may hold, as clients get it: MCP has no other kinds.
#[derive(Debug, Clone, PartialEq, Serialize, TS, JsonSchema)]
#[serde(untagged)]
pub enum ElicitationValue {
    Text(String),
    Number(f64),
    Boolean(bool),
    Choices(Vec<String>),
}

impl ToolResult {
    /// The result of a call that worked, with nothing beside its text.
    #[must_use]
    pub fn new(call_id: CallId, tool_id: String, result: String) -> Self {
        Self {
            call_id,
            tool_id,
            result,
            styles: Vec::new(),
            is_error: false,
            duration_ms: 0,
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
}
