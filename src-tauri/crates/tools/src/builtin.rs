//! The built-in tools: one file and one folder with its manual each.

pub(crate) mod apply_patch;
pub(crate) mod ask_user;
pub(crate) mod calculate;
pub(crate) mod delegate;
pub(crate) mod delete_file;
pub(crate) mod edit_file;
pub(crate) mod emit_artifact;
pub(crate) mod fetch_url;
pub(crate) mod find_files;
pub(crate) mod list_directory;
pub(crate) mod read_file;
pub(crate) mod read_procedure;
pub(crate) mod read_skill;
pub(crate) mod read_tool_manual;
pub(crate) mod run_command;
pub(crate) mod search_files;
pub(crate) mod update_plan;
pub(crate) mod write_file;

use crate::tool::Tool;

/// The names of all that are built in.
const NAMES: &[&str] = &[
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
    "read_skill",
    "read_tool_manual",
    "run_command",
    "search_files",
    "update_plan",
    "write_file",
];

/// Whether a tool of this name is built in, or may come from outside.
pub(crate) fn is_tool_or_foreign(name: &str) -> bool {
    name.starts_with("mcp__") || NAMES.contains(&name)
}

/// The built-in tool whose name is the most like this one.
pub(crate) fn nearest_to(name: &str) -> &'static str {
    NAMES.iter().min_by_key(|known| strsim::damerau_levenshtein(known, name)).copied().unwrap_or_default()
}

/// All that need nothing from elsewhere, in the order they are offered.
pub(crate) fn all() -> Vec<Tool> {
    vec![
        read_file::tool(),
        list_directory::tool(),
        search_files::tool(),
        find_files::tool(),
        write_file::tool(),
        edit_file::tool(),
        apply_patch::tool(),
        delete_file::tool(),
        run_command::tool(),
        calculate::tool(),
        read_tool_manual::tool(),
        read_procedure::tool(),
        read_skill::tool(),
        update_plan::tool(),
        emit_artifact::tool(),
        ask_user::tool(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_are_those_of_the_tools() {
        let from_elsewhere = ["delegate", "fetch_url"].map(str::to_owned);
        let mut names: Vec<String> = all().iter().map(|tool| tool.name().to_owned()).chain(from_elsewhere).collect();
        names.sort_unstable();
        assert_eq!(names, NAMES);
    }
}
