//! The mentions that take more than one look: passages of the codebase, the changes since git's last commit, a page of the
//! web, the definition of a name.
//!
//! Passages are those that the search index finds by the prompt's words, each read as `read_file` would. Git itself tells
//! the changes, run like a command that only reads, under the policy and in the sandbox of such commands. A page is read as
//! `fetch_url` reads it, from a host that a rule allows. A definition is found as far as a search for lines that look like
//! one can tell.

use super::{Mentioned, Read};
use crate::projects::mentionable::is_in_repository;
use arki_retrieval::{ContextPassage, DEFINITION_WORDS};
use serde_json::{Value, json};

const MAX_FILES: usize = 8;
/// The limit for all passages together, in bytes: about 6,000 tokens.
const MAX_BYTES: usize = 24 * 1024;
/// The room for the words around what is attached, in bytes.
const WORDS: usize = 1024;

pub(super) fn codebase(mentioned: &Mentioned, prompt: &str, room: usize) -> Result<Read, String> {
    let reads = mentioned.executor.unasked_reads();
    let question = without_mentions(prompt);
    if mentioned.is_draft {
        reads.ensure_context_readable(&question).map_err(|fault| fault.message)?;
        return Ok(Read { text: String::new(), is_cut: false });
    }
    let found = reads.context(&question, MAX_FILES, &mentioned.control.cancel).map_err(|fault| fault.message)?;
    if found.passages.is_empty() {
        let why = found.notes.join(" ");
        return Err(if why.is_empty() { "nothing in the project fits these words.".to_owned() } else { why });
    }
    let mut text =
        "The user mentions the codebase. These passages fit the words of the prompt, the best first:\n".to_owned();
    let room = room.saturating_sub(WORDS).min(MAX_BYTES);
    for passage in &found.passages {
        let Some(lines) = lines_of(mentioned, passage) else { continue };
        if text.len() + lines.len() <= room {
            text.push_str(&lines);
        }
    }
    for note in &found.notes {
        text.push_str(&format!("\n[{note}]"));
    }
    Ok(Read { text, is_cut: false })
}

/// `None` for a file that nobody may read unasked.
fn lines_of(mentioned: &Mentioned, passage: &ContextPassage) -> Option<String> {
    let ContextPassage { path, first_line, last_line, .. } = passage;
    let count = last_line - first_line + 1;
    let read = mentioned.tool("read_file", &json!({ "path": path, "offset": first_line, "limit": count })).ok()?;
    // The line about what follows stands behind those that were asked for.
    let lines: Vec<&str> = read.text.lines().take(usize::try_from(count).unwrap_or(usize::MAX)).collect();
    Some(format!("\n{path}:{first_line}-{last_line}\n{}\n", lines.join("\n")))
}

/// The words of the prompt, since what it mentions besides is attached by itself.
fn without_mentions(prompt: &str) -> String {
    let words: Vec<&str> = prompt.split_whitespace().filter(|word| !word.starts_with('@')).collect();
    words.join(" ")
}

/// No program that the repository names takes part, and no colour.
const CHANGES: &str = "git diff --no-ext-diff --no-textconv --no-color HEAD";
/// The command for a repository without commits, which shows the files that were added.
const ADDED: &str = "git diff --no-ext-diff --no-textconv --no-color --cached";
const NEW_FILES: &str = "git ls-files --others --exclude-standard";
/// The limit for the names of new files, in bytes.
const MAX_NAMES: usize = 8 * 1024;

pub(super) fn diff(mentioned: &Mentioned, room: usize) -> Result<Read, String> {
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

const FETCH_URL: &str = "fetch_url";

pub(super) fn page(mentioned: &Mentioned, url: &str, room: usize) -> Result<Read, String> {
    let args = json!({ "url": url });
    if let Err(fault) = mentioned.executor.unasked_reads().ensure_readable(FETCH_URL, &args) {
        return Err(format!("{}{}", fault.message, how_to_allow(mentioned, &args)));
    }
    if mentioned.is_draft {
        return Ok(Read { text: String::new(), is_cut: false });
    }
    let page = mentioned.bounded_tool(FETCH_URL, &args, room.saturating_sub(WORDS))?;
    Ok(Read { text: format!("The user mentions a page:\n\n{}", page.text), ..page })
}

/// Empty where no rule would do.
fn how_to_allow(mentioned: &Mentioned, args: &Value) -> String {
    let rule = mentioned.executor.judge().proposed_rules(FETCH_URL, args).into_iter().find_map(|rule| rule.host);
    rule.map_or_else(String::new, |host| {
        let rule = json!({ "decision": "allow", "tool": FETCH_URL, "host": host });
        format!(
            " This rule in `policy.rules` lets its pages be attached: {rule}. Without it, `fetch_url` asks the user."
        )
    })
}

/// The number of lines before the definition, for its documentation.
const LINES_BEFORE: u64 = 3;
const LINES: u64 = 60;
const MAX_NAME_CHARS: usize = 200;

/// `None` where nothing is found.
pub(super) fn symbol(mentioned: &Mentioned, name: &str) -> Option<Result<Read, String>> {
    let last = name.rsplit([':', '.', '#']).next()?;
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    if last.is_empty() || last.chars().count() > MAX_NAME_CHARS || !last.chars().all(is_name) {
        return None;
    }
    let pattern = format!(r"\b({DEFINITION_WORDS}|let|var)\s+(\([^)]*\)\s*)?{}\b", last.replace('$', r"\$"));
    let found = match mentioned.tool("search_files", &json!({ "pattern": pattern })) {
        Ok(found) => found.text,
        Err(why) => return Some(Err(why)),
    };
    let places: Vec<(&str, u64)> = found.lines().filter_map(place).collect();
    let (path, line) = best(&places)?;
    let first = line.saturating_sub(LINES_BEFORE).max(1);
    let read = mentioned.tool("read_file", &json!({ "path": path, "offset": first, "limit": LINES }));
    Some(read.map(|read| {
        let others = match places.len() - 1 {
            0 => String::new(),
            others => format!(" ({others} more of that name elsewhere)"),
        };
        let text = format!("The user mentions {name}, defined in {path}:{line}{others}:\n\n{}", read.text);
        Read { text, is_cut: false }
    }))
}

/// `path:line:text`.
fn place(found: &str) -> Option<(&str, u64)> {
    let mut at = 0;
    while let Some(colon) = found[at..].find(':').map(|next| at + next) {
        at = colon + 1;
        if let Some(end) = found[at..].find(':')
            && let Ok(line) = found[at..at + end].parse()
        {
            return Some((&found[..colon], line));
        }
    }
    None
}

/// Tests last, then the shortest path.
fn best<'a>(places: &[(&'a str, u64)]) -> Option<(&'a str, u64)> {
    places.iter().min_by_key(|(path, line)| (path.contains("test"), path.len(), *line)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_off_what_a_search_tells() {
        assert_eq!(place("src/a.rs:12:fn x() {}"), Some(("src/a.rs", 12)));
        assert_eq!(place("odd:name.rs:7:fn x"), Some(("odd:name.rs", 7)));
        assert_eq!(place("[1 matching line in 2 files searched]"), None);
        assert_eq!(best(&[("src/tests.rs", 1), ("src/longer.rs", 9), ("src/a.rs", 5)]), Some(("src/a.rs", 5)));
    }
}
