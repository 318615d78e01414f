//! The keys of a definition that are no adapter's: their form, their defaults and their bounds.

use crate::condition::ConditionFile;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

const DEFAULT_MAX_STEPS: u32 = 50;
const DEFAULT_MAX_BYTES: u64 = 10 << 20;
const DEFAULT_STEP_TIMEOUT_SECONDS: u64 = 300;
const DEFAULT_RUN_TIMEOUT_SECONDS: u64 = 3600;
const DEFAULT_MAX_PARALLEL: u32 = 4;
const DEFAULT_BACKOFF_MS: u64 = 1000;

/// The bounds of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Steps, and items of `foreach` steps.
    #[schemars(range(min = 1, max = 10_000))]
    pub max_steps: u32,
    /// The longest input of the pipeline, and of each step, in bytes.
    #[schemars(range(min = 1, max = 67_108_864))]
    pub max_input_bytes: u64,
    /// The longest output of each step, in bytes.
    #[schemars(range(min = 1, max = 67_108_864))]
    pub max_output_bytes: u64,
    /// The time limit of one attempt of a step, in seconds.
    #[schemars(range(min = 1, max = 604_800))]
    pub step_timeout_seconds: u64,
    /// The time limit of the whole run, in seconds; time spent waiting for a decision doesn't count.
    #[schemars(range(min = 1, max = 604_800))]
    pub run_timeout_seconds: u64,
    /// Steps that run at the same time.
    #[schemars(range(min = 1, max = 64))]
    pub max_parallel: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_steps: DEFAULT_MAX_STEPS,
            max_input_bytes: DEFAULT_MAX_BYTES,
            max_output_bytes: DEFAULT_MAX_BYTES,
            step_timeout_seconds: DEFAULT_STEP_TIMEOUT_SECONDS,
            run_timeout_seconds: DEFAULT_RUN_TIMEOUT_SECONDS,
            max_parallel: DEFAULT_MAX_PARALLEL,
        }
    }
}

/// The rules for trying a failed step again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct StepRetry {
    /// The first included.
    #[schemars(range(min = 1, max = 20))]
    pub max_attempts: u32,
    /// The pause before the second attempt; it doubles with each further one, up to five minutes.
    #[schemars(range(max = 300_000))]
    pub backoff_ms: u64,
}

impl Default for StepRetry {
    fn default() -> Self {
        Self { max_attempts: 1, backoff_ms: DEFAULT_BACKOFF_MS }
    }
}

/// Runs a step once for each item of its input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Foreach {
    /// Each line that isn't empty. The outputs are joined by newlines.
    Lines,
    /// Each element of a JSON array; texts without their quotes. The output is a JSON array.
    Json,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OutputForm {
    #[default]
    Text,
    /// Anything but one JSON value fails the step.
    Json,
}

/// The name under which a step's output is kept as an artifact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Artifact {
    pub name: String,
    #[serde(default = "plain_text")]
    pub media_type: String,
}

fn plain_text() -> String {
    "text/plain".to_owned()
}

/// The keys that any step can have.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StepFile {
    /// Letters, digits, `-` and `_`.
    #[schemars(regex(pattern = r"^[A-Za-z0-9_-]{1,64}$"))]
    pub(crate) name: String,
    /// The steps whose outputs are this one's input, joined by newlines. Without it, the previous step; `[]` is the
    /// pipeline's input.
    #[serde(default)]
    pub(crate) needs: Option<Vec<String>>,
    /// Runs the step only if this holds. A step that is skipped hands its input on.
    #[serde(default)]
    pub(crate) when: Option<ConditionFile>,
    #[serde(default)]
    pub(crate) foreach: Option<Foreach>,
    #[serde(default)]
    pub(crate) retry: StepRetry,
    /// The time limit of one attempt, in seconds, instead of `limits.step_timeout_seconds`. An approval counts as
    /// rejected after this time.
    #[serde(default)]
    #[schemars(range(min = 1, max = 604_800))]
    pub(crate) timeout_seconds: Option<u64>,
    #[serde(default)]
    pub(crate) output: OutputForm,
    /// JSON Schema that the output has to follow; implies `output: json`.
    #[serde(default)]
    pub(crate) output_schema: Option<Value>,
    /// Keeps the output as an artifact.
    #[serde(default)]
    pub(crate) artifact: Option<Artifact>,
}

/// The keys of a definition but its steps and parameters.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DefinitionFile {
    /// Letters, digits, `-` and `_`.
    #[schemars(regex(pattern = r"^[A-Za-z0-9_-]{1,64}$"))]
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) description: String,
    #[serde(default)]
    pub(crate) limits: Limits,
    /// Globs of paths that no step may touch.
    #[serde(default)]
    pub(crate) denylist_patterns: Option<Vec<String>>,
}

/// Returns whether it can be a name: letters, digits, `-` and `_`.
pub(crate) fn is_name(name: &str) -> bool {
    let is_allowed = |character: char| character.is_ascii_alphanumeric() || "-_".contains(character);
    (1..=64).contains(&name.len()) && name.chars().all(is_allowed)
}
