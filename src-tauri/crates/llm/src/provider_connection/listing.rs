//! What is asked of a provider besides answers: its models. Bounded in time and size, past the queue of answers.

use super::ProviderConnection;
use crate::fault::Target;
use crate::model_list::{self, ListedModel};
use crate::{KeyNeed, ProviderKind, Secret};
use arki_domain::{Code, Fault};
use futures_util::StreamExt;
use futures_util::stream;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderName, HeaderValue};
use reqwest::{Method, Response, Url};
use serde_json::json;
use std::time::Duration;
use tokio::time::timeout;

/// OpenRouter's list of some hundred models takes about one.
const MAX_LIST_BYTES: usize = 16 * 1024 * 1024;
/// Ollama describes each model by itself; beyond so many only the names are told.
const MAX_DESCRIBED: usize = 64;
const DESCRIBED_AT_ONCE: usize = 8;

impl ProviderConnection {
    pub(crate) fn target(&self, base_url: &Url) -> Target {
        Target::new(&self.settings, base_url, None)
    }

    /// The address, without credentials, once all that makes a request is known to be in order.
    pub(crate) async fn checked_settings(&self) -> Result<String, Fault> {
        let base_url = self.base_url().await?;
        let target = self.target(&base_url);
        for (name, value) in &self.settings.headers {
            HeaderName::try_from(name).map_err(|_| target.bad_configuration())?;
            HeaderValue::try_from(value).map_err(|_| target.bad_configuration())?;
        }
        Ok(target.url().to_owned())
    }

    /// Where the key was found; `None` when there is none and none is needed.
    pub(crate) async fn find_key(&self) -> Result<Option<String>, Fault> {
        let key = self.first_key(&self.base_url().await?).await?;
        Ok(key.map(|_| self.keys.place(&self.settings)))
    }

    /// Has the server say anything at all, without the key.
    pub(crate) async fn greet(&self, base_url: &Url) -> Result<(), Fault> {
        let target = self.target(base_url);
        let greeting = self.client(base_url, &target)?.head(base_url.clone()).send();
        match timeout(self.settings.timeouts.connect, greeting).await {
            Ok(answer) => answer.map(drop).map_err(|error| target.not_sent(&error)),
            Err(_) => Err(target.timeout("didn't begin to answer in time")),
        }
    }

    /// The server's own list; `None` when it has none at the usual place. Takes no longer than `patience`.
    pub(crate) async fn list_models(&self, patience: Duration) -> Result<Option<Vec<ListedModel>>, Fault> {
        let base_url = self.base_url().await?;
        let listing = async {
            let Some((key, body)) = self.list(&base_url).await? else { return Ok(None) };
            let target = Target::new(&self.settings, &base_url, key.as_ref());
            let models = model_list::parse(&body).ok_or_else(|| target.bad_answer("it is no list of models"))?;
            Ok(Some(match self.settings.kind {
                ProviderKind::Ollama => self.described(&base_url, key.as_ref(), models).await,
                _ => models,
            }))
        };
        let late = || Target::new(&self.settings, &base_url, None).timeout("didn't list its models in time");
        timeout(patience, listing).await.unwrap_or_else(|_| Err(late()))
    }

    /// The list's bytes, and the key it took.
    async fn list(&self, base_url: &Url) -> Result<Option<(Option<Secret>, Vec<u8>)>, Fault> {
        let path = model_list::path(self.settings.kind);
        let mut key = self.first_key(base_url).await?;
        loop {
            let response = self.ask(Method::GET, base_url, path, None, key.as_ref()).await?;
            let target = Target::new(&self.settings, base_url, key.as_ref());
            match response.status().as_u16() {
                200..=299 => return Ok(Some((key, read(response, &target).await?))),
                404 | 405 | 501 => return Ok(None),
                _ => {}
            }
            let fault = target.refused(&self.read_error(response).await, "its list of models");
            let asked_without = fault.is(Code::KEY_MISSING) && self.settings.key_need() == KeyNeed::WhenRefused;
            if fault.is(Code::KEY_REFUSED) || fault.is(Code::KEY_MISSING) {
                *self.key.lock().await = None;
            }
            if !asked_without {
                return Err(fault);
            }
            key = Some(self.ask_for_key().await?.ok_or(fault)?);
        }
    }

    /// A model whose description fails is told by its name alone.
    async fn described(&self, base_url: &Url, key: Option<&Secret>, models: Vec<ListedModel>) -> Vec<ListedModel> {
        let described = stream::iter(models.into_iter().enumerate()).map(|(number, model)| async move {
            if number >= MAX_DESCRIBED {
                return Some(model);
            }
            let body = json!({"model": model.id}).to_string();
            let target = Target::new(&self.settings, base_url, key);
            let Ok(response) = self.ask(Method::POST, base_url, "/api/show", Some(body), key).await else {
                return Some(model);
            };
            if !response.status().is_success() {
                return Some(model);
            }
            match read(response, &target).await {
                Ok(body) => model_list::shown_by_ollama(&model.id, &body),
                Err(_) => Some(model),
            }
        });
        described.buffered(DESCRIBED_AT_ONCE).filter_map(std::future::ready).collect().await
    }

    async fn ask(
        &self,
        method: Method,
        base_url: &Url,
        path: &str,
        body: Option<String>,
        key: Option<&Secret>,
    ) -> Result<Response, Fault> {
        let target = Target::new(&self.settings, base_url, key);
        let url = format!("{}{path}", base_url.as_str().trim_end_matches('/'));
        let mut request = self.client(base_url, &target)?.request(method, url).header(ACCEPT, "application/json");
        for (name, value) in &self.settings.headers {
            request = request.header(name, value);
        }
        for (name, mut value) in model_list::headers(self.settings.kind, key).map_err(|_| target.bad_configuration())? {
            // As for answers: what the user says of a header goes first.
            if self.settings.headers.keys().any(|own| name.as_str().eq_ignore_ascii_case(own)) {
                continue;
            }
            value.set_sensitive(true);
            request = request.header(name, value);
        }
        if let Some(body) = body {
            request = request.header(CONTENT_TYPE, "application/json").body(body);
        }
        request.send().await.map_err(|error| target.not_sent(&error))
    }
}

async fn read(mut response: Response, target: &Target) -> Result<Vec<u8>, Fault> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| target.broken_off(&error))? {
        body.extend_from_slice(&chunk);
        if body.len() > MAX_LIST_BYTES {
            return Err(target.bad_answer("the list of its models is longer than 16 MiB"));
        }
    }
    Ok(body)
}
