//! The ports: what the planner needs of the world, to be implemented by others and wired by the engine.

use crate::{
    ApprovalId, ChatRequest, ContextAdded, Error, Event, EventDraft, HookMoment, HookRan, LiveEvent, PreparedRequest,
    QuestionId, RequestHead, RunId, RunOptions, SessionId, StreamEvent, ToolDefinition,
    projection::{AgentState, AnsweredHooks, FinishedCall, InterruptedHook, PendingCall},
};
use async_trait::async_trait;
use futures_util::stream::BoxStream;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use ts_rs::TS;

/// Time, passed in so that tests can hold it still.
pub trait Clock: Send + Sync {
    /// Milliseconds since 1970.
    fn now_ms(&self) -> i64;
}

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now_ms(&self) -> i64 {
        std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .map_or(0, |elapsed| i64::try_from(elapsed.as_millis()).unwrap_or(i64::MAX))
    }
}

/// The append-only log.
#[async_trait]
pub trait EventLog: Send + Sync {
    /// Stores the drafts in order and in one transaction; returns once they are as durable as their kinds ask for, and
    /// announced to subscribers.
    async fn append(&self, session: &SessionId, drafts: Vec<EventDraft>) -> Result<Vec<Arc<Event>>, Error>;

    /// Returns what was appended after event `seq`, also by others, oldest first. Cheap when there is nothing.
    async fn read_after(&self, session: &SessionId, seq: u64) -> Result<Vec<Arc<Event>>, Error>;

    /// Returns one event of a session.
    async fn event(&self, session: &SessionId, seq: u64) -> Result<Option<Arc<Event>>, Error>;

    /// Keeps what requests are made of beside the conversation, and returns the hash under which it lies: as long as an
    /// event that is appended soon names it. A log in memory has no such place, and only tells the hash.
    async fn keep_head(&self, head: &RequestHead) -> Result<String, Error> {
        Ok(head.to_keep(|value| value).0)
    }

    /// Keeps the next piece of what is streamed, so that a crash does not lose it; a piece must not end within what
    /// may become a key. `None` clears all of them.
    async fn keep_partial(&self, session: &SessionId, piece: Option<PartialAnswer>) -> Result<(), Error>;
}

/// Contents by their SHA-256, kept as long as a session speaks of them, and the last snapshot of each project.
#[async_trait]
pub trait ContentStore: Send + Sync {
    /// Stores the contents; they are on the disk when it returns. Contents that exist already are not stored again.
    async fn put(&self, session: &SessionId, contents: Vec<Content>) -> Result<(), Error>;

    /// Returns what the session, or one that it was forked from, keeps as an artifact; `id` is how its hash begins.
    async fn artifact(&self, session: &SessionId, id: &str) -> Result<Option<Vec<u8>>, Error>;

    /// Returns a kept content by its SHA-256 hex; `None` where it is not kept any more.
    async fn content(&self, hash: &str) -> Result<Option<Vec<u8>>, Error>;

    /// Returns what a project's files were when it was last looked at, in the bytes it was put with; `None` when that
    /// is not known, or what it speaks of is no longer kept.
    async fn project_snapshot(&self, project: &str) -> Result<Option<Vec<u8>>, Error>;

    /// Takes the place of the last one. What it speaks of is kept as long as it is the last.
    async fn put_project_snapshot(&self, project: &str, snapshot: Vec<u8>) -> Result<(), Error>;
}

/// A content on its way to be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    /// SHA-256 hex of `bytes`.
    pub hash: String,
    pub bytes: Vec<u8>,
    pub kind: ContentKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContentKind {
    Plain,
    /// A list of files whose own contents are kept for it.
    Manifest,
}

/// The part of an answer that has arrived but is not yet an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PartialAnswer {
    pub run_id: RunId,
    pub turn: u32,
    pub text: String,
    pub thoughts: String,
}

/// The bus on which live events are published. Never blocks; a slow subscriber is its own problem.
pub trait LiveBus: Send + Sync {
    fn publish(&self, event: LiveEvent);
}

pub type ChatStream = BoxStream<'static, Result<StreamEvent, Error>>;

/// A model of a provider, ready to be asked.
#[async_trait]
pub trait ChatModel: Send + Sync {
    fn provider(&self) -> &str;
    fn model(&self) -> &str;

    /// Asks the server what only it knows of the model, before the first request; what it does not say at once is
    /// assumed. Takes no time that anybody notices, and cannot fail.
    async fn learn(&self) {}

    /// Returns how much the model can read at once, in tokens; `None` where that is only assumed.
    fn context_window(&self) -> Option<u64> {
        None
    }

    /// Returns what is taken for its window where nobody has told it.
    fn assumed_window(&self) -> Option<u64> {
        None
    }

    /// Takes note that it refused a request of so many tokens as too long, and took a shorter one: its window is no
    /// larger.
    fn note_window(&self, _tokens: u64) {}

    /// Returns whether its requests are known to cost nothing.
    fn is_free(&self) -> bool {
        false
    }

    /// Returns whether it may take tools; only of a model that is known not to is this false.
    fn takes_tools(&self) -> bool {
        true
    }

    /// Returns whether it is known to see pictures.
    fn sees_pictures(&self) -> bool {
        false
    }

    /// Translates into the vendor's bytes: the same ones for the same request, until the provider refuses an optional
    /// part of it. Then others, without that part, so that whoever was refused sees that it is worth asking again.
    fn prepare(&self, request: &ChatRequest) -> Result<PreparedRequest, Error>;

