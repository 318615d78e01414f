//! What of the tools a session goes without, as the window shows it.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

words! {
    ToolCategory { Read, Write, Exec, Network }
}

wire! {
    SessionToolEntry {
        pub name: String,
        /// What the model is told.
        pub description: String,
        pub category: ToolCategory,
        pub enabled: bool,
    }
}
