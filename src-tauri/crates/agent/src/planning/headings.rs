//! A plan under headings: `Intent:`, `Plan:` and `Tool Calls:`, in any markup and order.

use super::plan_object::{PlanObject, calls_in, key};
use super::segments::Segment;
use super::{Unreadable, steps, two_plans};
use arki_domain::ToolRequest;
use serde_json::Value;

#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Headings {
    pub(super) intent: Option<String>,
    pub(super) steps: Vec<String>,
    /// `None` where there is no such heading.
    pub(super) calls: Option<Vec<ToolRequest>>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Heading {
    Intent,
    Plan,
    ToolCalls,
}

/// The headings as they are read.
#[derive(Default)]
struct HeadingReader {
    read: Headings,
    /// Under each heading of this kind.
    calls: Vec<Vec<ToolRequest>>,
    /// The heading above, and what has been said under it.
    under: Option<(Heading, String)>,
}

impl Headings {
    pub(super) fn read(segments: &[Segment<'_>]) -> Result<Self, Unreadable> {
        let mut reader = HeadingReader::default();
        for segment in segments {
            match segment {
                Segment::Text(text) => text.lines().try_for_each(|line| reader.take_line(line))?,
                Segment::Json { value, raw, .. } => reader.take_json(value, raw)?,
            }
        }
        reader.end_section()?;
        let mut read = reader.read;
        read.calls = the_only(reader.calls)?;
        Ok(read)
    }
}

/// A model that repeats itself lists the same calls twice.
fn the_only(lists: Vec<Vec<ToolRequest>>) -> Result<Option<Vec<ToolRequest>>, Unreadable> {
    let is_there = !lists.is_empty();
    let mut listed = lists.into_iter().filter(|calls| !calls.is_empty());
    let first = listed.next();
    if listed.any(|calls| Some(&calls) != first.as_ref()) {
        return Err(two_plans());
    }
    Ok(first.or(is_there.then(Vec::new)))
}

impl HeadingReader {
    fn take_line(&mut self, line: &str) -> Result<(), Unreadable> {
        if let Some((heading, rest)) = heading(line) {
            self.end_section()?;
            if heading == Heading::ToolCalls {
                self.calls.push(Vec::new());
            }
            self.under = Some((heading, rest.to_owned()));
        } else if let Some((_, said)) = &mut self.under {
            said.push('\n');
            said.push_str(line);
        }
        Ok(())
    }

    fn take_json(&mut self, value: &Value, raw: &str) -> Result<(), Unreadable> {
        // It has its own headings.
        let is_plan = PlanObject::read(value).is_some();
        match (&mut self.under, self.calls.last_mut()) {
            (Some((Heading::ToolCalls, said)), Some(listed)) if !is_plan => {
                listed.extend(calls_in(value)?);
                // Objects may follow each other.
                said.clear();
                if value.is_array() {
                    self.under = None;
                }
            }
            (Some((Heading::Plan, said)), _) if value.is_array() && is_frame(said) => {
                if self.read.steps.is_empty() {
                    self.read.steps = steps::of_json(value);
                }
                self.under = None;
            }
            (Some((_, said)), _) if !is_plan => said.push_str(raw),
            _ => {}
        }
        Ok(())
    }

    fn end_section(&mut self) -> Result<(), Unreadable> {
        let Some((heading, said)) = self.under.take() else { return Ok(()) };
        let said = without_fences(&said);
        match heading {
            Heading::Intent if self.read.intent.is_none() => {
                let first = said.trim().split("\n\n").next().unwrap_or_default().trim();
                self.read.intent = (!first.is_empty()).then(|| first.to_owned());
            }
            Heading::Plan if self.read.steps.is_empty() => self.read.steps = steps::of_text(&said),
            Heading::ToolCalls if said.contains(['{', '[']) => {
                return Err(Unreadable::Broken("Its tool calls are not valid JSON.".to_owned()));
            }
            Heading::Intent | Heading::Plan | Heading::ToolCalls => {}
        }
        Ok(())
    }
}

/// Returns whether it is nothing, or the beginning of a fence.
fn is_frame(said: &str) -> bool {
    let said = said.trim().trim_matches('`').trim();
    said.is_empty() || key(said) == "json"
}

fn without_fences(said: &str) -> String {
    said.lines().filter(|line| !line.trim_start().starts_with("```")).collect::<Vec<_>>().join("\n")
}

/// Returns the heading that the line begins with, and the rest of the line. Without a colon it needs some markup.
fn heading(line: &str) -> Option<(Heading, &str)> {
    let line = line.trim();
    let bare = line.trim_start_matches(['#', '*', '_', '>', '-', ' ']);
    let (name, rest) = match bare.split_once(':') {
        Some((name, rest)) => (name, rest.trim_start_matches(['*', '_']).trim()),
        None if bare.len() < line.len() => (bare, ""),
        None => return None,
    };
    let heading = match key(name).as_str() {
        "intent" => Heading::Intent,
        "plan" => Heading::Plan,
        "toolcalls" => Heading::ToolCalls,
        _ => return None,
    };
    Some((heading, rest))
}
