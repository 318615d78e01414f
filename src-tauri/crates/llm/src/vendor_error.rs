//! A vendor's own error, from a status and a body or from the middle of a stream, and which of ours it is.

use crate::retry_after::wait_in_words;
use arki_domain::Code;
use serde_json::Value;

/// The number of characters passed on of a vendor's words.
const MAX_WORDS_CHARS: usize = 400;

/// A day: nobody means more by “retry”.
const MAX_RETRY_DELAY_SECONDS: f64 = 86_400.0;

/// Further words for a request that is too long: of xAI, Kimi, z.ai, Copilot, DashScope, Bedrock, vLLM, Mistral,
/// llama.cpp, and of OpenAI and Groq for a request that is larger than what they take in a minute.
const OVERFLOWS: [&str; 13] = [
    "maximum prompt length",
    "model token limit",
    "prompt exceeds max length",
    "model_max_prompt_tokens_exceeded",
    "range of input length",
    "input is too long",
    "maximum model length",
    "too large for model",
    "context size",
    "n_ctx",
    "request too large",
    "tokens must be reduced",
    "reduce your message size",
];

/// The kinds and words of a filter that takes offence at what is sent.
const FILTERED: [&str; 11] = [
    "content_policy",
    "content_filter",
    "cyber_policy",
    "invalid_prompt",
    "responsibleaipolicy",
    "data_inspection_failed",
    "content management policy",
    "requires moderation",
    "input was flagged",
    "content exists risk",
    "inappropriate content",
];

/// The words for a model, or a server of it, that takes no tools at all.
const WITHOUT_TOOLS: [&str; 8] = [
    "not support tools",
    "support tool use",
    "support tool call",
    "not support function call",
    "tools are not supported",
    "tool calling is not supported",
    "function calling is not",
    "enable-auto-tool-choice",
];

/// The words for a tool's schema that can't be read, under whatever status.
const UNREADABLE_SCHEMA: [&str; 3] = ["failed to parse grammar", "invalid json schema", "schema conversion failed"];

/// The words of a server, or a gateway before it, that can't answer now, under whatever status.
const PASSING: [&str; 8] = [
    "overloaded",
    "try again later",
    "retry later",
    "no healthy upstream",
    "upstream connect error",
    "temporarily unavailable",
    "service unavailable",
    "at capacity",
];
const LIMITED: [&str; 4] = ["rate limit", "rate_limit", "too many requests", "slow down"];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct VendorError {
    /// Zero when there was none.
    status: u16,
    /// `code`, `type` and `status` of the error object and the reasons in its details, in lower case.
    kind: String,
    words: String,
    /// The part of the request that it names as wrong.
    parameter: Option<String>,
    /// The time to wait, where the body says so.
    retry_after_ms: Option<u64>,
}

impl VendorError {
    pub(crate) fn from_response(status: u16, body: &[u8]) -> Self {
        Self { status, ..Self::from_body(body) }
    }

    /// Reads an error from an event inside a stream, or a body without a telling status.
    pub(crate) fn from_body(body: &[u8]) -> Self {
        match serde_json::from_slice::<Value>(body) {
            Ok(value) => Self::from_value(&value),
            Err(_) => Self::of_kind("", &String::from_utf8_lossy(body)),
        }
    }

    /// Makes an error of an answer that has a field of its own for it.
    pub(crate) fn of_kind(kind: &str, words: &str) -> Self {
        let retry_after_ms = wait_in_words(words);
        Self { status: 0, kind: kind.to_lowercase(), words: plain_words(words), parameter: None, retry_after_ms }
    }

    /// Reads an error in any of the forms in use: `{error: {message, code, type}}`, `{error: "…"}`, `{message}`,
    /// `{detail}`, a list of one.
    fn from_value(value: &Value) -> Self {
        let value = value.get(0).unwrap_or(value);
        let error = value.get("error").filter(|error| !error.is_null()).unwrap_or(value);
        // Ollama passes on the whole answer of the server that it runs as one string.
        if let Some(inner) = error.as_str().and_then(|text| serde_json::from_str(text).ok()).filter(Value::is_object) {
            return Self::from_value(&inner);
        }
        let code = error.get("code").or_else(|| value.get("code"));
        let status = code.and_then(|code| code.as_u64().or_else(|| code.as_str()?.parse().ok()));
        let named = |key| error.get(key).and_then(Value::as_str).unwrap_or_default();
        let words = error.as_str().map(str::to_owned).or_else(|| {
            let message = error.get("message").or_else(|| error.get("detail"))?;
            Some(message.as_str().map_or_else(|| message.to_string(), str::to_owned))
        });
        let mut words = words.unwrap_or_default();
        // llama.cpp's.
        if let Some(window) =
            error.get("n_ctx").filter(|window| window.is_u64() && !words.contains(&window.to_string()))
        {
            words = format!("{words} (n_ctx: {window})");
        }
        let told = Self {
            status: status.and_then(|status| u16::try_from(status).ok()).unwrap_or(0),
            kind: format!("{} {} {} {}", named("code"), named("type"), named("status"), reasons(error)).to_lowercase(),
            words: plain_words(&words),
            parameter: error.get("param").and_then(Value::as_str).map(str::to_owned).or_else(|| located(error)),
            retry_after_ms: retry_delay_ms(error).or_else(|| wait_in_words(&words)),
        };
        match error.get("metadata").and_then(|metadata| Some((metadata, metadata.get("raw")?))) {
            Some((metadata, raw)) => told.passed_on(metadata["provider_name"].as_str().unwrap_or("The vendor"), raw),
            None => told,
        }
    }

