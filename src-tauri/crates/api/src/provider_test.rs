//! The test of a provider, and what local servers list, as the settings and the command line show them.

use crate::ModelEntry;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

wire! {
    /// One step of a provider's test that has ended.
    ProviderTestStep {
        pub step: ProviderTestStepName,
        pub state: ProviderTestState,
        pub duration_ms: u64,
        /// The finding, the reason why the step was skipped, or the error.
        pub message: String,
        /// The error code of a step that failed.
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
    /// The steps in their order: `models` lists them, `model` looks for the chosen one, `answer` has it say a word.
    ProviderTestStepName { Settings, Key, Reach, Tls, Models, Model, Answer }
    ProviderTestState { Ok, Failed, Skipped }
}
