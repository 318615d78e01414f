//! A project's configuration over the user's: it may only choose among what the user has, and only tighten.

use super::config::{
    AGENT, CompactionSettings, Config, DEFAULT_CORE, DEFAULT_MAX_ANSWER_SECONDS, DEFAULT_MAX_EFFECTS_MEGABYTES,
    DEFAULT_MAX_IMAGE_BYTES, DEFAULT_MAX_TOOL_OUTPUT_BYTES, DEFAULT_MAX_TURNS, DEFAULT_MODEL,
    DEFAULT_TOOL_TIMEOUT_SECONDS, PROJECT_CONFIG, TelemetrySettings, WindowSettings,
};
use super::file::{
    CompactionConfig, ConfigFile, FetchConfig, LimitsConfig, MemoryConfig, ModelConfig, PriceConfig, PromptsConfig,
    ProviderConfig, RetentionConfig, TelemetryConfig, WindowConfig,
};
use super::{agents, diagnostics, hooks, invalid, mcp, secret_files};
use arki_domain::{Decision, Error, ModelOptions};
use arki_llm::{ModelSettings, Price, ProviderSettings, Rates, Timeouts};
use arki_policy::{PolicyRule, PolicySettings, RuleDefinition};
use arki_process::CommandLimits;
use arki_telemetry::{Endpoint, TelemetryContents};
use arki_tools::{HookOrigin, PrivateHosts, ToolLimits};
use std::path::Path;
use std::time::Duration;

/// A day.
const MAX_TIMEOUT_SECONDS: u64 = 86_400;

/// A configuration file that was read, with its path for errors.
#[derive(Debug, Clone, Copy)]
pub struct ReadConfig<'a> {
    pub file: &'a ConfigFile,
    pub path: &'a Path,
}

impl<'a> ReadConfig<'a> {
    #[must_use]
    pub fn of(file: &'a ConfigFile, path: &'a Path) -> Self {
        Self { file, path }
    }
}

impl Config {
    /// Merges the user's file and, if the project is trusted, the project's.
    ///
    /// # Errors
    /// `CONFIG_INVALID` when a rule is broken or the project's file asks for more than it may.
    pub fn merge(user: ReadConfig<'_>, project: Option<ReadConfig<'_>>) -> Result<Self, Error> {
        for ReadConfig { file, path } in [user].into_iter().chain(project) {
            if file.compaction.at_fraction.is_some_and(|fraction| !(0.0..=1.0).contains(&fraction)) {
                return Err(invalid(path, "\"compaction.atFraction\" must be a part of the window, from 0 to 1"));
            }
        }
        let mut config = Self::of_user(user.file, user.path)?;
        if let Some(project) = project {
            config.tighten(project.file, project.path)?;
        }
        Ok(config)
    }

    fn of_user(file: &ConfigFile, path: &Path) -> Result<Self, Error> {
        let mut policy = PolicySettings::default();
        policy.categories.extend(&file.policy.categories);
        policy.rules = rules(&file.policy.rules, "config", path)?;
        let private_hosts = PrivateHosts::new(&file.policy.fetch.allow_private_hosts)
            .map_err(|host| invalid(path, &format!("{host:?} in policy.fetch.allowPrivateHosts is not a host")))?;
        let limits = &file.limits;
        let mut config = Self {
            model: DEFAULT_MODEL.to_owned(),
            core: DEFAULT_CORE.to_owned(),
            model_options: ModelOptions::default(),
            system_prompt: None,
            prompt_fragments: file.prompts.fragments.clone(),
            session_prompt: None,
            off: Vec::new(),
            agents: agents::of_user(file, path)?,
            providers: file
                .providers
                .iter()
                .map(|(name, provider)| provider_settings(name, provider, path))
                .collect::<Result<_, _>>()?,
            policy,
            secret_files: secret_files::compile(&file.policy.secret_files, path)?,
            secret_globs: file.policy.secret_files.clone(),
            private_hosts,
            tool_limits: ToolLimits {
                timeout_seconds: limits.tool_timeout_seconds.unwrap_or(DEFAULT_TOOL_TIMEOUT_SECONDS),
                max_output_bytes: limits.max_tool_output_bytes.unwrap_or(DEFAULT_MAX_TOOL_OUTPUT_BYTES),
                command: limits.command(CommandLimits::default()),
                max_effects_bytes: limits.max_effects_megabytes.unwrap_or(DEFAULT_MAX_EFFECTS_MEGABYTES) << 20,
            },
            skills_enabled: file.skills.enabled.unwrap_or(true),
            max_turns: limits.max_turns.or(Some(DEFAULT_MAX_TURNS)),
            max_seconds: limits.max_seconds,
            max_cost_usd: limits.max_cost_usd,
            approval_timeout_seconds: limits.approval_timeout_seconds,
            max_answer_seconds: limits.max_answer_seconds.unwrap_or(DEFAULT_MAX_ANSWER_SECONDS),
            compaction: compaction(&file.compaction, CompactionSettings::default()),
            approves_plans: file.plan.approve.unwrap_or(false),
            state_saving: file.state.saving.unwrap_or_default(),
            reflects: file.memory.reflect.unwrap_or(false),
            delete_sessions_after_days: file.retention.delete_sessions_after_days,
            max_image_bytes: limit_of_images(file.retention.max_image_megabytes),
            hooks: hooks::of_file(file, HookOrigin::User, path)?,
            checkers: diagnostics::of_file(file, HookOrigin::User, path)?,
            mcp_servers: mcp::of_user(file, path)?,
            mcp_left_out: Vec::new(),
            telemetry: telemetry(&file.telemetry, path)?,
            window: window(&file.window),
        };
        config.choose(AGENT)?;
        Ok(config)
    }

