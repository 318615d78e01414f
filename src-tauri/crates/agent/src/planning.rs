//! Reads what a model plans off its answer: what it intends, in which steps, and the calls it wants made.
//!
//! Models write this as one JSON object, or under the headings `Intent`, `Plan` and `Tool Calls`; fenced or not, with
//! prose around it, with thoughts in front. Reading is tolerant of how it is written and strict in what it means: a call
//! is one only where the text has it whole, outside of thoughts, and the text speaks of one plan. Whatever else looks
//! like a plan is an error with words for the model, which is asked once more.

mod headings;
pub(crate) mod lenient_json;
mod plan_object;
mod segments;
mod steps;
mod thoughts;

use arki_domain::ToolRequest;
use headings::Headings;
use plan_object::{PlanObject, calls_alone};
use segments::Segment;
use serde_json::Value;

pub(crate) use steps::{bounded_steps, cut};
pub(crate) use thoughts::{before_lone_closing_tag, split_thoughts};

/// The calls that one answer may have as text.
pub(crate) const MAX_TEXT_CALLS: usize = 50;
/// A longer text is no plan, and would take long to look through.
const MAX_PLANNING_BYTES: usize = 1 << 20;

/// A plan as an answer has it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct ReadPlan {
    pub(crate) intent: Option<String>,
    /// The plan's steps as the model wrote them, without bullets and numbers.
    pub(crate) steps: Vec<String>,
    /// The calls, without IDs; the arguments are a JSON object.
    pub(crate) calls: Vec<ToolRequest>,
    /// The text in `<think>…</think>`, which need not be closed.
    pub(crate) thoughts: String,
}

/// The reason why an answer is no plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unreadable {
    /// Nothing in it looks like a plan.
    Prose,
    /// It looks like one, and cannot be read. The words are for the model.
    Broken(String),
}

/// Reads an answer. `is_tool` says which tools there are: calls outside of a plan count only where the answer is nothing
/// but them and they name such tools; beside words, they may be quoted.
///
/// # Errors
/// The words for the model where its answer is no plan.
pub(crate) fn read_planning(text: &str, is_tool: &dyn Fn(&str) -> bool) -> Result<ReadPlan, Unreadable> {
    if text.len() > MAX_PLANNING_BYTES {
        let words = format!("It is longer than {} KiB, the limit for a plan.", MAX_PLANNING_BYTES >> 10);
        return Err(Unreadable::Broken(words));
    }
    let (answer, thoughts) = split_thoughts(text);
    let segments = segments::of(&answer);
    let object = the_only(plan_objects(&segments))?;
    let headings = Headings::read(&segments)?;
    let calls = match (object.as_ref().and_then(|object| object.calls.clone()), headings.calls) {
        (Some(one), Some(other)) if one != other => return Err(two_plans()),
        (Some(calls), _) | (None, Some(calls)) => calls,
        (None, None) if segments.iter().any(Segment::is_words) => Vec::new(),
        (None, None) => calls_alone(&segments, is_tool)?,
    };
    if calls.len() > MAX_TEXT_CALLS {
        let words = format!("It has {} calls, and at most {MAX_TEXT_CALLS} are allowed in one answer.", calls.len());
        return Err(Unreadable::Broken(words));
    }
    let object = object.unwrap_or_default();
    let intent = object.intent.or(headings.intent);
    let steps = if object.steps.is_empty() { headings.steps } else { object.steps };
    if intent.is_none() && steps.is_empty() && calls.is_empty() {
        return Err(nothing_read(&answer, &segments));
    }
    // The part with the calls may be the one that could not be read.
    if calls.is_empty() && segments.iter().any(Segment::is_broken_plan) {
        return Err(broken_json());
    }
    Ok(ReadPlan { intent, steps, calls, thoughts })
}

/// Reads the calls of an answer that is nothing but a plan: one JSON object with calls, fenced or not. Where an answer
/// for the user is due, anything else is that answer.
pub(crate) fn read_whole_plan(text: &str) -> Option<ReadPlan> {
    if text.len() > MAX_PLANNING_BYTES {
        return None;
    }
    let (answer, thoughts) = split_thoughts(text);
    let object = match segments::of(segments::unfenced(answer.trim())).as_slice() {
        [Segment::Json { value, .. }] => PlanObject::read(value)?.ok()?,
        _ => return None,
    };
    let calls = object.calls.filter(|calls| (1..=MAX_TEXT_CALLS).contains(&calls.len()))?;
    Some(ReadPlan { intent: object.intent, steps: object.steps, calls, thoughts })
}

fn plan_objects(segments: &[Segment<'_>]) -> Vec<Result<PlanObject, Unreadable>> {
    let json = segments.iter().filter_map(|segment| match segment {
        Segment::Json { value, .. } => Some(value),
        _ => None,
    });
    json.filter_map(|value: &Value| PlanObject::read(value)).collect()
}

/// A model that repeats itself says the same plan twice; two different ones are not one to go by.
fn the_only(found: Vec<Result<PlanObject, Unreadable>>) -> Result<Option<PlanObject>, Unreadable> {
    let mut only: Option<PlanObject> = None;
    for object in found {
        let object = object?;
        match &only {
            Some(first) if *first != object => return Err(two_plans()),
            Some(_) => {}
            None => only = Some(object),
        }
    }
    Ok(only)
}

fn two_plans() -> Unreadable {
    Unreadable::Broken("It has more than one plan, and they differ. Give exactly one.".to_owned())
}

fn broken_json() -> Unreadable {
    Unreadable::Broken("Its JSON is cut off or not valid.".to_owned())
}

fn nothing_read(answer: &str, segments: &[Segment<'_>]) -> Unreadable {
    if answer.trim().is_empty() {
        return Unreadable::Broken("It has no text outside of your thoughts.".to_owned());
    }
    if segments.iter().any(Segment::is_broken_plan) { broken_json() } else { Unreadable::Prose }
}

#[cfg(test)]
mod tests;