    /// OpenRouter's: an error of the vendor behind it, as that one said it.
    fn passed_on(self, vendor: &str, raw: &Value) -> Self {
        let raw = raw.as_str().map_or_else(|| raw.to_string(), str::to_owned);
        let mut inner = Self::from_body(raw.as_bytes());
        if inner.words.is_empty() {
            inner.words = plain_words(&raw);
        }
        Self {
            status: if self.status == 0 { inner.status } else { self.status },
            kind: format!("{} {}", self.kind, inner.kind),
            words: plain_words(&format!("{}. {vendor}: {}", self.words.trim_end_matches('.'), inner.words)),
            parameter: self.parameter.or(inner.parameter),
            retry_after_ms: self.retry_after_ms.or(inner.retry_after_ms),
        }
    }

    pub(crate) fn parameter(&self) -> Option<&str> {
        self.parameter.as_deref()
    }

    /// Returns whether it refuses a value, and not what it is the value of.
    pub(crate) fn is_of_value(&self) -> bool {
        let words = self.words.to_lowercase();
        self.kind.contains("_value") || (words.contains("value") && !words.contains("value_error"))
    }

    /// Returns whether it refuses all tools, and not one of them or a part of them.
    pub(crate) fn refuses_tools(&self) -> bool {
        let words = self.words.to_lowercase();
        WITHOUT_TOOLS.iter().any(|needle| words.contains(needle))
    }

    /// Neither a status nor a kind, nor words that are known.
    pub(crate) fn says_nothing_of_its_kind(&self) -> bool {
        self.status == 0 && self.kind.trim().is_empty() && self.code() == Code::PROVIDER_FAILED
    }

    pub(crate) fn is_told(&self) -> bool {
        !self.words.is_empty()
    }

    pub(crate) fn words(&self) -> &str {
        &self.words
    }

    pub(crate) fn retry_after_ms(&self) -> Option<u64> {
        self.retry_after_ms
    }

    /// Returns the error as the server told it; `says` is its words, without secrets.
    pub(crate) fn original(&self, says: &str) -> String {
        let kind = self.kind.split_whitespace().collect::<Vec<_>>().join(" ");
        let status = if self.status == 0 { String::new() } else { format!("status {}", self.status) };
        let words = says.trim_start_matches("It says: ");
        [&status, &kind, words].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(": ")
    }

    pub(crate) fn status(&self) -> u16 {
        self.status
    }

    pub(crate) fn status_in_words(&self) -> String {
        if self.status == 0 { String::new() } else { format!(" (status {})", self.status) }
    }

    /// Returns the code that the words give, else the status: many servers answer 400 or 500 to everything.
    pub(crate) fn code(&self) -> Code {
        let says = |needles: &[&str]| {
            let words = self.words.to_lowercase();
            needles.iter().any(|needle| self.kind.contains(needle) || words.contains(needle))
        };
        if says(&["context_length_exceeded", "exceed_context_size", "context length", "context window"])
            || says(&[
                "prompt is too long",
                "exceed context limit",
                "request_too_large",
                "input token count",
                "contextwindowexceeded",
            ])
            || says(&OVERFLOWS)
        {
            return Code::CONTEXT_TOO_LONG;
        }
        if says(&["insufficient_quota", "insufficient balance", "insufficient credit", "credit balance is too low"])
            || says(&["billing_error", "api usage limits", "credits are depleted", "key limit exceeded"])
        {
            return Code::PROVIDER_NO_CREDIT;
        }
        if self.kind.contains("api_key_invalid") {
            return Code::KEY_REFUSED;
        }
        if says(&["model_not_found", "model not exist", "is not a valid model id"]) {
            return Code::MODEL_NOT_FOUND;
        }
        if says(&FILTERED) {
            return Code::CONTENT_REFUSED;
        }
        if says(&UNREADABLE_SCHEMA) {
            return Code::PROVIDER_BAD_REQUEST;
        }
        if matches!(self.status, 400 | 403..=499) && says(&LIMITED) {
            return Code::PROVIDER_RATE_LIMITED;
        }
        if matches!(self.status, 400 | 403..=428) && says(&PASSING) {
            return Code::PROVIDER_FAILED;
        }
        self.code_of_status().unwrap_or_else(|| self.code_of_kind())
    }

