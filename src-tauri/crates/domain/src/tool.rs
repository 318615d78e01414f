//! Tools as models see them, and the words of a policy decision.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

payload! {
    #[derive(Hash, PartialOrd, Ord)]
    #[ts(rename = "ToolCategory")]
    #[schemars(rename = "ToolCategory")]
    enum Category {
        Read,
        Write,
        Exec,
        Network,
    }
}

/// A tool as it is offered to a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolDefinition {
    pub name: Arc<str>,
    pub description: Arc<str>,
    pub category: Category,
    /// JSON Schema of the arguments: an object.
    pub parameters: Value,
}

payload! {
    /// A decision of the policy on one call, from the loosest to the strictest.
    #[derive(PartialOrd, Ord)]
    enum Decision {
        Allow,
        /// Run, for a command; its changes are reviewed before they land.
        Review,
        /// Shown as a diff first.
        Preview,
        Approval,
        Deny,
    }

    #[derive(PartialOrd, Ord)]
    enum Risk {
        Low,
        Medium,
        High,
    }
}

impl Decision {
    /// Returns whether the call is carried out without asking first. The changes of one that is reviewed are asked about
    /// afterwards.
    #[must_use]
    pub const fn is_unasked(self) -> bool {
        matches!(self, Self::Allow | Self::Review)
    }
}

/// The rule's name when a call is denied because the folder is not trusted.
pub const UNTRUSTED_RULE: &str = "builtin:untrusted";

/// The rule's name when a call is asked about because it was made so often in a row.
pub const REPEATED_RULE: &str = "builtin:repeated-call";

/// The tool that hands a task to a sub-agent.
pub const DELEGATE_TOOL: &str = "delegate";

/// The tool that takes a sub-agent's changes out of its worktree.
pub const TAKE_CHANGES_TOOL: &str = "take_changes";

/// Returns whether a call asks to go on in the background: commands and delegated tasks do, with the argument
/// `background`.
#[must_use]
pub fn goes_on_in_background(tool_id: &str, category: Category, args: &Value) -> bool {
    let may = category == Category::Exec || tool_id == DELEGATE_TOOL;
    may && args.get("background") == Some(&Value::Bool(true))
}
