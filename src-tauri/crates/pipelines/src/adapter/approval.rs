//! `approval`: a gate. The run waits in the inbox until a person decides; the input is the output.

use super::{Adapter, AttemptResult, KeyProblem, StepFault, checked};
use crate::key_schema;
use crate::step_host::{StepHost, Task};
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct GateSettings {
    /// The question.
    message: String,
}

pub(super) struct Approval;

#[async_trait]
impl Adapter for Approval {
    fn name(&self) -> &'static str {
        "approval"
    }

    fn about(&self) -> &'static str {
        "Waits until a person approves. Its input is its output."
    }

    fn settings(&self) -> Value {
        key_schema::of::<GateSettings>()
    }

    fn check(&self, settings: &Value) -> Result<(), KeyProblem> {
        let settings: GateSettings = checked(settings)?;
        match settings.message.trim().is_empty() {
            true => Err(KeyProblem::of("message", "`message` is empty.", "Write the question to decide.")),
            false => Ok(()),
        }
    }

    fn templates(&self) -> &'static [&'static str] {
        &["message"]
    }

    fn asks(&self) -> bool {
        true
    }

    async fn work(&self, task: &Task, _: &dyn StepHost) -> Result<AttemptResult, StepFault> {
        let GateSettings { message } = task.read()?;
        Ok(AttemptResult::Ask { message: task.filled(&message)? })
    }
}
