//! Errors of servers, in sentences that name the server.

use arki_domain::{Code, Error, is_hidden};
use rmcp::model::ErrorData;
use rmcp::transport::streamable_http_client::StreamableHttpError;
use std::error::Error as StdError;

/// The limit for a server's message that an error quotes.
const MAX_QUOTED_CHARS: usize = 300;
const NO_MESSAGE: &str = "it sent something that is not an MCP message";
const CUT_OFF: &str = "its answer was cut off";

pub(crate) fn failed(server: &str, what: impl std::fmt::Display) -> Error {
    Error::new(
        Code::MCP_SERVER_FAILED,
        format!("The MCP server \"{server}\" {what}"),
        format!("Run `arki mcp test {server}` to see its output."),
    )
}

/// `how` completes "it …".
pub(crate) fn over_limit(server: &str, how: &str) -> Error {
    Error::new(
        Code::MCP_SERVER_FAILED,
        format!("The MCP server \"{server}\" {how}, so Arki ended it. What it did before is unknown."),
        format!("Run `arki mcp test {server}` to see its output. A user can raise the limits in the configuration."),
    )
}

pub(crate) fn refused(server: &str, error: &ErrorData) -> Error {
    Error::new(
        Code::MCP_CALL_REFUSED,
        format!("The MCP server \"{server}\" answered with an error ({}): {}", error.code.0, quoted(&error.message)),
        "Check the arguments against the tool's schema.",
    )
}

pub(crate) fn authorization_needed(server: &str) -> Error {
    Error::new(
        Code::MCP_AUTHORIZATION_NEEDED,
        format!("The MCP server \"{server}\" asks you to sign in."),
        format!("Sign in with `arki mcp login {server}` or in the settings, then try again."),
    )
}

/// Makes the error for a variable that is not set. Without it the server would get a header with nothing in it.
pub(crate) fn variable_not_set(server: &str, variable: &str) -> Error {
    let message =
        format!("A header of the MCP server \"{server}\" needs the environment variable {variable}, which is not set.");
    Error::new(
        Code::CONFIG_INVALID,
        message,
        format!("Set {variable}, or remove it from \"mcpServers\" in the configuration."),
    )
}

/// The server asks for tokens, which have nowhere to be.
pub(crate) fn tokens_not_kept(server: &str, keychain: Error) -> Error {
    let message =
        format!("The MCP server \"{server}\" asks you to sign in, which needs the keychain. {}", keychain.message);
    let hint = format!("{} Or give the server a token under \"headers\" in its configuration.", keychain.hint);
    Error { message, hint, ..keychain }
}

/// The server asks for tokens though the user gave it one, which is the one that is sent.
pub(crate) fn token_refused(server: &str) -> Error {
    Error::new(
        Code::MCP_SERVER_FAILED,
        format!("The MCP server \"{server}\" refused the token under \"headers\" in its configuration."),
        "Replace the token, or remove \"Authorization\" from \"headers\" to sign in instead.",
    )
}

/// The error for a server with a token of its own, so that one from signing in would not be sent.
pub(crate) fn has_own_token(server: &str) -> Error {
    Error::new(
        Code::USAGE,
        format!("The MCP server \"{server}\" already sends a token from \"headers\" in its configuration."),
        "Remove \"Authorization\" from \"headers\" to sign in instead.",
    )
}

pub(crate) fn sign_in_refused(server: &str, error: &str) -> Error {
    Error::new(
        Code::MCP_AUTHORIZATION_NEEDED,
        format!("You are not signed in to the MCP server \"{server}\": {}.", quoted(error)),
        format!("Run `arki mcp login {server}`, or choose \"Sign in\" in the settings, to try again."),
    )
}

pub(crate) fn tool_changed(server: &str, tool: &str) -> Error {
    Error::new(
        Code::MCP_TOOL_CHANGED,
        format!("\"{tool}\" of the MCP server \"{server}\" changed since the user approved it, so it is off."),
        format!("Continue without it. The user can review and accept the change with `arki mcp agree {server}`."),
    )
}

pub(crate) fn changed_again(server: &str) -> Error {
    Error::new(
        Code::MCP_TOOL_CHANGED,
        format!("The tools of the MCP server \"{server}\" changed since you saw them."),
        "Review the difference again.",
    )
}

/// The cause at the bottom, which is what says something; above it stand the names of types. Completes "…: ".
pub(crate) fn cause(error: &(dyn StdError + 'static)) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    match cause.downcast_ref::<StreamableHttpError<reqwest::Error>>() {
        Some(error) => over_http(error),
        None if cause.is::<serde_json::Error>() => NO_MESSAGE.to_owned(),
        None => quoted(&cause.to_string()),
    }
}

/// Returns what came over HTTP instead of an answer.
fn over_http(error: &StreamableHttpError<reqwest::Error>) -> String {
    match error {
        StreamableHttpError::UnexpectedContentType(kind) => {
            let kind = kind.as_deref().map_or_else(|| "no content type".to_owned(), quoted);
            format!("it answered with {kind}, which is not MCP")
        }
        StreamableHttpError::HttpStatus(status) => format!("it answered with {status}"),
        // The library says more than one thing with this.
        StreamableHttpError::UnexpectedServerResponse(words) if words.starts_with("HTTP ") => {
            format!("it answered with {}", quoted(words))
        }
        StreamableHttpError::UnexpectedServerResponse(words) if words.starts_with("could not parse") => {
            NO_MESSAGE.to_owned()
        }
        StreamableHttpError::SessionExpired => {
            "it answered with HTTP 404, as if it didn't know this session".to_owned()
        }
        StreamableHttpError::UnexpectedEndOfStream => CUT_OFF.to_owned(),
        StreamableHttpError::Client(error) if error.is_body() || error.is_decode() => CUT_OFF.to_owned(),
        StreamableHttpError::Client(error) => without_number(&cause(error)).to_owned(),
        other => quoted(&other.to_string()),
    }
}

/// Returns what the operating system says, without its number for it.
fn without_number(words: &str) -> &str {
    words.split_once(" (os error").map_or(words, |(words, _)| words)
}

/// A piece of somebody else's text, on one line.
pub(crate) fn quoted(text: &str) -> String {
    let line: String = text.chars().map(|c| if is_hidden(c) { ' ' } else { c }).take(MAX_QUOTED_CHARS).collect();
    line.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rmcp::transport::DynamicTransportError;

    #[test]
    fn what_came_instead_of_an_answer_is_told_in_plain_words() {
        let told = |error: StreamableHttpError<reqwest::Error>| {
            let id = std::any::TypeId::of::<()>();
            cause(&DynamicTransportError::from_parts("http", id, Box::new(error)))
        };
        let page = StreamableHttpError::UnexpectedContentType(Some("text/html".to_owned()));
        assert_eq!(told(page), "it answered with text/html, which is not MCP");
        let nothing = StreamableHttpError::UnexpectedContentType(None);
        assert_eq!(told(nothing), "it answered with no content type, which is not MCP");
        let broken = serde_json::from_str::<u8>("{").unwrap_err();
        assert_eq!(told(StreamableHttpError::Deserialize(broken)), "it sent something that is not an MCP message");
    }
}
