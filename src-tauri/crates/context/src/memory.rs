//! Memory that lasts beyond a session: Markdown files of the user's and of the project, one list item a memory, which a
//! person can read and edit. Only what the user accepted is in them.
//!
//! **Use.** [`add_memory`] and [`remove_memory`] change a file's text and leave what else is in it alone.
//! [`memory_text`] is what goes into the system prompt, within a budget.

use crate::CountTokens;

/// One memory. What is longer is cut where it's put into a prompt.
pub const MAX_MEMORY_BYTES: usize = 2000;
/// The limit for one file.
const MAX_MEMORIES: usize = 1000;

/// A file of memories, and where it is.
#[derive(Debug, Clone, Copy)]
pub struct MemoryFile<'a> {
    /// The source, for people: a path.
    pub origin: &'a str,
    pub text: &'a str,
}

/// The memory that goes into the prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MemoryText {
    /// Empty where there is nothing to remember.
    pub text: String,
    pub memories: usize,
    /// Memories that the budget has no room for.
    pub left_out: usize,
}

/// The memories of a file: its list items and paragraphs. Headings and comments are none.
#[must_use]
pub fn memories(text: &str) -> Vec<String> {
    let all = items(text);
    let oldest = all.len().saturating_sub(MAX_MEMORIES);
    all.into_iter().skip(oldest).map(|item| item.memory).collect()
}

/// The file with one more memory. It's the same text where the memory is in it already.
#[must_use]
pub fn add_memory(text: &str, memory: &str) -> String {
    let memory = one_line(memory);
    if memory.is_empty() || memories(text).contains(&memory) {
        return text.to_owned();
    }
    let break_line = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    format!("{text}{break_line}- {memory}\n")
}

/// The file without a memory; `None` where it isn't in it.
#[must_use]
pub fn remove_memory(text: &str, memory: &str) -> Option<String> {
    let memory = one_line(memory);
    let item = items(text).into_iter().find(|item| item.memory == memory)?;
    let lines = text.split_inclusive('\n').enumerate();
    Some(lines.filter(|(at, _)| !(item.first..item.end).contains(at)).map(|(_, line)| line).collect())
}

