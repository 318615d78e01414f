//! The client of the protocol's public conformance suite: Arki's own connection, made to do what a scenario asks for.
//!
//! The suite gives the server's address as the last argument, and the scenario in the environment. The user who signs
//! in is played by a request to the page, whose answer says where the browser would be sent.

#![allow(clippy::print_stderr, reason = "the suite shows what its client says")]

use arki_domain::{CallId, Code, Error, RunId, SessionId};
use arki_mcp::{
    Agreement, AgreementStore, Call, Command, Elicitor, Launched, Launcher, OAuth, Offer, OfferTarget, Ports, Remote,
    Reply, Server, ServerQuestion, ServerSettings, SignIn, TokenStore, Transport, WantedAnswer,
};
use arki_tools::{CallPlace, Caller};
use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use tokio_util::sync::CancellationToken;

/// What the suite tells besides the address.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Context {
    #[serde(rename = "toolCalls")]
    tool_calls: Vec<ToolCall>,
    client_id: Option<String>,
    client_secret: Option<String>,
}

#[derive(Debug, Deserialize)]
struct ToolCall {
    name: String,
    #[serde(default)]
    arguments: Value,
}

#[derive(Default)]
struct Kept {
    agreements: Mutex<HashMap<String, Agreement>>,
    tokens: Mutex<HashMap<String, String>>,
}

#[async_trait]
impl AgreementStore for Kept {
    fn load(&self, key: &str) -> Result<Option<Agreement>, Error> {
        Ok(self.agreements.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned())
    }

    async fn save(&self, key: &str, agreement: &Agreement) -> Result<(), Error> {
        self.agreements.lock().unwrap_or_else(PoisonError::into_inner).insert(key.to_owned(), agreement.clone());
        Ok(())
    }
}

#[async_trait]
impl TokenStore for Kept {
    async fn load(&self, url: &str) -> Result<Option<String>, Error> {
        Ok(self.tokens.lock().unwrap_or_else(PoisonError::into_inner).get(url).cloned())
    }

    async fn save(&self, url: &str, tokens: &str) -> Result<(), Error> {
        self.tokens.lock().unwrap_or_else(PoisonError::into_inner).insert(url.to_owned(), tokens.to_owned());
        Ok(())
    }

    async fn clear(&self, url: &str) -> Result<(), Error> {
        self.tokens.lock().unwrap_or_else(PoisonError::into_inner).remove(url);
        Ok(())
    }
}

struct NoPrograms;

#[async_trait]
impl Launcher for NoPrograms {
    async fn launch(&self, _: &Command) -> Result<Launched, Error> {
        Err(Error::internal("the suite speaks over HTTP"))
    }
}

/// Goes where the page sends it, without looking.
struct Headless;

#[async_trait]
impl SignIn for Headless {
    fn redirect_uri(&self) -> String {
        "http://localhost:3000/callback".to_owned()
    }

    async fn visit(&self, url: &str) -> Result<String, Error> {
        let failed = |what: &dyn std::fmt::Display| Error::new(Code::IO_FAILED, what.to_string(), "");
        let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build();
        let answer = client.map_err(|error| failed(&error))?.get(url).send().await.map_err(|error| failed(&error))?;
        let location = answer.headers().get("location").and_then(|location| location.to_str().ok());
        location.map(str::to_owned).ok_or_else(|| failed(&"the page sends nobody anywhere"))
    }
}

/// Takes what the server suggests.
struct Defaults;

#[async_trait]
impl Elicitor for Defaults {
    async fn ask(&self, question: ServerQuestion) -> Reply {
        match question.wanted {
            WantedAnswer::Form(form) => Reply::Accept(form.defaults()),
            WantedAnswer::Page(_) => Reply::Decline,
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let url = std::env::args().next_back().unwrap_or_default();
    let context = std::env::var("MCP_CONFORMANCE_CONTEXT").unwrap_or_default();
    let context: Context = serde_json::from_str(&context).unwrap_or_default();
    match run(&url, context).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("error[{}]: {}", fault.code, fault.message);
            ExitCode::FAILURE
        }
    }
}

async fn run(url: &str, context: Context) -> Result<(), Error> {
    let oauth = OAuth {
        client_id: context.client_id,
        client_secret: context.client_secret,
        client_metadata_url: Some("https://conformance-test.local/client-metadata.json".to_owned()),
        scopes: Vec::new(),
    };
    let remote = Remote { url: url.to_owned(), headers: BTreeMap::new(), oauth };
    let settings = ServerSettings::new("conformance", Transport::Http(remote));
    let kept = Arc::new(Kept::default());
    let ports = Ports {
        launcher: Arc::new(NoPrograms),
        agreements: kept.clone(),
        tokens: kept,
        sign_in: Some(Arc::new(Headless)),
        elicitor: Some(Arc::new(Defaults)),
        root: None,
    };
    let server = Server::new(settings, ports);
    let offer = server.offer().await?;
    let called = call_all(&server, &offer, &context.tool_calls).await;
    server.stop().await;
    called
}

/// The calls that the suite names, or each tool once with what its schema asks for.
async fn call_all(server: &Server, offer: &Offer, named: &[ToolCall]) -> Result<(), Error> {
    let mut calls: Vec<(String, Value)> =
        named.iter().map(|call| (call.name.clone(), call.arguments.clone())).collect();
    if calls.is_empty() {
        calls = offer
            .tools
            .iter()
            .filter_map(|tool| match &tool.target {
                OfferTarget::Tool(name) => Some((name.clone(), made_up(&tool.parameters))),
                _ => None,
            })
            .collect();
    }
    let place = CallPlace {
        session_id: SessionId::from("conformance"),
        run_id: RunId::from("conformance"),
        call_id: CallId::from("conformance"),
    };
    for (name, arguments) in calls {
        let call = Call {
            cancel: CancellationToken::new(),
            on_progress: &mut |text| eprint!("{text}"),
            caller: Caller::new(place.clone()),
        };
        let answer = server.call(&OfferTarget::Tool(name), &arguments, call).await?;
        eprintln!("{}", answer.text);
    }
    Ok(())
}

fn made_up(schema: &Value) -> Value {
    let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let field = |name: &Value| {
        let name = name.as_str()?;
        let value = match schema.pointer(&format!("/properties/{name}/type")).and_then(Value::as_str) {
            Some("number") => json!(1.0),
            Some("integer") => json!(1),
            Some("boolean") => json!(true),
            _ => json!("test"),
        };
        Some((name.to_owned(), value))
    };
    Value::Object(required.iter().filter_map(field).collect())
}