    fn tighten(&mut self, file: &ConfigFile, path: &Path) -> Result<(), Error> {
        ensure_projects_own(file).map_err(|what| invalid(path, &format!("a project may {what}")))?;
        self.approves_plans |= file.plan.approve == Some(true);
        self.state_saving = file.state.saving.unwrap_or(self.state_saving);
        for (category, decision) in &file.policy.categories {
            let current = self.policy.categories.get(category).copied().unwrap_or(Decision::Approval);
            if *decision < current {
                return Err(invalid(path, "a project may not loosen \"policy.categories\""));
            }
            self.policy.categories.insert(*category, *decision);
        }
        if file.policy.rules.iter().any(|rule| rule.decision == Decision::Allow) {
            return Err(invalid(path, "a project may not add rules that allow"));
        }
        self.policy.rules.extend(rules(&file.policy.rules, "project", path)?);
        self.secret_globs.extend_from_slice(&file.policy.secret_files);
        self.secret_files = secret_files::compile(&self.secret_globs, path)?;
        self.lower(&file.limits, path)?;
        self.skills_enabled &= file.skills.enabled != Some(false);
        self.compaction = compaction(&file.compaction, self.compaction.clone());
        self.hooks.extend(hooks::of_file(file, HookOrigin::Project(PROJECT_CONFIG), path)?);
        self.checkers.extend(diagnostics::of_file(file, HookOrigin::Project(PROJECT_CONFIG), path)?);
        mcp::add_projects(&mut self.mcp_servers, file, path)?;
        agents::add_projects(&mut self.agents, file, &self.providers, path)?;
        self.choose(AGENT)
    }

    fn lower(&mut self, limits: &LimitsConfig, path: &Path) -> Result<(), Error> {
        let tools = &mut self.tool_limits;
        let (own, wanted) = (tools.command, limits.command(tools.command));
        tools.command = wanted;
        let is_lower = lowers_if_any(&mut self.max_turns, limits.max_turns)
            && lowers_if_any(&mut self.max_seconds, limits.max_seconds)
            && lowers_if_any(&mut self.max_cost_usd, limits.max_cost_usd)
            && lowers_if_any(&mut self.approval_timeout_seconds, limits.approval_timeout_seconds)
            && lowers(&mut self.max_answer_seconds, limits.max_answer_seconds)
            && lowers(&mut tools.timeout_seconds, limits.tool_timeout_seconds)
            && lowers(&mut tools.max_output_bytes, limits.max_tool_output_bytes)
            && lowers(&mut tools.max_effects_bytes, limits.max_effects_megabytes.map(|megabytes| megabytes << 20))
            && wanted.max_processes <= own.max_processes
            && wanted.max_memory_bytes <= own.max_memory_bytes
            && wanted.max_written_bytes <= own.max_written_bytes;
        if is_lower { Ok(()) } else { Err(invalid(path, "a project may not raise \"limits\"")) }
    }
}

