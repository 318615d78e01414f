//! What of the tools a session goes without, as the window shows it.

use crate::SessionTool;
use arki_domain::Category;
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

impl From<SessionTool> for SessionToolEntry {
    fn from(tool: SessionTool) -> Self {
        let category = match tool.definition.category {
            Category::Read => ToolCategory::Read,
            Category::Write => ToolCategory::Write,
            Category::Exec => ToolCategory::Exec,
            Category::Network => ToolCategory::Network,
        };
        let (name, description) = (tool.definition.name.to_string(), tool.definition.description.to_string());
        Self { name, description, category, enabled: tool.enabled }
    }
}
