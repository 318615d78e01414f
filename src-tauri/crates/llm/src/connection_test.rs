//! Tests one provider in steps, from its settings to an answer, so that the user sees which one fails.
//!
//! Each step asks for as little as it needs: the key is found before anything is sent, and sent only once the server's
//! name, address and certificate are known to be good.

use crate::catalogue;
use crate::fault::Target;
use crate::model_list::ListedModel;
use crate::provider_connection::ProviderConnection;
use crate::proxy::proxy_for;
use crate::{KeyNeed, ModelSource, ProviderKind, Providers};
use arki_domain::{ChatRequest, Error, FinishReason, Message, ModelOptions, StreamEvent, TokenType};
use futures_util::StreamExt;
use reqwest::Url;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::{TcpStream, lookup_host};
use tokio::time::timeout;

/// The time that the list of models may take.
const LIST_PATIENCE: Duration = Duration::from_secs(15);
/// Enough for a word, also where the model thinks a little first.
const ANSWER_TOKENS: u32 = 32;
/// The number of characters shown of the answer.
const SHOWN_CHARS: usize = 60;

/// One step that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestStep {
    pub name: TestStepName,
    pub duration: Duration,
    pub outcome: TestOutcome,
}

/// The names of the steps, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TestStepName {
    /// The base URL and the headers can be used.
    Settings,
    /// A key is found where one is needed.
    Key,
    /// The server's name is known, and it takes connections.
    Reach,
    /// Its certificate is trusted.
    Tls,
    /// It lists its models, and so takes the key.
    Models,
    /// The chosen model is among them.
    Model,
    /// The chosen model answers.
    Answer,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TestOutcome {
    /// The finding, in a sentence.
    Ok(String),
    /// Why it tells nothing here, in a sentence.
    Skipped(String),
    Failed(Error),
}

impl Providers {
    /// Tests the provider, and the model where one is given (its name alone): a request of a few tokens. `on_step` is
    /// told each step when it ends; the first that fails is the last. True when none failed.
    ///
    /// The test uses the connection that these providers keep, with a key that was found before: make them anew to
    /// test what is stored now.
    ///
    /// # Errors
    /// `UNKNOWN_PROVIDER`.
    pub async fn test(
        &self,
        provider: &str,
        model: Option<&str>,
        on_step: &mut (dyn FnMut(TestStep) + Send),
    ) -> Result<bool, Error> {
        let connection = self.connection(provider)?;
        let mut steps = Steps { on_step };
        Ok(self.test_steps(connection, model, &mut steps).await.is_ok())
    }

    async fn test_steps(
        &self,
        connection: &ProviderConnection,
        model: Option<&str>,
        steps: &mut Steps<'_>,
    ) -> Result<(), Stopped> {
        steps.take(TestStepName::Settings, async { self.usable(connection) }).await?;
        if connection.settings().kind == ProviderKind::Demo {
            let Some(model) = model else { return Ok(()) };
            return steps.take(TestStepName::Answer, self.answer(connection, model)).await;
        }
        steps.take(TestStepName::Key, key(connection)).await?;
        steps.take(TestStepName::Reach, reach(connection)).await?;
        steps.take(TestStepName::Tls, tls(connection)).await?;
        let mut listed = None;
        steps.take(TestStepName::Models, models(connection, &mut listed)).await?;
        let Some(model) = model else { return Ok(()) };
        steps.take(TestStepName::Model, async { Ok(known(connection, model, listed.as_deref())) }).await?;
        steps.take(TestStepName::Answer, self.answer(connection, model)).await
    }

    fn usable(&self, connection: &ProviderConnection) -> Result<TestOutcome, Error> {
        if connection.settings().kind == ProviderKind::Demo {
            return Ok(TestOutcome::Ok("It is a part of Arki: it needs no key and no network.".to_owned()));
        }
        // Says as well when this kind of provider cannot be used.
        self.model(&format!("{}/any", connection.settings().name))?;
        let url = connection.checked_settings()?;
        Ok(TestOutcome::Ok(format!("The address is {url}.")))
    }

