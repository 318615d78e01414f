//! The configuration in force, as it was added up.

use crate::SecretFiles;
use crate::file::Agents;
use arki_domain::projection::StateSavingStrategy;
use arki_domain::{CompactionStrategy, ModelOptions};
use arki_llm::ProviderSettings;
use arki_policy::PolicySettings;
use arki_telemetry::{Endpoint, TelemetryContents};
use arki_tools::{Checker, Hook, PrivateHosts, ToolLimits};
use std::collections::BTreeMap;

/// A project's own configuration.
pub const PROJECT_CONFIG: &str = ".arki/config.json";
/// The agent that runs where nothing else is said. It is there even where nothing is configured.
pub const AGENT: &str = "arki";
/// Used where the configuration names no model: works without a key and without a network.
pub const DEFAULT_MODEL: &str = "demo/demo";
pub const DEFAULT_CORE: &str = "tool-loop";
pub(crate) const DEFAULT_MAX_TURNS: u32 = 50;
pub(crate) const DEFAULT_MAX_ANSWER_SECONDS: u64 = 1800;
/// Images of files take at most this much, compressed, unless the configuration says otherwise.
pub const DEFAULT_MAX_IMAGE_BYTES: u64 = 2 << 30;
/// The reasoning effort if nobody has chosen one.
pub(crate) const DEFAULT_EFFORT: &str = "medium";
const DEFAULT_COMPACTION_FRACTION: f64 = 0.8;
pub(crate) const DEFAULT_TOOL_TIMEOUT_SECONDS: u64 = 120;
pub(crate) const DEFAULT_MAX_EFFECTS_MEGABYTES: u64 = 256;
pub(crate) const DEFAULT_MAX_TOOL_OUTPUT_BYTES: usize = 65_536;

/// Everything a run is configured with: by the agent `arki`, until another is chosen ([`Config::for_agent`]).
#[derive(Debug, Clone)]
pub struct Config {
    /// `provider/model`.
    pub model: String,
    /// The name of the core that decides the run's steps.
    pub core: String,
    pub model_options: ModelOptions,
    pub system_prompt: Option<String>,
    /// Texts that system prompts name, by name.
    pub prompt_fragments: BTreeMap<String, String>,
    /// The session's own prompt, followed by the parts that its requests go without.
    pub session_prompt: Option<String>,
    pub off: Vec<String>,
    pub agents: Agents,
    pub providers: Vec<ProviderSettings>,
    /// The policy, with the tools that the agent has.
    pub policy: PolicySettings,
    /// Globs, as they were written.
    pub secret_globs: Vec<String>,
    pub secret_files: SecretFiles,
    /// The hosts that `fetch_url` may reach besides the public internet.
    pub private_hosts: PrivateHosts,
    pub tool_limits: ToolLimits,
    pub skills_enabled: bool,
    pub max_turns: Option<u32>,
    pub max_seconds: Option<u64>,
    pub max_cost_usd: Option<f64>,
    pub approval_timeout_seconds: Option<u64>,
    /// The time limit for one answer of the model.
    pub max_answer_seconds: u64,
    pub compaction: CompactionSettings,
    /// Have a model draw conclusions after runs.
    pub reflects: bool,
    /// A plan is approved before it is carried out.
    pub approves_plans: bool,
    pub state_saving: StateSavingStrategy,
    /// `None` = never.
    pub delete_sessions_after_days: Option<u32>,
    /// Compressed; `None` = the default.
    pub max_image_bytes: Option<u64>,
    /// The user's first, then the project's.
    pub hooks: Vec<Hook>,
    /// The user's first, then the project's.
    pub checkers: Vec<Checker>,
    pub mcp_servers: crate::mcp::McpServers,
    /// The receiver of finished runs; `None`: they are sent nowhere.
    pub telemetry: Option<TelemetrySettings>,
    pub window: WindowSettings,
    /// Servers of the project's that can't be used, and why: a sentence each.
    pub mcp_left_out: Vec<String>,
}

/// The receiver of finished runs, and whether it gets what was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TelemetrySettings {
    pub endpoint: Endpoint,
    pub contents: TelemetryContents,
}

/// The desktop app's settings for notifications, staying awake, updates, the tray and the editor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WindowSettings {
    pub notifies: bool,
    pub keeps_awake: bool,
    pub looks_for_updates: bool,
    pub has_tray: bool,
    /// The editor's name or path; the first known editor if `None`.
    pub editor: Option<String>,
}

/// The settings that keep conversations within a model's window.
#[derive(Debug, Clone, PartialEq)]
pub struct CompactionSettings {
    pub strategy: CompactionStrategy,
    pub at_fraction: f64,
    /// The messages at which it is due; never because of their number where `None`.
    pub history_limit: Option<u32>,
    /// `provider/model`; the run's own where `None`.
    pub model: Option<String>,
}

impl Default for CompactionSettings {
    fn default() -> Self {
        Self {
            strategy: CompactionStrategy::SummarizeEarly,
            at_fraction: DEFAULT_COMPACTION_FRACTION,
            history_limit: None,
            model: None,
        }
    }
}

impl Config {
    /// Returns whether the user asked for old sessions or images to be removed.
    pub fn asks_to_prune(&self) -> bool {
        self.delete_sessions_after_days.is_some() || self.max_image_bytes.is_some()
    }

    /// The same for configurations that lead to the same providers. Names and addresses only: it holds no key.
    pub fn provider_signature(&self) -> String {
        let mut signature = String::new();
        for provider in &self.providers {
            let headers: Vec<String> = provider.headers.iter().map(|(name, value)| format!("{name}={value}")).collect();
            let base_url = provider.base_url.as_deref().unwrap_or_default();
            signature.push_str(&format!(
                "{} {} {base_url} {} {:?} {:?} {:?} {headers:?} {:?}\n",
                provider.name,
                provider.kind,
                provider.is_local,
                provider.api_key_env,
                provider.max_parallel,
                (provider.queue_timeout, provider.idle_timeout, provider.timeouts),
                provider.models
            ));
        }
        signature
    }
}
