//! Questions to a provider besides answers: its models, all or one. Bounded in time and size, past the queue of
//! answers.

use super::ProviderConnection;
use crate::fault::Target;
use crate::model_list::{self, ListedModel};
use crate::{DEFAULT_LOCAL_CONTEXT_WINDOW, ProviderKind, Secret};
use arki_domain::Error;
use futures_util::StreamExt;
use futures_util::stream;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderName, HeaderValue};
use reqwest::{Response, Url};
use serde_json::{Value, json};
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
    pub(crate) fn checked_settings(&self) -> Result<String, Error> {
        let base_url = self.base_url()?;
        let target = self.target(&base_url);
        for (name, value) in &self.settings.headers {
            HeaderName::try_from(name).map_err(|_| target.bad_configuration())?;
            HeaderValue::try_from(value).map_err(|_| target.bad_configuration())?;
        }
        Ok(target.url().to_owned())
    }

    /// Returns where the key was found; `None` when there is none and none is needed.
    pub(crate) async fn find_key(&self) -> Result<Option<String>, Error> {
        let key = self.first_key(&self.base_url()?).await?;
        Ok(key.map(|_| self.keys.place(&self.settings)))
    }

    /// Has the server say anything at all, without the key.
    pub(crate) async fn greet(&self, base_url: &Url) -> Result<(), Error> {
        let target = self.target(base_url);
        let greeting = self.client(base_url, &target)?.head(base_url.clone()).send();
        match timeout(self.settings.timeouts.connect, greeting).await {
            Ok(answer) => answer.map(drop).map_err(|error| target.not_sent(&error)),
            Err(_) => Err(target.timeout("didn't start answering in time")),
        }
    }

    /// The server's own list; `None` when it has none at the usual place. Takes no longer than `patience`.
    pub(crate) async fn list_models(&self, patience: Duration) -> Result<Option<Vec<ListedModel>>, Error> {
        let base_url = self.base_url()?;
        let listing = async {
            let Some((key, body)) = self.list(&base_url).await? else { return Ok(None) };
            let target = Target::new(&self.settings, &base_url, key.as_ref());
            let models = model_list::parse(&body).ok_or_else(|| target.bad_answer("it is not a list of models"))?;
            Ok(Some(match self.settings.kind {
                ProviderKind::Ollama => self.described(&base_url, key.as_ref(), models).await,
                _ => self.with_window(&base_url, key.as_ref(), models).await,
            }))
        };
        let late = || Target::new(&self.settings, &base_url, None).timeout("didn't list its models in time");
        let models = timeout(patience, listing).await.unwrap_or_else(|_| Err(late()))?;
        self.learned.put(models.as_deref().unwrap_or_default());
        Ok(models)
    }

    /// Returns what the server says of one model; `None` where it does not know it.
    pub(super) async fn describe(&self, model: &str) -> Result<Option<ListedModel>, Error> {
        let base_url = self.base_url()?;
        let kind = self.settings.kind;
        if kind != ProviderKind::Ollama {
            let Some((key, body)) = self.list(&base_url).await? else { return Ok(None) };
            let models = model_list::parse(&body).unwrap_or_default();
            // A server of one model gives that one whatever name it is asked for.
            let is_only = models.len() == 1;
            let named = |listed: &ListedModel| is_only || model_list::is_called(kind, &listed.id, model);
            let found: Vec<ListedModel> = models.into_iter().find(named).into_iter().collect();
            return Ok(self.with_window(&base_url, key.as_ref(), found).await.pop());
        }
        let key = self.first_key(&base_url).await?;
        let named = ListedModel { id: model.to_owned(), ..ListedModel::default() };
        let described = self.described(&base_url, key.as_ref(), vec![named.clone()]).await.pop();
        Ok(described.filter(|described| *described != named))
    }

    /// llama.cpp tells the window of its one model in a place of its own, beside the API, when not in its list.
    async fn with_window(&self, base_url: &Url, key: Option<&Secret>, models: Vec<ListedModel>) -> Vec<ListedModel> {
        let [model] = models.as_slice() else { return models };
        if model.context_window.is_some() || self.settings.kind != ProviderKind::Custom {
            return models;
        }
        let mut root = base_url.clone();
        root.set_path(base_url.path().trim_end_matches('/').trim_end_matches("/v1"));
        let told = self.told(&root, "/props", None, key).await;
        let context_window = told.and_then(|body| model_list::window_of_props(&body));
        vec![ListedModel { context_window, ..model.clone() }]
    }

    /// The answer to a question that need not have one.
    async fn told(&self, base_url: &Url, path: &str, body: Option<&Value>, key: Option<&Secret>) -> Option<Vec<u8>> {
        let response = self.ask(base_url, path, body, key).await.ok()?;
        let target = Target::new(&self.settings, base_url, key);
        if response.status().is_success() { read(response, &target).await.ok() } else { None }
    }

    /// The list's bytes, and the key it took.
    async fn list(&self, base_url: &Url) -> Result<Option<(Option<Secret>, Vec<u8>)>, Error> {
        let path = model_list::path(self.settings.kind);
        let mut key = self.first_key(base_url).await?;
        loop {
            let response = self.ask(base_url, path, None, key.as_ref()).await?;
            let target = Target::new(&self.settings, base_url, key.as_ref());
            match response.status().as_u16() {
                200..=299 => return Ok(Some((key, read(response, &target).await?))),
                404 | 405 | 501 => return Ok(None),
                _ => {}
            }
            let fault = target.refused(&self.read_error(response).await, "its list of models");
            key = Some(self.key_after(fault).await?);
        }
    }

    /// A model whose description fails is told by its name alone.
    async fn described(&self, base_url: &Url, key: Option<&Secret>, models: Vec<ListedModel>) -> Vec<ListedModel> {
        let described = stream::iter(models.into_iter().enumerate()).map(|(number, model)| async move {
            if number >= MAX_DESCRIBED {
                return Some(model);
            }
            match self.told(base_url, "/api/show", Some(&json!({"model": model.id})), key).await {
                Some(shown) => model_list::shown_by_ollama(&model.id, &shown),
                None => Some(model),
            }
        });
        let described = described.buffered(DESCRIBED_AT_ONCE).filter_map(std::future::ready).collect();
        let loaded = self.told(base_url, "/api/ps", None, key);
        let (mut described, loaded): (Vec<ListedModel>, _) = tokio::join!(described, loaded);
        let loaded = loaded.map(|body| model_list::loaded_by_ollama(&body)).unwrap_or_default();
        for model in &mut described {
            let is_it = |name: &str| model_list::is_called(ProviderKind::Ollama, name, &model.id);
            let window = loaded.iter().find(|(name, _)| is_it(name)).map(|(_, window)| *window);
            // Whoever loaded it with more has the room; less is Ollama's own default, which is no choice.
            let window = window.filter(|window| *window > DEFAULT_LOCAL_CONTEXT_WINDOW);
            model.chosen_window = model.chosen_window.or(window);
        }
        described
    }

    /// Asks below the base URL: posts a body, where there is one.
    async fn ask(
        &self,
        base_url: &Url,
        path: &str,
        body: Option<&Value>,
        key: Option<&Secret>,
    ) -> Result<Response, Error> {
        let target = Target::new(&self.settings, base_url, key);
        let url = format!("{}{path}", base_url.as_str().trim_end_matches('/'));
        let client = self.client(base_url, &target)?;
        let request = match body {
            Some(body) => client.post(url).header(CONTENT_TYPE, "application/json").body(body.to_string()),
            None => client.get(url),
        };
        let headers = model_list::headers(self.settings.kind, key).map_err(|_| target.bad_configuration())?;
        let request = self.with_headers(request.header(ACCEPT, "application/json"), headers);
        request.send().await.map_err(|error| target.not_sent(&error))
    }
}

async fn read(mut response: Response, target: &Target) -> Result<Vec<u8>, Error> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| target.broken_off(&error))? {
        body.extend_from_slice(&chunk);
        if body.len() > MAX_LIST_BYTES {
            return Err(target.bad_answer("its list of models is longer than 16 MiB"));
        }
    }
    Ok(body)
}
