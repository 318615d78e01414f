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
pub(crate) mod read_result;
pub(crate) mod read_skill;
pub(crate) mod read_tool_manual;
pub(crate) mod run_command;
pub(crate) mod search_files;
pub(crate) mod take_changes;
pub(crate) mod update_plan;
pub(crate) mod write_file;

use crate::tool::Tool;

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
        read_result::tool(),
        update_plan::tool(),
        emit_artifact::tool(),
        ask_user::tool(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use arki_domain::BUILT_IN_TOOLS;

    #[test]
    fn the_names_are_those_of_the_tools() {
        let from_elsewhere = ["delegate", "fetch_url", "take_changes"].map(str::to_owned);
        let mut names: Vec<String> = all().iter().map(|tool| tool.name().to_owned()).chain(from_elsewhere).collect();
        names.sort_unstable();
        assert_eq!(names, BUILT_IN_TOOLS);
    }
}
