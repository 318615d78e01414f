//! The tools that a session goes without, as the window shows them.

use arki_domain::Category;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

wire! {
    SessionToolEntry {
        pub name: String,
        /// The description that the model gets.
        pub description: String,
        pub category: Category,
        pub enabled: bool,
    }
}
