//! Forms that the client shows.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CreateElicitation<'a> {
    session_id: &'a str,
    /// The call that the form is shown beside.
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<String>,
    mode: &'static str,
    message: String,
    requested_schema: FormSchema,
}

#[derive(Debug, Default, Serialize)]
pub(crate) struct FormSchema {
    r#type: FormType,
    properties: BTreeMap<String, Value>,
    required: Vec<String>,
}

#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "lowercase")]
enum FormType {
    #[default]
    Object,
}

impl<'a> CreateElicitation<'a> {
    pub(crate) fn new(
        session_id: &'a str,
        tool_call_id: Option<String>,
        message: String,
        requested_schema: FormSchema,
    ) -> Self {
        Self { session_id, tool_call_id, mode: "form", message, requested_schema }
    }
}

impl FormSchema {
    pub(crate) fn with(mut self, name: &str, field: Value) -> Self {
        self.properties.insert(name.to_owned(), field);
        self
    }

    pub(crate) fn requiring(mut self, name: &str) -> Self {
        self.required.push(name.to_owned());
        self
    }
}

pub(crate) fn text_field(title: &str, description: &str, max_length: Option<u64>) -> Value {
    let mut field = json!({"type": "string", "title": title, "description": description});
    if let Some(max_length) = max_length {
        field["maxLength"] = json!(max_length);
    }
    field
}

/// One of these values, each with its title.
pub(crate) fn choice_field<'a>(title: &str, options: impl IntoIterator<Item = (&'a str, &'a str)>) -> Value {
    json!({"type": "string", "title": title, "oneOf": titled(options)})
}

/// Any number of these values.
pub(crate) fn choices_field<'a>(title: &str, options: impl IntoIterator<Item = (&'a str, &'a str)>) -> Value {
    json!({"type": "array", "title": title, "items": {"anyOf": titled(options)}})
}

fn titled<'a>(options: impl IntoIterator<Item = (&'a str, &'a str)>) -> Vec<Value> {
    options.into_iter().map(|(value, title)| json!({"const": value, "title": title})).collect()
}

/// The client's answer.
#[derive(Debug, Deserialize)]
pub(crate) struct Elicited {
    action: String,
    content: Option<Map<String, Value>>,
}

impl Elicited {
    /// The values that the user sent.
    pub(crate) fn values(self) -> Option<Map<String, Value>> {
        (self.action == "accept").then_some(self.content).flatten()
    }
}
