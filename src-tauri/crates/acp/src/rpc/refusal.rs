//! Errors as JSON-RPC has them: a number, a sentence, and Arki's own code with what to do.

use arki_domain::{Code, Error};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct RpcRefusal {
    pub(crate) code: i64,
    pub(crate) message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) data: Option<Value>,
}

const PARSE_ERROR: i64 = -32_700;
const INVALID_REQUEST: i64 = -32_600;
const METHOD_NOT_FOUND: i64 = -32_601;
const INVALID_PARAMS: i64 = -32_602;
const INTERNAL_ERROR: i64 = -32_603;
const OVERLOADED: i64 = -32_001;
const RESOURCE_NOT_FOUND: i64 = -32_002;

/// Codes of what the client named and isn't there.
const NOT_FOUND: &[Code] = &[Code::SESSION_NOT_FOUND, Code::FOLDER_UNAVAILABLE];
/// Codes of what the client asked wrongly.
const MISUSED: &[Code] = &[
    Code::USAGE,
    Code::COMMAND_UNKNOWN,
    Code::MODEL_NOT_FOUND,
    Code::SESSION_ELSEWHERE,
    Code::SESSION_BUSY,
    Code::UNKNOWN_PROVIDER,
];

impl RpcRefusal {
    fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    pub(crate) fn unreadable(message: impl Into<String>) -> Self {
        Self::new(PARSE_ERROR, message)
    }

    pub(crate) fn invalid_request(message: impl Into<String>) -> Self {
        Self::new(INVALID_REQUEST, message)
    }

    pub(crate) fn unknown_method(method: &str) -> Self {
        Self::new(METHOD_NOT_FOUND, format!("Arki has no method {}.", arki_engine::one_line(method)))
    }

    pub(crate) fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(INVALID_PARAMS, message)
    }

    pub(crate) fn overloaded() -> Self {
        Self::new(OVERLOADED, "Too many requests are at work. Try again when some have been answered.")
    }
}

impl From<Error> for RpcRefusal {
    fn from(fault: Error) -> Self {
        let is_any = |codes: &[Code]| codes.iter().any(|code| fault.is(*code));
        let code = match () {
            () if is_any(NOT_FOUND) => RESOURCE_NOT_FOUND,
            () if is_any(MISUSED) => INVALID_PARAMS,
            () => INTERNAL_ERROR,
        };
        let message = format!("{} {}", fault.message, fault.hint).trim_end().to_owned();
        Self { code, message, data: Some(json!({"code": fault.code, "hint": fault.hint})) }
    }
}
