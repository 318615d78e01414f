//! The test of a provider, and what local servers list, as the settings and the command line show them.

use super::ModelEntry;
use arki_domain::Redactor;
use arki_llm::{TestOutcome, TestStep, TestStepName};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

wire! {
    /// One step of a provider's test that has ended.
    ProviderTestStep {
        pub step: ProviderTestStepName,
        pub state: ProviderTestState,
        pub duration_ms: u64,
        /// What was found, why the step tells nothing here, or what failed.
        pub message: String,
        /// Of a step that failed.
        pub code: Option<String>,
        pub hint: Option<String>,
    }
    /// All known models, those that local servers list now among them.
    LiveModelList {
        pub models: Vec<ModelEntry>,
        /// The local servers that did not answer.
        pub silent: Vec<SilentProvider>,
    }
    SilentProvider {
        pub provider: String,
        pub code: String,
        pub message: String,
        pub hint: String,
    }
}

words! {
    /// In their order: `models` lists them, `model` looks for the chosen one, `answer` has it say a word.
    ProviderTestStepName { Settings, Key, Reach, Tls, Models, Model, Answer }
    ProviderTestState { Ok, Failed, Skipped }
}

impl From<TestStep> for ProviderTestStep {
    fn from(step: TestStep) -> Self {
        let (state, message, code, hint) = match step.outcome {
            TestOutcome::Ok(words) => (ProviderTestState::Ok, words, None, None),
            TestOutcome::Skipped(words) => (ProviderTestState::Skipped, words, None, None),
            TestOutcome::Failed(fault) => {
                (ProviderTestState::Failed, fault.message, Some(fault.code), Some(fault.hint))
            }
        };
        let duration_ms = u64::try_from(step.duration.as_millis()).unwrap_or(u64::MAX);
        Self { step: step.name.into(), state, duration_ms, message, code, hint }
    }
}

impl ProviderTestStep {
    /// A server may repeat a key, also another's, in what it says.
    pub(crate) fn redacted(self, redactor: &Redactor) -> Self {
        let redacted = |text: String| redactor.redact(&text).into_owned();
        Self { message: redacted(self.message), hint: self.hint.map(redacted), ..self }
    }
}

impl From<TestStepName> for ProviderTestStepName {
    fn from(name: TestStepName) -> Self {
        match name {
            TestStepName::Settings => Self::Settings,
            TestStepName::Key => Self::Key,
            TestStepName::Reach => Self::Reach,
            TestStepName::Tls => Self::Tls,
            TestStepName::Models => Self::Models,
            TestStepName::Model => Self::Model,
            TestStepName::Answer => Self::Answer,
        }
    }
}
