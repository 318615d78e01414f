//! The lists of models that servers give: how each kind is asked, and what its answer says. Nothing is made up for what a
//! server leaves out.

use crate::catalogue::DEFAULT_CAPABILITIES;
use crate::wire_format::{Headers, bearer};
use crate::{Capability, ProviderKind, Secret, anthropic, gemini};
use serde_json::Value;

/// More models than any vendor has; the rest of a list is left out.
const MAX_MODELS: usize = 4096;
/// A longer name is none.
const MAX_NAME_BYTES: usize = 256;

/// One model, as its server describes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ListedModel {
    pub(crate) id: String,
    /// In tokens. Of Ollama's the most that the model can take; of others what it was started with.
    pub(crate) context_window: Option<u64>,
    /// In tokens: what the model was trained on, where the server says that alone. It may have been started with less.
    pub(crate) trained_window: Option<u64>,
    /// In tokens. Ollama's: what the model's own file or whoever loaded it has chosen.
    pub(crate) chosen_window: Option<u64>,
    /// In tokens.
    pub(crate) output_limit: Option<u64>,
    pub(crate) capabilities: Option<Vec<Capability>>,
}

/// Returns what stands after the base URL.
pub(crate) fn path(kind: ProviderKind) -> &'static str {
    match kind {
        ProviderKind::Ollama => "/api/tags",
        // Both give their lists in pages; these are the longest they allow.
        ProviderKind::Anthropic => "/v1/models?limit=1000",
        ProviderKind::Gemini => "/v1beta/models?pageSize=1000",
        ProviderKind::Openai
        | ProviderKind::OpenaiChat
        | ProviderKind::Deepseek
        | ProviderKind::Openrouter
        | ProviderKind::Custom
        | ProviderKind::Demo => "/models",
    }
}

/// Returns the headers that this kind of provider wants.
pub(crate) fn headers(kind: ProviderKind, key: Option<&Secret>) -> Headers {
    match kind {
        ProviderKind::Anthropic => anthropic::key_headers(key),
        ProviderKind::Gemini => gemini::key_headers(key),
        _ => bearer(key),
    }
}

/// The models of a list; `None` when it is none. Every kind's form is told by itself: gateways answer for one another.
pub(crate) fn parse(body: &[u8]) -> Option<Vec<ListedModel>> {
    let value: Value = serde_json::from_slice(body).ok()?;
    let list = [&value["data"], &value["models"], &value].into_iter().find_map(Value::as_array)?;
    Some(list.iter().filter_map(listed).take(MAX_MODELS).collect())
}

fn listed(model: &Value) -> Option<ListedModel> {
    let name = [&model["id"], &model["name"], &model["model"]].into_iter().find_map(Value::as_str)?;
    let is_printable = !name.is_empty() && name.len() <= MAX_NAME_BYTES && !name.chars().any(char::is_control);
    // Gemini says what each model is for, and lists those that only embed as well.
    let methods = model["supportedGenerationMethods"].as_array();
    let generates = methods.is_none_or(|methods| methods.iter().any(|method| method == "generateContent"));
    (is_printable && generates).then(|| ListedModel {
        id: name.strip_prefix("models/").unwrap_or(name).to_owned(),
        context_window: window(model),
        trained_window: first_number([&model["meta"]["n_ctx_train"]]),
        chosen_window: None,
        output_limit: first_number([&model["outputTokenLimit"], &model["top_provider"]["max_completion_tokens"]]),
        capabilities: abilities(model),
    })
}

/// llama.cpp and OpenRouter say what a model takes besides text. What most models can do is no less assumed of it.
fn abilities(model: &Value) -> Option<Vec<Capability>> {
    let inputs = model["architecture"]["input_modalities"].as_array()?;
    let sees = inputs.iter().any(|input| input == "image").then_some(Capability::Vision);
    Some(DEFAULT_CAPABILITIES.iter().copied().chain(sees).collect())
}

/// vLLM says `max_model_len`, llama.cpp `meta.n_ctx` (what it was started with, not what the model was trained on), LM
/// Studio both.
fn window(model: &Value) -> Option<u64> {
    first_number([
        &model["meta"]["n_ctx"],
        &model["max_model_len"],
        &model["loaded_context_length"],
        &model["context_length"],
        &model["context_window"],
        &model["max_context_length"],
        &model["inputTokenLimit"],
        &model["max_input_tokens"],
    ])
}

fn first_number<const N: usize>(fields: [&Value; N]) -> Option<u64> {
    fields.into_iter().find_map(|field| field.as_u64().filter(|number| *number > 0))
}

/// Returns what Ollama's `/api/show` adds to the name of a model; `None` for one that does not talk.
pub(crate) fn shown_by_ollama(id: &str, body: &[u8]) -> Option<ListedModel> {
    let value: Value = serde_json::from_slice(body).unwrap_or_default();
    let info = value["model_info"].as_object();
    let lengths = info.into_iter().flatten().filter(|(key, _)| key.ends_with(".context_length"));
    let context_window = lengths.filter_map(|(_, length)| length.as_u64()).find(|length| *length > 0);
    let words = value["capabilities"].as_array();
    let can = |word: &str| words.is_some_and(|words| words.iter().any(|one| one == word));
    if words.is_some() && !can("completion") {
        return None;
    }
    let capabilities = words.map(|_| {
        let optional =
            [("vision", Capability::Vision), ("tools", Capability::ToolUse), ("thinking", Capability::Reasoning)];
        let said = optional.into_iter().filter(|(word, _)| can(word)).map(|(_, capability)| capability);
        [Capability::Text, Capability::Streaming].into_iter().chain(said).collect()
    });
    let parameters = value["parameters"].as_str().unwrap_or_default();
    Some(ListedModel {
        id: id.to_owned(),
        context_window,
        chosen_window: number_of(parameters, "num_ctx"),
        capabilities,
        ..ListedModel::default()
    })
}

/// One of the parameters of a model's file, each on a line of its own.
fn number_of(parameters: &str, name: &str) -> Option<u64> {
    let words = parameters.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let number = words.filter(|words| words.first() == Some(&name)).find_map(|words| words.get(1)?.parse().ok());
    number.filter(|number| *number > 0)
}

/// The windows of the models that Ollama has loaded, as `/api/ps` tells them, by the models' names.
pub(crate) fn loaded_by_ollama(body: &[u8]) -> Vec<(String, u64)> {
    let value: Value = serde_json::from_slice(body).unwrap_or_default();
    let loaded = value["models"].as_array().into_iter().flatten();
    let told = |model: &Value| Some((model["name"].as_str()?.to_owned(), first_number([&model["context_length"]])?));
    loaded.filter_map(told).take(MAX_MODELS).collect()
}

/// The window that llama.cpp's `/props` tells: of one conversation, where the server holds several.
pub(crate) fn window_of_props(body: &[u8]) -> Option<u64> {
    let value: Value = serde_json::from_slice(body).ok()?;
    first_number([&value["default_generation_settings"]["n_ctx"], &value["n_ctx"]])
}

/// Returns whether a name is that of the listed model. Ollama leaves out the word `latest`.
pub(crate) fn is_called(kind: ProviderKind, listed: &str, name: &str) -> bool {
    listed == name || (kind == ProviderKind::Ollama && listed.strip_suffix(":latest") == Some(name))
}

#[cfg(test)]
mod tests;
