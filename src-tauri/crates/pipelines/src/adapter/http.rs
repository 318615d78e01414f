//! `http`: one request, to a host that is written in the definition and judged by the policy.

use super::{Adapter, AttemptResult, Grant, KeyProblem, StepFault, checked};
use crate::key_schema;
use crate::step_host::{HttpRequest, HttpResponse, StepHost, Task};
use arki_domain::{Code, Error};
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use url::Url;

/// Headers that say where a request ends, what connection it takes, or which host is meant.
const OF_CONNECTION: [&str; 7] =
    ["host", "content-length", "transfer-encoding", "connection", "upgrade", "te", "trailer"];

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
enum Method {
    #[default]
    Get,
    Post,
    Put,
    Patch,
    Delete,
}

impl Method {
    fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct HttpSettings {
    /// `https://` or `http://`, as it is: nothing is filled in.
    url: String,
    /// `POST`, `PUT` and `PATCH` send the input as the body.
    #[serde(default)]
    method: Method,
    #[serde(default)]
    headers: BTreeMap<String, String>,
}

pub(super) struct Http;

#[async_trait]
impl Adapter for Http {
    fn name(&self) -> &'static str {
        "http"
    }

    fn about(&self) -> &'static str {
        "Sends one request, if the policy allows the host. The response's text is the output."
    }

    fn settings(&self) -> Value {
        key_schema::of::<HttpSettings>()
    }

    fn check(&self, settings: &Value) -> Result<(), KeyProblem> {
        let settings: HttpSettings = checked(settings)?;
        if parsed(&settings.url).is_none() {
            let message = format!("`url` can't be {:?}.", settings.url);
            return Err(KeyProblem::of("url", message, "Write a URL such as `https://example.org/hook`."));
        }
        settings.headers.iter().try_for_each(|(name, value)| check_header(name, value))
    }

    fn grants(&self, settings: &Value) -> Vec<Grant> {
        let url = settings["url"].as_str().and_then(parsed);
        url.map(|url| Grant::Host { host: shown_host(&url) }).into_iter().collect()
    }

    async fn work(&self, task: &Task, world: &dyn StepHost) -> Result<AttemptResult, StepFault> {
        let HttpSettings { url, method, headers } = task.read()?;
        let sends = matches!(method, Method::Post | Method::Put | Method::Patch);
        let body = sends.then(|| task.input.to_string());
        let request = HttpRequest { url, method: method.as_str(), headers, body };
        let response = world.http(request, task).await.map_err(|fault| {
            let is_retryable = fault.is(Code::HOST_UNREACHABLE);
            StepFault { fault, is_retryable }
        })?;
        if (300..400).contains(&response.status) {
            return Err(StepFault::final_(redirected(&response)));
        }
        if response.status >= 400 {
            let fault = Error::new(
                Code::STEP_FAILED,
                format!("The server answered with the status {}.", response.status),
                response.body.lines().next().unwrap_or_default().chars().take(200).collect::<String>(),
            );
            return Err(StepFault { fault, is_retryable: response.status >= 500 || response.status == 429 });
        }
        Ok(AttemptResult::output(response.body))
    }
}

/// Reads a URL as it is sent to; `None` for what is no plain `http` or `https` address.
fn parsed(url: &str) -> Option<Url> {
    // The parser reads `\` as `/` and passes over control characters: a reader would take another host for the one meant.
    let misleads = |character: char| character == '\\' || character.is_whitespace() || character.is_control();
    let read = Url::parse(url).ok().filter(|_| !url.contains(misleads))?;
    let is_web = matches!(read.scheme(), "http" | "https") && read.host_str().is_some_and(|host| !host.is_empty());
    // Nobody puts a name and a password into a definition.
    (is_web && read.username().is_empty() && read.password().is_none()).then_some(read)
}

fn shown_host(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

fn check_header(name: &str, value: &str) -> Result<(), KeyProblem> {
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if !is_name || value.contains(|character: char| character.is_control() && character != '\t') {
        let message = format!("`headers` has an unusable header {name:?}.");
        return Err(KeyProblem::of("headers", message, "Use letters, digits and `-`, and one line of text."));
    }
    let name = name.to_ascii_lowercase();
    if OF_CONNECTION.contains(&name.as_str()) || name.starts_with("proxy-") {
        let message = format!("`headers` can't set {name:?}: it follows from the request itself.");
        return Err(KeyProblem::of("headers", message, "Take it out."));
    }
    Ok(())
}

/// Makes the error for a redirect. It is not followed: only the host in the definition was approved.
fn redirected(response: &HttpResponse) -> Error {
    let leads = response.location.as_ref().map(|location| format!(" and leads to {location}")).unwrap_or_default();
    Error::new(
        Code::STEP_FAILED,
        format!("The server answered with the status {}{leads}.", response.status),
        "Redirects aren't followed. If it is the right address, write it into `url`.",
    )
}
