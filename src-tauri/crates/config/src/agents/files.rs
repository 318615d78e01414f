//! Agents in files of their own, beneath those of the configuration: what is written there counts more, key by key.

use super::built_in;
use crate::AGENT;
use crate::file::{AgentConfig, ConfigFile, Isolation};
use arki_context::{AgentFile, FileWarning};
use arki_domain::ToolNames;

/// Agents that only files name.
const MAX_AGENT_FILES: usize = 32;

/// Adds agents to the user's configuration, as far as their files leave something to say: of several with one name the
/// first counts. Their tools are never more than `arki` has. Returns what is wrong with some.
pub fn add_agent_files(file: &mut ConfigFile, found: Vec<(String, Result<AgentFile, String>)>) -> Vec<FileWarning> {
    let arki = file.agents.get(AGENT).and_then(|arki| arki.tools.clone());
    let mut warnings = Vec::new();
    let mut added = Vec::new();
    for (path, agent) in found {
        let mut warn = |message: String| warnings.push(FileWarning { path: path.clone(), message });
        let agent = match agent.and_then(|agent| to_be_added(agent, &added)) {
            Ok(agent) => agent,
            Err(why) => {
                warn(why);
                continue;
            }
        };
        agent.warnings.iter().for_each(|words| warn(words.clone()));
        let model = agent.model.filter(|model| {
            let is_known = is_known_model(model, file);
            if !is_known {
                warn(format!("you have no provider for its model {model:?}, so it uses the model of {AGENT}"));
            }
            is_known
        });
        added.push(agent.name.clone());
        let is_new = !file.agents.contains_key(&agent.name) && !built_in::is_name(&agent.name);
        let only_reads = agent.only_reads || built_in::is_name(&agent.name);
        let written = file.agents.remove(&agent.name).unwrap_or_default();
        let tools = agent.tools.map(|tools| narrowed(tools, arki.as_ref()));
        let merged = AgentConfig {
            model: written.model.or(model),
            tools: written.tools.or(tools),
            read_only: written.read_only.or(only_reads.then_some(true)),
            system_prompt: written.system_prompt.or(Some(agent.system_prompt)),
            description: written.description.or(agent.description),
            isolation: written.isolation.or(agent.in_worktree.then_some(Isolation::Worktree)),
            is_from_file: is_new,
            ..written
        };
        file.agents.insert(agent.name, merged);
    }
    warnings
}

/// Returns the agent, or why its file is left out beside those that were added.
fn to_be_added(agent: AgentFile, added: &[String]) -> Result<AgentFile, String> {
    match &agent.name {
        name if name == AGENT => {
            Err(format!("the agent {AGENT} is configured in config.json only, so this file is left out"))
        }
        name if added.contains(name) => {
            Err(format!("another file names the agent {name} first, so this one is left out"))
        }
        _ if added.len() == MAX_AGENT_FILES => {
            Err(format!("only {MAX_AGENT_FILES} agent files are loaded, so this one is left out"))
        }
        _ => Ok(agent),
    }
}

fn narrowed(tools: ToolNames, arki: Option<&ToolNames>) -> ToolNames {
    match arki {
        Some(arki) => tools.narrowed_to(arki),
        None => tools,
    }
}

fn is_known_model(model: &str, file: &ConfigFile) -> bool {
    let Some((provider, _)) = model.split_once('/') else { return false };
    provider == "demo" || file.providers.contains_key(provider)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Config, parse};
    use std::path::Path;

    fn read(path: &str, source: &str) -> (String, Result<AgentFile, String>) {
        let name = path.rsplit('/').next().unwrap_or(path).trim_end_matches(".md");
        (path.to_owned(), AgentFile::read(name, source))
    }

    /// `agents`: what stands in the user's configuration.
    fn with_files(agents: &str, found: &[(&str, &str)]) -> (Config, Vec<String>) {
        let path = Path::new("config.json");
        let lab = r#""providers": {"lab": {"kind": "custom", "baseUrl": "http://127.0.0.1:1/v1"}}"#;
        let mut file = parse(&format!(r#"{{"agents": {agents}, {lab}}}"#), path).unwrap();
        let found = found.iter().map(|(path, source)| read(path, source)).collect();
        let warnings = add_agent_files(&mut file, found);
        let config = Config::merge(crate::ReadConfig::of(&file, path), None).unwrap();
        (config, warnings.into_iter().map(|warning| format!("{}: {}", warning.path, warning.message)).collect())
    }

    #[test]
    fn a_file_is_an_agent_and_has_no_more_than_arki() {
        let (config, warnings) = with_files(
            r#"{"arki": {"model": "lab/x", "tools": ["read_*", "search_files"]}}"#,
            &[("a/looker.md", "---\ndescription: Looks.\ntools: Read, Bash\nmodel: opus\n---\nLook.")],
        );
        let looker = config.for_agent("looker").unwrap();
        assert_eq!((looker.model.as_str(), looker.system_prompt.as_deref()), ("lab/x", Some("Look.")));
        assert!(looker.policy.has_tool("read_file") && !looker.policy.has_tool("run_command"));
        assert!(!looker.policy.has_tool("search_files"), "not even all of these");
        assert_eq!(warnings, Vec::<String>::new());
    }

    #[test]
    fn what_is_configured_counts_more_key_by_key() {
        let (config, _) = with_files(
            r#"{"a": {"description": "Yours.", "readOnly": false}}"#,
            &[
                ("a.md", "---\ndescription: Theirs.\nreadOnly: true\nmodel: lab/y\n---\nBe a."),
                ("reviewer.md", "Be strict."),
            ],
        );
        let a = config.for_agent("a").unwrap();
        assert_eq!((a.model.as_str(), a.system_prompt.as_deref(), a.policy.read_only), ("lab/y", Some("Be a."), false));
        let reviewer = config.for_agent("reviewer").unwrap();
        assert_eq!(reviewer.system_prompt.as_deref(), Some("Be strict."));
        assert!(reviewer.policy.read_only, "a built-in one reads only until its tools are named");
    }

    #[test]
    fn what_is_wrong_with_a_file_is_said() {
        let (config, warnings) = with_files(
            "{}",
            &[
                ("1/a.md", "---\ndescription: d\nmodel: nobody/x\n---\nFirst."),
                ("2/a.md", "---\ndescription: d\n---\nSecond."),
                ("arki.md", "---\ndescription: d\n---\nMe."),
                ("empty.md", ""),
            ],
        );
        assert_eq!(config.for_agent("a").unwrap().system_prompt.as_deref(), Some("First."));
        let words = [
            "1/a.md: you have no provider",
            "2/a.md: another file",
            "arki.md: the agent arki",
            "empty.md: it has no text",
        ];
        assert_eq!(warnings.len(), words.len(), "{warnings:?}");
        assert!(warnings.iter().zip(words).all(|(warning, words)| warning.starts_with(words)), "{warnings:?}");
    }

    #[test]
    fn only_so_many_files_count_and_none_of_them_fills_the_configuration() {
        let files: Vec<String> = (0..40).map(|number| format!("f{number}.md")).collect();
        let found: Vec<(&str, &str)> =
            files.iter().map(|file| (file.as_str(), "---\ndescription: d\n---\nText")).collect();
        let own: Vec<String> = (0..31).map(|number| format!("\"a{number}\": {{}}")).collect();
        let (config, warnings) = with_files(&format!("{{{}}}", own.join(", ")), &found);
        assert_eq!((config.agents().len(), warnings.len()), (3 + 31 + MAX_AGENT_FILES, 8));
    }
}
