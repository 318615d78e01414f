//! The form of an MCP server's question, as clients are told it.

use arki_api::{ElicitationChoice, ElicitationField, ElicitationFieldKind, ElicitationFormat};
use arki_mcp::{Choice, Field, FieldKind, TextFormat};

pub(super) fn field(field: &Field) -> ElicitationField {
    ElicitationField {
        name: field.name.clone(),
        label: field.label.clone(),
        description: field.description.clone(),
        required: field.required,
        kind: kind(&field.kind),
        default: field.default.clone(),
    }
}

fn kind(kind: &FieldKind) -> ElicitationFieldKind {
    match kind {
        FieldKind::Text { format, max_length } => {
            ElicitationFieldKind::Text { format: format.map(text_format), max_length: *max_length }
        }
        FieldKind::Number { is_integer, minimum, maximum } => {
            ElicitationFieldKind::Number { is_integer: *is_integer, minimum: *minimum, maximum: *maximum }
        }
        FieldKind::Boolean => ElicitationFieldKind::Boolean,
        FieldKind::Choice(options) => ElicitationFieldKind::Choice { options: choices(options) },
        FieldKind::Choices(options) => ElicitationFieldKind::Choices { options: choices(options) },
    }
}

fn text_format(format: TextFormat) -> ElicitationFormat {
    match format {
        TextFormat::Email => ElicitationFormat::Email,
        TextFormat::Uri => ElicitationFormat::Uri,
        TextFormat::Date => ElicitationFormat::Date,
        TextFormat::DateTime => ElicitationFormat::DateTime,
    }
}

fn choices(options: &[Choice]) -> Vec<ElicitationChoice> {
    options
        .iter()
        .map(|choice| ElicitationChoice { value: choice.value.clone(), title: choice.title.clone() })
        .collect()
}
