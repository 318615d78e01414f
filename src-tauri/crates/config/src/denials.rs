//! The denials in a project's configuration, apart from what it enables: they hold before the file was agreed to, and
//! on after it changed.
//!
//! Here nothing is an error that is only looser than what holds already: the stricter of two counts.

use super::file::{ConfigFile, LimitsConfig};
use super::{AGENT, Config, agents, merge, secret_files};
use arki_domain::{Decision, Error};
use arki_policy::PolicySettings;
use serde_json::{Map, Value};
use std::path::Path;

/// The keys under which a configuration can forbid something; the last one is of other agents' settings.
const FORBIDDING: &[&str] = &["policy", "limits", "skills", "permissions"];
const FORBIDDING_OF_AGENT: &[&str] = &["tools", "readOnly"];

/// The part of a configuration that can forbid something, as a configuration of its own; `None` where it can't be read.
pub fn denials_of(text: &str) -> Option<String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let config: Value = jsonc_parser::parse_to_serde_value(text, &jsonc_parser::ParseOptions::default()).ok()?;
    let Value::Object(mut config) = config else { return Some("{}".to_owned()) };
    let agents = config.remove("agents");
    config.retain(|key, _| FORBIDDING.contains(&key.as_str()));
    let agents = agents.as_ref().and_then(Value::as_object).into_iter().flatten();
    let agents: Map<String, Value> =
        agents.filter_map(|(name, agent)| Some((name.clone(), denials_of_agent(agent)?))).collect();
    if !agents.is_empty() {
        config.insert("agents".to_owned(), Value::Object(agents));
    }
    Some(Value::Object(config).to_string())
}

fn denials_of_agent(agent: &Value) -> Option<Value> {
    let mut agent = agent.as_object()?.clone();
    agent.retain(|key, _| FORBIDDING_OF_AGENT.contains(&key.as_str()));
    (!agent.is_empty()).then_some(Value::Object(agent))
}

/// The key of a pipeline's definition that names files which its steps may not touch.
const DENYLIST: &str = "denylist_patterns";

/// Adds what `file` forbids to a policy.
///
/// # Errors
/// `CONFIG_INVALID` where a rule is broken.
pub fn restrict_policy(policy: &mut PolicySettings, file: &ConfigFile, path: &Path) -> Result<(), Error> {
    for (category, decision) in &file.policy.categories {
        let current = policy.categories.entry(*category).or_insert(Decision::Approval);
        *current = (*current).max(*decision);
    }
    for rule in merge::rules(&file.policy.rules, "project", path)? {
        if !rule.allows() && !policy.rules.contains(&rule) {
            policy.rules.push(rule);
        }
    }
    if let Some(tools) = file.agents.get(AGENT).and_then(|agent| agent.tools.as_ref()) {
        policy.tools = Some(policy.tools.as_ref().map_or_else(|| tools.clone(), |own| tools.narrowed_to(own)));
    }
    policy.read_only |= file.agents.get(AGENT).is_some_and(|agent| agent.read_only == Some(true));
    Ok(())
}

impl Config {
    /// # Errors
    /// As of [`restrict_policy`].
    pub fn restrict(&mut self, file: &ConfigFile, path: &Path) -> Result<(), Error> {
        restrict_policy(&mut self.policy, file, path)?;
        self.secret_globs.extend_from_slice(&file.policy.secret_files);
        self.secret_files = secret_files::compile(&self.secret_globs, path)?;
        self.skills_enabled &= file.skills.enabled != Some(false);
        self.lower_to(&file.limits);
        agents::narrow(&mut self.agents, file);
        self.choose(AGENT)
    }

    /// Keeps files from a run: its tools are denied them, and its commands don't see them. `globs` are those of a pipeline.
    ///
    /// # Errors
    /// For what is no glob.
    pub fn deny_files(&mut self, globs: &[String]) -> Result<(), Error> {
        let reason = "The denylist of the pipeline forbids this file.";
        self.policy.deny_files(globs, DENYLIST, reason).map_err(Error::internal)?;
        self.secret_globs.extend_from_slice(globs);
        self.secret_files = secret_files::compile(&self.secret_globs, Path::new(DENYLIST))?;
        Ok(())
    }

