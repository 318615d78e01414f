//! The composition root: opens the store, wires the agent to its ports, and offers what both programs can do.
//!
//! The desktop app and the command line are thin over this crate. It knows neither a window nor a terminal; what
//! happens reaches them as events on the bus, and what they want comes as calls on [`Engine`].

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic))]

mod accounts;
mod approvals;
mod artifacts;
mod background_results;
mod background_work;
mod client;
mod client_capabilities;
mod crash_reports;
mod delegation;
mod directories;
mod doctor;
mod engine;
mod enum_words;
mod events;
mod executor_factory;
mod exports;
mod line_counts;
mod line_origins;
mod log_anchors;
mod mcp;
mod memory_reviews;
mod open_questions;
mod past_files;
mod pipeline_history;
mod projects;
mod records;
mod restorations;
mod retention;
mod rewinds;
mod running_commands;
mod runs;
mod schedules;
mod sent_requests;
mod session_names;
mod session_reader;
mod session_search;
mod session_tools;
mod sessions;
mod this_process;
mod usage_reports;
mod visible;
mod worktrees;

pub use accounts::Accounts;
pub use accounts::environment_keys::EnvironmentKeys;
pub use approvals::Approvals;
pub use approvals::judgement::Judgement;
pub use approvals::names::ApprovalUse;
pub use approvals::resolve::{Decided, Keep, Resolution, rule_text};
pub use approvals::review::{ReviewDiff, ReviewFile, ReviewPart};
pub use approvals::standing_rules::{Backtest, PastCall};
pub use arki_agent::{Compacted, RunEnd};
pub use arki_config::{AgentEntry, Config, ConfigValue, ShownConfig};
pub use arki_disk::choose_temp_folder;
pub use arki_files::LineOrigin;
pub use arki_files::OutputFile;
pub use arki_mcp::{Prompt as McpPrompt, PromptArgument as McpPromptArgument};
pub use arki_pipelines::{DefinitionProblem as PipelineProblem, TextPlace as PipelinePlace, definition_schema};
pub use arki_policy::RuleDefinition;
pub use arki_process::learn_login_path;
#[cfg(unix)]
pub use arki_process::outlives_terminal;
pub use arki_process::{raise_open_files, stop_command};
pub use arki_store::{
    AnchorFinding, ApprovalRecord, ApprovalStatus, ContentsReport, DamagedContent, EventSearchHit, EventSearchQuery,
    ImportOutcome, ImportedSession, RemovedSessions, Salvaged, Sizes, SnippetPart, VerifyReport,
};
pub use arki_tools::{Guide, HookTrial, TriedHook};
pub use arki_tools::{stands_under_a_tool, tool_specification};
pub use artifacts::Artifacts;
pub use artifacts::ListedArtifact;
pub use background_work::BackgroundWork;
pub use client::{Client, DecisionEffect};
pub use client_capabilities::ClientCapabilities;
pub use crash_reports::{keep_crash_reports, newest_crash_report, remove_crash_reports};
pub use directories::Directories;
pub use doctor::{Check, CheckState, Doctor};
pub use engine::{Engine, EngineOptions, Verified, VerifyScope, verify};
pub use events::frames::Frames;
pub use events::subscription::{EventClass, EventFilter, Lagged, Subscription};
pub use exports::arkai::{Arkai, ArkaiEvent, event_summary};
pub use exports::{ExportFormat, Exports};
pub use line_counts::LineCounts;
pub use line_origins::LineOrigins;
pub use line_origins::{Author, AuthorCall, FileLine, author_word};
pub use log_anchors::LogAnchors;
pub use mcp::Mcp;
pub use memory_reviews::MemoryReviews;
pub use open_questions::OpenQuestion;
pub use open_questions::OpenQuestions;
pub use past_files::FileThen;
pub use past_files::PastFiles;
pub use pipeline_history::PipelineHistory;
pub use projects::Projects;
pub use projects::guides::FoundGuides;
pub use projects::open::OpenedFolder;
pub use projects::pipelines::entries::{
    CheckedPipeline, check_pipeline, check_pipeline_file, pipeline_entries, pipeline_entry,
};
pub use projects::skills::SkillUse;
pub use projects::trusted_folders::TrustedFolder;
pub use records::events_since::EventsSince;
pub use records::observations::Observations;
pub use restorations::{EndedRun, PlannedFile, RewindPlan, RewindScope};
pub use retention::Retention;
pub use retention::Time;
pub use rewinds::Rewinds;
pub use running_commands::running_commands;
pub use runs::Runs;
pub use runs::active_run::ActiveRun;
pub use runs::notifying::{RunNews, RunNotice};
pub use runs::output_schema::{check as check_output, ensure_usable as ensure_usable_schema};
pub use runs::piped_input::MAX_PIPED_BYTES;
pub use runs::pipelines::resuming::DefinitionChoice;
pub use runs::pipelines::starting::{PipelineInput, StartPipeline};
pub use runs::place::{RunTarget, StartRun};
pub use runs::prompt_images::attaching::{attached_files, attached_picture};
pub use runs::prompt_images::{MAX_IMAGES, look_at_picture};
pub use runs::queue::Accepted;
pub use schedules::{NewSchedule, StartedBySchedule};
pub use sent_requests::SentRequest;
pub use session_names::SessionNames;
pub use session_names::{NamedPlace, refuse_last};
pub use session_reader::SessionReader;
pub use session_reader::lineage::Origin;
pub use session_reader::story::{Fate, HunkFate, Told};
pub use session_search::SessionSearch;
pub use session_tools::SessionTool;
pub use session_tools::SessionTools;
pub use sessions::Sessions;
pub use sessions::for_clients::{line_origin, search_hit};
pub use sessions::marking::SessionMarks;
pub use sessions::verify_file::{FileReport, verify_export, verify_file};
pub use this_process::protect_this_process;
pub use usage_reports::UsageReports;
pub use visible::{InvisibleCharacters, VisiblePieces, one_line, visible};
pub use worktrees::Removal as WorktreeRemoval;
