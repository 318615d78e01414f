//! `allowed-tools` of skills and commands: the tools that a run which follows one is restricted to, in our names and in
//! those of other agents.

use arki_domain::{BUILT_IN_TOOLS, ToolNames};

/// Other agents' names, in lower case, and ours.
const OTHER_NAMES: &[(&str, &[&str])] = &[
    ("bash", &["run_command"]),
    ("edit", &["edit_file", "apply_patch"]),
    ("glob", &["find_files", "list_directory"]),
    ("grep", &["search_files"]),
    ("ls", &["list_directory"]),
    ("multiedit", &["edit_file", "apply_patch"]),
    ("notebookedit", &["edit_file"]),
    ("read", &["read_file", "list_directory"]),
    ("shell", &["run_command"]),
    ("task", &["delegate", "take_changes"]),
    ("todowrite", &["update_plan"]),
    ("webfetch", &["fetch_url"]),
    ("write", &["write_file"]),
];
/// They do nothing but explain, ask and plan: no restriction takes them away.
const ALWAYS: &[&str] = &["ask_user", "read_procedure", "read_result", "read_skill", "read_tool_manual", "update_plan"];

const REMOTE: &str = "mcp__";
const ALL_REMOTE: &str = "mcp__*";

/// A list of allowed tools, as a restriction.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AllowedTools {
    /// `None` where there is no restriction.
    pub tools: Option<ToolNames>,
    /// The warnings, in words that continue after the path.
    pub warnings: Vec<String>,
}

impl AllowedTools {
    /// Reads the names as they are written. This never allows anything: a named tool needs approval as always.
    #[must_use]
    pub fn read(written: &[String]) -> Self {
        Self::read_except(written, &[])
    }

    /// The same without those that are named in `denied`. Where nothing is `written`, that is all but these.
    #[must_use]
    pub fn read_except(written: &[String], denied: &[String]) -> Self {
        let mut read = Self::default();
        if written.is_empty() && denied.is_empty() {
            return read;
        }
        let mut names: Vec<String> = ALWAYS.iter().map(|&name| name.to_owned()).collect();
        if written.is_empty() {
            names.extend(BUILT_IN_TOOLS.iter().chain(&[ALL_REMOTE]).map(|&name| name.to_owned()));
        }
        for one in written {
            let (name, pattern) = one.split_once('(').map_or((one.as_str(), None), |(name, rest)| (name, Some(rest)));
            let ours = in_our_names(name.trim());
            if ours.is_empty() {
                read.warnings.push(format!("it allows an unknown tool: {name}"));
            } else if pattern.is_some() {
                read.warnings.push(format!("it allows {one}, but only the tool name is used: {}", ours.join(", ")));
            }
            names.extend(ours);
        }
        for one in denied {
            let name = one.split_once('(').map_or(one.as_str(), |(name, _)| name).trim();
            let ours = in_our_names(name);
            // Of what can't be named one by one, nothing is left.
            let is_remote = name.starts_with(REMOTE);
            let beginning = name.trim_end_matches('*');
            names.retain(|known| match is_remote {
                true => known != ALL_REMOTE && !known.starts_with(beginning),
                false => !ours.contains(known),
            });
        }
        names.sort();
        names.dedup();
        match ToolNames::new(names) {
            Ok(names) => read.tools = Some(names),
            // Rather none than all.
            Err(why) => {
                read.warnings.push(format!("its list of tools can't be used, so it has none: {why}"));
                read.tools = Some(ToolNames::default());
            }
        }
        read
    }
}

fn in_our_names(name: &str) -> Vec<String> {
    if BUILT_IN_TOOLS.contains(&name) || name.starts_with(REMOTE) {
        return vec![name.to_owned()];
    }
    let other = OTHER_NAMES.iter().find(|(other, _)| name.eq_ignore_ascii_case(other));
    other.map(|(_, ours)| ours.iter().map(|&name| name.to_owned()).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(written: &[&str]) -> AllowedTools {
        AllowedTools::read(&written.iter().map(|&name| name.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn names_of_other_agents_are_understood_and_nothing_is_added() {
        let tools = read(&["Read", "Bash(git add:*)", "mcp__docs__*"]).tools.unwrap();
        for (name, is_there) in [
            ("read_file", true),
            ("run_command", true),
            ("mcp__docs__a", true),
            ("read_skill", true),
            ("write_file", false),
            ("fetch_url", false),
        ] {
            assert_eq!(tools.has(name), is_there, "{name}");
        }
        assert_eq!(read(&[]), AllowedTools::default());
    }

    #[test]
    fn a_server_that_is_denied_is_denied_with_all_its_tools() {
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        let tools =
            |written: &[&str]| AllowedTools::read_except(&names(written), &names(&["mcp__docs"])).tools.unwrap();
        assert!(!tools(&["Read", "mcp__docs__*"]).has("mcp__docs__a") && !tools(&[]).has("mcp__docs__a"));
        assert!(tools(&["mcp__web__*"]).has("mcp__web__a"));
    }

    #[test]
    fn what_cannot_be_kept_to_is_said() {
        let warnings = read(&["Bash(git add:*)", "Teleport"]).warnings.join("\n");
        assert!(
            warnings.contains("only the tool name is used: run_command") && warnings.contains("Teleport"),
            "{warnings}"
        );
        let nothing = read(&["mcp__a b"]);
        assert!(nothing.tools.is_some_and(|tools| !tools.has("read_file")) && !nothing.warnings.is_empty());
    }
}