/// Joins the memories of the files that fit into `max_tokens`. The files come with the most important first; within a
/// file, the newest memories, which are its last, are taken first.
#[must_use]
pub fn memory_text(files: &[MemoryFile<'_>], max_tokens: u64, tokens: &dyn CountTokens) -> MemoryText {
    let mut result = MemoryText::default();
    for file in files {
        let heading = format!("Remembered, from {}:\n", file.origin);
        let mut kept = Vec::new();
        let mut used = tokens.text(&result.text);
        for memory in memories(file.text).iter().rev() {
            let line = format!("- {}\n", cut(memory));
            // Most of what doesn't fit is seen by itself, without counting everything again.
            if used.saturating_add(tokens.text(&line)) > max_tokens {
                result.left_out += 1;
                continue;
            }
            kept.push(line);
            match tokens.text(&section(&result.text, &heading, &kept)) {
                all if all <= max_tokens => used = all,
                _ => {
                    kept.pop();
                    result.left_out += 1;
                }
            }
        }
        if !kept.is_empty() {
            result.memories += kept.len();
            result.text = section(&result.text, &heading, &kept);
        }
    }
    result
}

/// `kept` is the newest first; it's told oldest first.
fn section(before: &str, heading: &str, kept: &[String]) -> String {
    let lines: String = kept.iter().rev().map(String::as_str).collect();
    let gap = if before.is_empty() { "" } else { "\n" };
    format!("{before}{gap}{heading}{lines}")
}

/// A memory, and its lines in the file.
struct MemoryItem {
    memory: String,
    first: usize,
    end: usize,
}

fn items(text: &str) -> Vec<MemoryItem> {
    let mut items: Vec<MemoryItem> = Vec::new();
    let mut is_open = false;
    let mut is_comment = false;
    for (at, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let plain = line.trim();
        is_comment |= plain.starts_with("<!--");
        let is_skipped = plain.is_empty() || plain.starts_with('#') || is_comment;
        is_comment &= !plain.ends_with("-->");
        if is_skipped {
            is_open = false;
            continue;
        }
        let marked = ["- ", "* ", "+ "].iter().find_map(|mark| plain.strip_prefix(mark));
        match (marked, items.last_mut()) {
            (None, Some(last)) if is_open => {
                last.memory = one_line(&format!("{} {plain}", last.memory));
                last.end = at + 1;
            }
            _ => {
                let memory = one_line(marked.unwrap_or(plain));
                items.push(MemoryItem { memory, first: at, end: at + 1 });
                is_open = true;
            }
        }
    }
    items.retain(|item| !item.memory.is_empty());
    items
}

fn one_line(text: &str) -> String {
    text.split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

fn cut(memory: &str) -> String {
    match memory.len() {
        0..=MAX_MEMORY_BYTES => memory.to_owned(),
        _ => format!("{}…", &memory[..memory.floor_char_boundary(MAX_MEMORY_BYTES)]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arki_domain::{Message, ToolDefinition};
    use proptest::prelude::*;

    struct Bytes;

    impl CountTokens for Bytes {
        fn text(&self, text: &str) -> u64 {
            text.len() as u64
        }

        fn message(&self, _: &Message) -> u64 {
            0
        }

        fn tool(&self, _: &ToolDefinition) -> u64 {
            0
        }
    }

    const FILE: &str = "# Memory\n\n<!-- written\nby hand -->\n- Use pnpm.\n* Tests need\n  a database.\n\nA paragraph\nof two lines.\n";

    #[test]
    fn list_items_and_paragraphs_are_memories() {
        assert_eq!(memories(FILE), ["Use pnpm.", "Tests need a database.", "A paragraph of two lines."]);
        assert_eq!(memories("# Only a heading\n<!-- - x -->\n"), Vec::<String>::new());
    }

    #[test]
    fn adding_and_removing_leave_the_rest_of_the_file_alone() {
        assert_eq!(add_memory(FILE, "New\nthing"), format!("{FILE}- New thing\n"));
        assert_eq!(add_memory(FILE, "Use  pnpm."), FILE);
        assert_eq!(add_memory("- a", "b"), "- a\n- b\n");
        let without = remove_memory(FILE, "Tests need a database.").unwrap();
        assert_eq!(without, FILE.replace("* Tests need\n  a database.\n", ""));
        assert_eq!(remove_memory(FILE, "Use yarn."), None);
    }

    #[test]
    fn the_newest_go_first_where_not_all_have_room() {
        let project = MemoryFile { origin: ".arki/memory", text: "- one\n- two\n- three\n" };
        let user = MemoryFile { origin: "memory", text: "- mine\n" };
        let all = memory_text(&[project, user], 1000, &Bytes);
        assert_eq!(
            all.text,
            "Remembered, from .arki/memory:\n- one\n- two\n- three\n\nRemembered, from memory:\n- mine\n"
        );
        assert_eq!((all.memories, all.left_out), (4, 0));
        let some = memory_text(&[project, user], 48, &Bytes);
        assert_eq!(some.text, "Remembered, from .arki/memory:\n- two\n- three\n");
        assert_eq!((some.memories, some.left_out), (2, 2));
        assert_eq!(memory_text(&[], 10, &Bytes), MemoryText::default());
    }

    proptest! {
        #[test]
        fn what_is_added_is_read_and_can_be_removed(file in "[-a-z#* \n]{0,80}", memory in "[a-z][a-z ]{0,20}") {
            let added = add_memory(&file, &memory);
            prop_assert!(memories(&added).contains(&one_line(&memory)), "{added:?}");
            let count = memories(&added).len();
            let removed = remove_memory(&added, &memory).unwrap();
            prop_assert!(memories(&removed).len() < count || memories(&removed) != memories(&added));
        }

        #[test]
        fn the_budget_holds(file in "(- [a-z ]{0,40}\n){0,20}", most in 0u64..300) {
            let file = MemoryFile { origin: "m", text: &file };
            let told = memory_text(&[file], most, &Bytes);
            prop_assert!(told.text.len() as u64 <= most);
            prop_assert_eq!(told.memories + told.left_out, memories(file.text).len());
        }
    }
}