    fn code_of_status(&self) -> Option<Code> {
        Some(match self.status {
            300..=399 => Code::PROVIDER_BAD_ANSWER,
            401 | 403 => Code::KEY_REFUSED,
            402 => Code::PROVIDER_NO_CREDIT,
            404 => Code::MODEL_NOT_FOUND,
            408 | 504 => Code::PROVIDER_TIMEOUT,
            // The last is a gateway's, whose own connection was closed.
            409 | 425 | 499 => Code::PROVIDER_FAILED,
            429 => Code::PROVIDER_RATE_LIMITED,
            400..=499 => Code::PROVIDER_BAD_REQUEST,
            500..=599 => Code::PROVIDER_FAILED,
            _ => return None,
        })
    }

    fn code_of_kind(&self) -> Code {
        let is = |needle: &str| self.kind.contains(needle);
        if is("rate_limit") || is("resource_exhausted") {
            Code::PROVIDER_RATE_LIMITED
        } else if is("authentication") || is("invalid_api_key") || is("permission") || is("unauthenticated") {
            Code::KEY_REFUSED
        } else if is("not_found") {
            Code::MODEL_NOT_FOUND
        } else if is("timeout") {
            Code::PROVIDER_TIMEOUT
        } else if is("invalid_request") || is("badrequest") || is("invalid_argument") {
            Code::PROVIDER_BAD_REQUEST
        } else {
            Code::PROVIDER_FAILED
        }
    }
}

/// Returns what Google's `ErrorInfo` says: <https://google.aip.dev/193>.
fn reasons(error: &Value) -> String {
    let details = error.get("details").and_then(Value::as_array);
    let reasons = details.into_iter().flatten().filter_map(|detail| detail.get("reason")?.as_str());
    reasons.collect::<Vec<_>>().join(" ")
}

/// Returns the place that a list of faults names: `"loc": ["body", "store"]`.
fn located(error: &Value) -> Option<String> {
    let detail = error.get("detail").or_else(|| error.get("message")?.get("detail")).or_else(|| error.get("errors"))?;
    let place = detail.get(0)?.get("loc")?.as_array()?.iter();
    let place = place.map(|name| name.as_str().map_or_else(|| format!("[{name}]"), |name| format!(".{name}")));
    Some(place.collect::<String>().trim_start_matches('.').to_owned())
}

/// Returns what Google's `RetryInfo` says, as `"31.5s"`.
fn retry_delay_ms(error: &Value) -> Option<u64> {
    let details = error.get("details")?.as_array()?;
    let delay = details.iter().find_map(|detail| detail.get("retryDelay")?.as_str())?;
    let seconds: f64 = delay.strip_suffix('s')?.parse().ok()?;
    (0.0..=MAX_RETRY_DELAY_SECONDS).contains(&seconds).then_some((seconds * 1000.0).ceil() as u64)
}

