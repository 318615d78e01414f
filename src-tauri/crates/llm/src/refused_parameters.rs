//! Optional parts of a request that a provider refuses: recognised in its words, and left out from then on. Which parts
//! there are is read off the request itself, so that no vendor has to be known.

use crate::request_parts::{open_list, to_json};
use crate::vendor_error::VendorError;
use arki_domain::{Code, Error};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::sync::Arc;

#[cfg(test)]
mod tests;

/// Never left out: without them the request, or what they are a part of, means nothing.
const REQUIRED: &[&str] = &[
    "model",
    "messages",
    "input",
    "contents",
    "stream",
    "system",
    "systemInstruction",
    "instructions",
    "tools",
    "type",
    "name",
    "function",
    "description",
    "functionDeclarations",
    "json_schema",
    "include_usage",
    "budget_tokens",
];
/// The user's and the tools' own words stand in these: no part of the request's form.
const OPAQUE: &[&str] =
    &["messages", "input", "contents", "parameters", "input_schema", "parametersJsonSchema", "schema"];
/// Two names of the same limit: what refuses the one mostly knows the other.
const LIMITS: [&str; 2] = ["max_tokens", "max_completion_tokens"];
/// Words that stand before a path within a message.
const IN_MESSAGES: &str = "messages.";
/// The words that refuse a part, in lower case.
const REFUSING: &[&str] = &[
    "support",
    "unrecogni",
    "unknown",
    "unexpected",
    "not permitted",
    "not allowed",
    "extra field",
    "extra_forbidden",
    "extra input",
    "additional propert",
    "invalid",
    "not available",
    "not enabled",
    "cannot find field",
    "must be verified",
    "deprecated",
    "not implemented",
    "not accepted",
];
/// The words that name a part when they stand right before it.
const BEFORE: &[&str] = &[
    "parameter",
    "parameters",
    "param",
    "argument",
    "arguments",
    "supplied",
    "field",
    "fields",
    "property",
    "key",
    "option",
    "name",
    "support",
    "supports",
];
const AFTER: &[&str] = &["is", "are", "parameter", "not"];

/// Paths such as `reasoning.summary`, each with a value behind `=` where only that one is refused.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct RefusedParameters(Arc<BTreeSet<String>>);

