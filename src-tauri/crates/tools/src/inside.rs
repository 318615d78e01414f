//! Tools that work on Arki's own things alone: the session's log, the kept contents, the tools themselves. They touch
//! neither the project nor anything outside.

use crate::guide::Guides;
use crate::outcome::{Output, ToolError};
use arki_domain::projection::AgentState;
use arki_domain::{Content, EventBody, ToolDefinition};
use arki_redaction::Redactor;
use serde_json::Value;
use std::sync::Arc;

pub(crate) struct InsideTask<'a> {
    pub(crate) args: &'a Value,
    /// The manual of the tool of that name; empty where it has none.
    pub(crate) manual_of: &'a (dyn Fn(&str) -> Option<Arc<str>> + Sync + 'a),
    /// The tools that the model has.
    pub(crate) offered: &'a [ToolDefinition],
    pub(crate) guides: &'a Guides,
    /// The result that is to be read again.
    pub(crate) previous: Option<&'a str>,
    /// The session's state.
    pub(crate) agent_state: &'a AgentState,
    pub(crate) redactor: &'a Redactor,
}

/// The result of a call: for the model, for the log besides, and for keeping.
#[derive(Default)]
pub(crate) struct InsideResult {
    pub(crate) output: Output,
    pub(crate) events: Vec<EventBody>,
    pub(crate) contents: Vec<Content>,
}

impl From<Output> for InsideResult {
    fn from(output: Output) -> Self {
        Self { output, ..Self::default() }
    }
}

pub(crate) type InsideAction = fn(&InsideTask<'_>) -> Result<InsideResult, ToolError>;
