//! One `config.json`, as it stands in the file. The keys of the contract, section 3.

use super::diagnostics::DiagnosticsConfig;
use super::hooks::HookConfig;
use super::schema::{CapabilityWord, CategoryKeys, CategoryWord, LongText, RuleKeys, provider_kinds};
use arki_domain::projection::StateSavingStrategy;
use arki_domain::{Category, Code, Decision, Error, ToolNames};
use arki_llm::{Capability, ProviderKind};
use arki_policy::RuleDefinition;
use arki_process::CommandLimits;
use arki_redaction::RedactionRule;
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use std::collections::BTreeMap;

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ConfigFile {
    /// The JSON Schema for editors.
    #[serde(rename = "$schema")]
    pub schema: Option<String>,
    /// The agents, by name: up to 32 lower-case letters, digits, "-" and "_", the first a letter or digit.
    #[schemars(extend("propertyNames" = { "pattern": "^[a-z0-9][a-z0-9_-]{0,31}$" }))]
    pub agents: Agents,
    /// The providers of models, by names that you choose.
    pub providers: BTreeMap<String, ProviderConfig>,
    pub policy: PolicyConfig,
    pub limits: LimitsConfig,
    /// The hooks, by event, such as `PreToolUse`.
    #[schemars(extend("propertyNames" = { "enum": super::hooks::event_names() }))]
    pub hooks: BTreeMap<String, Vec<HookConfig>>,
    /// MCP servers, by names that you choose; their tools are called `mcp__NAME__TOOL`.
    pub mcp_servers: BTreeMap<String, McpServerConfig>,
    pub prompts: PromptsConfig,
    pub skills: SkillsConfig,
    pub compaction: CompactionConfig,
    pub memory: MemoryConfig,
    pub plan: PlanConfig,
    pub state: StateConfig,
    pub diagnostics: DiagnosticsConfig,
    pub retention: RetentionConfig,
    pub telemetry: TelemetryConfig,
    pub window: WindowConfig,
}

/// The agents by name.
pub(crate) type Agents = BTreeMap<String, AgentConfig>;

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[schemars(extend("examples" = [{ "description": "When to use it, in one line", "systemPrompt": "What it does" }]))]
pub struct AgentConfig {
    /// The model, as `provider/model`; if absent, that of `arki`.
    pub model: Option<String>,
    /// The name of the core that decides how the agent works.
    #[serde(default, deserialize_with = "none_or_core")]
    #[schemars(extend("enum" = known_cores()))]
    pub core: Option<String>,
    /// Ask for cheaper, slower answers, if the provider offers them.
    pub flex: Option<bool>,
    /// The time that a model which can reason takes to think before it answers. Thoughts cost as much as output.
    pub reasoning_effort: Option<ReasoningEffort>,
    /// The longest answer, in tokens.
    #[serde(default, deserialize_with = "none_or_positive")]
    #[schemars(range(min = 1))]
    pub max_completion_tokens: Option<u32>,
    /// The text that is added to the built-in system prompt.
    #[schemars(extend("contentMediaType" = "text/plain"))]
    pub system_prompt: Option<String>,
    /// When to use this agent, in one line for the model.
    #[serde(default, deserialize_with = "none_or_line")]
    #[schemars(length(min = 1, max = 300))]
    pub description: Option<String>,
    /// The only tools that the agent has, by name; a name that ends in `*` stands for all that begin like it. If
    /// absent, the agent has all tools.
    #[serde(default, deserialize_with = "none_or_tool_names")]
    #[schemars(with = "Option<Vec<String>>")]
    pub tools: Option<ToolNames>,
    /// The agent only reads: it has the tools that read, and commands that are known to only read.
    pub read_only: Option<bool>,
    /// The place where the agent works as a sub-agent, if not in the project's folder.
    pub isolation: Option<Isolation>,
    /// True if no configuration names the agent, only a file of its own.
    #[serde(skip)]
    pub is_from_file: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Isolation {
    /// A git worktree of the agent's own, whose changes are reviewed when it has finished.
    Worktree,
}

/// The number of characters of an agent's description that a model gets.
const MAX_DESCRIPTION_CHARS: usize = 300;

fn none_or_line<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let Some(line) = Option::<String>::deserialize(deserializer)? else { return Ok(None) };
    if line.trim().is_empty() || line.chars().any(char::is_control) || line.chars().count() > MAX_DESCRIPTION_CHARS {
        return Err(D::Error::custom(format_args!("it must be one line of up to {MAX_DESCRIPTION_CHARS} characters")));
    }
    Ok(Some(line))
}

