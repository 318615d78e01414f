//! The items of a conversation, in the form in which clients get them.

use crate::{
    ApprovalDecision, ApprovalId, ApprovalRequested, ApprovalResolved, CallId, Category, ChangeTakenBack,
    CompactionStrategy, ContextDropped, Elicitation, EngineRetry, EventBody, FileChanged, HookRan, Hunk, Image,
    PlanProposed, PolicyDecided, QuestionId, RestoredFile, RunId, SandboxCleanedUp, SessionId, TextStyle, ToolResult,
    TranslatableText, Usage,
};
use schemars::JsonSchema;
use serde::ser::{Error as _, SerializeMap};
use serde::{Serialize, Serializer};
use serde_json::Value;
use ts_rs::TS;

macro_rules! item {
    ($($(#[$doc:meta])* $name:ident { $($body:tt)* })*) => {
        $($(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Serialize, TS, JsonSchema)]
        #[serde(rename_all = "camelCase")]
        pub struct $name { $($body)* })*
    };
}

item! {
    /// A part of a conversation that is shown for itself.
    ConversationItem {
        /// The item's ID: the same however much of the log is folded.
        pub key: String,
        /// The event that began it.
        pub seq: u64,
        pub ts: i64,
        /// The conversation was rewound to before it: it is no longer said to the model.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        pub taken_back: bool,
        #[serde(flatten)]
        pub body: ItemBody,
    }
    UserItem {
        pub text: String,
        /// Said while a run worked, and heard by it.
        pub steered: bool,
        /// Said by the agent that this one works for.
        pub is_task: bool,
        pub pictures: Vec<Image>,
    }
    AssistantItem {
        pub run_id: Option<RunId>,
        pub turn: u32,
        /// Empty where a plan or calls were read off the text: they are shown in its place.
        pub text: String,
        pub thoughts: String,
        pub interrupted: bool,
    }
    /// A call of a tool with all that happened to it.
    CallItem {
        pub run_id: Option<RunId>,
        pub call_id: CallId,
        pub tool_id: String,
        /// Null for a tool that does not exist, and where the call itself is not held.
        pub category: Option<Category>,
        #[ts(type = "unknown")]
        pub args: Value,
        pub state: CallState,
        /// The policy's, in order.
        pub decisions: Vec<PolicyDecided>,
        pub approval_id: Option<ApprovalId>,
        /// The last one that was asked for.
        pub approval: Option<AskedApproval>,
        pub reason: String,
        /// The reason by codes, as in `approval.requested`.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub sentences: Vec<TranslatableText>,
        /// Denied because the folder wasn't trusted.
        pub lacks_trust: bool,
        pub result: Option<String>,
        /// How parts of a command's result look, where it has colours.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub styles: Vec<TextStyle>,
        pub is_error: bool,
        /// The error's code, where there is one.
        pub code: Option<String>,
        pub duration_ms: Option<u64>,
        pub truncated: bool,
        /// The result that stands for the one of a sub-agent which works on in the background.
        pub placeholder: Option<ToolResult>,
        /// The questions of an MCP server to the user in the middle of it, and the answers.
        pub elicitations: Vec<Elicitation>,
        pub files: Vec<String>,
        /// The changes of these files.
        pub changes: Vec<FileChanged>,
        pub question: Option<CallQuestion>,
        pub subagent: Option<CallSubagent>,
        /// Those around it that failed or objected.
        pub hooks: Vec<HookRan>,
    }
    /// A call's question to the user.
    CallQuestion {
        pub question_id: QuestionId,
        pub text: String,
        pub options: Vec<String>,
        /// Null until the user answers.
        pub answer: Option<String>,
    }
    /// The agent that a call is handed to, and the session in which it is worked on.
    CallSubagent {
        pub agent: String,
        pub session_id: SessionId,
    }
    /// An approval with what is shown for it, and the user's answer.
    AskedApproval {
        pub request: ApprovalRequested,
        /// Null until the user answers.
        pub answer: Option<ApprovalResolved>,
        /// The fate of each hunk of the preview; empty until then.
        pub hunks: Vec<HunkFate>,
    }
    /// The decision on a hunk.
    HunkFate {
        pub index: usize,
        pub path: String,
        pub fate: HunkOutcome,
        /// The user's text for its new side.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub edited: Option<String>,
    }
    FailureItem {
        pub code: String,
        pub message: String,
        pub hint: String,
        pub retryable: bool,
        /// The one that was asked last; null where none was.
        pub provider: Option<String>,
    }
    NoticeItem {
        pub notice: Notice,
    }
    /// A hook that failed or objected where there is no call whose card could say so.
    HookItem {
        pub ran: HookRan,
    }
    /// Went back to how things stood right after `toSeq`.
    RewoundItem {
        pub to_seq: u64,
        pub files: bool,
        pub conversation: bool,
        /// Messages of both sides that were taken back by this, as far as they are held.
        pub messages: usize,
        /// The number of files that were written or deleted by it.
        pub restored: usize,
        pub changes: Vec<RestoredFile>,
    }
    /// The session begins where another one stood.
    ForkedItem {
        pub from_session: SessionId,
        pub from_seq: u64,
    }
    /// From here on the model is shown less of the conversation than is said in it.
    CompactedItem {
        pub strategy: CompactionStrategy,
        pub tokens_before: u64,
        pub tokens_after: u64,
        /// The text in place of the messages that were left out; empty where none were.
        pub summary: String,
        /// The number of calls whose results a note stands for.
        pub results: usize,
    }
    /// A run begins; its prompt is the next item.
    RunBeganItem {
        /// `provider/model`.
        pub model: String,
    }
    /// A run ends as it should.
    RunEndedItem {
        pub turns: u32,
        pub usage: Usage,
    }
    /// An event that has no form of its own here.
    OtherItem {
        #[serde(serialize_with = "as_event")]
        #[schemars(with = "EventBody")]
        pub event: EventBody,
    }
    RevertedChange {
        /// The files that were written or deleted by it.
        pub paths: Vec<String>,
        #[serde(flatten)]
        pub taken_back: ChangeTakenBack,
    }
}

/// An item's kind and what it holds.
#[derive(Debug, Clone, PartialEq, Serialize, TS, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ItemBody {
    User(UserItem),
    Assistant(AssistantItem),
    #[serde(rename = "tool")]
    Call(Box<CallItem>),
    Failure(FailureItem),
    Notice(NoticeItem),
    Hook(Box<HookItem>),
    Rewound(RewoundItem),
    Forked(ForkedItem),
    Compacted(CompactedItem),
    /// An approval of a plan or a gate: there is no call that it could be part of.
    Approval(Box<AskedApproval>),
    RunBegan(RunBeganItem),
    RunEnded(RunEndedItem),
    /// For those who tell a run's course, not only what was said and done.
    Other(Box<OtherItem>),
}

