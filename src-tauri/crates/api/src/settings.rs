//! The configuration, value by value, as the settings show and change it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

words! {
    /// The source of a value: the defaults, the user's own file, or the open folder's.
    SettingOrigin { Default, User, Project }
    /// The way a value is entered; anything that fits none of the first four is entered as JSON.
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
        /// The values that a choice offers; empty for any other kind.
        pub choices: Vec<String>,
        /// The value's purpose, in a sentence; empty where the key says it.
        pub about: String,
        /// True if `set_setting` takes the key; entries of lists and hidden values are changed in the file.
        pub can_be_set: bool,
    }
}