fn none_or_tool_names<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<ToolNames>, D::Error> {
    let names = Option::<Vec<String>>::deserialize(deserializer)?;
    names.map(ToolNames::new).transpose().map_err(D::Error::custom)
}

fn none_or_core<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let Some(name) = Option::<String>::deserialize(deserializer)? else { return Ok(None) };
    match arki_agent::core(&name) {
        Ok(core) => Ok(Some(core.name().to_owned())),
        Err(unknown) => Err(D::Error::custom(format_args!("{} {}", unknown.message, unknown.hint))),
    }
}

fn known_cores() -> Vec<Option<&'static str>> {
    arki_agent::core_names().map(Some).chain([None]).collect()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ReasoningEffort {
    Minimal,
    Low,
    Medium,
    High,
}

/// # Errors
/// `USAGE`, with the words that there are.
pub fn known_effort(word: &str) -> Result<(), Error> {
    let known = Value::String(word.to_owned());
    serde_json::from_value::<ReasoningEffort>(known).map(|_| ()).map_err(|_| {
        let message = format!("Unknown reasoning effort {word:?}.");
        Error::new(Code::USAGE, message, "Use one of: minimal, low, medium, high.")
    })
}

impl ReasoningEffort {
    pub fn word(self) -> &'static str {
        match self {
            Self::Minimal => "minimal",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(extend("examples" = [{ "kind": "custom", "baseUrl": "http://127.0.0.1:8080/v1" }]))]
pub struct ProviderConfig {
    /// The API that the provider speaks.
    #[schemars(with = "String", extend("enum" = provider_kinds()))]
    pub kind: ProviderKind,
    /// The address of its API; if absent, the usual one for its kind.
    pub base_url: Option<String>,
    /// The server is yours: it needs no key, costs nothing, and answers one request at a time.
    #[serde(default)]
    pub is_local: Option<bool>,
    /// The environment variable that holds the key.
    pub api_key_env: Option<String>,
    /// The number of requests at the same time. If absent: one for a local provider, otherwise unlimited.
    #[serde(default, deserialize_with = "none_or_positive")]
    #[schemars(range(min = 1))]
    pub max_parallel: Option<u32>,
    /// The time after which unused connections are closed.
    pub idle_timeout_seconds: Option<u64>,
    /// The time that a request waits for its turn when `maxParallel` requests are running.
    pub queue_timeout_seconds: Option<u64>,
    /// The time that the server may be silent: before its answer starts, and between two pieces of it.
    #[schemars(range(min = 1, max = 86_400))]
    pub timeout_seconds: Option<u64>,
    /// Headers for every request.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// Facts about models of this provider that Arki doesn't know, by the model's name.
    #[serde(default)]
    pub models: BTreeMap<String, ModelConfig>,
}

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[schemars(extend("examples" = [{ "contextWindow": 128_000 }]))]
pub struct ModelConfig {
    /// The model's context window, in tokens.
    #[serde(default, deserialize_with = "none_or_positive")]
    #[schemars(range(min = 1))]
    pub context_window: Option<u64>,
    /// The longest answer that the model can give, in tokens.
    #[serde(default, deserialize_with = "none_or_positive")]
    #[schemars(range(min = 1))]
    pub output_limit: Option<u64>,
    /// The model's capabilities.
    #[schemars(with = "Option<Vec<CapabilityWord>>")]
    pub capabilities: Option<Vec<Capability>>,
    pub price: Option<PriceConfig>,
}

/// The prices in US dollars per million tokens. Zero for a model that a subscription pays for.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PriceConfig {
    /// The price of what the model reads.
    #[serde(deserialize_with = "not_negative")]
    #[schemars(range(min = 0.0))]
    pub input: f64,
    /// The price of what the model writes.
    #[serde(deserialize_with = "not_negative")]
    #[schemars(range(min = 0.0))]
    pub output: f64,
    /// The price of the part of the prompt that was read from the provider's cache; if absent, as `input`.
    #[serde(default, deserialize_with = "none_or_not_negative")]
    #[schemars(range(min = 0.0))]
    pub cached_input: Option<f64>,
    /// The price of the part that was written to the cache; if absent, as `input`.
    #[serde(default, deserialize_with = "none_or_not_negative")]
    #[schemars(range(min = 0.0))]
    pub cache_write: Option<f64>,
}

