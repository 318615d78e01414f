//! An agent in a file of its own (`.claude/agents/NAME.md`): its first lines name it and say when to use it, the text below
//! is its system prompt. Read leniently, as other agents write them.

use crate::{AllowedTools, FrontMatter};
use arki_domain::{ToolNames, one_plain_line};

/// The limit for an agent's description, which is sent to the model with each request.
const MAX_DESCRIPTION_CHARS: usize = 300;
const MAX_NAME_CHARS: usize = 32;
/// The models that other agents name by themselves, or leave to whoever begins the work.
const OTHER_MODELS: [&str; 5] = ["inherit", "default", "sonnet", "opus", "haiku"];
/// The permission mode in which other agents only read.
const PLAN_MODE: &str = "plan";

const WORKTREE: &str = "worktree";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentFile {
    /// Up to 32 lower-case letters, digits, `-` and `_`.
    pub name: String,
    /// When to use it: one line.
    pub description: Option<String>,
    pub system_prompt: String,
    /// The only tools that it has; `None` where it has all.
    pub tools: Option<ToolNames>,
    pub only_reads: bool,
    /// It works in a git worktree of its own.
    pub in_worktree: bool,
    /// `PROVIDER/MODEL`.
    pub model: Option<String>,
    /// The warnings, in words that continue after the path.
    pub warnings: Vec<String>,
}

impl AgentFile {
    /// `file_name` is its name where the first lines give none.
    ///
    /// # Errors
    /// Why the file is no agent, in words that go on after the path.
    pub fn read(file_name: &str, source: &str) -> Result<Self, String> {
        let head = FrontMatter::read(source);
        if !head.is_present && head.body.lines().next().is_some_and(|line| line.trim_end() == "---") {
            return Err("its first lines don't end with \"---\", so it is left out".to_owned());
        }
        let system_prompt = head.body.trim().to_owned();
        if system_prompt.is_empty() {
            return Err("it has no text for a system prompt, so it is left out".to_owned());
        }
        let written = head.text("name").unwrap_or_else(|| file_name.to_owned());
        let name = name_of(&written)
            .ok_or_else(|| format!("{written:?} isn't a valid agent name, so the agent is left out: {NAME_WORDS}"))?;
        let mut warnings = Vec::new();
        let description = head.text("description").and_then(|text| one_line(&text));
        if description.is_none() {
            // Most such files are no valid YAML, and can be read all the same.
            warnings.extend(head.warning.clone());
            warnings.push("it doesn't say in \"description\" when to use it".to_owned());
        }
        let allowed = allowed(&head);
        warnings.extend(allowed.warnings);
        let mode = head.text("permissionMode");
        let only_reads = head.flag("readOnly") == Some(true) || mode.as_deref() == Some(PLAN_MODE);
        let model = head.text("model").filter(|model| !OTHER_MODELS.contains(&model.to_ascii_lowercase().as_str()));
        let in_worktree = head.text("isolation").is_some_and(|isolation| isolation == WORKTREE);
        let tools = allowed.tools;
        Ok(Self { name, description, system_prompt, tools, only_reads, in_worktree, model, warnings })
    }
}

const NAME_WORDS: &str = "use up to 32 lower-case letters, digits, \"-\" and \"_\"";

/// Capitals and blanks are mended.
fn name_of(written: &str) -> Option<String> {
    let name = written.trim().to_ascii_lowercase().replace(' ', "-");
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let is_name = (1..=MAX_NAME_CHARS).contains(&name.len())
        && name.starts_with(is_plain)
        && name.chars().all(|c| is_plain(c) || matches!(c, '-' | '_'));
    is_name.then_some(name)
}

/// The first line, without the examples that often follow it.
fn one_line(text: &str) -> Option<String> {
    let end = ["\n", "\\n", "<example"].iter().filter_map(|mark| text.find(mark)).min().unwrap_or(text.len());
    Some(one_plain_line(&text[..end], MAX_DESCRIPTION_CHARS)).filter(|line| !line.is_empty())
}

