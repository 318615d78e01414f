//! Adapters: what a step can be. Each is one file, with the keys that are its own, and its line in [`ADAPTERS`].
//!
//! An adapter decides nothing about permissions and touches nothing itself: it asks the [`StepHost`], which the engine
//! implements over policy, sandbox and runs.

mod agent;
mod approval;
mod command;
mod fabric;
mod http;
mod pipeline;

pub(crate) use command::{cancelled, denylisted, timed_out, too_long};

use crate::problem::ADD;
use crate::step_host::{ChildEnd, StepHost, Task};
use crate::template::{Template, Values};
use arki_domain::{ApprovalId, Error};
use async_trait::async_trait;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

pub(crate) static ADAPTERS: &[&dyn Adapter] =
    &[&command::CommandAdapter, &agent::Agent, &approval::Approval, &fabric::Fabric, &pipeline::Pipeline, &http::Http];

#[async_trait]
pub trait Adapter: Send + Sync {
    fn name(&self) -> &'static str;

    /// Its purpose, on one line.
    fn about(&self) -> &'static str;

    /// The JSON Schema of its own keys.
    fn settings(&self) -> Value;

    /// Checks its own keys.
    fn check(&self, settings: &Value) -> Result<(), KeyProblem>;

    /// Its keys in which `{{…}}` is filled in: a text, or a map of texts.
    fn templates(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns the permissions that a step needs beyond the sandbox.
    fn grants(&self, _settings: &Value) -> Vec<Grant> {
        Vec::new()
    }

    /// Returns the name under which a run of its own works for the step, if one does.
    fn child(&self, _settings: &Value) -> Option<String> {
        None
    }

    /// Returns the name or path of the pipeline that the step runs, if it runs one.
    fn nested<'a>(&self, _settings: &'a Value) -> Option<&'a str> {
        None
    }

    /// Returns whether a run that failed for the step goes on where it failed when the step is tried again.
    fn resumes_child(&self) -> bool {
        false
    }

    /// Returns whether the step is a question to the user.
    fn asks(&self) -> bool {
        false
    }

    /// Does the step's work, once.
    async fn work(&self, task: &Task, world: &dyn StepHost) -> Result<AttemptResult, StepFault>;
}

/// A permission that a step gets by starting the pipeline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum Grant {
    /// It may reach the network.
    Network,
    /// It sends a request to this host.
    Host { host: String },
    /// It may read this file of the home folder, which other commands don't see.
    HomeFile { path: String },
}

impl Grant {
    /// Completes "the step … ".
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Self::Network => "uses the network".to_owned(),
            Self::Host { host } => format!("sends a request to {host}"),
            Self::HomeFile { path } => format!("reads ~/{path}"),
        }
    }
}

/// The result of an attempt that didn't fail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AttemptResult {
    Output {
        output: String,
        /// The files that it changed, relative to the project.
        changed: Vec<String>,
    },
    /// The user is asked this; approved, the input is the output.
    Ask { message: String },
    /// A run beneath waits for the user.
    Waiting(ApprovalId),
    /// A run beneath was paused.
    Paused,
}

impl AttemptResult {
    fn output(output: String) -> Self {
        Self::Output { output, changed: Vec::new() }
    }
}

/// The error that an attempt failed with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepFault {
    pub fault: Error,
    /// Another attempt may do better.
    pub is_retryable: bool,
}

impl StepFault {
    pub(crate) fn retryable(fault: Error) -> Self {
        Self { fault, is_retryable: true }
    }

    pub(crate) fn final_(fault: Error) -> Self {
        Self { fault, is_retryable: false }
    }
}

/// A problem with an adapter's own keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyProblem {
    /// The step itself where `None`.
    pub key: Option<String>,
    pub message: String,
    pub hint: String,
}

impl KeyProblem {
    fn of(key: &str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { key: Some(key.to_owned()), message: message.into(), hint: hint.into() }
    }
}

impl Task {
    fn read<T: DeserializeOwned>(&self) -> Result<T, StepFault> {
        serde_json::from_value(self.settings.clone()).map_err(|error| StepFault::final_(Error::internal(error)))
    }

    fn filled(&self, text: &str) -> Result<String, StepFault> {
        let template = self.template(text)?;
        Ok(template.fill(&self.values()))
    }

    fn template(&self, text: &str) -> Result<Template, StepFault> {
        Template::parse(text).map_err(|why| StepFault::final_(Error::internal(why)))
    }

    fn values(&self) -> Values<'_> {
        Values { input: &self.input, params: &self.params, needed: &self.needed }
    }
}

pub(crate) fn find(name: &str) -> Option<&'static dyn Adapter> {
    ADAPTERS.iter().find(|adapter| adapter.name() == name).copied()
}

pub(crate) fn names() -> impl Iterator<Item = &'static str> + Clone {
    ADAPTERS.iter().map(|adapter| adapter.name())
}

/// Reads an adapter's own keys as their type.
fn checked<T: DeserializeOwned>(settings: &Value) -> Result<T, KeyProblem> {
    serde_path_to_error::deserialize(settings).map_err(|error| {
        let key = error.path().to_string();
        let told = error.inner().to_string();
        match told.strip_prefix("missing field `") {
            Some(rest) => KeyProblem {
                key: None,
                message: format!("`{}` is missing.", rest.split('`').next().unwrap_or_default()),
                hint: ADD.to_owned(),
            },
            None => {
                let key = key.split(['.', '[']).next().unwrap_or_default().to_owned();
                let message = format!("`{key}` can't have this value: {told}.");
                KeyProblem {
                    key: Some(key),
                    message,
                    hint: "See docs/pipelines.md for the possible values.".to_owned(),
                }
            }
        }
    })
}

/// Returns the end of a run beneath as the result of its step.
fn of_child(end: ChildEnd) -> Result<AttemptResult, StepFault> {
    match end {
        ChildEnd::Completed { output } => Ok(AttemptResult::output(output)),
        ChildEnd::Failed(fault) => Err(StepFault::retryable(fault)),
        ChildEnd::Cancelled(fault) => Err(StepFault::final_(fault)),
        ChildEnd::Waiting(approval) => Ok(AttemptResult::Waiting(approval)),
        ChildEnd::Paused => Ok(AttemptResult::Paused),
    }
}
