//! What MCP servers ask the user, as forms to fill in and pages to visit.

use arki_mcp::{Choice, Field, FieldFault, FieldKind, TextFormat};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
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
        #[ts(type = "Record<string, unknown>")]
        pub values: Map<String, Value>,
    }
    /// What is wrong with a field's value, as a sentence.
    ElicitationFault {
        pub field: String,
        pub message: String,
    }
}

#[derive(Debug, Clone, Serialize, Deserialize, TS)]
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

impl From<&Field> for ElicitationField {
    fn from(field: &Field) -> Self {
        Self {
            name: field.name.clone(),
            label: field.label.clone(),
            description: field.description.clone(),
            required: field.required,
            kind: (&field.kind).into(),
            default: field.default.clone(),
        }
    }
}

impl From<&FieldKind> for ElicitationFieldKind {
    fn from(kind: &FieldKind) -> Self {
        let shown = |options: &[Choice]| options.iter().map(ElicitationChoice::from).collect();
        match kind {
            FieldKind::Text { format, max_length } => {
                Self::Text { format: format.map(ElicitationFormat::from), max_length: *max_length }
            }
            FieldKind::Number { is_integer, minimum, maximum } => {
                Self::Number { is_integer: *is_integer, minimum: *minimum, maximum: *maximum }
            }
            FieldKind::Boolean => Self::Boolean,
            FieldKind::Choice(options) => Self::Choice { options: shown(options) },
            FieldKind::Choices(options) => Self::Choices { options: shown(options) },
        }
    }
}

impl From<TextFormat> for ElicitationFormat {
    fn from(format: TextFormat) -> Self {
        match format {
            TextFormat::Email => Self::Email,
            TextFormat::Uri => Self::Uri,
            TextFormat::Date => Self::Date,
            TextFormat::DateTime => Self::DateTime,
        }
    }
}

impl From<&Choice> for ElicitationChoice {
    fn from(choice: &Choice) -> Self {
        Self { value: choice.value.clone(), title: choice.title.clone() }
    }
}

impl From<FieldFault> for ElicitationFault {
    fn from(fault: FieldFault) -> Self {
        Self { field: fault.field, message: fault.message }
    }
}