/// The tools that it may have. Lists that can't be read leave none: rather that than all.
fn allowed(head: &FrontMatter<'_>) -> AllowedTools {
    let [written, denied] = ["tools", "disallowedTools"].map(|key| head.list(key));
    let is_all = |names: &[String]| names.iter().any(|name| name == "*");
    let unread = |key: &str, names: &[String]| names.is_empty() && head.keys().any(|known| known == key);
    if is_all(&denied) {
        return AllowedTools { tools: Some(ToolNames::default()), warnings: Vec::new() };
    }
    if unread("tools", &written) || unread("disallowedTools", &denied) {
        let warnings = vec!["its list of tools can't be read, so it has none".to_owned()];
        return AllowedTools { tools: Some(ToolNames::default()), warnings };
    }
    AllowedTools::read_except(if is_all(&written) { &[] } else { &written }, &denied)
}

#[cfg(test)]
mod tests {
    use super::*;

    const REVIEWER: &str = "---\nname: code-reviewer\ndescription: Use after changes.\\n\\n<example>Context: …</example>\n\
        tools: Read, Grep, Glob\nmodel: sonnet\ncolor: red\n---\n\nYou review code.\n";

    #[test]
    fn one_of_another_agent_is_read_as_it_is() {
        let agent = AgentFile::read("x", REVIEWER).unwrap();
        assert_eq!((agent.name.as_str(), agent.system_prompt.as_str()), ("code-reviewer", "You review code."));
        assert_eq!(agent.description.as_deref(), Some("Use after changes."));
        let tools = agent.tools.unwrap();
        assert!(tools.has("read_file") && tools.has("search_files") && !tools.has("write_file"));
        assert_eq!((agent.model, agent.only_reads, agent.warnings), (None, false, Vec::new()));
    }

    #[test]
    fn what_it_leaves_out_is_its_files_name_and_all_tools() {
        let agent = AgentFile::read("Test Writer", "Write tests.").unwrap();
        assert_eq!((agent.name.as_str(), agent.tools, agent.description), ("test-writer", None, None));
        assert!(agent.warnings[0].contains("description"));
        assert_eq!(AgentFile::read("a", "---\ntools: '*'\n---\nText").unwrap().tools, None);
    }

    #[test]
    fn it_may_do_less_than_others_and_have_a_model_of_its_own() {
        let text = "---\ndescription: d\ndisallowedTools: Write, Edit\npermissionMode: plan\nmodel: lab/x\n\
            isolation: worktree\n---\nText";
        let agent = AgentFile::read("a", text).unwrap();
        let tools = agent.tools.unwrap();
        assert!(tools.has("read_file") && tools.has("mcp__docs__a") && !tools.has("write_file"));
        assert!(!tools.has("edit_file") && !tools.has("apply_patch"));
        assert_eq!((agent.only_reads, agent.in_worktree, agent.model.as_deref()), (true, true, Some("lab/x")));
    }

    #[test]
    fn a_list_of_tools_that_cannot_be_read_leaves_none() {
        for head in ["tools: {a: b}", "tools:", "disallowedTools: {a: b}", "disallowedTools: '*'"] {
            let tools = AgentFile::read("a", &format!("---\ndescription: d\n{head}\n---\nText")).unwrap().tools;
            assert!(tools.is_some_and(|tools| !tools.has("read_file")), "{head}");
        }
    }

    #[test]
    fn what_is_no_agent_says_why() {
        for (file_name, source, words) in [
            ("a", "---\nname: a\n---\n", "no text"),
            ("a", "", "no text"),
            ("a", "---\nreadOnly: true\nText", "don't end"),
            ("é", "Text", "valid agent name"),
            ("a", "---\nname: ../x\n---\nText", "valid agent name"),
            (&*"x".repeat(33), "Text", "valid agent name"),
        ] {
            assert!(AgentFile::read(file_name, source).unwrap_err().contains(words), "{file_name} {source}");
        }
    }

    #[test]
    fn a_long_description_is_cut() {
        let text = format!("---\ndescription: {}\n---\nText", "é".repeat(301));
        let description = AgentFile::read("a", &text).unwrap().description.unwrap();
        assert!(description.chars().count() == MAX_DESCRIPTION_CHARS && description.ends_with('…'));
    }
}