/// Something that happened to the conversation, in a line of its own.
#[derive(Debug, Clone, PartialEq, Serialize, TS, JsonSchema)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum Notice {
    Stopped,
    /// Attempts in a row are one notice: the last of them.
    Retried(EngineRetry),
    /// The provider refused a part of the request.
    LeftOut(ContextDropped),
    /// Said while a run worked; the words are not held.
    UnknownWords,
    Reverted(RevertedChange),
    CleanedUp(SandboxCleanedUp),
    Planned(PlanProposed),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CallState {
    /// It has not begun, since another call of its turn comes first.
    Queued,
    Running,
    /// For the user.
    Waiting,
    Done,
    Failed,
    Rejected,
    Denied,
    Interrupted,
}

/// The fate of a hunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HunkOutcome {
    Applied,
    Edited,
    Rejected,
}

/// Tools that read, as far as the policy is asked, but make something that is to be seen.
const SEEN: &[&str] = &["delegate", "update_plan", "emit_artifact", "ask_user"];

impl CallItem {
    /// A call that is at work, as far as is known.
    #[must_use]
    pub fn new(run_id: Option<RunId>, call_id: CallId, tool_id: &str, args: Value) -> Self {
        Self {
            run_id,
            call_id,
            tool_id: tool_id.to_owned(),
            category: None,
            args,
            state: CallState::Running,
            decisions: Vec::new(),
            approval_id: None,
            approval: None,
            reason: String::new(),
            sentences: Vec::new(),
            lacks_trust: false,
            result: None,
            styles: Vec::new(),
            is_error: false,
            code: None,
            duration_ms: None,
            truncated: false,
            placeholder: None,
            elicitations: Vec::new(),
            files: Vec::new(),
            changes: Vec::new(),
            question: None,
            subagent: None,
            hooks: Vec::new(),
        }
    }