    async fn answer(&self, connection: &ProviderConnection, model: &str) -> Result<TestOutcome, Error> {
        let started = Instant::now();
        let chat = self.model(&format!("{}/{model}", connection.settings().name))?;
        let request = ChatRequest {
            system: "Answer in one word.".into(),
            messages: Arc::new(vec![Arc::new(Message::user("Say OK."))]),
            tools: Arc::default(),
            images: Arc::default(),
            options: ModelOptions { max_completion_tokens: Some(ANSWER_TOKENS), ..ModelOptions::default() },
        };
        let mut stream = loop {
            let prepared = chat.prepare(&request)?;
            match chat.send(prepared.clone()).await {
                Ok(stream) => break stream,
                // Without what it refuses, it may answer.
                Err(_) if chat.prepare(&request)?.request_hash != prepared.request_hash => {}
                Err(fault) => return Err(fault),
            }
        };
        let (mut text, mut first, mut cut_short) = (String::new(), None, false);
        while let Some(event) = stream.next().await {
            match event? {
                StreamEvent::Token { text: piece, token_type } => {
                    first = first.or_else(|| Some(started.elapsed()));
                    if token_type != TokenType::LlmThinking && text.chars().count() <= SHOWN_CHARS {
                        text.push_str(&piece);
                    }
                }
                StreamEvent::Metadata { finish_reason, .. } => cut_short |= finish_reason == Some(FinishReason::Length),
                StreamEvent::ToolCall(_) | StreamEvent::CallGrows | StreamEvent::Reasoning(_) | StreamEvent::End => {}
            }
        }
        let after = first.map_or_else(String::new, |first| format!(", the first piece after {} ms", first.as_millis()));
        Ok(TestOutcome::Ok(match (shown(&text), cut_short) {
            (Some(word), _) => format!("It answers “{word}”{after}."),
            (None, true) => format!("It answers; {ANSWER_TOKENS} tokens were too few for its thoughts{after}."),
            (None, false) => format!("It answers, with nothing to show{after}."),
        }))
    }
}

/// The test has said why.
struct Stopped;

struct Steps<'a> {
    on_step: &'a mut (dyn FnMut(TestStep) + Send),
}

impl Steps<'_> {
    async fn take(
        &mut self,
        name: TestStepName,
        step: impl Future<Output = Result<TestOutcome, Error>>,
    ) -> Result<(), Stopped> {
        let started = Instant::now();
        let outcome = step.await.unwrap_or_else(TestOutcome::Failed);
        let failed = matches!(outcome, TestOutcome::Failed(_));
        (self.on_step)(TestStep { name, duration: started.elapsed(), outcome });
        if failed { Err(Stopped) } else { Ok(()) }
    }
}

async fn key(connection: &ProviderConnection) -> Result<TestOutcome, Error> {
    let need = connection.settings().key_need();
    if matches!(need, KeyNeed::None | KeyNeed::WhenRefused) {
        let words = match need {
            KeyNeed::WhenRefused => "None is sent unless the server asks for one.",
            _ => "None is needed.",
        };
        return Ok(TestOutcome::Skipped(words.to_owned()));
    }
    Ok(match connection.find_key().await? {
        Some(place) => TestOutcome::Ok(format!("Found in {place}.")),
        None => TestOutcome::Skipped("No key was found; the server is asked without one.".to_owned()),
    })
}

async fn reach(connection: &ProviderConnection) -> Result<TestOutcome, Error> {
    let url = connection.base_url()?;
    let words = reach_address(&url, connection.settings().timeouts.connect, &connection.target(&url)).await?;
    Ok(TestOutcome::Ok(words))
}

