//! One provider at run time: its client, its key and its place in the queue, shared by all of its models.

use crate::demo::DemoServer;
use crate::drain::Drain;
use crate::fault::Target;
use crate::http::client_for;
use crate::vendor_error::VendorError;
use crate::{KeyNeed, KeySource, ProviderKind, ProviderSettings, Secret};
use arki_domain::{Code, Fault};
use bytes::{Bytes, BytesMut};
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use reqwest::{Client, Response, Url};
use std::sync::{Arc, OnceLock};
use tokio::sync::{Mutex, OnceCell, OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// How much of an error's body is read.
const MAX_ERROR_BODY_BYTES: usize = 64 * 1024;

pub(crate) struct ProviderConnection {
    settings: ProviderSettings,
    keys: Arc<dyn KeySource>,
    /// What the source said, once it was asked.
    key: Mutex<Option<Option<Secret>>>,
    client: OnceLock<Client>,
    demo: OnceCell<DemoServer>,
    queue: Option<Arc<Semaphore>>,
    drain: Arc<Drain>,
}

/// An answer that has begun.
pub(crate) struct Reply {
    pub(crate) response: Response,
    pub(crate) target: Target,
    /// Given back when the answer is over.
    pub(crate) place: Option<OwnedSemaphorePermit>,
}

impl ProviderConnection {
    pub(crate) fn new(settings: ProviderSettings, keys: Arc<dyn KeySource>) -> Self {
        let queue = settings.max_parallel.map(|places| Arc::new(Semaphore::new(places.max(1) as usize)));
        Self {
            settings,
            keys,
            key: Mutex::new(None),
            client: OnceLock::new(),
            demo: OnceCell::new(),
            queue,
            drain: Arc::default(),
        }
    }

    pub(crate) fn settings(&self) -> &ProviderSettings {
        &self.settings
    }

    pub(crate) fn drain(&self) -> Arc<Drain> {
        Arc::clone(&self.drain)
    }

    /// Posts JSON and returns once the answer has begun. Every other status than success is a fault.
    pub(crate) async fn post(&self, path: &str, body: Bytes, model: &str) -> Result<Reply, Fault> {
        let base_url = self.base_url().await?;
        let mut key = self.first_key(&base_url).await?;
        let place = self.place_in_queue(&base_url).await?;
        self.drain.wait().await;
        loop {
            let target = Target::new(&self.settings, &base_url, key.as_ref());
            let response = self.send(&base_url, path, body.clone(), key.as_ref(), &target).await?;
            if response.status().is_success() {
                return Ok(Reply { response, target, place });
            }
            let fault = target.refused(&self.read_error(response).await, model);
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

    async fn send(
        &self,
        base_url: &Url,
        path: &str,
        body: Bytes,
        key: Option<&Secret>,
        target: &Target,
    ) -> Result<Response, Fault> {
        let url = format!("{}{path}", base_url.as_str().trim_end_matches('/'));
        let mut request = self.client(base_url, target)?.post(url).body(body);
        request = request.header(CONTENT_TYPE, "application/json").header(ACCEPT, "text/event-stream");
        for (name, value) in &self.settings.headers {
            request = request.header(name, value);
        }
        if let Some(key) = key {
            let mut value =
                HeaderValue::try_from(format!("Bearer {}", key.expose())).map_err(|_| target.bad_configuration())?;
            value.set_sensitive(true);
            request = request.header(AUTHORIZATION, value);
        }
        match timeout(self.settings.timeouts.first_byte, request.send()).await {
            Ok(response) => response.map_err(|error| target.not_sent(&error)),
            Err(_) => Err(target.timeout("didn't begin to answer in time")),
        }
    }

    fn client(&self, base_url: &Url, target: &Target) -> Result<&Client, Fault> {
        if let Some(client) = self.client.get() {
            return Ok(client);
        }
        let client = client_for(base_url, self.settings.timeouts, target)?;
        Ok(self.client.get_or_init(|| client))
    }

    async fn read_error(&self, mut response: Response) -> VendorError {
        let status = response.status().as_u16();
        let mut body = BytesMut::new();
        let reading = async {
            while let Ok(Some(chunk)) = response.chunk().await {
                body.extend_from_slice(&chunk);
                if body.len() > MAX_ERROR_BODY_BYTES {
                    break;
                }
            }
        };
        // What has arrived by then is what there is.
        let _ = timeout(self.settings.timeouts.idle, reading).await;
        VendorError::from_response(status, &body)
    }

    async fn base_url(&self) -> Result<Url, Fault> {
        if self.settings.kind == ProviderKind::Demo {
            return Ok(self.demo().await?.base_url());
        }
        let text = self.settings.effective_base_url()?;
        let parsed = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
        parsed.ok_or_else(|| {
            Fault::new(
                Code::CONFIG_INVALID,
                format!("The baseUrl of {} is not an http or https address.", self.settings.name),
                "Write it like http://127.0.0.1:8080/v1 or https://api.example.com/v1.",
            )
        })
    }

    async fn demo(&self) -> Result<&DemoServer, Fault> {
        self.demo.get_or_try_init(|| DemoServer::start(self.settings.demo_word_pause)).await
    }

    async fn first_key(&self, base_url: &Url) -> Result<Option<Secret>, Fault> {
        if self.settings.kind == ProviderKind::Demo {
            return Ok(Some(self.demo().await?.token().clone()));
        }
        match self.settings.key_need() {
            KeyNeed::None => Ok(None),
            KeyNeed::WhenRefused => Ok(self.key.lock().await.clone().flatten()),
            KeyNeed::Optional => self.ask_for_key().await,
            KeyNeed::Required => {
                let key = self.ask_for_key().await?;
                key.map(Some).ok_or_else(|| Target::new(&self.settings, base_url, None).key_missing())
            }
        }
    }

    async fn ask_for_key(&self) -> Result<Option<Secret>, Fault> {
        let mut known = self.key.lock().await;
        if let Some(key) = known.as_ref() {
            return Ok(key.clone());
        }
        let key = self.keys.key(&self.settings).await?.filter(|key| !key.expose().is_empty());
        // A missing key is not remembered where it is needed: the user may be about to store it.
        if key.is_some() || self.settings.key_need() == KeyNeed::Optional {
            *known = Some(key.clone());
        }
        Ok(key)
    }

    async fn place_in_queue(&self, base_url: &Url) -> Result<Option<OwnedSemaphorePermit>, Fault> {
        let Some(queue) = &self.queue else { return Ok(None) };
        match timeout(self.settings.queue_timeout, Arc::clone(queue).acquire_owned()).await {
            Ok(Ok(place)) => Ok(Some(place)),
            Ok(Err(_)) => Err(Fault::internal("a provider's queue was closed")),
            Err(_) => Err(Target::new(&self.settings, base_url, None).timeout("is busy with other requests")),
        }
    }
}