fn not_negative<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let amount = f64::deserialize(deserializer)?;
    if amount < 0.0 { Err(D::Error::custom("an amount is negative")) } else { Ok(amount) }
}

fn none_or_not_negative<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    let amount = Option::<f64>::deserialize(deserializer)?;
    if amount.is_some_and(|amount| amount < 0.0) { Err(D::Error::custom("an amount is negative")) } else { Ok(amount) }
}

/// Checks that the number is at least one.
fn none_or_positive<'de, D: Deserializer<'de>, N: Deserialize<'de> + Default + PartialEq>(
    deserializer: D,
) -> Result<Option<N>, D::Error> {
    let count = Option::<N>::deserialize(deserializer)?;
    if count.as_ref() == Some(&N::default()) { Err(D::Error::custom("it is at least 1")) } else { Ok(count) }
}

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct PolicyConfig {
    #[schemars(with = "CategoryKeys")]
    pub categories: BTreeMap<Category, Decision>,
    /// Rules that decide on calls before you are asked. If several match, the strictest applies.
    #[schemars(with = "Vec<RuleKeys>")]
    pub rules: Vec<RuleDefinition>,
    /// Globs of files that always need your approval, as `.env` does.
    pub secret_files: Vec<String>,
    /// Rules for further secrets, redacted in the log, in requests to models and in exports. Only the user can set them.
    #[serde(deserialize_with = "super::redaction::checked_rules")]
    #[schemars(with = "Vec<super::redaction::RedactionRuleKeys>")]
    pub redaction_rules: Vec<RedactionRule>,
    pub fetch: FetchConfig,
}

/// The hosts that `fetch_url` may reach besides the public internet. Only the user can set them.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct FetchConfig {
    /// Hosts in the user's own network, as `host` or `host:port`.
    pub allow_private_hosts: Vec<String>,
}

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct LimitsConfig {
    /// The number of model requests after which a run pauses.
    #[serde(default, deserialize_with = "none_or_positive")]
    #[schemars(range(min = 1))]
    pub max_turns: Option<u32>,
    /// The time after which a run pauses; `null` for never.
    #[serde(default, deserialize_with = "none_or_positive")]
    #[schemars(range(min = 1))]
    pub max_seconds: Option<u64>,
    /// The cost at which a run pauses; `null` for no limit.
    #[serde(default, deserialize_with = "none_or_not_negative")]
    #[schemars(range(min = 0.0))]
    pub max_cost_usd: Option<f64>,
    /// The time after which an unanswered approval is rejected; `null` for never.
    pub approval_timeout_seconds: Option<u64>,
    /// The time limit for one answer of the model, from its request to its last word.
    #[serde(default, deserialize_with = "none_or_positive")]
    #[schemars(range(min = 1))]
    pub max_answer_seconds: Option<u64>,
    /// The time limit for one tool call.
    #[serde(default, deserialize_with = "none_or_positive")]
    #[schemars(range(min = 1))]
    pub tool_timeout_seconds: Option<u64>,
    /// The limit for a tool's output; the model gets longer output truncated.
    #[serde(default, deserialize_with = "none_or_positive")]
    #[schemars(range(min = 1))]
    pub max_tool_output_bytes: Option<usize>,
    /// The number of processes that a command may have at the same time.
    #[serde(default, deserialize_with = "none_or_positive")]
    #[schemars(range(min = 1))]
    pub max_command_processes: Option<usize>,
    /// The memory that a command and its processes may use; `null` for 75 % of the machine's.
    #[serde(default, deserialize_with = "none_or_positive")]
    #[schemars(range(min = 1))]
    pub max_command_memory_megabytes: Option<u64>,
    /// The longest output of a command, in megabytes.
    #[serde(default, deserialize_with = "none_or_positive")]
    #[schemars(range(min = 1))]
    pub max_command_output_megabytes: Option<u64>,
    /// The most that a command may write to files that are reviewed before they change, in megabytes; 256 where it is
    /// not set.
    #[serde(default, deserialize_with = "none_or_positive")]
    #[schemars(range(min = 1, max = 65_536))]
    pub max_effects_megabytes: Option<u64>,
}