    /// Sends, and streams the answer. Dropping the stream ends the request.
    async fn send(&self, request: PreparedRequest) -> Result<ChatStream, Error>;
}

/// Everything a call is judged and executed with, besides the call.
#[derive(Clone)]
pub struct CallContext {
    pub session_id: SessionId,
    pub run_id: RunId,
    pub options: RunOptions,
    /// Until the run's own time limit; `None` without one.
    pub time_left: Option<Duration>,
    /// Until the run's own cost limit, in US dollars; `None` without one.
    pub cost_left_usd: Option<f64>,
    /// The result that the call reads again, if it is one that does.
    pub previous: Option<String>,
    /// The model can be shown pictures.
    pub sees_pictures: bool,
    /// The session's state as the run sees it.
    pub agent_state: AgentState,
    /// The last event that was folded when the call was handed out.
    pub last_seq: u64,
    pub cancel: CancellationToken,
    /// The token that pauses calls which can stop in the middle and continue later.
    pub pause: CancellationToken,
}

/// The outcome of a call and its events, which are in the log already.
#[derive(Debug, Clone)]
pub struct Executed {
    pub outcome: CallOutcome,
    pub events: Vec<Arc<Event>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallOutcome {
    /// There is a `tool.result`.
    Finished,
    /// The run has to stop: the user is asked.
    AwaitingApproval(ApprovalId),
    /// The run has to stop: the model asks the user.
    AwaitingAnswer(QuestionId),
    /// The user has paused the run in the middle of the call, which goes on when the run does.
    Paused,
    /// There is a `tool.result`, and the run must not go on before the user has looked.
    Stopped(Error),
}

/// Context that comes in during a run, such as the rules of a folder that it touches. Whoever asks leaves out what the
/// conversation has already.
pub trait LateContext: Send + Sync {
    /// Returns the context for a prompt.
    fn for_prompt(&self, prompt: &str) -> Vec<ContextAdded>;

    /// Returns the context for a tool call; the arguments are as the model wrote them.
    fn for_call(&self, tool_id: &str, arguments: &str) -> Vec<ContextAdded>;
}

/// There is none.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoLateContext;

impl LateContext for NoLateContext {
    fn for_prompt(&self, _: &str) -> Vec<ContextAdded> {
        Vec::new()
    }

    fn for_call(&self, _: &str, _: &str) -> Vec<ContextAdded> {
        Vec::new()
    }
}

/// The standing of a run's sub-agents in the background.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SubagentsState {
    /// At least one sub-agent is working.
    AtWork,
    /// None is at work, and this approval is what the first of those that wait is waiting for.
    Waiting(ApprovalId),
    /// There are none, or they are paused.
    AtRest,
}

/// The trusted half: tools behind the policy.
#[async_trait]
pub trait Executor: Send + Sync {
    fn definitions(&self) -> Arc<[ToolDefinition]>;

    /// Judges the call and, if nothing stands against it, does it. `call` carries what the log already knows of it, so
    /// that this works the same at first sight, after an approval and after a crash. Errors are those of the log.
    async fn execute(&self, call: &PendingCall, context: &CallContext) -> Result<Executed, Error>;

    /// Returns a picture that a call has read, by its SHA-256 hex.
    async fn picture(&self, _hash: &str) -> Option<Vec<u8>> {
        None
    }

    /// Executes calls that the model made in one answer like [`Self::execute`]: calls of which nothing is known yet, or
    /// calls on which sub-agents were set to work. As many of the first ones as can be are done at the same time, and
    /// recorded in their order; at least the first is.
    async fn execute_together(&self, calls: &[PendingCall], context: &CallContext) -> Result<Executed, Error> {
        match calls.first() {
            Some(first) => self.execute(first, context).await,
            None => Err(Error::internal("no call to execute")),
        }
    }

    /// Has the sub-agents of these calls work in the background, but for those that do already.
    fn take_up_subagents(&self, _calls: &[PendingCall], _context: &CallContext) {}

    /// Returns how the sub-agents in the background stand.
    fn subagents_standing(&self) -> SubagentsState {
        SubagentsState::AtRest
    }

    /// Waits until one of them has stopped or works again, or for so long.
    async fn subagents_changed(&self, _within: Duration) {}

    /// Pauses them after the step that each is at, and waits until they have. Where the run was cancelled they end.
    async fn rest_subagents(&self) {}

    /// Ends the programs that were started for the run alone, such as language servers.
    async fn end_helpers(&self) {}

    /// Records what a hook did that was still at work when Arki ended; it is not run again.
    async fn settle_hook(&self, _hook: &InterruptedHook, _context: &CallContext) -> Result<Vec<Arc<Event>>, Error> {
        Ok(Vec::new())
    }

    /// Records the hooks after a call that had not answered when Arki ended; they are not run.
    async fn settle_hooks_after(&self, _call: &FinishedCall, _context: &CallContext) -> Result<Vec<Arc<Event>>, Error> {
        Ok(Vec::new())
    }

    /// Runs the hooks that are for this moment, one after another, but for those that have answered; records what each
    /// said before the next one runs.
    async fn run_hooks(
        &self,
        _moment: &HookMoment,
        _answered: &AnsweredHooks,
        _context: &CallContext,
    ) -> Result<Vec<Arc<Event>>, Error> {
        Ok(Vec::new())
    }

    /// Runs the hooks of a notification, one after another. They change nothing, so that nothing waits for them; what is
    /// to be told of them comes back and is not recorded.
    async fn notify(&self, _moment: &HookMoment, _context: &CallContext) -> Vec<HookRan> {
        Vec::new()
    }
}
