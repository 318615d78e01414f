//! The configuration, value by value, as the settings show and change it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

words! {
    /// Who says so: nobody, the user's own file, or the open folder's.
    SettingOrigin { Default, User, Project }
    /// How a value is entered; anything but the first four as JSON.
    SettingKind { Switch, Number, Text, Choice, Json }
}

wire! {
    /// One value of the configuration that holds.
    SettingEntry {
        /// From the outermost braces, such as `limits.maxTurns` or `policy.rules[0]`.
        pub key: String,
        #[ts(type = "unknown")]
        pub value: Value,
        pub origin: SettingOrigin,
        /// The file that says so; null for a default.
        pub file: Option<String>,
        pub kind: SettingKind,
        /// Of a choice.
        pub choices: Vec<String>,
        /// What the value is for, in a sentence; empty where the key says it.
        pub about: String,
        /// Whether `set_setting` takes the key: an entry of a list is changed in the file.
        pub can_be_set: bool,
    }
}
