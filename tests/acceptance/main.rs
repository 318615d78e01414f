//! What Arki promises to the outside, shown over the real `arki` program: one file a promise.
//!
//! Each test has a home of its own and a scripted model on loopback. The program is the one that `ARKI_BIN` names, else
//! the one that Cargo built beside this test.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "tests fail by panicking and start programs"
)]

mod harness;

mod agents;
mod asking;
mod attack_lines;
mod attack_project;
mod background;
mod bad_arguments;
mod budgets;
#[cfg(target_os = "linux")]
mod certificates;
mod changing_at_once;
mod checking;
mod claude_settings;
mod command_line;
mod commands;
mod committing;
mod committing_a_session;
mod compaction;
mod configuration;
mod configuring;
mod context_files;
mod crash;
mod crash_compaction;
mod crash_drive;
mod crash_limits;
mod crash_script;
mod daily_usage;
mod database;
mod delegating;
mod delegating_in_background;
mod delegating_together;
mod denials;
mod documents;
mod editor_buffers;
mod editor_client;
mod editor_queue;
mod editor_servers;
mod editor_unsaved;
mod editors;
mod editors_bad_input;
mod effects;
mod effects_bad_input;
mod effects_disks;
mod effects_killed;
mod effects_policy;
mod errors;
mod export;
mod fetching;
mod first_requests;
mod folders;
mod following;
mod foreign_hooks;
mod forks;
mod git_guard;
mod going_back;
mod going_on;
mod grants;
mod guides;
mod hash_chain;
mod held_up;
mod histories;
mod hooks;
mod ids;
mod inside_tools;
mod interrupted_rewind;
mod isolated;
mod kept_files;
mod keychain;
mod keys;
mod killed;
mod killed_hooks;
mod large_changes;
mod links;
mod listings;
mod main_job;
mod mcp;
mod mcp_json;
mod mcp_misconduct;
mod mcp_over_http;
mod mcp_serving;
#[cfg(target_os = "linux")]
mod mcp_sign_in;
mod mcp_writing;
mod memory;
mod mentions;
mod misbehaving;
mod models;
mod names_as_patterns;
mod network_by_host;
mod one_review;
mod otlp_receiver;
mod patching;
mod permissions;
mod pes;
mod piped_input;
mod pipeline_bad_input;
mod pipeline_denylist;
mod pipeline_docs;
mod pipeline_kills;
mod pipeline_requests;
mod pipeline_schedules;
mod pipeline_steps;
mod pipeline_versions;
mod pipelines;
mod planning;
mod policy;
mod policy_bypasses;
mod private_files;
mod programs;
mod prompt_options;
mod providers;
mod queueing;
mod read_only_disk;
mod redaction_rules;
mod reference_names;
mod refused_parameters;
mod refusing;
mod repeating;
mod replay;
mod retention;
mod retrieval;
mod retrying;
mod review;
mod searching;
mod secrets;
mod sent_requests;
mod server;
mod serving;
mod serving_again;
mod serving_beyond;
mod serving_client;
mod serving_limits;
mod serving_openapi;
mod serving_window;
mod session_grants;
mod session_settings;
mod session_state;
mod session_tools;
mod sessions;
mod shown;
#[cfg(target_os = "linux")]
mod sign_in_server;
mod stopping;
mod taking_back;
mod telemetry;
#[cfg(target_os = "linux")]
#[cfg(unix)]
mod terminal;
mod tls_server;
mod told_to_models;
mod tree;
mod trust;
mod unanswered;
mod unasked_git;
mod under_a_tool;
mod unpinned_hooks;
mod usage;
mod worktrees;
