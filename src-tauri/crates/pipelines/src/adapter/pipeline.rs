//! `pipeline`: another pipeline as one step, in a run of its own.

use super::{Adapter, AttemptResult, KeyProblem, StepFault, checked, of_child};
use crate::key_schema;
use crate::params::{as_text, ensure_usable_name};
use crate::step_host::{StepHost, Task};
use arki_domain::Error;
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NestedSettings {
    /// Its name, or a path relative to the project.
    pipeline: String,
    /// Its parameters; `{{…}}` in texts is filled in.
    #[serde(default)]
    params: BTreeMap<String, Value>,
}

pub(super) struct Pipeline;

#[async_trait]
impl Adapter for Pipeline {
    fn name(&self) -> &'static str {
        "pipeline"
    }

    fn about(&self) -> &'static str {
        "Runs another pipeline with the input; its last output is the output."
    }

    fn settings(&self) -> Value {
        key_schema::of::<NestedSettings>()
    }

    fn check(&self, settings: &Value) -> Result<(), KeyProblem> {
        let settings: NestedSettings = checked(settings)?;
        for name in settings.params.keys() {
            let is_problem = |fault: Error| KeyProblem::of(&format!("params.{name}"), fault.message, fault.hint);
            ensure_usable_name(name).map_err(is_problem)?;
        }
        match settings.pipeline.trim().is_empty() {
            true => Err(KeyProblem::of("pipeline", "`pipeline` is empty.", "Name the pipeline to run.")),
            false => Ok(()),
        }
    }

    fn nested<'a>(&self, settings: &'a Value) -> Option<&'a str> {
        settings["pipeline"].as_str()
    }

    fn templates(&self) -> &'static [&'static str] {
        &["params"]
    }

    fn child(&self, settings: &Value) -> Option<String> {
        Some(format!("pipeline:{}", settings["pipeline"].as_str().unwrap_or_default()))
    }

    fn resumes_child(&self) -> bool {
        true
    }

    async fn work(&self, task: &Task, world: &dyn StepHost) -> Result<AttemptResult, StepFault> {
        let NestedSettings { pipeline, params } = task.read()?;
        let fill = |(name, value): (String, Value)| Ok((name, task.filled(&as_text(&value))?));
        let params = params.into_iter().map(fill).collect::<Result<BTreeMap<_, _>, StepFault>>()?;
        of_child(world.pipeline(&pipeline, params, task).await.map_err(StepFault::final_)?)
    }
}
