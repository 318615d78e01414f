//! Answers of the model, read before they are stored.

use crate::answer::AnswerSoFar;
use crate::answer::ask::AnswerContext;
use crate::planning::{ReadPlan, bounded_steps, cut, read_planning, read_whole_plan, split_thoughts};
use arki_domain::projection::call_words;
use arki_domain::{EventBody, PlanProposed, ToolRequest};
use serde_json::Value;

/// A plan, with native calls or with calls in its text. What cannot be read stays as it is.
pub(super) fn plan(answer: &mut AnswerSoFar, known: &AnswerContext<'_>) -> Vec<EventBody> {
    let is_tool = |name: &str| known.definitions.iter().any(|tool| *tool.name == *name);
    let planning = match read_planning(&answer.text, &is_tool) {
        Ok(planning) => planning,
        // Calls need no words beside them, and none that can be read.
        Err(_) if !answer.calls.is_empty() => of_prose(&answer.text),
        Err(_) => return Vec::new(),
    };
    take_out_thoughts(answer, &planning.thoughts);
    if answer.calls.is_empty() {
        answer.calls = planning.calls;
    }
    let intent = planning.intent.unwrap_or_else(|| first_line(known.prompt));
    let steps = if planning.steps.is_empty() { calls_as_steps(&answer.calls) } else { planning.steps };
    let (steps, steps_left_out) = bounded_steps(&steps);
    vec![PlanProposed { intent: cut(&intent), steps, steps_left_out }.into()]
}

/// Calls for a plan that there is already, or without one.
pub(crate) fn calls(answer: &mut AnswerSoFar, known: &AnswerContext<'_>) -> Vec<EventBody> {
    let is_tool = |name: &str| known.definitions.iter().any(|tool| *tool.name == *name);
    if let Ok(planning) = read_planning(&answer.text, &is_tool) {
        take_out_thoughts(answer, &planning.thoughts);
        if answer.calls.is_empty() {
            answer.calls = planning.calls;
        }
    }
    Vec::new()
}

/// The answer to the user. Of a model that takes no tools, one that is nothing but a plan is further calls; another model
/// makes these natively, and what looks like a plan may be a file that the user wanted to see.
pub(super) fn synthesis(answer: &mut AnswerSoFar, known: &AnswerContext<'_>) -> Vec<EventBody> {
    if !known.takes_tools
        && answer.calls.is_empty()
        && let Some(planning) = read_whole_plan(&answer.text)
    {
        answer.calls = planning.calls;
    }
    // Elsewhere, tags are what the answer is about.
    if answer.text.trim_start().starts_with("<think") {
        let (_, thoughts) = split_thoughts(&answer.text);
        take_out_thoughts(answer, &thoughts);
    }
    answer.text = answer.text.trim().to_owned();
    Vec::new()
}

fn of_prose(text: &str) -> ReadPlan {
    let (said, thoughts) = split_thoughts(text);
    let intent = Some(first_line(&said)).filter(|line| !line.is_empty());
    ReadPlan { intent, thoughts, ..ReadPlan::default() }
}

fn take_out_thoughts(answer: &mut AnswerSoFar, thoughts: &str) {
    if thoughts.is_empty() {
        return;
    }
    let (said, _) = split_thoughts(&answer.text);
    answer.part(said.trim().to_owned(), thoughts);
}

fn calls_as_steps(calls: &[ToolRequest]) -> Vec<String> {
    let args = |call: &ToolRequest| serde_json::from_str(&call.arguments).unwrap_or(Value::Null);
    calls.iter().map(|call| call_words(&call.tool_id, &args(call))).collect()
}

fn first_line(text: &str) -> String {
    text.trim().lines().next().unwrap_or_default().trim().to_owned()
}
