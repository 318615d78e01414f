//! The words of Arki: what every other crate speaks, and nothing that touches the world.
//!
//! Ids, messages, the event log's types and their canonical form, projections (plain folds over events) and the
//! ports through which the planner reaches the executor, the log and the model. There is no I/O in here at all, and no
//! dependency on any other Arki crate, so that whoever reads a type here needs nothing else to understand it.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic))]

#[macro_use]
mod named;
#[macro_use]
mod typescript;

mod canonical;
mod edit_group;
mod error;
mod event;
mod event_body;
mod followed_log;
mod glob_readings;
mod hidden;
mod hook;
mod ids;
mod io_words;
mod left_out;
mod message;
mod model;
mod part_kind;
#[macro_use]
mod payloads;
mod permissions;
mod plural;
mod policy_trace;
mod port;
mod portable_schema;
pub mod projection;
mod reason;
mod reason_code;
mod request_head;
mod run;
mod shell_runs;
mod steering_variables;
mod styled_text;
mod tool;
mod tool_names;
mod upcast;
pub mod visible;

pub use canonical::{
    CanonicalError, SAFE_INTEGER, canonical_json, json_char_bytes, json_text_bytes, sha256_hex, sha256_hex_of,
    with_safe_numbers,
};
pub use error::{Code, Error};
pub use event::{Event, EventDraft, GENESIS_HASH, LiveEvent, OutputDelta, PastEvent, chain_hash};
pub use event_body::{EVENT_KINDS, EventBody};
pub use followed_log::FollowedLog;
pub use glob_readings::glob_readings;
pub use hidden::{is_hidden, one_plain_line};
pub use hook::{HOOK_PART, HookEvent, HookMoment, HookOutcome, MAX_STOP_HOLDS, NotificationKind, SessionSource};
pub use ids::{ApprovalId, CallId, CheckpointId, EventId, MessageId, QuestionId, RunId, SessionId};
pub use io_words::io_words;
pub use message::{Image, MAX_IMAGE_BYTES, Message, PixelSize, Reasoning, ToolRequest, is_picture_name, picture_type};
pub use model::{
    ChatRequest, FinishReason, ModelOptions, PreparedRequest, StreamEvent, TokenType, UnknownTokens, Usage,
};
pub use part_kind::{MENTION_PART, PICTURE_PART, PartKind, REMINDER_PART, STAGE_PART, late_part_id, results_off};
pub use payloads::*;
pub use permissions::Permissions;
pub use plural::plural;
pub use policy_trace::{CheckOutcome, CommandPart, CommandReading, PolicyCheck, PolicyTrace, TracedCheck};
pub use port::{
    CallContext, CallOutcome, ChatModel, ChatStream, Clock, Content, ContentKind, ContentStore, EventLog, Executed,
    Executor, LateContext, LiveBus, NoLateContext, PartialAnswer, SubagentsState, SystemClock,
};
pub use portable_schema::portable_schema;
pub use reason::{CodedText, Reason, TranslatableText};
pub use reason_code::ReasonCode;
pub use request_head::RequestHead;
pub use run::{ApprovalMode, RunOptions};
pub use shell_runs::{RunFile, RunLanguage, ShellRuns, ShellText, UnknownRun};
pub use steering_variables::steers_programs;
pub use styled_text::{StyledPart, StyledText, TextStyle, move_styles, text_styles};
pub use tool::{
    Category, DELEGATE_TOOL, Decision, REPEATED_RULE, Risk, TAKE_CHANGES_TOOL, ToolDefinition, UNTRUSTED_RULE,
    goes_on_in_background,
};
pub use tool_names::{BUILT_IN_TOOLS, ToolNames};
