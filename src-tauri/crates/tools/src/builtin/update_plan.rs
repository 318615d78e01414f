//! `update_plan`: tells the user what the agent intends to do, and how far it is.

use crate::outcome::{Output, ToolError};
use crate::tool::{Action, InsideResult, InsideTask, Tool, arguments};
use arki_domain::projection::{MAX_PLAN_STEPS, MAX_PLAN_TEXT_BYTES};
use arki_domain::{Code, Error, PlanStep, PlanStepState, PlanUpdated};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    steps: Vec<PlanStepArgument>,
    intent: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PlanStepArgument {
    title: String,
    state: Option<PlanStepState>,
}

pub(crate) fn tool() -> Tool {
    Tool::new::<Arguments>("update_plan", include_str!("update_plan/manual.md"), Action::Inside(update))
}

fn update(task: &InsideTask<'_>) -> Result<InsideResult, ToolError> {
    let Arguments { steps, intent } = arguments(task.args)?;
    let too_long = steps.iter().map(|step| &step.title).chain(&intent).any(|text| text.len() > MAX_PLAN_TEXT_BYTES);
    if steps.len() > MAX_PLAN_STEPS || too_long {
        return Err(Error::new(
            Code::ARGUMENTS_INVALID,
            format!(
                "A plan can have up to {MAX_PLAN_STEPS} steps, with up to {MAX_PLAN_TEXT_BYTES} bytes in each text."
            ),
            "Shorten the plan.",
        )
        .into());
    }
    let open = steps
        .iter()
        .filter(|step| matches!(step.state, None | Some(PlanStepState::Pending | PlanStepState::InProgress)))
        .count();
    let text = format!("The user sees the plan: {} steps, {open} of them still to do.", steps.len());
    let steps = steps.into_iter();
    let steps = steps.map(|step| PlanStep { title: step.title, state: step.state.unwrap_or_default() });
    let updated = PlanUpdated { intent: intent.unwrap_or_default(), steps: steps.collect() };
    Ok(InsideResult { output: Output { text, truncated: false }, events: vec![updated.into()], contents: Vec::new() })
}
