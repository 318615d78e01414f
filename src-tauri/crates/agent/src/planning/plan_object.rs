//! A plan as one JSON object, and calls as text: an object with the tool's name and its arguments, under the names that
//! models use for these.

use super::segments::Segment;
use super::{Unreadable, lenient_json, steps};
use arki_domain::{CallId, ToolRequest};
use serde_json::{Map, Value};

/// The names that models use for a tool's name, and for its arguments.
const TOOL: [&str; 5] = ["toolname", "tool", "name", "toolid", "functionname"];
const ARGUMENTS: [&str; 5] = ["arguments", "args", "parameters", "params", "input"];

#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct PlanObject {
    pub(super) intent: Option<String>,
    pub(super) steps: Vec<String>,
    /// `None` where it does not speak of calls.
    pub(super) calls: Option<Vec<ToolRequest>>,
}

impl PlanObject {
    /// `None` for what is no plan.
    pub(super) fn read(value: &Value) -> Option<Result<Self, Unreadable>> {
        let fields = value.as_object()?;
        let field = |names: &[&str]| {
            fields.iter().find(|(name, _)| names.contains(&key(name).as_str())).map(|(_, value)| value)
        };
        let (intent, plan, wanted) = (field(&["intent"]), field(&["plan", "steps"]), field(&["toolcalls"]));
        if intent.is_none() && plan.is_none() && wanted.is_none() {
            return None;
        }
        let calls = match wanted.map(calls_in).transpose() {
            Ok(calls) => calls,
            Err(unreadable) => return Some(Err(unreadable)),
        };
        let intent = intent.and_then(Value::as_str).map(str::trim).filter(|intent| !intent.is_empty());
        let steps = plan.map(steps::of_json).unwrap_or_default();
        Some(Ok(Self { intent: intent.map(str::to_owned), steps, calls }))
    }
}

/// A key whatever its case and separators.
pub(super) fn key(name: &str) -> String {
    name.chars().filter(|next| next.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Reads the value of `toolCalls`: all of it or nothing.
pub(super) fn calls_in(value: &Value) -> Result<Vec<ToolRequest>, Unreadable> {
    match value {
        Value::Null => Ok(Vec::new()),
        Value::Array(calls) => calls.iter().map(call).collect(),
        Value::Object(_) => Ok(vec![call(value)?]),
        _ => Err(Unreadable::Broken("Its tool calls are not a JSON array.".to_owned())),
    }
}

/// Reads the calls that stand alone, outside of a plan: objects, or arrays of nothing but such, that name a known tool.
pub(super) fn calls_alone(
    segments: &[Segment<'_>],
    is_tool: &dyn Fn(&str) -> bool,
) -> Result<Vec<ToolRequest>, Unreadable> {
    let mut calls = Vec::new();
    for segment in segments {
        let Segment::Json { value, stands_alone: true, .. } = segment else { continue };
        let wanted: Vec<&Value> = match value {
            Value::Array(all) => all.iter().collect(),
            value => vec![value],
        };
        let is_call = |value: &&Value| {
            let named = name(value).is_some_and(|(tool, _)| is_tool(tool));
            named && arguments(value).is_some()
        };
        if !wanted.is_empty() && wanted.iter().all(is_call) {
            for value in wanted {
                calls.push(call(value)?);
            }
        }
    }
    Ok(calls)
}

fn call(value: &Value) -> Result<ToolRequest, Unreadable> {
    let Some((tool, value)) = name(value) else {
        return Err(Unreadable::Broken("A tool call has no `toolName`.".to_owned()));
    };
    let arguments = match arguments(value) {
        None | Some(Value::Null) => Value::Object(Map::new()),
        Some(Value::Object(arguments)) => Value::Object(arguments.clone()),
        Some(Value::String(text)) => in_text(text).ok_or_else(|| not_an_object(tool))?,
        Some(_) => return Err(not_an_object(tool)),
    };
    Ok(ToolRequest { call_id: CallId::from(""), tool_id: tool.to_owned(), arguments: arguments.to_string() })
}

/// Returns the tool's name, and the object that has the arguments.
fn name(value: &Value) -> Option<(&str, &Value)> {
    if let Some(function @ Value::Object(_)) = value.get("function") {
        return name(function);
    }
    let name = field(value, &TOOL)?.as_str()?.trim();
    (!name.is_empty()).then_some((name, value))
}

fn arguments(value: &Value) -> Option<&Value> {
    field(value.get("function").filter(|function| function.is_object()).unwrap_or(value), &ARGUMENTS)
}

/// The field with the first of the names that there is.
fn field<'a>(value: &'a Value, names: &[&str]) -> Option<&'a Value> {
    let fields = value.as_object()?;
    names.iter().find_map(|wanted| fields.iter().find(|(name, _)| key(name) == *wanted)).map(|(_, value)| value)
}

/// Some models write the arguments as JSON in a string.
fn in_text(text: &str) -> Option<Value> {
    let text = text.trim();
    if text.is_empty() {
        return Some(Value::Object(Map::new()));
    }
    let value = match serde_json::from_str(text) {
        Ok(value) => value,
        Err(_) => lenient_json::read(text).filter(|(_, bytes)| text[*bytes..].trim().is_empty())?.0,
    };
    value.is_object().then_some(value)
}

fn not_an_object(tool: &str) -> Unreadable {
    Unreadable::Broken(format!("The arguments of the call of `{tool}` are not a JSON object."))
}
