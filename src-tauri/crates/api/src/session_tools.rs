//! What of the tools a session goes without, as the window shows it.

use arki_domain::Category;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

wire! {
    SessionToolEntry {
        pub name: String,
        /// What the model is told.
        pub description: String,
        pub category: Category,
        pub enabled: bool,
    }
}
