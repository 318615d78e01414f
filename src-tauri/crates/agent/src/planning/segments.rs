//! An answer cut into JSON values and the text between them.

use super::lenient_json;
use serde_json::Value;

/// The keys by which something is recognised as a plan that could not be read.
const PLAN_KEYS: [&str; 4] = ["toolcalls", "intent", "plan", "steps"];

/// The brackets of one answer that are looked at in vain; a text with more is no plan, and would take long.
const MAX_VAIN: usize = 1_000;

/// Looks for JSON in one answer.
#[derive(Default)]
pub(super) struct JsonFinder {
    in_vain: usize,
}

impl JsonFinder {
    /// Returns the JSON object or array at the beginning of the text, and its bytes there.
    pub(super) fn at(&mut self, text: &str) -> Option<(Value, usize)> {
        if self.in_vain == MAX_VAIN {
            return None;
        }
        let mut strict = serde_json::Deserializer::from_str(text).into_iter::<Value>();
        let found = match strict.next() {
            Some(Ok(value)) => Some((value, strict.byte_offset())),
            _ => lenient_json::read(text),
        };
        self.in_vain += usize::from(found.is_none());
        found
    }
}

/// A piece of an answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Segment<'a> {
    Text(&'a str),
    /// Nothing but tags, fences and blanks share its lines if it stands alone.
    Json {
        value: Value,
        raw: &'a str,
        stands_alone: bool,
    },
}

impl Segment<'_> {
    /// Returns whether it is a text that says something, more than tags, fences and commas.
    pub(super) fn is_words(&self) -> bool {
        let Segment::Text(text) = self else { return false };
        let is_frame = |line: &str| is_mark(line) || matches!(line, "," | ";" | "[TOOL_CALLS]");
        !text.lines().all(|line| is_frame(line.trim()))
    }

    /// Returns whether it is text that was meant to be the JSON of a plan.
    pub(super) fn is_broken_plan(&self) -> bool {
        let Segment::Text(text) = self else { return false };
        let braces = text.match_indices(['{', '[']).map(|(at, _)| &text[at + 1..]);
        braces.into_iter().any(|inside| begins_with_plan_key(inside.trim_start()))
    }
}

fn begins_with_plan_key(text: &str) -> bool {
    let quoted = text.trim_start_matches(['"', '\'', '“', '”']);
    let is_of_key = |character: &char| character.is_alphanumeric() || ['_', '-', ' '].contains(character);
    let key: String = quoted.chars().take(20).take_while(is_of_key).collect();
    let after = quoted[key.len()..].trim_start_matches(['"', '\'', '“', '”']).trim_start();
    PLAN_KEYS.contains(&super::plan_object::key(&key).as_str()) && after.starts_with(':')
}

/// Cuts the answer.
pub(super) fn of(answer: &str) -> Vec<Segment<'_>> {
    let mut segments = Vec::new();
    let mut finder = JsonFinder::default();
    let (mut from, mut at) = (0, 0);
    while let Some(found) = answer[at..].find(['{', '[']) {
        let start = at + found;
        let Some((value, bytes)) = finder.at(&answer[start..]) else {
            at = start + 1;
            continue;
        };
        let end = start + bytes;
        if !answer[from..start].trim().is_empty() {
            segments.push(Segment::Text(&answer[from..start]));
        }
        let stands_alone = is_free_before(&answer[..start]) && is_free_after(&answer[end..]);
        segments.push(Segment::Json { value, raw: &answer[start..end], stands_alone });
        (from, at) = (end, end);
    }
    if !answer[from..].trim().is_empty() {
        segments.push(Segment::Text(&answer[from..]));
    }
    segments
}

/// Returns the text without the fence around it, if there is one.
pub(super) fn unfenced(text: &str) -> &str {
    let Some(inside) = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```")) else { return text };
    let (first, rest) = inside.split_once('\n').unwrap_or(("", inside));
    let is_language = first.trim().chars().all(char::is_alphanumeric);
    if is_language { rest.trim() } else { text }
}

/// The bytes of a line that are looked at on either side of a JSON value.
const MAX_LINE_BYTES: usize = 256;

fn is_free_before(text: &str) -> bool {
    let from = text.ceil_char_boundary(text.len().saturating_sub(MAX_LINE_BYTES));
    let line = text[from..].rsplit('\n').next().unwrap_or_default().trim();
    is_mark(line) || line.ends_with("[TOOL_CALLS]") || line.ends_with("<tool_call>") || line.ends_with([',', ']', '}'])
}

fn is_free_after(text: &str) -> bool {
    let near = &text[..text.floor_char_boundary(MAX_LINE_BYTES)];
    let line = near.split('\n').next().unwrap_or_default().trim();
    is_mark(line) || line.starts_with("</tool_call>") || line.starts_with([',', ';', '{', '['])
}

/// Returns whether the line, or what is left of it, only frames something: blank, a fence, a tag.
fn is_mark(line: &str) -> bool {
    line.is_empty() || line.starts_with("```") || (line.starts_with('<') && line.ends_with('>') && !line.contains(' '))
}