impl LimitsConfig {
    /// Returns the limits of a command: those set here, and those of `others` for the rest.
    pub fn command(&self, others: CommandLimits) -> CommandLimits {
        let bytes = |megabytes: Option<u64>| megabytes.map(|megabytes| megabytes.saturating_mul(1 << 20));
        CommandLimits {
            max_processes: self.max_command_processes.unwrap_or(others.max_processes),
            max_memory_bytes: bytes(self.max_command_memory_megabytes).unwrap_or(others.max_memory_bytes),
            max_written_bytes: bytes(self.max_command_output_megabytes).unwrap_or(others.max_written_bytes),
        }
    }
}

/// Retention: what is kept, and for how long. Only the user can set it.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct RetentionConfig {
    /// Sessions are removed after this many days without use; `null` for never.
    pub delete_sessions_after_days: Option<u32>,
    /// The limit for snapshots of files, compressed.
    pub max_image_megabytes: Option<u64>,
}

/// Finished runs as OpenTelemetry traces, metrics and logs. Nothing is sent unless the endpoint is set, and only the user
/// can set it.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct TelemetryConfig {
    /// The receiver's address, to which `/v1/traces`, `/v1/metrics` and `/v1/logs` are added: https, or http on this
    /// computer; `env` for what the variables `OTEL_EXPORTER_OTLP_ENDPOINT` and others say; `null` to send nothing.
    pub endpoint: Option<String>,
    /// Also send prompts, answers, and what tools get and return.
    pub content: Option<bool>,
}

/// The desktop app's settings for notifications, staying awake, updates, the tray and the editor; only in the user's own configuration.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct WindowConfig {
    /// Show a notification of the system when a run ends or waits for you while the window isn't in front.
    pub notifications: Option<bool>,
    /// Keep the computer from sleeping while a run works.
    pub keep_awake: Option<bool>,
    /// Check once a day for a newer version of the app. Nothing is installed until you say so.
    pub updates: Option<bool>,
    /// Show an icon with the number of pending decisions in the system's tray. Closing the last window then keeps Arki
    /// and its runs, unless the desktop shows no such icons.
    pub tray: Option<bool>,
    /// The program for "Open in editor", by its name on your PATH; if absent, the first known one.
    #[serde(default, deserialize_with = "none_or_line")]
    pub editor: Option<String>,
}

