//! The open folder, what of it the user agreed to, and what the window starts from.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

words! {
    TrustState { Trusted, Untrusted, Undecided }
    PinChange { Added, Changed, Removed }
}

words! {
    /// The source of a provider's key.
    #[ts(rename = "KeySource")]
#[schemars(rename = "KeySource")]
    KeyStatus { Keychain, Environment, NoneNeeded, Missing }
}

wire! {
    /// A piece of the folder that is executable or instructs the model.
    Pin {
        pub kind: String,
        pub path: String,
        pub hash: String,
        /// The effect, where the path does not say.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        pub note: Option<String>,
    }
    /// An item that differs from what the user approved.
    ChangedPin {
        pub kind: String,
        pub path: String,
        pub change: PinChange,
        /// The effect now, where the path does not say.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        pub note: Option<String>,
        pub diff: Option<String>,
    }
    ProjectState {
        pub path: String,
        pub name: String,
        pub trust: TrustState,
        pub enables: Vec<Pin>,
        pub changed: Vec<ChangedPin>,
        /// Further notices about the folder, a sentence each.
        pub notices: Vec<String>,
    }
    AppState {
        pub version: String,
        pub data_dir: String,
        pub project: Option<ProjectState>,
        pub recent_projects: Vec<String>,
        pub default_model: String,
        /// The sandbox that confines commands, or `none`.
        pub sandbox: String,
        /// Whether a model draws conclusions from runs, as the user's configuration says (`memory.reflect`).
        pub reflects: bool,
    }
    ProviderEntry {
        pub name: String,
        pub kind: String,
        pub base_url: Option<String>,
        pub is_local: bool,
        pub key_source: KeyStatus,
        pub key_env: Option<String>,
    }
}