/// Returns the address that was reached, in a sentence. Through a proxy, only the proxy can be seen from here.
async fn reach_address(url: &Url, patience: Duration, target: &Target) -> Result<String, Error> {
    let through = proxy_for(url);
    let (host, port) = match &through {
        Some(proxy) => proxy.clone(),
        None => (host_of(url), url.port_or_known_default().unwrap_or(443)),
    };
    let connecting = async {
        let mut addresses = lookup_host((host.as_str(), port)).await.map_err(|_| target.unresolved(&host))?;
        let Some(first) = addresses.next() else { return Err(target.unresolved(&host)) };
        for address in std::iter::once(first).chain(addresses) {
            if TcpStream::connect(address).await.is_ok() {
                return Ok(address);
            }
        }
        Err(if through.is_some() { target.proxy_unreachable(&host, port) } else { target.unreachable() })
    };
    let address = timeout(patience, connecting).await.unwrap_or_else(|_| Err(target.unreachable()))?;
    Ok(match through {
        Some((host, port)) => format!("The proxy {host}:{port} takes connections."),
        None => format!("{address} takes connections."),
    })
}

fn host_of(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host).to_owned()
}

async fn tls(connection: &ProviderConnection) -> Result<TestOutcome, Error> {
    let url = connection.base_url()?;
    if url.scheme() == "http" {
        return Ok(TestOutcome::Skipped("The address is http, without encryption.".to_owned()));
    }
    connection.greet(&url).await?;
    Ok(TestOutcome::Ok("The server's certificate is trusted.".to_owned()))
}

async fn models(connection: &ProviderConnection, listed: &mut Option<Vec<ListedModel>>) -> Result<TestOutcome, Error> {
    let path = crate::model_list::path(connection.settings().kind);
    let path = path.split_once('?').map_or(path, |(path, _)| path);
    *listed = connection.list_models(LIST_PATIENCE).await?;
    match listed.as_ref().map(Vec::len) {
        Some(1) => Ok(TestOutcome::Ok("It lists 1 model.".to_owned())),
        Some(count) => Ok(TestOutcome::Ok(format!("It lists {count} models."))),
        None if must_list(connection) => {
            let target = connection.target(&connection.base_url()?);
            Err(target.bad_answer(&format!("there is no list of models at {path}")))
        }
        None => Ok(TestOutcome::Skipped(format!("The server has no list of models at {path}."))),
    }
}

/// Vendors do at their own address, and so does every Ollama; a gateway or a server of one's own need not.
fn must_list(connection: &ProviderConnection) -> bool {
    let settings = connection.settings();
    settings.base_url.is_none() || settings.kind == ProviderKind::Ollama
}

/// A model that is not listed may still be there: vendors have names that their lists leave out. Its answer tells.
fn known(connection: &ProviderConnection, model: &str, listed: Option<&[ListedModel]>) -> TestOutcome {
    let settings = connection.settings();
    let is_it = |one: &ListedModel| crate::model_list::is_called(settings.kind, &one.id, model);
    let info = catalogue::model_info(settings, model);
    match listed.map(|listed| listed.iter().find(|one| is_it(one))) {
        Some(Some(ListedModel { context_window: Some(tokens), .. })) => {
            TestOutcome::Ok(format!("“{model}” is listed, with a window of {tokens} tokens."))
        }
        Some(Some(_)) => TestOutcome::Ok(format!("“{model}” is listed.")),
        _ if info.source == ModelSource::Catalogue => {
            TestOutcome::Ok(format!("“{model}” is in the catalogue, with a window of {} tokens.", info.context_window))
        }
        Some(None) => {
            TestOutcome::Skipped(format!("“{model}” is not in the list; the test request shows whether it exists."))
        }
        None => TestOutcome::Skipped("The server lists no models; only a test request can tell.".to_owned()),
    }
}

/// Shortens the text to one line; `None` if nothing of it can be seen.
fn shown(text: &str) -> Option<String> {
    let line = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    let line = line.collect::<Vec<_>>().join(" ");
    if line.is_empty() {
        return None;
    }
    Some(match line.char_indices().nth(SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    })
}
