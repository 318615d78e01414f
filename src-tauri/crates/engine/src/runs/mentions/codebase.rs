//! Passages of the project that fit the prompt, as the search index finds them by its words, each read as `read_file` would.

use super::{Mentioned, Read};
use arki_retrieval::ContextPassage;
use serde_json::json;

const MAX_FILES: usize = 8;
/// The limit for all passages together, in bytes: about 6,000 tokens.
const MAX_BYTES: usize = 24 * 1024;
/// The room for the words around the passages, in bytes.
const WORDS: usize = 1024;

pub(super) fn read(mentioned: &Mentioned, prompt: &str, room: usize) -> Result<Read, String> {
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
