//! A vendor's own error, from a status and a body or from the middle of a stream, and which of ours it is.

use arki_domain::Code;
use serde_json::Value;

/// How much of a vendor's words is passed on.
const MAX_WORDS_CHARS: usize = 400;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct VendorError {
    /// Zero when there was none.
    status: u16,
    /// `code` and `type` of the error object, in lower case.
    kind: String,
    words: String,
}

impl VendorError {
    pub(crate) fn from_response(status: u16, body: &[u8]) -> Self {
        Self { status, ..Self::from_body(body) }
    }

    /// From an event inside a stream, or a body without a telling status.
    pub(crate) fn from_body(body: &[u8]) -> Self {
        match serde_json::from_slice::<Value>(body) {
            Ok(value) => Self::from_value(&value),
            Err(_) => Self { status: 0, kind: String::new(), words: plain_words(&String::from_utf8_lossy(body)) },
        }
    }

    /// From any of the forms in use: `{error: {message, code, type}}`, `{error: "…"}`, `{message}`, `{detail}`, a list of one.
    fn from_value(value: &Value) -> Self {
        let value = value.get(0).unwrap_or(value);
        let error = value.get("error").filter(|error| !error.is_null()).unwrap_or(value);
        let code = error.get("code").or_else(|| value.get("code"));
        let status = code.and_then(|code| code.as_u64().or_else(|| code.as_str()?.parse().ok()));
        let named = |key| error.get(key).and_then(Value::as_str).unwrap_or_default();
        let words = error.as_str().map(str::to_owned).or_else(|| {
            let message = error.get("message").or_else(|| error.get("detail"))?;
            Some(message.as_str().map_or_else(|| message.to_string(), str::to_owned))
        });
        Self {
            status: status.and_then(|status| u16::try_from(status).ok()).unwrap_or(0),
            kind: format!("{} {}", named("code"), named("type")).to_lowercase(),
            words: plain_words(&words.unwrap_or_default()),
        }
    }

    pub(crate) fn words(&self) -> &str {
        &self.words
    }

    pub(crate) fn status_in_words(&self) -> String {
        if self.status == 0 { String::new() } else { format!(" (status {})", self.status) }
    }

    /// What the words say goes before the status: many servers answer 400 or 500 to everything.
    pub(crate) fn code(&self) -> Code {
        let says = |needles: &[&str]| {
            let words = self.words.to_lowercase();
            needles.iter().any(|needle| self.kind.contains(needle) || words.contains(needle))
        };
        if says(&["context_length_exceeded", "exceed_context_size", "maximum context length", "context window"]) {
            return Code::CONTEXT_TOO_LONG;
        }
        if says(&["insufficient_quota", "insufficient balance", "insufficient credit", "credit balance is too low"]) {
            return Code::PROVIDER_NO_CREDIT;
        }
        if says(&["model_not_found"]) {
            return Code::MODEL_NOT_FOUND;
        }
        self.code_of_status().unwrap_or_else(|| self.code_of_kind())
    }

    fn code_of_status(&self) -> Option<Code> {
        Some(match self.status {
            300..=399 => Code::PROVIDER_BAD_ANSWER,
            401 | 403 => Code::KEY_REFUSED,
            402 => Code::PROVIDER_NO_CREDIT,
            404 => Code::MODEL_NOT_FOUND,
            408 => Code::PROVIDER_TIMEOUT,
            409 | 425 => Code::PROVIDER_FAILED,
            429 => Code::PROVIDER_RATE_LIMITED,
            400..=499 => Code::PROVIDER_BAD_REQUEST,
            500..=599 => Code::PROVIDER_FAILED,
            _ => return None,
        })
    }

    fn code_of_kind(&self) -> Code {
        let is = |needle: &str| self.kind.contains(needle);
        if is("rate_limit") {
            Code::PROVIDER_RATE_LIMITED
        } else if is("authentication") || is("invalid_api_key") || is("permission") {
            Code::KEY_REFUSED
        } else if is("invalid_request") || is("badrequest") {
            Code::PROVIDER_BAD_REQUEST
        } else {
            Code::PROVIDER_FAILED
        }
    }
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
            (400, json!({"error": {"code": 400, "type": "exceed_context_size_error"}}), Code::CONTEXT_TOO_LONG),
            (302, plain.clone(), Code::PROVIDER_BAD_ANSWER),
            (500, plain.clone(), Code::PROVIDER_FAILED),
            (529, plain, Code::PROVIDER_FAILED),
        ];
        for (status, body, expected) in cases {
            assert_eq!(code(status, &body), expected, "{status} {body}");
        }
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
    fn the_vendors_words_are_one_bounded_line() {
        let words = |body: &str| VendorError::from_response(400, body.as_bytes()).words().to_owned();
        assert_eq!(words("<html>busy</html>"), "");
        assert_eq!(words("a\n\u{1b}[31m b"), "a [31m b");
        assert_eq!(words(r#"{"error":"went wrong"}"#), "went wrong");
        assert_eq!(words(&"é".repeat(500)).chars().count(), MAX_WORDS_CHARS + 1);
    }
}