/// Checks that a project sets only what is for projects to set; the error finishes "a project may …".
fn ensure_projects_own(file: &ConfigFile) -> Result<(), &'static str> {
    let beyond = [
        (!file.providers.is_empty(), "not define \"providers\""),
        (file.compaction.model.is_some(), "not choose \"compaction.model\""),
        (file.memory != MemoryConfig::default(), "not decide on \"memory\""),
        (file.prompts != PromptsConfig::default(), "not define \"prompts\""),
        (file.plan.approve == Some(false), "ask for \"plan.approve\", not turn it off"),
        (file.retention != RetentionConfig::default(), "not decide on \"retention\""),
        (file.telemetry != TelemetryConfig::default(), "not decide on \"telemetry\""),
        (file.window != WindowConfig::default(), "not decide on \"window\""),
        (file.policy.fetch != FetchConfig::default(), "not decide on \"policy.fetch\""),
        (!file.policy.redaction_rules.is_empty(), "not decide on \"policy.redactionRules\""),
    ];
    beyond.into_iter().find(|(is_set, _)| *is_set).map_or(Ok(()), |(_, what)| Err(what))
}

/// Puts a limit in the place of one that isn't lower; false where it is.
fn lowers<N: PartialOrd>(own: &mut N, wanted: Option<N>) -> bool {
    let Some(wanted) = wanted else { return true };
    let is_lower = wanted <= *own;
    *own = wanted;
    is_lower
}

/// The same where there may be none yet.
fn lowers_if_any<N: PartialOrd + Copy>(own: &mut Option<N>, wanted: Option<N>) -> bool {
    let Some(limit) = wanted else { return true };
    lowers(own.get_or_insert(limit), wanted)
}

fn telemetry(file: &TelemetryConfig, path: &Path) -> Result<Option<TelemetrySettings>, Error> {
    let Some(endpoint) = &file.endpoint else { return Ok(None) };
    let endpoint = Endpoint::parse(endpoint).map_err(|why| invalid(path, &format!("\"telemetry.endpoint\" {why}")))?;
    let contents = if file.content == Some(true) { TelemetryContents::Included } else { TelemetryContents::LeftOut };
    Ok(Some(TelemetrySettings { endpoint, contents }))
}

fn window(file: &WindowConfig) -> WindowSettings {
    WindowSettings {
        notifies: file.notifications.unwrap_or(true),
        keeps_awake: file.keep_awake.unwrap_or(false),
        looks_for_updates: file.updates.unwrap_or(false),
        has_tray: file.tray.unwrap_or(false),
        editor: file.editor.clone(),
    }
}

/// The user's limit in bytes; `None` where it is the one that holds anyway.
fn limit_of_images(megabytes: Option<u64>) -> Option<u64> {
    megabytes.map(|megabytes| megabytes.saturating_mul(1 << 20)).filter(|bytes| *bytes != DEFAULT_MAX_IMAGE_BYTES)
}

/// Returns the file's settings, with those of `others` for the rest; of two limits the lower.
fn compaction(file: &CompactionConfig, others: CompactionSettings) -> CompactionSettings {
    CompactionSettings {
        strategy: file.strategy.map_or(others.strategy, Into::into),
        at_fraction: file.at_fraction.unwrap_or(others.at_fraction),
        history_limit: file.history_limit.into_iter().chain(others.history_limit).min(),
        model: file.model.clone().or(others.model),
    }
}

pub(crate) fn rules(definitions: &[RuleDefinition], origin: &str, path: &Path) -> Result<Vec<PolicyRule>, Error> {
    let rule = |(rule, number): (&RuleDefinition, usize)| {
        let place = || format!("\"policy.rules[{}]\"", number - 1);
        PolicyRule::new(rule.clone(), origin, number).map_err(|error| invalid(path, &format!("{}: {error}", place())))
    };
    definitions.iter().zip(1..).map(rule).collect()
}

fn provider_settings(name: &str, config: &ProviderConfig, path: &Path) -> Result<ProviderSettings, Error> {
    let mut settings = ProviderSettings::new(name, config.kind);
    settings.base_url.clone_from(&config.base_url);
    settings.is_local = config.is_local.unwrap_or(settings.is_local);
    settings.api_key_env.clone_from(&config.api_key_env);
    settings.headers.clone_from(&config.headers);
    settings.max_parallel = config.max_parallel;
    if let Some(seconds) = config.idle_timeout_seconds {
        settings.idle_timeout = Duration::from_secs(seconds);
    }
    if let Some(seconds) = config.queue_timeout_seconds {
        settings.queue_timeout = Duration::from_secs(seconds);
    }
    if let Some(seconds) = config.timeout_seconds {
        if !(1..=MAX_TIMEOUT_SECONDS).contains(&seconds) {
            let what = format!("\"providers.{name}.timeoutSeconds\" must be from 1 to {MAX_TIMEOUT_SECONDS}");
            return Err(invalid(path, &what));
        }
        let silence = Duration::from_secs(seconds);
        settings.timeouts = Timeouts { first_byte: silence, idle: silence, ..settings.timeouts };
    }
    settings.models = config.models.iter().map(|(model, config)| (model.clone(), model_settings(config))).collect();
    let place = format!("{}: \"providers.{name}\"", path.display());
    let in_file = |fault: Error| Error { message: format!("{place}: {}", fault.message), ..fault };
    settings.ensure_usable().map_err(in_file)?;
    Ok(settings)
}