    fn for_window(&self) -> Self {
        let mut call = Self::new(self.run_id.clone(), self.call_id.clone(), &self.tool_id, self.args.clone());
        call.category = self.category;
        call.state = self.state;
        call.approval_id.clone_from(&self.approval_id);
        call.reason.clone_from(&self.reason);
        call.sentences.clone_from(&self.sentences);
        call.lacks_trust = self.lacks_trust;
        call.result.clone_from(&self.result);
        call.styles.clone_from(&self.styles);
        (call.is_error, call.duration_ms, call.truncated) = (self.is_error, self.duration_ms, self.truncated);
        call.code.clone_from(&self.code);
        call.elicitations.clone_from(&self.elicitations);
        call.files.clone_from(&self.files);
        call.question.clone_from(&self.question);
        call.subagent.clone_from(&self.subagent);
        call.hooks.clone_from(&self.hooks);
        call
    }

    /// Returns whether the call is routine: it looks at something, and nothing else comes of it.
    #[must_use]
    pub fn only_reads(&self) -> bool {
        self.category == Some(Category::Read) && !SEEN.contains(&self.tool_id.as_str())
    }
}

impl CallState {
    /// Returns whether something is still to come of the call.
    #[must_use]
    pub fn is_open(self) -> bool {
        matches!(self, Self::Queued | Self::Running | Self::Waiting)
    }
}

impl AskedApproval {
    pub(super) fn new(request: ApprovalRequested) -> Self {
        Self { request, answer: None, hunks: Vec::new() }
    }

    pub(super) fn resolve(&mut self, answer: ApprovalResolved) {
        let hunks = self.request.preview.iter().flat_map(|preview| &preview.hunks);
        self.hunks = hunks.map(|hunk| HunkFate::of(&answer, hunk)).collect();
        self.answer = Some(answer);
    }
}

impl HunkFate {
    fn of(resolved: &ApprovalResolved, hunk: &Hunk) -> Self {
        let is_accepted = resolved.hunks.as_ref().is_none_or(|accepted| accepted.contains(&hunk.index));
        let edited = resolved.edited.get(&hunk.index).cloned();
        let fate = match resolved.decision {
            ApprovalDecision::Approve if edited.is_some() => HunkOutcome::Edited,
            ApprovalDecision::Approve if is_accepted => HunkOutcome::Applied,
            ApprovalDecision::Approve | ApprovalDecision::Reject => HunkOutcome::Rejected,
        };
        Self { index: hunk.index, path: hunk.path.clone(), fate, edited }
    }
}

impl HunkOutcome {
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Applied => "applied",
            Self::Edited => "edited",
            Self::Rejected => "rejected",
        }
    }
}

impl ConversationItem {
    /// Returns whether it belongs to what is said and done, and not only to the course of a run.
    #[must_use]
    pub fn is_shown(&self) -> bool {
        match &self.body {
            ItemBody::Assistant(said) => !said.text.is_empty() || !said.thoughts.is_empty() || said.interrupted,
            ItemBody::Approval(_) | ItemBody::RunBegan(_) | ItemBody::RunEnded(_) | ItemBody::Other(_) => false,
            _ => true,
        }
    }

    #[must_use]
    pub fn call(&self) -> Option<&CallItem> {
        if let ItemBody::Call(call) = &self.body { Some(call) } else { None }
    }

    /// The item for a window, without what that reads elsewhere: previews and changes in the review, a run's course in the
    /// log. `None` where it is not shown.
    #[must_use]
    pub fn for_window(&self) -> Option<Self> {
        let body = match &self.body {
            _ if !self.is_shown() => return None,
            ItemBody::Call(call) => ItemBody::Call(Box::new(call.for_window())),
            body => body.clone(),
        };
        let Self { key, seq, ts, taken_back, .. } = self;
        Some(Self { key: key.clone(), seq: *seq, ts: *ts, taken_back: *taken_back, body })
    }

    /// The approval that it asks for, of a call or of its own.
    #[must_use]
    pub fn approval(&self) -> Option<&AskedApproval> {
        match &self.body {
            ItemBody::Call(call) => call.approval.as_ref(),
            ItemBody::Approval(asked) => Some(asked),
            _ => None,
        }
    }
}

/// The form that clients know events in.
fn as_event<S: Serializer>(body: &EventBody, serializer: S) -> Result<S::Ok, S::Error> {
    let mut event = serializer.serialize_map(Some(2))?;
    event.serialize_entry("type", body.kind())?;
    event.serialize_entry("payload", &body.payload().map_err(S::Error::custom)?)?;
    event.end()
}
