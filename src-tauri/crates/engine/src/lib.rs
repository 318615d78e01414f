//! The composition root: opens the store, wires the agent to its ports, and offers what both programs can do.
//!
//! The desktop app and the command line are thin over this crate. It knows neither a window nor a terminal; what
//! happens reaches them as events on the bus, and what they want comes as calls on [`Engine`].

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic))]

mod active_run;
mod anchoring;
mod announcer;
mod approvals;
mod background;
mod bus;
mod claim;
mod config;
mod contents;
mod delegation;
mod directories;
mod doctor;
mod engine;
mod environment_keys;
mod expiry;
mod export;
mod follow_others;
mod fork;
mod frames;
mod guides;
mod history;
mod judgement;
mod keeping;
mod keys;
mod launch;
mod lease;
mod leavings;
mod line_origins;
mod lineage;
mod mcp;
mod names;
mod not_yet;
mod output_schema;
mod overview;
mod piped_input;
mod placeholder_key;
mod processes;
mod project_config;
mod projects;
mod prompt_images;
mod provider_test;
mod questions;
mod queue;
mod recorded_log;
mod resume;
mod revealing;
mod review;
mod rewind;
mod runs;
mod search;
mod session_grants;
mod settings;
mod shown;
mod standing_rules;
mod stopping;
mod subscription;
mod take_back;
mod this_process;
mod tools;
mod usage;
mod verify_file;
mod visible;
mod wholeness;
mod wire;

pub use active_run::ActiveRun;
pub use approvals::{Decided, Keep, Resolution, rule_text};
pub use arki_agent::RunEnd;
pub use arki_mcp::{Prompt as McpPrompt, PromptArgument as McpPromptArgument};
pub use arki_store::{
    AnchorFinding, ApprovalRecord, ApprovalStatus, ContentsReport, DamagedContent, ImportOutcome, ImportedSession,
    RemovedSessions, Salvaged, SearchHit, SearchQuery, Sizes, SnippetPart, VerifyReport,
};
pub use arki_tools::Guide;
pub use arki_tools::policy::RuleDefinition;
pub use arki_tools::stands_under_a_tool;
pub use arki_workspace::LineOrigin;
pub use arki_workspace::OutputFile;
pub use arki_workspace::learn_login_path;
#[cfg(unix)]
pub use arki_workspace::outlives_terminal;
pub use config::{AgentEntry, Config};
pub use directories::Directories;
pub use doctor::{Check, CheckState, doctor_without_database};
pub use engine::{Engine, EngineOptions, Verified, VerifyScope, verify};
pub use environment_keys::EnvironmentKeys;
pub use export::ExportFormat;
pub use export::arkai::{Arkai, ArkaiEvent, event_summary};
pub use export::proposed_diff;
pub use frames::Frames;
pub use guides::FoundGuides;
pub use judgement::Judgement;
pub use keeping::Time;
pub use keys::KeyStatus;
pub use line_origins::{Author, AuthorCall, FileLine, author_word};
pub use lineage::{Origin, Stretch};
pub use names::{ApprovalUse, NamedPlace, refuse_last};
pub use output_schema::{check as check_output, ensure_usable as ensure_usable_schema};
pub use piped_input::MAX_PIPED_BYTES;
pub use projects::OpenedFolder;
pub use prompt_images::{MAX_IMAGE_BYTES, MAX_IMAGES};
pub use questions::OpenQuestion;
pub use queue::Accepted;
pub use review::{ReviewDiff, ReviewFile, ReviewPart};
pub use rewind::{EndedRun, PlannedFile, RewindPlan, RewindScope};
pub use runs::{RunTarget, StartRun};
pub use standing_rules::{Backtest, PastCall};
pub use subscription::{EventClass, EventFilter, Lagged, Subscription};
pub use this_process::protect_this_process;
pub use tools::SessionTool;
pub use verify_file::{FileReport, verify_export, verify_file};
pub use visible::{VisiblePieces, Writing, one_line, visible};
pub use wire::*;
