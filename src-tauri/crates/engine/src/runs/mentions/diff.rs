//! The changes in the working tree since git's last commit, as git itself tells them: run like a command that only
//! reads, under the policy and in the sandbox of such commands.

use super::{Mentioned, Read};
use crate::projects::mentionable::is_in_repository;
use serde_json::json;

/// No program that the repository names takes part, and no colour.
const CHANGES: &str = "git diff --no-ext-diff --no-textconv --no-color HEAD";
/// The command for a repository without commits, which shows the files that were added.
const ADDED: &str = "git diff --no-ext-diff --no-textconv --no-color --cached";
const NEW_FILES: &str = "git ls-files --others --exclude-standard";
/// The limit for the names of new files, in bytes.
const MAX_NAMES: usize = 8 * 1024;
/// The room for the words around the changes, in bytes.
const WORDS: usize = 1024;

pub(super) fn read(mentioned: &Mentioned, room: usize) -> Result<Read, String> {
    if !is_in_repository(mentioned.executor.project().root()) {
        return Err("this folder is not in a git repository.".to_owned());
    }
    let git = |line: &str, max_bytes| mentioned.bounded_tool("run_command", &json!({ "command": line }), max_bytes);
    let shown_by = |why: String| format!("{why} `{CHANGES}` would show it.");
    let new_files = git(NEW_FILES, MAX_NAMES).map_err(shown_by)?;
    let room = room.saturating_sub(new_files.text.len() + WORDS);
    let (changes, since) = match git(CHANGES, room) {
        // Whatever language git speaks, it names what it doesn't find.
        Err(why) if why.contains("'HEAD'") => {
            (git(ADDED, room).map_err(shown_by)?, "nothing is committed yet, so these were added")
        }
        changes => (changes.map_err(shown_by)?, "since the last commit"),
    };
    let mut text = format!("The user mentions what has changed in the working tree ({since}):\n\n");
    text.push_str(if changes.text.trim().is_empty() { "None in the files that git knows.\n" } else { &changes.text });
    if !new_files.text.trim().is_empty() {
        text.push_str(&format!("\nNew files that git doesn't know yet, without their contents:\n{}", new_files.text));
    }
    Ok(Read { text, is_cut: changes.is_cut || new_files.is_cut })
}
