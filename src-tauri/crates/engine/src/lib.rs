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
mod histories;
mod inbox;
mod line_counts;
mod line_origins;
mod log_anchors;
mod mcp;
mod memory_reviews;
mod open_questions;
mod pairings;
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
mod session_results;
mod session_search;
mod session_tools;
mod sessions;
mod telemetry;
mod this_process;
mod usage_reports;
mod verification;
mod worktrees;

pub use accounts::Accounts;
pub use accounts::environment_keys::EnvironmentKeys;
pub use approvals::Approvals;
pub use approvals::judgement::Judgement;
pub use approvals::pending::ApprovalUse;
pub use approvals::resolve::{DecidedBy, DecisionOutcome, denying_rule, rule_text};
pub use approvals::review_diff::{ReviewDiff, ReviewFile, ReviewPart};
pub use approvals::standing_rules::{Backtest, PastCall};
pub use arki_agent::{Compacted, RunEnd};
pub use arki_config::{AgentEntry, Config, ConfigValue, ShownConfig};
pub use arki_context::mention_of;
pub use arki_disk::choose_temp_folder;
pub use arki_domain::visible::{InvisibleCharacters, VisiblePieces, one_line, visible};
pub use arki_export::{Arkai, ArkaiEvent, FileReport, Origin, event_summary, new_diff, verify_export, verify_file};
pub use arki_files::OutputFile;
pub use arki_mcp::{Prompt as McpPrompt, PromptArgument as McpPromptArgument};
pub use arki_pipelines::{DefinitionProblem as PipelineProblem, TextPlace as PipelinePlace, definition_schema};
pub use arki_policy::RuleDefinition;
#[cfg(unix)]
pub use arki_process::outlives_terminal;
pub use arki_process::{learn_login_path, raise_open_files, stop_command};
pub use arki_store::{
    AnchorFinding, ApprovalRecord, ApprovalStatus, ContentsReport, DamagedContent, EventSearchQuery, ImportOutcome,
    ImportedSession, KeptAnswer, ListedRuns, RunRecord, Salvaged, Sizes, VerifyReport,
};
pub use arki_tools::{
    BufferChange, BufferText, BufferWrite, Guide, HookTrial, OpenBuffers, TriedHook, stands_under_a_tool,
    tool_specification,
};
pub use artifacts::{Artifacts, ListedArtifact};
pub use background_work::BackgroundWork;
pub use client::{Client, DecisionEffect};
pub use client_capabilities::ClientCapabilities;
pub use crash_reports::{keep_crash_reports, newest_crash_report, remove_crash_reports};
pub(crate) use delegation::Delegations;
pub use directories::Directories;
pub use doctor::{Check, CheckState, Doctor};
pub use engine::{Engine, EngineOptions};
pub use events::frames::Frames;
pub use events::held_conversations::HeldConversations;
pub use events::subscription::{EventClass, EventFilter, Lagged, Subscription};
pub(crate) use executor_factory::ExecutorFactory;
pub use exports::Exports;
pub use histories::Histories;
pub use inbox::Inbox;
pub use line_counts::LineCounts;
pub use line_origins::LineOrigins;
pub use log_anchors::LogAnchors;
pub use mcp::{Mcp, NamedServer, ServerPermission, ServerRequest, SessionServers};
pub use memory_reviews::MemoryReviews;
pub use open_questions::{OpenQuestion, OpenQuestions};
pub use pairings::Pairings;
pub use past_files::{FileThen, PastFiles};
pub use pipeline_history::PipelineHistory;
pub use projects::agents::list_agents;
pub use projects::editor_buffers::EditorBuffers;
pub use projects::example_prompts::example_prompts;
pub use projects::folder_trust::{FolderTrust, TrustedFolder};
pub use projects::guides::FoundGuides;
pub use projects::hooks::list_hooks;
pub use projects::mentionable::Mentionables;
pub(crate) use projects::open::OpenProject;
pub use projects::open::OpenedFolder;
pub use projects::own_programs::OwnPrograms;
pub(crate) use projects::pipelines::WholePipeline;
pub use projects::pipelines::entries::{
    CheckedPipeline, check_pipeline, check_pipeline_file, pipeline_entries, pipeline_entry,
};
pub use projects::sample::make_sample;
pub use projects::setting_list::list_settings;
pub use projects::skills::{SkillUse, list_skills};
pub use projects::{Projects, app_state};
pub use records::events_since::EventsSince;
pub use records::observations::Observations;
pub(crate) use records::{Records, blocking, blocking_for};
pub(crate) use restorations::Restorations;
pub use restorations::{EndedRun, PlannedFile, RewindPlan, RewindScope};
pub use retention::{Retention, Time};
pub use rewinds::Rewinds;
pub use running_commands::running_commands;
pub use runs::Runs;
pub use runs::active_run::ActiveRun;
pub(crate) use runs::active_run::RunningRun;
pub use runs::compactions::Compactions;
pub(crate) use runs::composing::BelowRuns;
pub use runs::configuring::SessionConfiguring;
pub(crate) use runs::hold::SessionHold;
pub use runs::mentions::DraftMentions;
pub use runs::next_request::NextRequests;
pub use runs::notifying::{RunNews, RunNotice};
pub use runs::output_schema::{check as check_output, ensure_usable as ensure_usable_schema};
pub use runs::piped_input::MAX_PIPED_BYTES;
pub use runs::pipelines::PipelineRuns;
pub use runs::pipelines::resuming::DefinitionChoice;
pub use runs::pipelines::starting::{PipelineInput, StartPipeline};
pub use runs::place::{RunTarget, StartRun};
pub use runs::prompt_images::attaching::{attached_files, attached_picture};
pub use runs::prompt_images::{MAX_IMAGES, look_at_picture};
pub use runs::queue::{MessageQueues, SendOutcome};
pub(crate) use runs::resume::ResumeOptions;
pub use runs::system_prompt::SystemPrompts;
pub use runs::typed::TypedCommands;
pub use schedules::StartedBySchedule;
pub use sent_requests::SentRequest;
pub use session_names::{NamedPlace, SessionNames, refuse_last};
pub use session_reader::SessionReader;
pub(crate) use session_reader::history::History;
pub use session_reader::holding::{hold_conversation, open_conversation};
pub use session_reader::telling::{EventChanges, RewindState};
pub use session_results::SessionResults;
pub use session_search::SessionSearch;
pub use session_tools::{SessionTool, SessionTools};
pub use sessions::Sessions;
pub(crate) use sessions::claim::ClaimedWork;
pub(crate) use sessions::compacting::EstimatedTokens;
pub use sessions::marking::SessionMarks;
pub(crate) use sessions::session_settings::SessionSettings;
pub use telemetry::Telemetry;
pub use this_process::{launch_if_asked, protect_this_process};
pub use usage_reports::UsageReports;
pub use verification::{Verified, VerifyScope, verify};
pub use worktrees::Removal as WorktreeRemoval;
