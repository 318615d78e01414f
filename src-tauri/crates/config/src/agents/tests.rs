use super::*;
use crate::parse;

const LAB: &str = r#""providers": {"lab": {"kind": "custom", "baseUrl": "http://127.0.0.1:1/v1"}}"#;

/// `user` and `project`: what stands in `agents`.
fn merge(user: &str, project: &str) -> Result<Config, Error> {
    let path = Path::new("config.json");
    let user = parse(&format!(r#"{{"agents": {user}, {LAB}}}"#), path)?;
    let project = parse(&format!(r#"{{"agents": {project}}}"#), path)?;
    Config::merge(crate::ReadConfig::of(&user, path), Some(crate::ReadConfig::of(&project, path)))
}

fn names(config: &Config) -> Vec<String> {
    config.agents().into_iter().map(|agent| agent.name).collect()
}

fn has(config: &Config, tool: &str) -> bool {
    config.policy.has_tool(tool)
}

#[test]
fn the_built_in_ones_are_always_there_and_all_are_told_by_name() {
    assert_eq!(names(&merge("{}", "{}").unwrap()), ["arki", "explorer", "reviewer"]);
    let config = merge(r#"{"test-2": {"description": "Runs tests."}}"#, r#"{"b_c": {}, "9": {}}"#).unwrap();
    assert_eq!(names(&config), ["9", "arki", "b_c", "explorer", "reviewer", "test-2"]);
    assert_eq!(config.agents()[5].description.as_deref(), Some("Runs tests."));
}

#[test]
fn what_an_agent_leaves_open_is_as_for_arki_but_for_the_prompt() {
    let arki = r#"{"model": "lab/x", "flex": true, "reasoningEffort": "low", "maxCompletionTokens": 7,
                   "systemPrompt": "Be arki.", "tools": ["read_file"]}"#;
    let users =
        format!(r#"{{"arki": {arki}, "plain": {{}}, "own": {{"model": "lab/y", "flex": false, "tools": ["*"]}}}}"#);
    let config = merge(&users, "{}").unwrap();
    assert_eq!((config.model.as_str(), config.system_prompt.as_deref()), ("lab/x", Some("Be arki.")));
    let plain = config.for_agent("plain").unwrap();
    assert_eq!((plain.model.as_str(), plain.system_prompt.as_deref()), ("lab/x", None));
    assert_eq!((&plain.model_options, plain.core.as_str()), (&config.model_options, "tool-loop"));
    assert!(has(&plain, "read_file") && !has(&plain, "write_file"));
    let own = config.for_agent("own").unwrap();
    assert_eq!((own.model.as_str(), own.model_options.flex), ("lab/y", false));
    assert_eq!(own.model_options.max_completion_tokens, Some(7));
    assert!(has(&own, "write_file"));
    assert_eq!(own.for_agent(AGENT).unwrap().model, "lab/x", "from any to any");
}

#[test]
fn an_agent_that_is_not_there_leads_to_the_nearest() {
    let fault = merge(r#"{"explorer": {}}"#, "{}").unwrap().for_agent("explore").unwrap_err();
    assert_eq!((fault.code.as_str(), fault.hint.as_str()), ("AGENT_UNKNOWN", "The nearest is \"explorer\"."));
}

#[test]
fn a_project_says_how_an_agent_is_key_by_key() {
    let config = merge(
        r#"{"a": {"model": "lab/x", "systemPrompt": "Yours.", "description": "Yours."}}"#,
        r#"{"a": {"model": "lab/y", "description": "The project's."}, "arki": {"model": "lab/z"}}"#,
    )
    .unwrap();
    let agent = config.for_agent("a").unwrap();
    assert_eq!((agent.model.as_str(), agent.system_prompt.as_deref()), ("lab/y", Some("Yours.")));
    assert_eq!(config.agents()[0].description.as_deref(), Some("The project's."));
    assert_eq!(config.model, "lab/z");
}

#[test]
fn a_project_narrows_tools_and_never_widens_them() {
    let users = r#"{"arki": {"tools": ["read_file", "mcp__*"]}, "own": {"tools": ["run_command"]}, "open": {}}"#;
    let project = r#"{"arki": {"tools": ["mcp__docs__*", "run_command"]}, "own": {"tools": ["run_command", "read_file"]},
                      "new": {"tools": ["*"]}}"#;
    let config = merge(users, project).unwrap();
    assert!(has(&config, "mcp__docs__a") && !has(&config, "mcp__x__a"));
    assert!(!has(&config, "run_command") && !has(&config, "read_file"));
    let own = config.for_agent("own").unwrap();
    assert!(has(&own, "run_command") && !has(&own, "read_file"));
    let new = config.for_agent("new").unwrap();
    assert!(has(&new, "read_file") && has(&new, "mcp__x__a") && !has(&new, "run_command"), "no more than yours");
    let open = config.for_agent("open").unwrap();
    assert!(has(&open, "mcp__docs__a") && !has(&open, "read_file"), "as for arki");
}

#[test]
fn a_project_names_only_providers_that_the_user_has() {
    assert!(merge("{}", r#"{"a": {"model": "demo/echo"}, "b": {"model": "lab/x"}}"#).is_ok());
    let fault = merge("{}", r#"{"a": {"model": "evil/x"}}"#).unwrap_err();
    assert!(fault.is(Code::CONFIG_INVALID) && fault.message.contains("\"agents.a\" names the provider \"evil\""));
}

#[test]
fn what_can_be_no_agent_is_an_error_with_its_place() {
    for (agents, words) in [
        (r#"{"Big": {}}"#, "\"agents.Big\" (line 1, column 13)"),
        (r#"{"": {}}"#, "an agent's name"),
        (r#"{"-a": {}}"#, "an agent's name"),
        (r#"{"a.b": {}}"#, "an agent's name"),
        (r#"{"abcdefghijabcdefghijabcdefghijabc": {}}"#, "an agent's name"),
        (r#"{"a": {"tools": ["read file"]}}"#, "agents.a.tools"),
        (r#"{"a": {"tools": "all"}}"#, "agents.a.tools"),
        (r#"{"a": {"description": " "}}"#, "agents.a.description"),
        (r#"{"a": {"description": "two\nlines"}}"#, "agents.a.description"),
    ] {
        let fault = merge(agents, "{}").unwrap_err();
        assert!(fault.is(Code::CONFIG_INVALID) && fault.message.contains(words), "{agents}: {}", fault.message);
    }
    assert!(merge(&format!(r#"{{"a": {{"description": "{}"}}}}"#, "x".repeat(301)), "{}").is_err());
    assert!(merge(&format!(r#"{{"a": {{"description": "{}"}}}}"#, "x".repeat(300)), "{}").is_ok());
}

#[test]
fn there_are_at_most_so_many() {
    let many = |count: usize, name: &str| {
        let agents: Vec<String> = (0..count).map(|number| format!("\"{name}{number}\": {{}}")).collect();
        format!("{{{}}}", agents.join(", "))
    };
    assert!(merge(&many(MAX_AGENTS - 1, "a"), "{}").is_ok());
    assert!(merge(&many(MAX_AGENTS, "a"), "{}").is_err(), "arki is one of them");
    assert!(merge(&many(20, "a"), &many(20, "b")).unwrap_err().message.contains("more than 32"));
}

#[test]
fn the_built_in_ones_only_read_and_have_no_more_than_arki() {
    let config = merge("{}", "{}").unwrap();
    for (name, has_commands) in [("explorer", false), ("reviewer", true)] {
        let agent = config.for_agent(name).unwrap();
        assert!(agent.policy.read_only && has(&agent, "read_file") && has(&agent, "search_files"), "{name}");
        assert_eq!(has(&agent, "run_command"), has_commands, "{name}");
        assert!(!has(&agent, "write_file") && !has(&agent, "delegate") && !has(&agent, "mcp__docs__a"), "{name}");
        assert!(agent.system_prompt.is_some());
    }
    assert!(!config.policy.read_only, "arki is as before");
    let config = merge(r#"{"arki": {"tools": ["read_file", "delegate"]}}"#, "{}").unwrap();
    let explorer = config.for_agent("explorer").unwrap();
    assert!(has(&explorer, "read_file") && !has(&explorer, "search_files") && !has(&explorer, "delegate"));
}

#[test]
fn what_is_written_of_a_built_in_one_counts_more_key_by_key() {
    let config = merge(r#"{"explorer": {"model": "lab/cheap"}, "reviewer": {"tools": ["write_file"]}}"#, "{}").unwrap();
    assert_eq!(config.own_model_of("explorer"), Some("lab/cheap"));
    let explorer = config.for_agent("explorer").unwrap();
    assert!(explorer.policy.read_only && explorer.model == "lab/cheap" && has(&explorer, "search_files"));
    let reviewer = config.for_agent("reviewer").unwrap();
    assert!(has(&reviewer, "write_file") && !has(&reviewer, "read_file"));
    assert!(!reviewer.policy.read_only, "who says which tools it has says what it may do");
}

#[test]
fn a_project_may_make_agents_only_read_and_nothing_more() {
    let users = r#"{"mine": {"readOnly": true}, "open": {}}"#;
    let project = r#"{"mine": {"readOnly": false}, "open": {"readOnly": true},
                      "explorer": {"tools": ["*"], "readOnly": false}}"#;
    let config = merge(users, project).unwrap();
    for name in ["mine", "open", "explorer"] {
        assert!(config.for_agent(name).unwrap().policy.read_only, "{name}");
    }
    assert!(!has(&config.for_agent("explorer").unwrap(), "run_command"));
}
