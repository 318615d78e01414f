//! A pipeline as its author wrote it, read and checked: whatever is in here can be run.

mod check;
mod keys;
mod read;
pub(crate) mod schema;
pub(crate) mod yaml;

pub use check::ENTRY_LIMIT as MAX_STEPS_EVER;
pub use keys::{Artifact, Foreach, Limits, OutputForm, StepRetry};
pub use yaml::MAX_DEFINITION_BYTES;

use crate::adapter::{Adapter, Grant};
use crate::condition::Condition;
use crate::denylist::Denylist;
use crate::params::Param;
use crate::problem::DefinitionProblem;
use arki_domain::Error;
use serde_json::Value;

#[derive(Debug, Clone)]
pub struct Definition {
    pub name: String,
    pub description: String,
    /// The parameters, in the order in which they are written.
    pub params: Vec<Param>,
    pub limits: Limits,
    pub denylist: Denylist,
    pub steps: Vec<Step>,
}

/// One step; `needs` are places in [`Definition::steps`].
#[derive(Clone)]
pub struct Step {
    pub name: String,
    pub adapter: &'static dyn Adapter,
    /// The keys that are the adapter's own.
    pub settings: Value,
    pub needs: Vec<usize>,
    pub when: Option<Condition>,
    pub foreach: Option<Foreach>,
    pub retry: StepRetry,
    /// The time limit of one attempt, in seconds; the pipeline's if `None`.
    pub timeout_seconds: Option<u64>,
    pub output: OutputForm,
    /// JSON Schema of the output.
    pub output_schema: Option<Value>,
    pub artifact: Option<Artifact>,
}

impl Definition {
    /// Reads a definition.
    ///
    /// # Errors
    /// Everything that is wrong with it, in the order of the text.
    pub fn parse(text: &str) -> Result<Self, Vec<DefinitionProblem>> {
        read::definition(text)
    }

    /// Adds to the denylist what an outer pipeline forbids.
    pub fn deny_also(&mut self, patterns: &[String]) -> Result<(), Error> {
        self.denylist = self.denylist.with(patterns).map_err(Error::internal)?;
        Ok(())
    }

    /// Returns the permissions beyond the sandbox that each step gets, with its name, in the order of the steps.
    #[must_use]
    pub fn grants(&self) -> Vec<(&str, Grant)> {
        let of_step = |step: &'_ Step| step.adapter.grants(&step.settings);
        self.steps.iter().flat_map(|step| of_step(step).into_iter().map(|grant| (step.name.as_str(), grant))).collect()
    }

    /// Returns the names and paths of the pipelines that its steps run, in the order of the steps.
    pub fn nested(&self) -> impl Iterator<Item = &str> {
        self.steps.iter().filter_map(|step| step.adapter.nested(&step.settings))
    }
}

impl std::fmt::Debug for Step {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Step")
            .field("name", &self.name)
            .field("adapter", &self.adapter.name())
            .field("settings", &self.settings)
            .field("needs", &self.needs)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
