//! Pipelines: repeatable work in steps that can be resumed, with gates for people.
//!
//! A [`Definition`] is read from YAML and checked as a whole. A [`PipelineRun`] carries out one run of it over a session's
//! log. What a step does is an [`Adapter`]'s, and how that reaches the world is a [`StepHost`]'s, which the engine implements:
//! nothing here can start a process, read a file or ask a model.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic))]

mod adapter;
mod condition;
mod definition;
mod denylist;
mod forbidden_paths;
mod graph;
mod key_schema;
mod params;
mod problem;
mod runner;
mod step_host;
mod template;

pub use adapter::{Adapter, AttemptResult, Grant, KeyProblem, StepFault};
pub use definition::schema::definition_schema;
pub use definition::{
    Artifact, Definition, Foreach, Limits, MAX_DEFINITION_BYTES, MAX_STEPS_EVER, OutputForm, Step, StepRetry,
};
pub use denylist::Denylist;
pub use params::{Param, ParamKind, values as param_values};
pub use problem::{DefinitionProblem, TextPlace, as_fault};
pub use runner::{PipelineParts, PipelineRun, PipelineSnapshot};
pub use step_host::{
    AgentTask, ChildEnd, CommandEnd, CommandEnding, CommandTask, HttpRequest, HttpResponse, StepContext, StepHost, Task,
};
