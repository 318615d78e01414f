//! `read_skill`: a skill's text, and the files that belong to it.

use crate::guide::{Guide, GuideFiles, find_guide};
use crate::nearest::nearest;
use crate::outcome::{Output, ToolError};
use crate::tool::{Action, InsideResult, InsideTask, Tool, arguments};
use arki_domain::{Code, Error, sha256_hex};
use arki_files::Project;
use schemars::JsonSchema;
use serde::Deserialize;

/// A skill's file beyond this is not for reading.
const MAX_FILE_BYTES: u64 = 1024 * 1024;
/// Files that are listed below a skill's text.
const MAX_LISTED_FILES: usize = 100;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    name: String,
}

pub(crate) fn tool() -> Tool {
    Tool::new::<Arguments>("read_skill", include_str!("read_skill/manual.md"), Action::Inside(read))
}

fn read(task: &InsideTask<'_>) -> Result<InsideResult, ToolError> {
    let Arguments { name } = arguments(task.args)?;
    let (name, file) = name.split_once('/').map_or((name.as_str(), None), |(name, file)| (name, Some(file)));
    let skill = find_guide(&task.guides.skills, "skill", name)?;
    let text = match (file, &skill.files) {
        (None, _) => with_files(skill),
        (Some(file), Some(files)) => text_of(files, name, file)?,
        (Some(file), None) => return Err(no_such_file(name, file, String::new()).into()),
    };
    Ok(Output { text, truncated: false }.into())
}

fn with_files(skill: &Guide) -> String {
    let files = skill.files.iter().flat_map(|files| files.hashes.keys());
    let mut listed: Vec<String> = files.map(|file| format!("- {}/{file}", skill.name)).collect();
    if listed.is_empty() {
        return skill.text.to_string();
    }
    if listed.len() > MAX_LISTED_FILES {
        let more = listed.len() - MAX_LISTED_FILES;
        listed.truncate(MAX_LISTED_FILES);
        listed.push(format!("- and {more} more"));
    }
    format!("{}\n\nFiles of this skill, from {}:\n{}", skill.text, skill.origin, listed.join("\n"))
}

fn text_of(files: &GuideFiles, skill: &str, file: &str) -> Result<String, ToolError> {
    let Some(agreed) = files.hashes.get(file) else {
        return Err(no_such_file(skill, file, nearest(files.hashes.keys().map(String::as_str), file)).into());
    };
    let folder = Project::open(&files.folder)?;
    let bytes = folder.read(&folder.resolve(file)?, MAX_FILE_BYTES)?.bytes;
    if agreed.as_ref().is_some_and(|agreed| *agreed != sha256_hex(&bytes)) {
        return Err(Error::new(
            Code::GUIDE_UNKNOWN,
            format!("{skill}/{file} changed since the user approved it, so it is off."),
            "Continue without it. The user can approve it again.",
        )
        .into());
    }
    String::from_utf8(bytes).map_err(|_| {
        let hint = "Only text files can be read \
            here.";
        Error::new(Code::GUIDE_UNKNOWN, format!("{skill}/{file} is not a text file."), hint).into()
    })
}

fn no_such_file(skill: &str, file: &str, hint: String) -> Error {
    Error::new(Code::GUIDE_UNKNOWN, format!("The skill {skill} has no file {file:?}."), hint)
}
