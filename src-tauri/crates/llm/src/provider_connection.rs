//! One provider at run time: its client, its key and its place in the queue, shared by all of its models.

mod learned;
mod listing;
mod refused;

pub use refused::ModelMemory;

use crate::admission::{Admission, LocalUse, Place};
use crate::answer::NoteRefusal;
use crate::drain::Drain;
use crate::fault::Target;
use crate::http::client_for;
use crate::kept_client::KeptClient;
use crate::retry_after::retry_after_ms;
use crate::vendor_error::VendorError;
use crate::wire_format::WireFormat;
use crate::{KeyNeed, KeySource, ProviderSettings, Secret};
use arki_domain::{Code, Error};
use bytes::{Bytes, BytesMut};
use jiff::Timestamp;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderName, HeaderValue};
use reqwest::{Client, RequestBuilder, Response, Url};
use std::sync::Arc;
use tokio::sync::Mutex;
use tokio::time::timeout;

/// The number of bytes read of an error's body.
const MAX_ERROR_BODY_BYTES: usize = 64 * 1024;

pub(crate) struct ProviderConnection {
    settings: ProviderSettings,
    keys: Arc<dyn KeySource>,
    /// The source's answer, once it was asked.
    key: Mutex<Option<Option<Secret>>>,
    client: KeptClient,
    admission: Admission,
    drain: Arc<Drain>,
    learned: learned::Learned,
    refused: refused::Refused,
}

/// An answer that has begun.
pub(crate) struct Reply {
    pub(crate) response: Response,
    pub(crate) target: Target,
    /// Given back when the answer is over.
    pub(crate) place: Option<Place>,
}

impl ProviderConnection {
    pub(crate) fn new(settings: ProviderSettings, keys: Arc<dyn KeySource>, local_use: &Arc<LocalUse>) -> Self {
        let admission = Admission::new(&settings, settings.is_local.then(|| Arc::clone(local_use)));
        Self {
            settings,
            keys,
            key: Mutex::new(None),
            client: KeptClient::default(),
            admission,
            drain: Arc::default(),
            learned: learned::Learned::default(),
            refused: refused::Refused::default(),
        }
    }

    pub(crate) fn settings(&self) -> &ProviderSettings {
        &self.settings
    }

    pub(crate) fn drain(&self) -> Arc<Drain> {
        Arc::clone(&self.drain)
    }

    /// Posts JSON and returns once the answer has begun. Every other status than success is a fault.
    pub(crate) async fn post(
        &self,
        format: &dyn WireFormat,
        body: Bytes,
        model: &str,
        note_refusal: &NoteRefusal,
    ) -> Result<Reply, Error> {
        let base_url = self.base_url()?;
        let mut key = self.first_key(&base_url).await?;
        let target = Target::new(&self.settings, &base_url, None);
        let place = Some(self.admission.enter(&self.settings, &target).await?);
        self.drain.wait().await;
        loop {
            let target = Target::new(&self.settings, &base_url, key.as_ref());
            let response = self.send(&base_url, format, body.clone(), key.as_ref(), &target).await?;
            if response.status().is_success() {
                return Ok(Reply { response, target, place });
            }
            let retry_after_ms = retry_after_ms(response.headers(), Timestamp::now());
            let error = self.read_error(response).await;
            note_refusal(&error);
            let fault = target.refused(&error, model);
            let fault = Error { retry_after_ms: retry_after_ms.or(fault.retry_after_ms), ..fault };
            key = Some(self.key_after(fault).await?);
        }
    }

    async fn send(
        &self,
        base_url: &Url,
        format: &dyn WireFormat,
        body: Bytes,
        key: Option<&Secret>,
        target: &Target,
    ) -> Result<Response, Error> {
        let url = format!("{}{}", base_url.as_str().trim_end_matches('/'), format.path());
        let request = self.client(base_url, target)?.post(url).body(body);
        let request = request.header(CONTENT_TYPE, "application/json").header(ACCEPT, "text/event-stream");
        let request = self.with_headers(request, format.headers(key).map_err(|_| target.bad_configuration())?);
        match timeout(self.settings.timeouts.first_byte, request.send()).await {
            Ok(response) => response.map_err(|error| target.not_sent(&error)),
            Err(_) => {
                let limit = self.settings.timeouts.first_byte.as_secs_f32();
                Err(target.timeout(&format!("didn't start answering within {limit} s")))
            }
        }
    }

    /// Adds the user's headers, and those of the format that the user says nothing of: two of one name are none to many
    /// servers.
    fn with_headers(&self, request: RequestBuilder, of_format: Vec<(HeaderName, HeaderValue)>) -> RequestBuilder {
        let own = &self.settings.headers;
        let request = own.iter().fold(request, |request, (name, value)| request.header(name, value));
        let is_free = |name: &HeaderName| !own.keys().any(|own| name.as_str().eq_ignore_ascii_case(own));
        of_format.into_iter().filter(|(name, _)| is_free(name)).fold(request, |request, (name, mut value)| {
            value.set_sensitive(true);
            request.header(name, value)
        })
    }

    fn client(&self, base_url: &Url, target: &Target) -> Result<Client, Error> {
        let idle = self.settings.idle_timeout;
        self.client.get(idle, || client_for(base_url, self.settings.timeouts, idle, target))
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

    pub(crate) fn base_url(&self) -> Result<Url, Error> {
        self.settings.address()
    }

    async fn first_key(&self, base_url: &Url) -> Result<Option<Secret>, Error> {
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

    /// Returns the key to ask again with, where a server that was asked without one wants one; else the fault.
    async fn key_after(&self, fault: Error) -> Result<Secret, Error> {
        if fault.is(Code::KEY_REFUSED) || fault.is(Code::KEY_MISSING) {
            *self.key.lock().await = None;
        }
        match fault.is(Code::KEY_MISSING) && self.settings.key_need() == KeyNeed::WhenRefused {
            true => self.ask_for_key().await?.ok_or(fault),
            false => Err(fault),
        }
    }

    async fn ask_for_key(&self) -> Result<Option<Secret>, Error> {
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
}
