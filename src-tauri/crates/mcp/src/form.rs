//! The form of a question that a server asks the user: its fields, and whether values fit them.
//!
//! Both come from somebody else: the fields from the server, whose words are bounded and shown as plain text, and the
//! values from the user, who is told for each field what is wrong with it before anything is sent.

use crate::fault::quoted;
use jsonschema::error::ValidationErrorKind;
use rmcp::model::{
    ConstTitle, ElicitationSchema, EnumSchema, MultiSelectEnumSchema, PrimitiveSchemaDefinition,
    SingleSelectEnumSchema, StringFormat,
};
use serde_json::{Map, Value};

const MAX_FIELDS: usize = 30;
const MAX_OPTIONS: usize = 200;
/// The limit for a form as the server sent it.
const MAX_SCHEMA_BYTES: usize = 64 * 1024;
const MAX_NAME_CHARS: usize = 200;
/// The limit for all values together.
const MAX_VALUES_BYTES: usize = 64 * 1024;

/// Fields in the server's order.
#[derive(Debug, Clone, PartialEq)]
pub struct Form {
    pub fields: Vec<Field>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// The server's own, by which values are sent.
    pub name: String,
    /// The label for people, on one line.
    pub label: String,
    pub description: String,
    pub required: bool,
    pub kind: FieldKind,
    /// The server's suggestion, where it is valid.
    pub default: Option<Value>,
    schema: Value,
}

/// The way a field is shown; the schema says whether a value is valid.
#[derive(Debug, Clone, PartialEq)]
pub enum FieldKind {
    Text {
        format: Option<TextFormat>,
        max_length: Option<u64>,
    },
    Number {
        is_integer: bool,
        minimum: Option<f64>,
        maximum: Option<f64>,
    },
    Boolean,
    /// One of these.
    Choice(Vec<Choice>),
    /// Several of these.
    Choices(Vec<Choice>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextFormat {
    Email,
    Uri,
    Date,
    DateTime,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    pub value: String,
    /// The title for people, on one line.
    pub title: String,
}

/// The error in a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldFault {
    pub field: String,
    /// A sentence.
    pub message: String,
}

impl Form {
    /// # Errors
    /// Why it can't be shown, as half a sentence.
    pub(crate) fn of(schema: &ElicitationSchema) -> Result<Self, String> {
        let whole = serde_json::to_value(schema).map_err(|error| error.to_string())?;
        if whole.to_string().len() > MAX_SCHEMA_BYTES {
            return Err(format!("its form is larger than {} KiB", MAX_SCHEMA_BYTES >> 10));
        }
        if schema.properties.len() > MAX_FIELDS {
            return Err(format!("its form has more than {MAX_FIELDS} fields"));
        }
        let in_order = schema.property_order.clone().unwrap_or_else(|| schema.properties.keys().cloned().collect());
        let required = schema.required.clone().unwrap_or_default();
        let field = |name: String| {
            let definition = schema.properties.get(&name)?;
            Some(Field::of(&name, required.contains(&name), definition))
        };
        Ok(Self { fields: in_order.into_iter().filter_map(field).collect::<Result<_, _>>()? })
    }

    /// Returns what the server suggests for each field.
    #[must_use]
    pub fn defaults(&self) -> Map<String, Value> {
        self.fields.iter().filter_map(|field| Some((field.name.clone(), field.default.clone()?))).collect()
    }

    /// Checks values by the fields' names; a field that is left empty has none.
    ///
    /// # Errors
    /// What is wrong, at most once a field, in the form's order.
    pub fn check(&self, values: &Map<String, Value>) -> Result<(), Vec<FieldFault>> {
        let mut faults: Vec<FieldFault> = self.fields.iter().filter_map(|field| field.check(values)).collect();
        let unknown = values.keys().find(|name| self.fields.iter().all(|field| field.name != **name));
        faults
            .extend(unknown.map(|name| FieldFault { field: name.clone(), message: "There is no such field.".into() }));
        if faults.is_empty() && Value::Object(values.clone()).to_string().len() > MAX_VALUES_BYTES {
            let field = self.fields.first().map(|field| field.name.clone()).unwrap_or_default();
            let message = format!("The answers are longer than {} KiB in total.", MAX_VALUES_BYTES >> 10);
            faults.push(FieldFault { field, message });
        }
        if faults.is_empty() { Ok(()) } else { Err(faults) }
    }
}

impl Field {
    fn of(name: &str, required: bool, definition: &PrimitiveSchemaDefinition) -> Result<Self, String> {
        if name.is_empty() || name.chars().count() > MAX_NAME_CHARS {
            return Err(format!("a field's name is empty or longer than {MAX_NAME_CHARS} characters"));
        }
        let kind = FieldKind::of(definition)?;
        let schema = serde_json::to_value(definition).map_err(|error| error.to_string())?;
        let words = |key: &str| schema.get(key).and_then(Value::as_str).map(quoted).unwrap_or_default();
        let label = Some(words("title")).filter(|title| !title.is_empty()).unwrap_or_else(|| quoted(name));
        let description = words("description");
        let default = schema.get("default").cloned();
        let field = Self { name: name.to_owned(), label, description, required, kind, default, schema };
        let fits = field.default.as_ref().is_some_and(|default| field.problem(default).is_none());
        Ok(Self { default: field.default.clone().filter(|_| fits), ..field })
    }

