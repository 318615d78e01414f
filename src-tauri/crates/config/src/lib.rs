//! The merged configuration: the user's `config.json`, and a trusted project's over it where that only tightens.

mod agents;
mod claude_settings;
mod config;
mod denials;
mod diagnostics;
mod file;
mod hooks;
mod invalid;
mod key_path;
mod layers;
mod mcp;
mod mcp_json;
mod merge;
mod parse;
mod place;
mod redaction;
mod schema;
mod secret_files;
mod template;

pub use agents::{AgentEntry, add_agent_files, agent_defaults};
pub use claude_settings::ClaudeSettings;
pub use config::{
    AGENT, CompactionSettings, Config, DEFAULT_CORE, DEFAULT_MAX_IMAGE_BYTES, DEFAULT_MODEL, PROJECT_CONFIG,
    TelemetrySettings, WindowSettings,
};
pub use denials::{denials_of, restrict_policy};
pub use file::{ConfigFile, McpServerConfig, ProviderConfig, known_effort};
pub use hooks::{of_file as hooks_of_file, placed as placed_hooks_of_file};
pub use invalid::invalid;
pub use key_path::{key_path, no_key};
pub use layers::{ConfigValue, DEFAULT_ORIGIN, ShownConfig, is_added_to, joined as joined_key, shown};
pub use mcp::{ConfiguredServer, McpOrigin};
pub use mcp_json::add as add_mcp_json;
pub use merge::ReadConfig;
pub use parse::{ensure_known, parse, parse_rule, text_of};
pub use schema::{schema, schema_text, setting_schema, unless_null};
pub use secret_files::SecretFiles;
pub use template::{USER_TEMPLATE, has_first_exec, without_first_exec};
