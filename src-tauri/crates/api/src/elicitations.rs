//! Questions of MCP servers to the user: forms to fill in and pages to visit.

use arki_domain::ElicitationValue;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use ts_rs::TS;

words! {
    ElicitationFormat { Email, Uri, Date, DateTime }
    ElicitationAction { Accept, Decline, Cancel }
}

wire! {
    /// A question of an MCP server that waits for the user; all its words are the server's.
    ElicitationSummary {
        #[ts(type = "number")]
        pub id: u64,
        pub server: String,
        /// The folder whose server it is.
        pub project: String,
        /// The session it came up in; `null` where it may be any of several.
        pub session_id: Option<String>,
        /// Milliseconds since 1970.
        pub asked_at: i64,
        pub message: String,
        /// The form's fields, in order; none of a page.
        pub fields: Vec<ElicitationField>,
        pub page: Option<ElicitationPage>,
    }
    /// An address in three parts, so that its host can be seen.
    ElicitationPage {
        pub before: String,
        pub host: String,
        pub after: String,
    }
    ElicitationField {
        pub name: String,
        pub label: String,
        pub description: String,
        pub required: bool,
        pub kind: ElicitationFieldKind,
        #[ts(type = "unknown")]
        pub default: Option<Value>,
    }
    ElicitationChoice {
        pub value: String,
        pub title: String,
    }
    /// `values` by the fields' names; what is left empty is not among them.
    ElicitationReply {
        pub action: ElicitationAction,
        #[ts(as = "BTreeMap<String, ElicitationValue>")]
        #[schemars(with = "BTreeMap<String, ElicitationValue>")]
        pub values: Map<String, Value>,
    }
    /// An error in a field's value, as a sentence.
    ElicitationFault {
        pub field: String,
        pub message: String,
    }
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[ts(export)]
pub enum ElicitationFieldKind {
    Text {
        format: Option<ElicitationFormat>,
        #[ts(type = "number | null")]
        max_length: Option<u64>,
    },
    Number {
        is_integer: bool,
        minimum: Option<f64>,
        maximum: Option<f64>,
    },
    Boolean,
    Choice {
        options: Vec<ElicitationChoice>,
    },
    Choices {
        options: Vec<ElicitationChoice>,
    },
}
