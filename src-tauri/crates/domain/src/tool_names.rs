//! The names of the built-in tools, and which tools there are for an agent: a list of names, some of them beginnings.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The tools that are built in, in the order of the alphabet.
pub const BUILT_IN_TOOLS: &[&str] = &[
    "apply_patch",
    "ask_user",
    "calculate",
    "delegate",
    "delete_file",
    "edit_file",
    "emit_artifact",
    "fetch_url",
    "find_files",
    "list_directory",
    "read_file",
    "read_procedure",
    "read_result",
    "read_skill",
    "read_tool_manual",
    "run_command",
    "search_files",
    "search_project",
    "take_changes",
    "update_plan",
    "write_file",
];

/// The built-in tools with which nothing is changed but in Arki's own store, and nothing is asked of anybody else.
const READING_TOOLS: &[&str] = &[
    "ask_user",
    "calculate",
    "emit_artifact",
    "find_files",
    "list_directory",
    "read_file",
    "read_procedure",
    "read_result",
    "read_skill",
    "read_tool_manual",
    "search_files",
    "search_project",
    "update_plan",
];
/// The beginning of the names of MCP servers' tools.
const REMOTE: &str = "mcp__";

/// The most that one list has.
const MAX_NAMES: usize = 128;
/// Vendors take no longer names of tools.
const MAX_NAME_BYTES: usize = 64;

/// Names of tools. One that ends in `*` stands for all that begin like it: `mcp__docs__*`. An empty list is of none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(transparent)]
pub struct ToolNames(Vec<String>);

impl ToolNames {
    /// # Errors
    /// What is wrong with the list, in words that go on after its place.
    pub fn new(names: Vec<String>) -> Result<Self, String> {
        if names.len() > MAX_NAMES {
            return Err(format!("it names more than {MAX_NAMES} tools"));
        }
        match names.iter().find(|name| !is_pattern(name)) {
            Some(name) => Err(format!("{name:?} is not a tool name, nor a prefix ending in \"*\"")),
            None => Ok(Self(names)),
        }
    }

    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|pattern| covers(pattern, name))
    }

    /// Returns whether all of them are built-in tools that only read. Of tools from outside that isn't known.
    #[must_use]
    pub fn only_read(&self) -> bool {
        self.0.iter().all(|pattern| {
            let mut covered = BUILT_IN_TOOLS.iter().filter(|name| covers(pattern, name)).peekable();
            let may_be_remote = pattern.strip_suffix('*').is_some_and(|stem| REMOTE.starts_with(stem));
            !may_be_remote && covered.peek().is_some() && covered.all(|name| READING_TOOLS.contains(name))
        })
    }

    /// Returns the names that are in both lists.
    #[must_use]
    pub fn narrowed_to(&self, other: &Self) -> Self {
        let both = |pattern: &String| {
            let narrower = |other: &&String| covers(pattern, other);
            if other.0.iter().any(|other| covers(other, pattern)) {
                vec![pattern.clone()]
            } else {
                other.0.iter().filter(narrower).cloned().collect()
            }
        };
        let mut names: Vec<String> = self.0.iter().flat_map(both).collect();
        names.sort();
        names.dedup();
        Self(names)
    }
}

/// Returns whether everything that `inner`, a name or a pattern, stands for is among what `pattern` stands for.
fn covers(pattern: &str, inner: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(beginning) => inner.starts_with(beginning),
        None => pattern == inner,
    }
}

fn is_pattern(pattern: &str) -> bool {
    let name = pattern.strip_suffix('*').unwrap_or(pattern);
    let is_sign = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    !pattern.is_empty() && name.len() <= MAX_NAME_BYTES && name.chars().all(is_sign)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn names(names: &[&str]) -> ToolNames {
        ToolNames::new(names.iter().map(|&name| name.to_owned()).collect()).unwrap()
    }

    #[test]
    fn a_star_at_the_end_stands_for_any_rest() {
        let some = names(&["read_file", "mcp__docs__*"]);
        for (name, is_there) in
            [("read_file", true), ("read_files", false), ("mcp__docs__a", true), ("mcp__docs", false)]
        {
            assert_eq!(some.has(name), is_there, "{name}");
        }
        assert!(names(&["*"]).has("anything") && !names(&[]).has("anything"));
    }

    #[test]
    fn what_can_be_no_name_is_refused() {
        for name in ["", "a b", "*a", "a**", "ä", &"x".repeat(MAX_NAME_BYTES + 1)] {
            assert!(ToolNames::new(vec![name.to_owned()]).is_err(), "{name}");
        }
        assert!(ToolNames::new(vec!["a".to_owned(); MAX_NAMES]).is_ok());
        assert!(ToolNames::new(vec!["a".to_owned(); MAX_NAMES + 1]).unwrap_err().contains("128"));
    }

    #[test]
    fn only_lists_of_built_in_tools_that_read_only_read() {
        for (list, only_read) in [
            (&["read_*", "search_files"][..], true),
            (&[], true),
            (&["read_file", "run_command"], false),
            (&["read_file", "fetch_url"], false),
            (&["read_file", "delegate"], false),
            (&["read_file", "mcp__docs__*"], false),
            (&["m*"], false),
            (&["*"], false),
            (&["call_tool"], false),
        ] {
            assert_eq!(names(list).only_read(), only_read, "{list:?}");
        }
    }

    proptest! {
        #[test]
        fn narrowed_lists_have_exactly_what_both_have(
            one in prop::collection::vec("[ab]{0,3}\\*|[ab]{1,3}", 0..4),
            other in prop::collection::vec("[ab]{0,3}\\*|[ab]{1,3}", 0..4),
            name in "[ab]{1,4}",
        ) {
            let (one, other) = (ToolNames::new(one).unwrap(), ToolNames::new(other).unwrap());
            let both = one.narrowed_to(&other);
            prop_assert_eq!(both.has(&name), one.has(&name) && other.has(&name));
        }
    }
}