/// An MCP server: a program (`command`) or an address (`url`).
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[schemars(extend("examples" = [{ "command": "uvx", "args": ["mcp-server-fetch"] }]))]
pub struct McpServerConfig {
    /// The program, by its name or path.
    pub command: Option<String>,
    /// The arguments of the program.
    pub args: Vec<String>,
    /// Variables in addition to the allow-listed environment. In your own configuration `${NAME}` stands for a variable
    /// of yours.
    pub env: BTreeMap<String, String>,
    /// Let the program use the network.
    pub network: Option<bool>,
    /// Folders that the program may write to, `.` for the project. Only the user can set them.
    pub writable: Vec<String>,
    /// The URL of an HTTP server.
    pub url: Option<String>,
    /// Headers for every request. In your own configuration `${NAME}` stands for a variable of yours.
    pub headers: BTreeMap<String, String>,
    pub oauth: Option<McpOauthConfig>,
    /// If off, the server isn't started and its tools aren't offered.
    pub enabled: Option<bool>,
    /// The category of the server's tools; `network` if absent. Only the user can set it.
    #[schemars(with = "Option<CategoryWord>")]
    pub category: Option<Category>,
    /// The categories of single tools, by the tool's own name. Only the user can set them.
    #[schemars(with = "BTreeMap<String, CategoryWord>")]
    pub categories: BTreeMap<String, Category>,
    /// The time limit for the server's start.
    #[schemars(range(min = 1, max = 600))]
    pub start_timeout_seconds: Option<u64>,
    /// The time limit for one call; if absent, `limits.toolTimeoutSeconds`.
    #[schemars(range(min = 1, max = 86_400))]
    pub timeout_seconds: Option<u64>,
    /// The tokens that the definitions of its tools may take in a request. Above this, the model searches the tools
    /// instead.
    pub tool_token_budget: Option<usize>,
}

/// The settings for servers that register their clients in advance. Other servers don't need them.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct McpOauthConfig {
    /// The name that the server knows Arki by.
    pub client_id: Option<String>,
    /// The environment variable that holds the secret.
    pub client_secret_env: Option<String>,
    /// The permissions that Arki asks for.
    pub scopes: Vec<String>,
}

/// Texts for use in system prompts. Only the user can set them.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct PromptsConfig {
    /// The fragments, by name. `{{fragment:NAME}}` inserts one into a system prompt or another fragment.
    #[schemars(with = "BTreeMap<String, LongText>")]
    pub fragments: BTreeMap<String, String>,
}

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct SkillsConfig {
    /// Offer skills to the model.
    pub enabled: Option<bool>,
}

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct CompactionConfig {
    /// The parts that are left out first when a conversation gets too long for the model.
    pub strategy: Option<CompactionStrategy>,
    /// The part of the model's window at which older turns are compacted.
    pub at_fraction: Option<f64>,
    /// The number of messages above which older turns are compacted, however short they are; `null` for no limit.
    #[serde(default, deserialize_with = "none_or_positive")]
    #[schemars(range(min = 1))]
    pub history_limit: Option<u32>,
    /// The model that writes the summary, as `provider/model`; `null` for the run's own. Only the user can set it.
    pub model: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CompactionStrategy {
    KeepRecent,
    KeepImportant,
    SummarizeEarly,
    Checkpoint,
}

impl From<CompactionStrategy> for arki_domain::CompactionStrategy {
    fn from(strategy: CompactionStrategy) -> Self {
        match strategy {
            CompactionStrategy::KeepRecent => Self::KeepRecent,
            CompactionStrategy::KeepImportant => Self::KeepImportant,
            CompactionStrategy::SummarizeEarly => Self::SummarizeEarly,
            CompactionStrategy::Checkpoint => Self::Checkpoint,
        }
    }
}

/// Memory beyond a session. Only the user can set it.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct MemoryConfig {
    /// Have the model draw conclusions from finished runs, for your review. Costs requests.
    pub reflect: Option<bool>,
}

#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct PlanConfig {
    /// Ask before a plan is carried out.
    pub approve: Option<bool>,
}

/// The state that a session keeps for its core.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct StateConfig {
    /// When a core's changes to the state are stored: at once (`explicit`), or at the end of a run (`implicit`).
    pub saving: Option<StateSavingStrategy>,
}
