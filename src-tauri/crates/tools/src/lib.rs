//! The trusted half: tools, and the executor that has the policy judge their calls and carries them out.
//!
//! Deciding and doing are apart. `arki_policy::decide` is a plain function over data. The executor appends what was decided,
//! asks where it has to, and only then lets `arki-files` and `arki-process` touch the world. A model reaches nothing but through here.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic))]

mod artifact;
mod builtin;
mod caller;
mod diagnostics;
mod document_reading;
mod executor;
mod facts;
mod fetch;
mod folder_rules;
mod guide;
mod hooks;
mod host_proxy;
mod left_out;
mod manual;
mod nearest;
mod open_buffers;
mod outcome;
mod picture_decoding;
mod remote_tool;
mod schema;
mod subagents;
mod tool;
mod touched;

pub use artifact::{MAX_ARTIFACT_BYTES, of_text as text_artifact, reference as artifact_reference};
pub use builtin::delegate::delegate;
pub use builtin::fetch_url::fetch_url;
pub use builtin::take_changes::take_changes;
pub use caller::{CallPlace, Caller, MAX_ELICITATIONS_A_CALL, OpenElicitation};
pub use diagnostics::{Checker, MAX_CHECKERS};
pub use document_reading::read_document_if_asked;
pub use executor::{
    Audience, BackgroundCommands, ExecutorSettings, HookTrial, Judge, MAX_BACKGROUND, StepAnswer, StepCommand,
    StepRunner, ToolExecutor, ToolLimits, TriedHook, UnaskedRead, UnaskedReads, learn_env_files, search_for_secrets,
    stands_under_a_tool, unresolved_placeholders, write_changed_tree,
};
pub use facts::tool_specification;
pub use fetch::{HttpAnswer, PrivateHosts, Requested, install_crypto};
pub use folder_rules::FolderRules;
pub use guide::{Guide, GuideFiles, Guides, MAX_GUIDE_DESCRIPTION_CHARS, MAX_GUIDE_NAME_CHARS, SKILL_FILE, find_guide};
pub use hooks::{
    DEFAULT_HOOK_TIME, Hook, HookAction, HookCommand, HookCondition, HookOrigin, MAX_HOOK_NAME_CHARS, MAX_HOOK_TIME,
    MAX_HOOKS, name_of as hook_name_of, tools_named,
};
pub use open_buffers::{BufferChange, BufferText, BufferWrite, OpenBuffers};
pub use outcome::Output;
pub use picture_decoding::{DecodedPicture, decode_picture, picture_too_large, sendable_picture};
pub use remote_tool::{CallScope, JudgedAs, ProgramView, RemoteCallProgress, RemoteTool, ViewedProgram};
pub use schema::{MAX_SCHEMA_BYTES, check_arguments, check_schema};
pub use subagents::{AgentChoice, SubagentChanges, SubagentEnd, SubagentStop, SubagentTask, Subagents};
pub use tool::{MAX_TOOL_NAME_BYTES, Retry, Tool, ToolTraits};
pub use touched::Touched;