    fn check(&self, values: &Map<String, Value>) -> Option<FieldFault> {
        let message = match values.get(&self.name) {
            None | Some(Value::Null) if self.required => Some("Fill this in.".to_owned()),
            None => None,
            Some(value) => self.problem(value),
        };
        message.map(|message| FieldFault { field: self.name.clone(), message })
    }

    fn problem(&self, value: &Value) -> Option<String> {
        let validator = jsonschema::options().should_validate_formats(true).build(&self.schema);
        match validator {
            Ok(validator) => validator.iter_errors(value).next().map(|error| self.words(error.kind())),
            Err(_) => Some("The server's description of this field allows no answer.".to_owned()),
        }
    }

    fn words(&self, problem: &ValidationErrorKind) -> String {
        let many = |number: u64, one: &str| format!("{number} {one}{}", if number == 1 { "" } else { "s" });
        match problem {
            ValidationErrorKind::MinLength { limit } => format!("At least {}.", many(*limit, "character")),
            ValidationErrorKind::MaxLength { limit } => format!("At most {}.", many(*limit, "character")),
            ValidationErrorKind::Minimum { limit } => format!("At least {limit}."),
            ValidationErrorKind::Maximum { limit } => format!("At most {limit}."),
            ValidationErrorKind::MinItems { limit } => format!("Choose at least {limit}."),
            ValidationErrorKind::MaxItems { limit } => format!("Choose at most {limit}."),
            _ => self.kind.wanted().to_owned(),
        }
    }
}

impl FieldKind {
    /// The values that such a field takes, as a sentence.
    fn wanted(&self) -> &'static str {
        match self {
            Self::Text { format: Some(TextFormat::Email), .. } => "An e-mail address, such as ada@example.org.",
            Self::Text { format: Some(TextFormat::Uri), .. } => "A full address, such as https://example.org/.",
            Self::Text { format: Some(TextFormat::Date), .. } => "A day, such as 2026-12-24.",
            Self::Text { format: Some(TextFormat::DateTime), .. } => {
                "A time with its time zone, such as 2026-12-24T18:00:00Z."
            }
            Self::Text { format: None, .. } => "Some text.",
            Self::Number { is_integer: true, .. } => "A whole number.",
            Self::Number { is_integer: false, .. } => "A number.",
            Self::Boolean => "Yes or no.",
            Self::Choice(_) => "Choose one from the list.",
            Self::Choices(_) => "Choose from the list.",
        }
    }

    fn of(definition: &PrimitiveSchemaDefinition) -> Result<Self, String> {
        Ok(match definition {
            PrimitiveSchemaDefinition::String(text) => {
                Self::Text { format: text.format.and_then(TextFormat::of), max_length: text.max_length.map(u64::from) }
            }
            PrimitiveSchemaDefinition::Number(number) => {
                Self::Number { is_integer: false, minimum: number.minimum, maximum: number.maximum }
            }
            PrimitiveSchemaDefinition::Integer(number) => Self::Number {
                is_integer: true,
                minimum: number.minimum.map(|bound| bound as f64),
                maximum: number.maximum.map(|bound| bound as f64),
            },
            PrimitiveSchemaDefinition::Boolean(_) => Self::Boolean,
            PrimitiveSchemaDefinition::Enum(EnumSchema::Single(SingleSelectEnumSchema::Untitled(one))) => {
                Self::Choice(plain(&one.enum_)?)
            }
            PrimitiveSchemaDefinition::Enum(EnumSchema::Single(SingleSelectEnumSchema::Titled(one))) => {
                Self::Choice(titled(&one.one_of)?)
            }
            PrimitiveSchemaDefinition::Enum(EnumSchema::Legacy(one)) => {
                let titles = one.enum_names.clone().unwrap_or_default();
                let mut choices = plain(&one.enum_)?;
                choices.iter_mut().zip(&titles).for_each(|(choice, title)| choice.title = quoted(title));
                Self::Choice(choices)
            }
            PrimitiveSchemaDefinition::Enum(EnumSchema::Multi(MultiSelectEnumSchema::Untitled(many))) => {
                Self::Choices(plain(&many.items.enum_)?)
            }
            PrimitiveSchemaDefinition::Enum(EnumSchema::Multi(MultiSelectEnumSchema::Titled(many))) => {
                Self::Choices(titled(&many.items.any_of)?)
            }
            _ => return Err("its form has a field of an unknown kind".to_owned()),
        })
    }
}

impl TextFormat {
    fn of(format: StringFormat) -> Option<Self> {
        match format {
            StringFormat::Email => Some(Self::Email),
            StringFormat::Uri => Some(Self::Uri),
            StringFormat::Date => Some(Self::Date),
            StringFormat::DateTime => Some(Self::DateTime),
            _ => None,
        }
    }
}

fn plain(values: &[String]) -> Result<Vec<Choice>, String> {
    choices(values.iter().map(|value| (value, value)))
}

fn titled(options: &[ConstTitle]) -> Result<Vec<Choice>, String> {
    choices(options.iter().map(|option| (&option.const_, &option.title)))
}

fn choices<'a>(options: impl ExactSizeIterator<Item = (&'a String, &'a String)>) -> Result<Vec<Choice>, String> {
    if options.len() > MAX_OPTIONS {
        return Err(format!("a field has more than {MAX_OPTIONS} answers to choose from"));
    }
    Ok(options.map(|(value, title)| Choice { value: value.clone(), title: quoted(title) }).collect())
}

#[cfg(test)]
mod tests;
