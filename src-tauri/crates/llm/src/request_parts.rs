//! The parts of a request that several wire formats write alike: the beginning of its JSON, the system text, tools, the
//! model's own turns, names, ids and arguments of past calls, and images.
//!
//! Models also call what does not exist, and other vendors' ids may be longer than an API takes back: the same one always
//! becomes the same.

use arki_domain::{CallId, ChatRequest, Error, Image, Message, Reasoning, ToolDefinition, ToolRequest, sha256_hex};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The head of a request: `value` without its closing brace, and the beginning of the list that `list` names.
pub(crate) fn open_list(value: &impl Serialize, list: &str) -> Result<Vec<u8>, Error> {
    let mut head = to_json(value)?;
    head.truncate(head.len() - 1);
    if !head.ends_with(b"{") {
        head.push(b',');
    }
    head.extend_from_slice(format!("\"{list}\":[").as_bytes());
    Ok(head)
}

pub(crate) fn to_json(value: &impl Serialize) -> Result<Vec<u8>, Error> {
    serde_json::to_vec(value).map_err(Error::internal)
}

/// The system text. It asks for the form of the answer at its end where the API can't be told the form, or not together
/// with tools.
pub(crate) fn system_text(request: &ChatRequest, is_form_in_words: bool) -> Cow<'_, str> {
    match &request.options.output_schema {
        Some(schema) if is_form_in_words => Cow::Owned(schema_in_words(&request.system, schema)),
        _ => Cow::Borrowed(&request.system),
    }
}

/// The system text with the request at its end.
pub(crate) fn schema_in_words(system: &str, schema: &Value) -> String {
    let gap = if system.is_empty() { "" } else { "\n\n" };
    format!(
        "{system}{gap}Your final answer must be JSON that follows this JSON Schema, with nothing before or after \
        it:\n{schema}"
    )
}

#[derive(Serialize)]
pub(crate) struct FunctionTool<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    function: Function<'a>,
}

#[derive(Serialize)]
struct Function<'a> {
    name: &'a str,
    description: &'a str,
    parameters: &'a Value,
}

impl<'a> From<&'a ToolDefinition> for FunctionTool<'a> {
    fn from(tool: &'a ToolDefinition) -> Self {
        let function = Function { name: &tool.name, description: &tool.description, parameters: &tool.parameters };
        Self { kind: "function", function }
    }
}

/// The model's output in one message.
#[derive(Clone, Copy)]
pub(crate) struct ModelTurn<'a> {
    pub(crate) content: &'a str,
    pub(crate) thoughts: Option<&'a str>,
    pub(crate) reasoning: Option<&'a Reasoning>,
    pub(crate) calls: &'a [ToolRequest],
}

impl<'a> ModelTurn<'a> {
    /// `None` for what others say.
    pub(crate) fn of(message: &'a Message) -> Option<Self> {
        let (content, thoughts, reasoning, calls) = match message {
            Message::Assistant { content, thoughts, reasoning } => (content, thoughts, reasoning, [].as_slice()),
            Message::ToolRequest { content, thoughts, reasoning, calls } => {
                (content, thoughts, reasoning, calls.as_slice())
            }
            _ => return None,
        };
        Some(Self { content, thoughts: thoughts.as_deref(), reasoning: reasoning.as_ref(), calls })
    }
}

/// The longest name of a function that every vendor takes.
const MAX_NAME_CHARS: usize = 64;
/// The length of the hash that stands for an id that is longer.
const HASH_CHARS: usize = 32;

pub(crate) fn acceptable_name(name: &str) -> Cow<'_, str> {
    let fits = |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-');
    if !name.is_empty() && name.len() <= MAX_NAME_CHARS && name.chars().all(fits) {
        return Cow::Borrowed(name);
    }
    let name: String =
        name.chars().map(|character| if fits(character) { character } else { '_' }).take(MAX_NAME_CHARS).collect();
    if name.is_empty() { Cow::Borrowed("unnamed") } else { Cow::Owned(name) }
}

/// The id itself where it has up to so many bytes.
pub(crate) fn acceptable_id(id: &CallId, max_bytes: usize) -> Cow<'_, str> {
    if id.as_str().len() <= max_bytes {
        return Cow::Borrowed(id.as_str());
    }
    Cow::Owned(format!("call_{}", &sha256_hex(id.as_str().as_bytes())[..HASH_CHARS]))
}

/// Returns the arguments as JSON text of an object: servers parse the arguments they are sent back, and some answer 400
/// for ever after to what is not an object.
pub(crate) fn object_text(arguments: &str) -> Cow<'_, str> {
    if arguments.trim().is_empty() {
        return Cow::Borrowed("{}");
    }
    match serde_json::from_str::<&RawValue>(arguments) {
        Ok(value) if value.get().starts_with('{') => Cow::Borrowed(arguments),
        _ => Cow::Owned(serde_json::json!({ "invalid_arguments": arguments }).to_string()),
    }
}

/// The bytes of images, by their SHA-256 hex.
pub(crate) type Images = BTreeMap<String, Bytes>;

/// The same as a value.
pub(crate) fn object_value(arguments: &str) -> Box<RawValue> {
    RawValue::from_string(object_text(arguments).into_owned()).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

/// `None` where the bytes are not there, which [`crate::prompt::sendable`] has said in words.
pub(crate) fn base64_of(image: &Image, images: &Images) -> Option<String> {
    images.get(&image.content_hash).map(|bytes| STANDARD.encode(bytes))
}

/// Returns as a `data:` URL: <https://www.rfc-editor.org/rfc/rfc2397>.
pub(crate) fn data_url_of(image: &Image, images: &Images) -> Option<String> {
    Some(format!("data:{};base64,{}", image.media_type, base64_of(image, images)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_the_characters_and_the_length_that_every_api_takes() {
        assert_eq!(acceptable_name("read_file"), "read_file");
        assert_eq!(acceptable_name("functions.read file é"), "functions_read_file__");
        assert_eq!(acceptable_name(""), "unnamed");
        assert_eq!(acceptable_name(&"x".repeat(100)).len(), MAX_NAME_CHARS);
    }

    #[test]
    fn a_long_id_becomes_a_short_one_that_is_its_own() {
        let (one, other) = (CallId::from("a".repeat(53)), CallId::from("b".repeat(53)));
        assert_eq!(acceptable_id(&one, 64), one.as_str());
        assert_eq!(acceptable_id(&one, 40).len(), 37);
        assert_eq!(acceptable_id(&one, 40), acceptable_id(&one, 40));
        assert_ne!(acceptable_id(&one, 40), acceptable_id(&other, 40));
    }

    #[test]
    fn an_image_is_told_by_its_type_and_bytes_or_not_at_all() {
        let image = |hash: &str| Image::new("image/png", hash);
        let images = Images::from([("a".to_owned(), Bytes::from_static(&[0xfb, 0xff, 0xfe, 0x01]))]);
        assert_eq!(data_url_of(&image("a"), &images).as_deref(), Some("data:image/png;base64,+//+AQ=="));
        assert_eq!(base64_of(&image("b"), &images), None);
    }
}
