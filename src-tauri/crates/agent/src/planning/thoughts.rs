//! Thoughts that a model writes among its text, between tags.
//!
//! A tag counts wherever it stands, except inside backticks and inside JSON: there it is somebody's data. Thoughts that
//! are never closed go to the end, and a closing tag alone ends thoughts that began before the text.

use super::segments::JsonFinder;

const NAMES: [&str; 4] = ["think", "thinking", "thought", "reasoning"];
/// Longer code in backticks is not looked for.
const MAX_SPAN_BYTES: usize = 1024;
const LONGEST_NAME: usize = "reasoning".len();

/// Returns the text without its thoughts, and the thoughts.
pub(crate) fn split_thoughts(text: &str) -> (String, String) {
    let (mut answer, mut thoughts) = (String::new(), Vec::<String>::new());
    let mut finder = JsonFinder::default();
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let taken = match next {
            '<' => match tag(rest) {
                Some((ThoughtTag::Open, name, after)) => {
                    let (inside, behind) = until_closed(after, name);
                    thoughts.push(inside.trim().to_owned());
                    rest = behind;
                    continue;
                }
                // What stands before it is thought, however it looks.
                Some((ThoughtTag::Close, _, after)) => {
                    thoughts.push(std::mem::take(&mut answer).trim().to_owned());
                    rest = after;
                    continue;
                }
                None => 1,
            },
            '{' | '[' => finder.at(rest).map_or(1, |(_, bytes)| bytes),
            '`' => code_span(rest),
            other => other.len_utf8(),
        };
        answer.push_str(&rest[..taken]);
        rest = &rest[taken..];
    }
    thoughts.retain(|thought| !thought.is_empty());
    (answer, thoughts.join("\n\n"))
}

enum ThoughtTag {
    Open,
    Close,
}

/// Returns the tag at the beginning of the text, and what follows it.
fn tag(text: &str) -> Option<(ThoughtTag, &'static str, &str)> {
    let (kind, named) = match text.strip_prefix("</") {
        Some(named) => (ThoughtTag::Close, named),
        None => (ThoughtTag::Open, text.strip_prefix('<')?),
    };
    let end = named.bytes().take(LONGEST_NAME + 1).position(|byte| byte == b'>')?;
    let name = NAMES.into_iter().find(|name| name.eq_ignore_ascii_case(&named[..end]))?;
    Some((kind, name, &named[end + 1..]))
}

/// Returns what is thought, and what follows; thoughts within thoughts belong to them.
fn until_closed<'a>(text: &'a str, name: &str) -> (&'a str, &'a str) {
    let mut depth = 1;
    for (at, _) in text.match_indices('<') {
        match tag(&text[at..]) {
            Some((ThoughtTag::Open, other, _)) if other == name => depth += 1,
            Some((ThoughtTag::Close, other, after)) if other == name => {
                depth -= 1;
                if depth == 0 {
                    return (&text[..at], after);
                }
            }
            _ => {}
        }
    }
    // Never closed: nothing behind it is meant for anybody else. Nested ones may share a closing tag.
    match text.rfind("</").and_then(|at| Some((at, tag(&text[at..])?))) {
        Some((at, (ThoughtTag::Close, other, after))) if other == name && depth > 1 => (&text[..at], after),
        _ => (text, ""),
    }
}

/// Returns the bytes of the code in backticks that the text begins with; a fence is only its backticks, since a plan may
/// be fenced.
fn code_span(text: &str) -> usize {
    let ticks = text.bytes().take_while(|byte| *byte == b'`').count();
    if ticks >= 3 {
        return ticks;
    }
    let near = &text[..text.floor_char_boundary(MAX_SPAN_BYTES)];
    let line = near.lines().next().unwrap_or_default();
    line[ticks..].find(&text[..ticks]).map_or(ticks, |at| ticks + at + ticks)
}
