//! The kind of input for a value of the configuration, by its schema.

use arki_api::SettingKind;
use arki_config::unless_null;
use serde_json::{Map, Value, json};

/// The shape of a value, by its schema.
pub(super) enum Shape<'a> {
    /// An object with fixed keys; without those in `needs` it can't be there.
    Group {
        needs: &'a [Value],
    },
    /// An object whose keys are names. `usual` are those that it may have anyway.
    Map {
        entry: &'a Value,
        usual: Vec<String>,
    },
    List {
        item: &'a Value,
    },
    Leaf,
}

impl<'a> Shape<'a> {
    pub(super) fn of(schema: &'a Value) -> Self {
        let schema = unless_null(schema);
        if schema["properties"].is_object() {
            return Self::Group { needs: schema["required"].as_array().map_or(&[], Vec::as_slice) };
        }
        if schema["additionalProperties"].is_object() {
            return Self::Map {
                entry: &schema["additionalProperties"],
                usual: words(&schema["propertyNames"]["enum"]),
            };
        }
        if schema["items"].is_object() { Self::List { item: &schema["items"] } } else { Self::Leaf }
    }
}

/// The parts of a `SettingEntry` that its schema says.
pub(super) struct SchemaFacts {
    pub(super) kind: SettingKind,
    pub(super) choices: Vec<String>,
    pub(super) about: String,
    pub(super) item_kind: Option<SettingKind>,
    pub(super) item_choices: Vec<String>,
    pub(super) template: Value,
}

impl SchemaFacts {
    pub(super) fn of(schema: &Value) -> Self {
        let about = schema["description"].as_str().or_else(|| unless_null(schema)["description"].as_str());
        let about = about.unwrap_or_default().replace('\n', " ");
        let (part, kind) = match Shape::of(schema) {
            Shape::Map { entry, .. } => (Some(entry), SettingKind::Map),
            Shape::List { item } => (Some(item), SettingKind::List),
            Shape::Group { .. } | Shape::Leaf => (None, SettingKind::Json),
        };
        let Some(part) = part else {
            let (kind, choices) = kind_of(schema);
            return Self {
                kind,
                choices,
                about,
                item_kind: None,
                item_choices: Vec::new(),
                template: template(schema),
            };
        };
        let (item_kind, item_choices) = kind_of(part);
        let template = template(part);
        Self { kind, choices: Vec::new(), about, item_kind: Some(item_kind), item_choices, template }
    }
}

/// Returns the kind and the choices of a value, by its types in the schema. `null` beside another type only means that
/// the value may be absent.
fn kind_of(schema: &Value) -> (SettingKind, Vec<String>) {
    let (mut types, mut choices) = (Vec::new(), Vec::new());
    gather(schema, &mut types, &mut choices);
    types.retain(|name| *name != "null");
    types.dedup();
    let kind = match types.as_slice() {
        _ if !choices.is_empty() => SettingKind::Choice,
        ["boolean"] => SettingKind::Switch,
        ["integer" | "number"] => SettingKind::Number,
        ["string"] if unless_null(schema)["contentMediaType"].is_string() => SettingKind::LongText,
        ["string"] => SettingKind::Text,
        _ => SettingKind::Json,
    };
    (kind, choices)
}

fn gather<'a>(schema: &'a Value, types: &mut Vec<&'a str>, choices: &mut Vec<String>) {
    match &schema["type"] {
        Value::String(name) => types.push(name),
        Value::Array(names) => types.extend(names.iter().filter_map(Value::as_str)),
        _ => {}
    }
    let words = schema["enum"].as_array().into_iter().flatten().chain(schema.get("const"));
    choices.extend(words.filter_map(Value::as_str).map(str::to_owned));
    for key in ["anyOf", "oneOf"] {
        schema[key].as_array().into_iter().flatten().for_each(|schema| gather(schema, types, choices));
    }
}

fn words(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Returns an example of a value that is entered as JSON: the schema's own, or the keys that are required.
fn template(schema: &Value) -> Value {
    let schema = unless_null(schema);
    if let Some(example) = schema["examples"].get(0) {
        return example.clone();
    }
    let Shape::Group { needs } = Shape::of(schema) else {
        return if matches!(Shape::of(schema), Shape::List { .. }) { json!([]) } else { Value::Null };
    };
    let empty = |name: &str| match kind_of(&schema["properties"][name]) {
        (SettingKind::Number, _) => json!(0),
        (SettingKind::Switch, _) => json!(false),
        (_, choices) => json!(choices.first().cloned().unwrap_or_default()),
    };
    let needs = needs.iter().filter_map(Value::as_str);
    Value::Object(needs.map(|name| (name.to_owned(), empty(name))).collect::<Map<_, _>>())
}
