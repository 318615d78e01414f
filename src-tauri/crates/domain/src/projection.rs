//! Projections: plain folds over events. Everything anyone sees or continues from is one of these.

mod agent_state;
mod answered_hooks;
mod background_calls;
mod changed_files;
mod conversation;
mod daily_usage;
mod files_at;
mod memory_inbox;
mod milestones;
mod observation;
mod overview;
mod pipeline_state;
mod plan;
mod progress;
mod queue;
mod run_observer;
mod run_state;
mod session_summary;
mod short_text;
mod stages;
mod streamed_answer;
mod transcript;
mod usage_totals;
mod working_memory;

pub use agent_state::{AgentState, MAX_STATE_BYTES, StateSavingStrategy};
pub use answered_hooks::{AnsweredHook, AnsweredHooks};
pub use background_calls::{BackgroundCall, BackgroundCalls, MAX_BACKGROUND_CALLS, MAX_BACKGROUND_COMMAND_BYTES};
pub use changed_files::{ChangedFile, ChangedFiles, MAX_CHANGED_FILES};
pub use conversation::{
    AskedApproval, AssistantItem, CallItem, CallQuestion, CallState, CallSubagent, ChangeStep, CompactedItem,
    Conversation, ConversationItem, ConversationStanding, FailureItem, ForkedItem, HookItem, HunkFate, HunkOutcome,
    ItemBody, ItemChange, ItemPart, Notice, NoticeItem, OtherItem, PausedFor, RevertedChange, RewindHistory,
    RewoundItem, RunBeganItem, RunEndedItem, RunStanding, UserItem, WaitingRetry,
};
pub use daily_usage::{DailyUsage, DayAndModel, UsagePlace};
pub use files_at::{FileAt, FileStep, FilesAt, ReplayedFile, WantedFile, replayed_files};
pub use memory_inbox::{InboxEntry, MAX_INBOX_ENTRIES, MemoryInbox};
pub use milestones::Milestones;
pub use observation::{
    MAX_OBSERVATION_TITLE_BYTES, MAX_OBSERVED_CALLS, Observation, ObservationFilter, ObservationType, Observer,
    PLANNING_CORE, call_words,
};
pub use overview::{
    ForkOrigin, MAX_DISABLED_TOOLS, MAX_PARTS_OFF, MAX_SESSION_PROMPT_BYTES, MAX_TITLE_BYTES, Overview, SNAPSHOT_EVERY,
    SNAPSHOT_VERSION,
};
pub use pipeline_state::{
    GateState, PipelineState, PipelineWaits, StepFailure, StepOutput, StepPhase, StepState, gate_step,
};
pub use plan::{MAX_PLAN_STEPS, MAX_PLAN_TEXT_BYTES, MAX_PLAN_VERSIONS, Plan, PlanVersion};
pub use progress::Progress;
pub use queue::{MAX_QUEUED_MESSAGES, Queue, QueuedMessage};
pub use run_observer::RunObserver;
pub use run_state::{
    CallProgress, FinishedCall, InterruptedHook, NextStep, PendingCall, ResolvedApproval, RunPhase, RunState,
};
pub use session_summary::{SessionState, SessionSummary};
pub use stages::{CallEnd, PlanApproval, PlannedCall, Stages};
pub use streamed_answer::StreamedAnswer;
pub use transcript::{
    ConversationMessage, MessageKind, READ_RESULT_TOOL, RefusablePart, SavedText, ShownAs, Transcript, stand_in,
    tool_part,
};
pub use usage_totals::{MAX_COUNTED_MODELS, MAX_COUNTED_RUNS, OTHER_MODELS, RunUsage, UsageTotal, UsageTotals};
pub use working_memory::{
    MAX_REMEMBERED_BYTES, MAX_REMEMBERED_OBSERVATIONS, MAX_REMEMBERED_REFLECTIONS, MAX_REMEMBERED_SOURCES,
    WorkingMemory,
};

#[cfg(test)]
mod tests;