/// One line, no control characters, bounded. Of an HTML page nothing is worth showing.
fn plain_words(text: &str) -> String {
    if text.trim_start().starts_with('<') {
        return String::new();
    }
    let line = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    let line = line.collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MAX_WORDS_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn code(status: u16, body: &Value) -> Code {
        VendorError::from_response(status, body.to_string().as_bytes()).code()
    }

    #[test]
    fn statuses_and_words_become_codes() {
        let plain = json!({"error": {"message": "no"}});
        let cases = [
            (400, plain.clone(), Code::PROVIDER_BAD_REQUEST),
            (401, plain.clone(), Code::KEY_REFUSED),
            (403, plain.clone(), Code::KEY_REFUSED),
            (402, plain.clone(), Code::PROVIDER_NO_CREDIT),
            (404, plain.clone(), Code::MODEL_NOT_FOUND),
            (408, plain.clone(), Code::PROVIDER_TIMEOUT),
            (422, json!({"detail": [{"loc": ["body"], "msg": "field required"}]}), Code::PROVIDER_BAD_REQUEST),
            (429, plain.clone(), Code::PROVIDER_RATE_LIMITED),
            (429, json!({"error": {"code": "insufficient_quota"}}), Code::PROVIDER_NO_CREDIT),
            (400, json!({"error": {"code": "context_length_exceeded"}}), Code::CONTEXT_TOO_LONG),
            (
                400,
                json!({"error": json!({"error": {"type": "exceed_context_size_error"}}).to_string()}),
                Code::CONTEXT_TOO_LONG,
            ),
            (400, json!({"error": {"code": 400, "type": "exceed_context_size_error"}}), Code::CONTEXT_TOO_LONG),
            (
                403,
                json!({"error": {"code": 403, "message": "It requires moderation and your input was flagged"}}),
                Code::CONTENT_REFUSED,
            ),
            (
                403,
                json!({"error": {"code": 403, "message": "Key limit exceeded (total limit)"}}),
                Code::PROVIDER_NO_CREDIT,
            ),
            (
                400,
                json!({"error": {"message": "Content Exists Risk", "code": "invalid_request_error"}}),
                Code::CONTENT_REFUSED,
            ),
            (
                400,
                json!({"error": {"message": "Model Not Exist", "type": "invalid_request_error"}}),
                Code::MODEL_NOT_FOUND,
            ),
            (400, json!({"error": {"message": "x/y is not a valid model ID", "code": 400}}), Code::MODEL_NOT_FOUND),
            (400, json!({"error": {"message": "litellm.ContextWindowExceededError: no"}}), Code::CONTEXT_TOO_LONG),
            (302, plain.clone(), Code::PROVIDER_BAD_ANSWER),
            (500, plain.clone(), Code::PROVIDER_FAILED),
            (529, plain, Code::PROVIDER_FAILED),
        ];
        for (status, body, expected) in cases {
            assert_eq!(code(status, &body), expected, "{status} {body}");
        }
    }

    #[test]
    fn words_count_under_any_status() {
        let told = |status: u16, words: &str| code(status, &json!({"error": {"message": words}}));
        for (status, words, expected) in [
            (
                429,
                "Request too large for gpt-x on tokens per min (TPM): Limit 30000, Requested 45000. The input or \
                 output tokens must be reduced in order to run successfully.",
                Code::CONTEXT_TOO_LONG,
            ),
            (500, "the request exceeds the available context size", Code::CONTEXT_TOO_LONG),
            (500, "n_ctx exceeded", Code::CONTEXT_TOO_LONG),
            (429, "Rate limit reached: Limit 30000, Used 29000, Requested 4000.", Code::PROVIDER_RATE_LIMITED),
            (400, "The server is overloaded, please try again later", Code::PROVIDER_FAILED),
            (403, "Rate limit exceeded, slow down", Code::PROVIDER_RATE_LIMITED),
            (404, "no healthy upstream", Code::PROVIDER_FAILED),
            (499, "client closed request", Code::PROVIDER_FAILED),
            (500, "failed to parse grammar", Code::PROVIDER_BAD_REQUEST),
            (401, "No such key, try again later", Code::KEY_REFUSED),
            (400, "Filtered due to Azure OpenAI's content management policy.", Code::CONTENT_REFUSED),
        ] {
            assert_eq!(told(status, words), expected, "{status} {words}");
        }
        assert_eq!(code(400, &json!({"error": {"code": "content_filter", "message": "x"}})), Code::CONTENT_REFUSED);
    }

    #[test]
    fn a_model_without_tools_is_told_from_a_tool_that_is_refused() {
        let refuses = |words: &str| VendorError::of_kind("", words).refuses_tools();
        assert!(refuses("registry.ollama.ai/library/phi3 does not support tools"));
        assert!(refuses("No endpoints found that support tool use."));
        assert!(refuses("\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set"));
        assert!(!refuses("This model does not support tool_choice"));
        assert!(!refuses("Invalid tools[0].function.parameters"));
    }

    #[test]
    fn errors_inside_a_stream_are_known_by_their_code_or_type() {
        let of = |value: Value| VendorError::from_value(&value).code();
        assert_eq!(of(json!({"error": {"code": 429, "message": "x"}})), Code::PROVIDER_RATE_LIMITED);
        assert_eq!(of(json!({"error": {"code": "429"}})), Code::PROVIDER_RATE_LIMITED);
        assert_eq!(of(json!({"error": {"type": "authentication_error"}})), Code::KEY_REFUSED);
        assert_eq!(of(json!({"error": {"type": "invalid_request_error"}})), Code::PROVIDER_BAD_REQUEST);
        assert_eq!(of(json!({"error": "went wrong"})), Code::PROVIDER_FAILED);
        assert_eq!(of(json!({"object": "error", "message": "no", "code": 400})), Code::PROVIDER_BAD_REQUEST);
    }

    #[test]
    fn googles_errors_are_known_by_their_status_and_details() {
        let google = |code: u16, status: &str, message: &str, details: Value| json!([{"error": {"code": code, "message": message, "status": status, "details": details}}]);
        let reason = |reason: &str| json!([{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason}]);
        let cases = [
            (google(400, "INVALID_ARGUMENT", "API key not valid.", reason("API_KEY_INVALID")), Code::KEY_REFUSED),
            (google(400, "INVALID_ARGUMENT", "Unknown name.", json!([])), Code::PROVIDER_BAD_REQUEST),
            (
                google(400, "INVALID_ARGUMENT", "The input token count (2) exceeds the maximum (1).", json!([])),
                Code::CONTEXT_TOO_LONG,
            ),
            (google(403, "PERMISSION_DENIED", "No.", reason("SERVICE_DISABLED")), Code::KEY_REFUSED),
            (google(404, "NOT_FOUND", "models/x is not found", json!([])), Code::MODEL_NOT_FOUND),
            (google(429, "RESOURCE_EXHAUSTED", "You exceeded your quota.", json!([])), Code::PROVIDER_RATE_LIMITED),
            (
                google(429, "RESOURCE_EXHAUSTED", "Your prepayment credits are depleted.", json!([])),
                Code::PROVIDER_NO_CREDIT,
            ),
            (google(503, "UNAVAILABLE", "The model is overloaded.", json!([])), Code::PROVIDER_FAILED),
        ];
        for (body, expected) in cases {
            let status = body[0]["error"]["code"].as_u64().unwrap() as u16;
            assert_eq!(code(status, &body), expected, "{body}");
            assert_eq!(VendorError::from_value(&body).code(), expected, "in a stream: {body}");
        }
        let of_status = |status: &str| VendorError::from_value(&json!({"error": {"status": status}})).code();
        assert_eq!(of_status("RESOURCE_EXHAUSTED"), Code::PROVIDER_RATE_LIMITED);
        assert_eq!(of_status("UNAUTHENTICATED"), Code::KEY_REFUSED);
        assert_eq!(of_status("INVALID_ARGUMENT"), Code::PROVIDER_BAD_REQUEST);
    }

    #[test]
    fn the_delay_in_the_details_is_kept() {
        let delay = |delay: &str| {
            let info = json!({"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay});
            VendorError::from_value(&json!({"error": {"details": [{"reason": "X"}, info]}})).retry_after_ms()
        };
        assert_eq!((delay("37s"), delay("0.5s")), (Some(37_000), Some(500)));
        assert_eq!((delay("soon"), delay("-1s"), delay("1e9s"), delay("NaNs")), (None, None, None, None));
    }

    #[test]
    fn an_error_that_a_router_passes_on_is_told_with_its_vendor_and_counts() {
        let of = |raw: Value| {
            let metadata = json!({"provider_name": "Groq", "raw": raw});
            VendorError::from_value(
                &json!({"error": {"code": 400, "message": "Provider returned error", "metadata": metadata}}),
            )
        };
        let inner =
            json!({"error": {"message": "Unknown: 'store'", "param": "store", "code": "context_length_exceeded"}});
        for raw in [inner.clone(), json!(inner.to_string())] {
            let error = of(raw);
            assert_eq!(error.words(), "Provider returned error. Groq: Unknown: 'store'");
            assert_eq!((error.parameter(), error.code()), (Some("store"), Code::CONTEXT_TOO_LONG));
        }
        let plain = of(json!("Rate limited. Please try again in 12.2s."));
        assert_eq!(plain.words(), "Provider returned error. Groq: Rate limited. Please try again in 12.2s.");
        assert_eq!(plain.retry_after_ms(), Some(12_200));
        assert_eq!(of(json!({"odd": 1})).words(), "Provider returned error. Groq: {\"odd\":1}");
    }

    #[test]
    fn the_vendors_words_are_one_bounded_line() {
        let words = |body: &str| VendorError::from_response(400, body.as_bytes()).words().to_owned();
        assert_eq!(words("<html>busy</html>"), "");
        assert_eq!(words("a\n\u{1b}[31m b"), "a [31m b");
        assert_eq!(words(r#"{"error":"went wrong"}"#), "went wrong");
        assert_eq!(words(&"é".repeat(500)).chars().count(), MAX_WORDS_CHARS + 1);
    }
}
