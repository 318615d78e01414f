//! Tool calls and the permissions for them.

use crate::messages::content::ContentBlock;
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ToolKind {
    Read,
    Edit,
    Delete,
    Search,
    Execute,
    Think,
    Fetch,
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ToolCallStatus {
    Pending,
    InProgress,
    Completed,
    Failed,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub(crate) enum ToolCallContent {
    Content {
        content: ContentBlock,
    },
    /// A part of a file before and after.
    Diff {
        path: String,
        old_text: Option<String>,
        new_text: String,
    },
    Terminal {
        terminal_id: String,
    },
}

impl ToolCallContent {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Content { content: ContentBlock::text(text) }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct ToolCallLocation {
    /// Absolute.
    pub(crate) path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<u32>,
}

/// A tool call as it begins, or what changed of it: what is `None` stays.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ToolCallUpdate {
    pub(crate) tool_call_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) title: Option<String>,
    /// The tool's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) kind: Option<ToolKind>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<ToolCallStatus>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) content: Option<Vec<ToolCallContent>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) locations: Option<Vec<ToolCallLocation>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) raw_input: Option<Value>,
    /// The output of a terminal, for clients that show it.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub(crate) meta: Option<Value>,
}

impl ToolCallUpdate {
    pub(crate) fn of(tool_call_id: impl Into<String>) -> Self {
        Self { tool_call_id: tool_call_id.into(), ..Self::default() }
    }

    /// Returns whether it says anything.
    pub(crate) fn is_news(&self) -> bool {
        *self != Self::of(self.tool_call_id.clone())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PermissionKind {
    AllowOnce,
    AllowAlways,
    RejectOnce,
    RejectAlways,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PermissionOption {
    pub(crate) option_id: &'static str,
    pub(crate) name: String,
    pub(crate) kind: PermissionKind,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RequestPermission<'a> {
    pub(crate) session_id: &'a str,
    pub(crate) tool_call: ToolCallUpdate,
    pub(crate) options: &'a [PermissionOption],
}

#[derive(Debug, Deserialize)]
pub(crate) struct PermissionAnswer {
    outcome: PermissionOutcome,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case", rename_all_fields = "camelCase")]
enum PermissionOutcome {
    Cancelled,
    Selected { option_id: String },
}

impl PermissionAnswer {
    /// The option that was chosen.
    pub(crate) fn chosen(&self) -> Option<&str> {
        match &self.outcome {
            PermissionOutcome::Cancelled => None,
            PermissionOutcome::Selected { option_id } => Some(option_id),
        }
    }
}