    fn lower_to(&mut self, limits: &LimitsConfig) {
        self.max_turns = lower(self.max_turns, limits.max_turns);
        self.max_seconds = lower(self.max_seconds, limits.max_seconds);
        self.max_answer_seconds = limits.max_answer_seconds.unwrap_or(u64::MAX).min(self.max_answer_seconds);
        self.approval_timeout_seconds = lower(self.approval_timeout_seconds, limits.approval_timeout_seconds);
        self.max_cost_usd = lower(self.max_cost_usd, limits.max_cost_usd);
        let command = limits.command(self.tool_limits.command);
        let tools = &mut self.tool_limits;
        tools.timeout_seconds = limits.tool_timeout_seconds.unwrap_or(u64::MAX).min(tools.timeout_seconds);
        tools.max_output_bytes = limits.max_tool_output_bytes.unwrap_or(usize::MAX).min(tools.max_output_bytes);
        let own = &mut tools.command;
        own.max_processes = own.max_processes.min(command.max_processes);
        own.max_memory_bytes = own.max_memory_bytes.min(command.max_memory_bytes);
        own.max_written_bytes = own.max_written_bytes.min(command.max_written_bytes);
    }
}

fn lower<N: PartialOrd>(own: Option<N>, other: Option<N>) -> Option<N> {
    match (own, other) {
        (Some(own), Some(other)) => Some(if other < own { other } else { own }),
        (own, other) => own.or(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;
    use arki_domain::Category;

    fn restricted(user: &str, denials: &[&str]) -> Config {
        let path = Path::new("config.json");
        let mut config = Config::merge(crate::ReadConfig::of(&parse(user, path).unwrap(), path), None).unwrap();
        for text in denials {
            let file = parse(&denials_of(text).unwrap(), path).unwrap();
            config.restrict(&file, path).unwrap();
        }
        config
    }

    #[test]
    fn the_stricter_of_two_counts_whichever_comes_last() {
        let strict = r#"{"policy": {"categories": {"write": "deny"}}, "limits": {"maxTurns": 3, "maxCostUsd": 1}}"#;
        let loose = r#"{"policy": {"categories": {"write": "allow", "exec": "deny"}}, "limits": {"maxTurns": 9}}"#;
        for denials in [[strict, loose], [loose, strict]] {
            let config = restricted("{}", &denials);
            assert_eq!(config.policy.categories[&Category::Write], Decision::Deny);
            assert_eq!(config.policy.categories[&Category::Exec], Decision::Deny);
            assert_eq!((config.max_turns, config.max_cost_usd), (Some(3), Some(1.0)));
        }
    }

    #[test]
    fn agents_are_left_what_they_have_and_no_more() {
        let config = restricted(
            r#"{"agents": {"arki": {"tools": ["read_*", "write_file"]}, "open": {}, "mine": {"readOnly": true}}}"#,
            &[r#"{"agents": {"arki": {"readOnly": true}, "open": {"tools": ["*"]}, "explorer": {"tools": ["*"]},
                             "mine": {"readOnly": false}}}"#],
        );
        assert!(config.policy.read_only && config.policy.has_tool("write_file"));
        let open = config.for_agent("open").unwrap();
        assert!(open.policy.has_tool("write_file") && !open.policy.has_tool("run_command"), "as for arki");
        let explorer = config.for_agent("explorer").unwrap();
        assert!(explorer.policy.has_tool("read_file") && !explorer.policy.has_tool("write_file"));
        assert!(config.for_agent("mine").unwrap().policy.read_only);
    }

    #[test]
    fn nothing_is_enabled() {
        let config = restricted(
            r#"{"limits": {"toolTimeoutSeconds": 5}}"#,
            &[r#"{"agents": {"arki": {"model": "x/y", "systemPrompt": "p", "tools": ["read_file"]}, "new": {}},
                 "limits": {"toolTimeoutSeconds": 500, "maxCommandProcesses": 1000000},
                 "policy": {"rules": [{"decision": "allow", "tool": "run_command"}], "secretFiles": ["*.x"],
                            "fetch": {"allowPrivateHosts": ["127.0.0.1"]}},
                 "mcpServers": {"x": {"command": "evil"}}, "hooks": {"PreToolUse": []}, "skills": {"enabled": false}}"#],
        );
        assert_eq!(config.model, "demo/demo");
        assert!(config.system_prompt.is_none() && config.mcp_servers.is_empty() && config.policy.rules.is_empty());
        assert!(config.for_agent("new").is_err());
        assert_eq!(config.tool_limits.timeout_seconds, 5);
        assert!(config.policy.has_tool("read_file") && !config.policy.has_tool("run_command"));
        assert!(config.secret_files.set.is_match("a.x") && !config.skills_enabled);
    }
}