impl RefusedParameters {
    pub(crate) fn add(&mut self, refused: impl IntoIterator<Item = String>) {
        Arc::make_mut(&mut self.0).extend(refused);
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &String> {
        self.0.iter()
    }

    /// Returns the part of the request that the error refuses, if it is one that can be left out.
    pub(crate) fn refused_by(
        error: &VendorError,
        head: &[u8],
        required: &[&str],
        in_messages: &[&str],
    ) -> Option<String> {
        let head = whole(head)?;
        let mut parts = Vec::new();
        list_parts(&head, "", &mut parts);
        parts.extend(in_messages.iter().map(|name| format!("{IN_MESSAGES}{name}")));
        let named =
            |name: &str| parts.iter().find(|part| words_of(part) == words_of(name)).or_else(|| last_of(&parts, name));
        let told = error.parameter().and_then(|parameter| named(&without_numbers(parameter)));
        let is_limit = |part: &String| LIMITS.contains(&part.as_str());
        if !matches!(error.code(), Code::PROVIDER_BAD_REQUEST | Code::PROVIDER_FAILED) && !told.is_some_and(is_limit) {
            return None;
        }
        let says = error.words().to_lowercase();
        let is_refusal = || REFUSING.iter().any(|word| says.contains(word));
        let part = told.or_else(|| is_refusal().then(|| first_named(error.words(), &parts))?)?;
        let mut path: Vec<&str> = part.split('.').collect();
        let is_required = |path: &[&str]| {
            let is_own = |name: &&&str| path.len() == 1 && required.contains(*name);
            path.last().is_some_and(|name| is_needed(name) || is_own(&name))
        };
        while is_required(&path) {
            path.pop();
        }
        let is_of_value = error.is_of_value();
        let value = path
            .iter()
            .try_fold(&head, |value, name| value.get(name))
            .filter(|value| is_of_value && !value.is_object() && !value.is_array());
        let path = Some(path.join(".")).filter(|path| !path.is_empty() && path != IN_MESSAGES.trim_end_matches('.'))?;
        Some(value.map_or_else(|| path.clone(), |value| format!("{path}={value}")))
    }

    /// Returns the head of a request without what is refused.
    pub(crate) fn without(&self, head: Vec<u8>) -> Result<Vec<u8>, Error> {
        if self.0.is_empty() {
            return Ok(head);
        }
        let Some(Value::Object(mut parts)) = whole(&head) else { return Ok(head) };
        let Some(list) = OPAQUE.iter().find(|list| parts.get(**list).is_some_and(Value::is_array)) else {
            return Ok(head);
        };
        let begun = parts.remove(*list).map(|begun| to_json(&begun)).transpose()?.unwrap_or_default();
        for refused in self.iter().filter(|refused| !refused.starts_with(IN_MESSAGES)) {
            self.leave_out(refused, &mut parts);
        }
        let mut head = open_list(&parts, list)?;
        head.extend_from_slice(begun.get(1..begun.len() - 1).unwrap_or_default());
        Ok(head)
    }

    fn leave_out(&self, refused: &str, parts: &mut Map<String, Value>) {
        let (path, value) = refused.split_once('=').map_or((refused, None), |(path, value)| (path, Some(value)));
        let path: Vec<&str> = path.split('.').collect();
        let removed = remove(parts, &path, value);
        let other = LIMITS.iter().find(|name| LIMITS.contains(&refused) && **name != refused);
        if let (Some(removed), Some(other)) = (removed, other.filter(|other| !self.0.contains(**other))) {
            parts.insert((*other).to_owned(), removed);
        }
    }

    /// Returns what is written of the conversation, without what is refused in it.
    pub(crate) fn without_in_messages(&self, entries: Vec<u8>) -> Result<Vec<u8>, Error> {
        let refused: Vec<&str> = self.iter().filter_map(|path| path.strip_prefix(IN_MESSAGES)).collect();
        if refused.is_empty() {
            return Ok(entries);
        }
        let list = [b"[", entries.as_slice(), b"]"].concat();
        let Ok(Value::Array(mut list)) = serde_json::from_slice(&list) else { return Ok(entries) };
        for entry in list.iter_mut().filter_map(Value::as_object_mut) {
            for path in &refused {
                remove(entry, &path.split('.').collect::<Vec<_>>(), None);
            }
        }
        let written = to_json(&list)?;
        Ok(written[1..written.len() - 1].to_vec())
    }
}

fn is_needed(name: &str) -> bool {
    REQUIRED.contains(&name) || OPAQUE.contains(&name)
}

/// The value of a head: a request without its conversation.
fn whole(head: &[u8]) -> Option<Value> {
    serde_json::from_slice(&[head, b"]}"].concat()).ok()
}

fn list_parts(value: &Value, above: &str, parts: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().take(1).for_each(|item| list_parts(item, above, parts)),
        Value::Object(members) => {
            for (name, value) in members {
                let path = if above.is_empty() { name.clone() } else { format!("{above}.{name}") };
                if !OPAQUE.contains(&name.as_str()) {
                    list_parts(value, &path, parts);
                }
                parts.push(path);
            }
        }
        _ => {}
    }
}

/// Takes the part out, from each item of a list; what is empty then goes too.
fn remove(parts: &mut Map<String, Value>, path: &[&str], value: Option<&str>) -> Option<Value> {
    let [name, below @ ..] = path else { return None };
    if below.is_empty() {
        let is_it = value.is_none_or(|value| parts.get(*name) == serde_json::from_str(value).ok().as_ref());
        return is_it.then(|| parts.remove(*name))?;
    }
    let part = parts.get_mut(*name)?;
    let removed = match &mut *part {
        Value::Array(items) => {
            items.iter_mut().filter_map(Value::as_object_mut).filter_map(|item| remove(item, below, value)).last()
        }
        part => remove(part.as_object_mut()?, below, value),
    };
    if part.as_object().is_some_and(Map::is_empty) {
        parts.remove(*name);
    }
    removed
}

