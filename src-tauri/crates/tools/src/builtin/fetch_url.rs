//! `fetch_url`: a page of the web as text.

use crate::fetch::{self, PrivateHosts};
use crate::outcome::Output;
use crate::remote_tool::{CallScope, RemoteTool};
use crate::tool::{Action, Retry, Tool, ToolTraits, arguments};
use crate::touched::Touched;
use arki_domain::{Code, Error};
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// The whole of a call, all redirects included.
const TIME_LIMIT: Duration = Duration::from_secs(60);

const RETRY: Retry = Retry { on: Code::HOST_UNREACHABLE, attempts: 3, pause: Duration::from_millis(500) };

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    url: String,
}

/// The tool, for a user who has these hosts in a network of their own.
#[must_use]
pub fn fetch_url(private: PrivateHosts) -> Tool {
    let manual = include_str!("fetch_url/manual.md");
    Tool::new::<Arguments>("fetch_url", manual, Action::Remote(Arc::new(FetchUrl { private })))
        .with_conduct(ToolTraits { is_idempotent: true, time_limit: Some(TIME_LIMIT), retry: Some(RETRY) })
}

struct FetchUrl {
    private: PrivateHosts,
}

#[async_trait]
impl RemoteTool for FetchUrl {
    async fn call(&self, args: Value, _: CallScope) -> Result<Output, Error> {
        let arguments: Arguments = arguments(&args)?;
        let text = fetch::fetch(&arguments.url, &self.private).await?;
        Ok(Output { text, truncated: false })
    }

    fn touches(&self, args: &Value) -> Touched {
        let url = args.get("url").and_then(Value::as_str).and_then(|url| fetch::parse(url).ok());
        Touched { hosts: url.iter().map(fetch::host_of).collect(), ..Touched::default() }
    }
}
