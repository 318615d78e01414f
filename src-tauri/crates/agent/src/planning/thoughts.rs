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

/// Returns the thoughts before a closing tag that has no opening one, and the answer behind it; `None` where there is no
/// such tag. The templates of some models open the thoughts before the answer begins. A tag in code, in JSON or in quotes
/// is what an answer is about.
pub(crate) fn before_lone_closing_tag(text: &str) -> Option<(&str, &str)> {
    let mut finder = JsonFinder::default();
    let mut at = if text.contains("</") { 0 } else { text.len() };
    while let Some(next) = text[at..].chars().next() {
        let rest = &text[at..];
        let line = &text[text[..at].rfind('\n').map_or(0, |end| end + 1)..at];
        at += match next {
            '<' => match tag(rest) {
                Some((ThoughtTag::Open, ..)) => return None,
                Some((ThoughtTag::Close, _, after)) if !is_cited(&text[..at], line, after) => {
                    return Some((text[..at].trim(), after.trim_start()));
                }
                _ => 1,
            },
            '{' | '[' => finder.at(rest).map_or(1, |(_, bytes)| bytes),
            '`' | '~' if line.trim().is_empty() && fence_mark(rest) >= 3 => fenced(rest),
            '`' => code_span(rest),
            other => other.len_utf8(),
        };
    }
    None
}

/// Returns whether a tag stands in quotes, or in a block of code that is indented.
fn is_cited(before: &str, line: &str, after: &str) -> bool {
    const QUOTES: [char; 8] = ['"', '\'', '“', '”', '„', '‘', '’', '»'];
    let is_quoted = before.ends_with(QUOTES) && after.starts_with(QUOTES);
    is_quoted || (line.trim().is_empty() && (line.len() >= 4 || line.contains('\t')))
}

/// Returns the length of the mark that a fence begins with.
fn fence_mark(text: &str) -> usize {
    let mark = text.bytes().next();
    text.bytes().take_while(|byte| Some(*byte) == mark).count()
}

/// Returns the bytes of the fenced code that the text begins with; one that is not closed goes to the end.
fn fenced(text: &str) -> usize {
    let mark = &text[..fence_mark(text)];
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        let closes = line.trim().starts_with(mark) && line.trim().trim_start_matches(&mark[..1]).is_empty();
        end += line.len();
        if closes && end > line.len() {
            break;
        }
    }
    end
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_before_a_lone_closing_tag_is_thoughts() {
        for (text, thoughts, answer) in [
            ("Hm, so.\n</think>\n\nYes.", "Hm, so.", "Yes."),
            ("</think>\nYes.", "", "Yes."),
            ("I don`t know, [1] {.\n</think>Yes.", "I don`t know, [1] {.", "Yes."),
            (
                "Is it `</think>`?\n```\n</think>\n```\nno\n</think>\nYes.",
                "Is it `</think>`?\n```\n</think>\n```\nno",
                "Yes.",
            ),
            ("He said \"no\"</think>Yes, `<think>`.", "He said \"no\"", "Yes, `<think>`."),
            ("hm</THINKING>Yes </think> too", "hm", "Yes </think> too"),
            ("größer 🌍</think>Ja.", "größer 🌍", "Ja."),
            ("hm</think>", "hm", ""),
        ] {
            assert_eq!(before_lone_closing_tag(text), Some((thoughts, answer)), "{text}");
        }
    }

    #[test]
    fn an_answer_about_a_closing_tag_is_no_thought() {
        for text in [
            "Yes.",
            "The tag `</think>` ends them.",
            "The tag ``</think> ` `` ends them.",
            "So:\n```html\n</think>\n```\nDone.",
            "So:\n  ~~~\n</think>\n~~~\nDone.",
            "So:\n````\n```\n</think>\n```\n````\nDone.",
            "So:\n```\n</think>\n",
            "So:\n\n    </think>\n\nDone.",
            "It ends with \"</think>\" or '</think>'.",
            r#"{"answer": "a </think> b"}"#,
            "First <think>x</think> then",
            "</thinker> </ think>",
        ] {
            assert_eq!(before_lone_closing_tag(text), None, "{text}");
        }
    }
}
