//! Finds the definition of a name, as far as a search for lines that look like one can tell.

use super::{Mentioned, Read};
use arki_retrieval::DEFINITION_WORDS;
use serde_json::json;

/// The number of lines before the definition, for its documentation.
const LINES_BEFORE: u64 = 3;
const LINES: u64 = 60;
const MAX_NAME_CHARS: usize = 200;

/// `None` where nothing is found.
pub(super) fn read(mentioned: &Mentioned, name: &str) -> Option<Result<Read, String>> {
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