fn model_settings(config: &ModelConfig) -> ModelSettings {
    let price = config.price.map(|PriceConfig { input, output, cached_input, cache_write }| Price {
        rates: Rates { input, output, cached_input, cache_write },
        tiers: Vec::new(),
    });
    ModelSettings {
        context_window: config.context_window,
        output_limit: config.output_limit,
        capabilities: config.capabilities.clone(),
        price,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    fn merge(user: &str, project: &str) -> Result<Config, Error> {
        let path = Path::new("config.json");
        let (user, project) = (parse(user, path)?, parse(project, path)?);
        Config::merge(ReadConfig::of(&user, path), Some(ReadConfig::of(&project, path)))
    }

    const USER: &str = r#"{"providers": {"lab": {"kind": "custom", "baseUrl": "http://127.0.0.1:1/v1"}}}"#;

    #[test]
    fn a_project_may_choose_a_model_and_tighten() {
        let config = merge(
            USER,
            r#"{"agents": {"arki": {"model": "lab/x"}}, "limits": {"maxTurns": 5, "maxCostUsd": 1.5},
                "policy": {"categories": {"exec": "deny"}, "rules": [{"decision": "deny", "command": ["git"]}]}}"#,
        )
        .unwrap();
        assert_eq!((config.model.as_str(), config.max_turns, config.max_cost_usd), ("lab/x", Some(5), Some(1.5)));
    }

    #[test]
    fn what_a_command_may_take_is_the_users_to_say_and_a_projects_to_lower() {
        let limits = |processes, memory, output| {
            format!(
                r#"{{"limits": {{"maxCommandProcesses": {processes}, "maxCommandMemoryMegabytes": {memory},
                    "maxCommandOutputMegabytes": {output}}}}}"#
            )
        };
        let config = merge(&limits(5000, 100, 20), r#"{"limits": {"maxCommandProcesses": 7}}"#).unwrap();
        let expected = CommandLimits { max_processes: 7, max_memory_bytes: 100 << 20, max_written_bytes: 20 << 20 };
        assert_eq!(config.tool_limits.command, expected);
        assert_eq!(merge("{}", "{}").unwrap().tool_limits.command, CommandLimits::default());
    }

    #[test]
    fn what_the_user_knows_of_a_model_reaches_the_provider() {
        let price = r#"{"input": 1.5, "output": 6, "cachedInput": 0.25, "cacheWrite": 2}"#;
        let model = format!(r#"{{"contextWindow": 1000, "outputLimit": 100, "price": {price}}}"#);
        let config =
            merge(&format!(r#"{{"providers": {{"lab": {{"kind": "custom", "models": {{"x": {model}}}}}}}}}"#), "{}")
                .unwrap();
        let rates = Rates { input: 1.5, output: 6.0, cached_input: Some(0.25), cache_write: Some(2.0) };
        let settings = ModelSettings {
            context_window: Some(1000),
            output_limit: Some(100),
            capabilities: None,
            price: Some(Price { rates, tiers: Vec::new() }),
        };
        assert_eq!(config.providers[0].models["x"], settings);
    }

    #[test]
    fn how_long_a_server_may_be_silent_is_said_for_each_provider() {
        let with = |seconds: u64| {
            let provider = format!(r#"{{"kind": "custom", "baseUrl": "http://a/v1", "timeoutSeconds": {seconds}}}"#);
            merge(&format!(r#"{{"providers": {{"lab": {provider}}}}}"#), "{}")
        };
        let timeouts = with(600).unwrap().providers[0].timeouts;
        assert_eq!((timeouts.first_byte, timeouts.idle), (Duration::from_secs(600), Duration::from_secs(600)));
        assert_eq!(merge(USER, "{}").unwrap().providers[0].timeouts, Timeouts::default());
        for seconds in [0, MAX_TIMEOUT_SECONDS + 1] {
            assert!(with(seconds).unwrap_err().message.contains("providers.lab.timeoutSeconds"), "{seconds}");
        }
    }

    #[test]
    fn a_project_may_give_an_answer_less_time() {
        assert_eq!(merge(USER, "{}").unwrap().max_answer_seconds, 1800);
        assert_eq!(merge(USER, r#"{"limits": {"maxAnswerSeconds": 60}}"#).unwrap().max_answer_seconds, 60);
    }

    #[test]
    fn the_projects_template_names_what_a_project_may_say() {
        let folder = tempfile::tempdir().unwrap();
        arki_files::install_template(folder.path()).unwrap();
        let template = std::fs::read_to_string(folder.path().join(".arki/config.json")).unwrap();
        let comment: String = template.lines().take_while(|line| line.starts_with("//")).collect();
        let samples = serde_json::json!({
            "agents": {"arki": {"model": "lab/x"}},
            "providers": {"other": {"kind": "openai"}},
            "policy": {"categories": {"exec": "deny"}},
            "limits": {"maxTurns": 3},
            "hooks": {"Stop": [{"command": "true"}]},
            "mcpServers": {"x": {"command": "x"}},
            "prompts": {"fragments": {"a": "b"}},
            "skills": {"enabled": false},
            "compaction": {"atFraction": 0.5},
            "memory": {"reflect": true},
            "plan": {"approve": true},
            "state": {"saving": "implicit"},
            "diagnostics": {"commands": []},
            "retention": {"deleteSessionsAfterDays": 3},
            "telemetry": {"endpoint": "http://localhost:4318"},
            "window": {"tray": true},
        });
        for key in crate::schema()["properties"].as_object().unwrap().keys().filter(|key| *key != "$schema") {
            let project = serde_json::json!({ key: samples[key] }).to_string();
            let is_named = comment.split([' ', ',', '.']).any(|word| word == key);
            assert_eq!(merge(USER, &project).is_ok(), is_named, "{key}: {comment}");
        }
    }

    #[test]
    fn telemetry_goes_nowhere_unless_an_address_says_where() {
        let of = |telemetry: &str| Ok(merge(&format!(r#"{{"telemetry": {telemetry}}}"#), "{}")?.telemetry);
        assert_eq!(of("{}"), Ok(None));
        assert_eq!(of(r#"{"endpoint": null, "content": true}"#), Ok(None));
        let settings = |endpoint, contents| Ok::<_, Error>(Some(TelemetrySettings { endpoint, contents }));
        assert_eq!(of(r#"{"endpoint": "env"}"#), settings(Endpoint::Environment, TelemetryContents::LeftOut));
        let local = Endpoint::parse("http://localhost:4318").unwrap();
        let told = of(r#"{"endpoint": "http://localhost:4318", "content": true}"#);
        assert_eq!(told, settings(local, TelemetryContents::Included));
        let fault = of(r#"{"endpoint": "http://otel.example"}"#).unwrap_err();
        assert_eq!(fault.code, "CONFIG_INVALID");
        assert!(fault.message.contains("telemetry.endpoint") && fault.message.contains("https"), "{}", fault.message);
    }

    #[test]
    fn the_lower_of_two_limits_on_the_history_holds() {
        let of = |user: &str, project: &str| {
            let file = |limit: &str| format!(r#"{{"compaction": {{"historyLimit": {limit}}}}}"#);
            merge(&file(user), &file(project)).unwrap().compaction.history_limit
        };
        assert_eq!([of("20", "10"), of("10", "20"), of("null", "10"), of("10", "null")], [Some(10); 4]);
        assert_eq!(of("null", "null"), None);
    }

    #[test]
    fn a_project_may_not_loosen_anything() {
        for project in [
            r#"{"providers": {"evil": {"kind": "custom", "baseUrl": "http://x"}}}"#,
            r#"{"agents": {"arki": {"model": "evil/x"}}}"#,
            r#"{"limits": {"maxTurns": 500}}"#,
            r#"{"limits": {"maxAnswerSeconds": 1801}}"#,
            r#"{"limits": {"toolTimeoutSeconds": 100000}}"#,
            r#"{"limits": {"maxToolOutputBytes": 100000000}}"#,
            r#"{"limits": {"maxCommandProcesses": 100000}}"#,
            r#"{"limits": {"maxCommandMemoryMegabytes": 100000000}}"#,
            r#"{"limits": {"maxCommandOutputMegabytes": 100000}}"#,
            r#"{"policy": {"categories": {"exec": "allow"}}}"#,
            r#"{"policy": {"fetch": {"allowPrivateHosts": ["127.0.0.1"]}}}"#,
            r#"{"policy": {"rules": [{"decision": "allow", "tool": "run_command"}]}}"#,
        ] {
            let fault = merge(USER, project).unwrap_err();
            assert_eq!(fault.code, "CONFIG_INVALID", "{project}");
        }
    }
}