/// The part whose beginning or last name it is: `text.format.schema` is of `text.format`.
fn last_of<'p>(parts: &'p [String], name: &str) -> Option<&'p String> {
    let above = name.match_indices('.').rev().map(|(at, _)| &name[..at]);
    let mut above = above.filter_map(|above| parts.iter().find(|part| words_of(part) == words_of(above)));
    parts.iter().find(|part| last_words(part) == last_words(name)).or_else(|| above.next())
}

/// `tools[0].strict` and `body.tools.0.strict` are `tools.strict`.
fn without_numbers(path: &str) -> String {
    let names = path.split(['.', '[', ']']).filter(|name| !name.is_empty() && name.parse::<u64>().is_err());
    names.filter(|name| *name != "body").collect::<Vec<_>>().join(".")
}

fn last_words(path: &str) -> String {
    words_of(path.rsplit('.').next().unwrap_or_default())
}

/// `maxOutputTokens`, `max_output_tokens` and “max output tokens” are the same.
fn words_of(name: &str) -> String {
    let mut words = String::new();
    for character in name.chars() {
        if character.is_ascii_uppercase() || !character.is_alphanumeric() {
            words.push(' ');
        }
        if character.is_alphanumeric() {
            words.extend(character.to_lowercase());
        }
    }
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the part that a sentence names first. A plain word, such as `store`, has to stand where a name does.
fn first_named<'p>(sentence: &str, parts: &'p [String]) -> Option<&'p String> {
    let is_of_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '[' | ']');
    let mut tokens: Vec<(&str, char, char)> = Vec::new();
    let (mut rest, mut before) = (sentence, ' ');
    while let Some(start) = rest.find(is_of_name) {
        before = rest[..start].chars().next_back().unwrap_or(before);
        let length = rest[start..].find(|c| !is_of_name(c)).unwrap_or(rest.len() - start);
        let after = rest[start + length..].chars().next().unwrap_or(' ');
        let token = rest[start..start + length].trim_matches(['.', '[', ']']);
        tokens.extend((!token.is_empty()).then_some((token, before, after)));
        rest = &rest[start + length..];
    }
    let is_before =
        |at: usize| at.checked_sub(1).is_some_and(|at| BEFORE.contains(&tokens[at].0.to_lowercase().as_str()));
    let is_after = |at: usize| tokens.get(at + 1).is_some_and(|next| AFTER.contains(&next.0.to_lowercase().as_str()));
    (0..tokens.len()).find_map(|at| {
        let (token, before, after) = tokens[at];
        let name = without_numbers(token);
        let mut spelled = (2..=4).rev().filter_map(|count| {
            let words = tokens.get(at..at + count)?.iter().map(|token| token.0).collect::<Vec<_>>().join(" ");
            let words = words_of(&words);
            parts.iter().find(|part| words_of(part) == words || last_words(part) == words)
        });
        let is_quoted = matches!((before, after), ('\'', '\'') | ('"', '"') | ('`', '`') | ('“', '”') | ('‘', '’'));
        let is_placed = is_quoted || after == ':' || is_before(at) || is_after(at);
        let exact = || parts.iter().find(|part| words_of(part) == words_of(&name)).or_else(|| last_of(parts, &name));
        if words_of(&name).contains(' ') {
            return exact();
        }
        // Of “thinking” or “reasoning” the parts have other forms.
        let stem = || {
            let stem = words_of(&name);
            let is_begun = |part: &&String| last_words(part).starts_with(&format!("{stem} ")) && stem.ends_with("ing");
            parts
                .iter()
                .find(|part| Some(part.as_str()) == stem.strip_suffix("ing"))
                .or_else(|| parts.iter().find(is_begun))
        };
        spelled.next().or_else(|| (is_placed && !is_needed(token)).then(|| exact().or_else(stem))?)
    })
}
