//! `http`: one request, to a host that is written in the definition and judged by the policy.

use super::{Adapter, Done, Grant, KeyProblem, StepFault, Task, checked};
use crate::definition::schema;
use crate::world::{HttpRequest, World};
use arki_domain::{Code, Fault};
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

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
struct Settings {
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
        schema::of::<Settings>()
    }

    fn check(&self, settings: &Value) -> Result<(), KeyProblem> {
        let settings: Settings = checked(settings)?;
        let host = host_of(&settings.url);
        if host.is_none_or(str::is_empty) || settings.url.contains(char::is_whitespace) {
            let message = format!("`url` can't be {:?}.", settings.url);
            return Err(KeyProblem::of("url", message, "Write a URL such as `https://example.org/hook`."));
        }
        for (name, value) in &settings.headers {
            let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
            if !is_name || value.contains(['\r', '\n', '\0']) {
                let message = format!("`headers` has an unusable header {name:?}.");
                return Err(KeyProblem::of("headers", message, "Use letters, digits and `-`, and one line of text."));
            }
        }
        Ok(())
    }

    fn grants(&self, settings: &Value) -> Vec<Grant> {
        let host = settings["url"].as_str().and_then(host_of);
        host.map(|host| Grant::Host { host: host.to_owned() }).into_iter().collect()
    }

    async fn work(&self, task: &Task, world: &dyn World) -> Result<Done, StepFault> {
        let Settings { url, method, headers } = task.read()?;
        let sends = matches!(method, Method::Post | Method::Put | Method::Patch);
        let body = sends.then(|| task.input.to_string());
        let request = HttpRequest { url, method: method.as_str(), headers, body };
        let response = world.http(request, task).await.map_err(|fault| {
            let is_retryable = fault.is(Code::HOST_UNREACHABLE);
            StepFault { fault, is_retryable }
        })?;
        if response.status >= 400 {
            let fault = Fault::new(
                Code::STEP_FAILED,
                format!("The server answered with the status {}.", response.status),
                response.body.lines().next().unwrap_or_default().chars().take(200).collect::<String>(),
            );
            return Err(StepFault { fault, is_retryable: response.status >= 500 || response.status == 429 });
        }
        Ok(Done::output(response.body))
    }
}

fn host_of(url: &str) -> Option<&str> {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"))?;
    let authority = rest.split(['/', '?', '#']).next()?;
    // Nobody puts a name and a password into a definition.
    (!authority.contains('@')).then_some(authority)
}
