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
pub(crate) mod search_project;
pub(crate) mod take_changes;
pub(crate) mod update_plan;
pub(crate) mod write_file;

use crate::tool::Tool;

/// The tool that the models of a family were trained to edit with, by how their names begin. It is offered first.
const EDIT_TOOLS: &[(&str, &str)] = &[
    ("gpt-", apply_patch::NAME),
    ("chatgpt-", apply_patch::NAME),
    ("codex-", apply_patch::NAME),
    ("o1", apply_patch::NAME),
    ("o3", apply_patch::NAME),
    ("o4", apply_patch::NAME),
    ("claude", edit_file::NAME),
];

/// Puts the tool first, of those that edit, that suits `model` best: `provider/model`, perhaps with its vendor between.
pub(crate) fn edit_tool_first(tools: &mut [Tool], model: &str) {
    let name = model.rsplit('/').next().unwrap_or(model).to_ascii_lowercase();
    let best = EDIT_TOOLS.iter().find(|(family, _)| name.starts_with(family)).map_or(edit_file::NAME, |(_, tool)| tool);
    let place = |wanted: &str| tools.iter().position(|tool| tool.name() == wanted);
    if let (Some(first), Some(best)) = (place(edit_file::NAME), place(best)) {
        tools[first..=best].rotate_right(1);
    }
}

/// All that need nothing from elsewhere, in the order they are offered.
pub(crate) fn all() -> Vec<Tool> {
    vec![
        read_file::tool(),
        list_directory::tool(),
        search_files::tool(),
        search_project::tool(),
        find_files::tool(),
        edit_file::tool(),
        write_file::tool(),
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

    #[test]
    fn the_edit_tool_of_the_models_family_comes_first() {
        let first = |model: &str| {
            let mut tools = all();
            edit_tool_first(&mut tools, model);
            let edits = [apply_patch::NAME, edit_file::NAME, "write_file"];
            tools.into_iter().map(|tool| tool.name().to_owned()).find(|name| edits.contains(&name.as_str())).unwrap()
        };
        for model in ["openai/gpt-5.1", "openrouter/openai/gpt-5.1-codex", "lab/gpt-oss-120b", "o/o4-mini"] {
            assert_eq!(first(model), apply_patch::NAME, "{model}");
        }
        for model in
            ["anthropic/claude-opus-4-6", "openrouter/anthropic/claude-sonnet-5", "gemini/gemini-3-pro", "lab/x"]
        {
            assert_eq!(first(model), edit_file::NAME, "{model}");
        }
    }
}
