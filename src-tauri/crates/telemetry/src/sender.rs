//! Sends a run to its receivers: binary protobuf over HTTP, a few requests one after the other.

use crate::destination::{Target, TelemetryDestination};
use crate::messages::ExportResponse;
use crate::run_telemetry::{OtlpBatch, RunTelemetry};
use flate2::Compression;
use flate2::write::GzEncoder;
use prost::Message;
use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE, RETRY_AFTER};
use reqwest::redirect::Policy;
use reqwest::{Client, Response, StatusCode};
use std::io::Write;
use std::time::Duration;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// The part of an answer that is read: it has a number and a sentence.
const MAX_ANSWER_BYTES: usize = 64 << 10;
/// A receiver's words are told up to this length.
const MAX_WORDS: usize = 200;
/// The longest wait that a receiver may ask for.
const MAX_WAIT: Duration = Duration::from_secs(60 * 60);

/// The outcome of sending a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Delivery {
    /// The receivers have what they want of it; each note is a sentence on what one of them refused.
    Done { notes: Vec<String> },
    /// Not now. Nobody listening is known at once; other reasons cost time, so that trying again at once would be rude.
    Later { reason: String, wait: Wait },
}

/// How long to leave a receiver alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// Nobody listened, which costs nothing to find out.
    None,
    /// Longer each time.
    Growing,
    /// The receiver asked for it.
    Asked(Duration),
}

/// The clients of the receivers.
pub struct Sender {
    receivers: Vec<(Target, Client)>,
}

impl Sender {
    /// # Errors
    /// A sentence, where no client can be made.
    pub fn new(destination: &TelemetryDestination) -> Result<Self, String> {
        if rustls::crypto::CryptoProvider::get_default().is_none() {
            // Fails only when another thread was faster.
            let _ = rustls::crypto::ring::default_provider().install_default();
        }
        let receiver = |target: &Target| Ok((target.clone(), client(target)?));
        Ok(Self { receivers: destination.targets.iter().map(receiver).collect::<Result<_, String>>()? })
    }

    /// Sends a run. What was sent before the first failure is sent again the next time: its ids are the same.
    pub async fn send(&self, run: &RunTelemetry) -> Delivery {
        let mut notes = Vec::new();
        for batch in run.batches() {
            let receiver = self.receivers.iter().find(|(target, _)| target.signal == batch.signal);
            let Some((target, client)) = receiver else { continue };
            match post(client, target, batch).await {
                Ok(note) => notes.extend(note),
                Err((reason, wait)) => return Delivery::Later { reason, wait },
            }
        }
        notes.dedup();
        Delivery::Done { notes }
    }
}

/// Redirects are not followed: a server that sends elsewhere would send the headers there as well.
fn client(target: &Target) -> Result<Client, String> {
    let mut builder = Client::builder()
        .user_agent(concat!("arki/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT_TIMEOUT)
        .timeout(target.timeout)
        .redirect(Policy::none());
    if target.url.scheme() == "http" {
        builder = builder.tls_certs_only([]);
    } else if let Some(certificates) = target.certificates.clone() {
        builder = builder.tls_certs_only(certificates);
    }
    if target.is_on_this_computer() {
        builder = builder.no_proxy();
    }
    builder.build().map_err(|error| format!("No client can be made: {error}."))
}

/// Returns a note on what was refused for good; an error on what to try again.
async fn post(client: &Client, target: &Target, batch: OtlpBatch) -> Result<Option<String>, (String, Wait)> {
    let host = target.url.origin().ascii_serialization();
    let request = client.post(target.url.clone()).headers(target.headers.clone());
    let request = request.header(CONTENT_TYPE, "application/x-protobuf");
    let request = match target.is_compressed {
        true => request.header(CONTENT_ENCODING, "gzip").body(gzipped(&batch.body)),
        false => request.body(batch.body),
    };
    let sent = request.send().await;
    let response = match sent {
        Ok(response) => response,
        Err(error) if error.is_connect() && !error.is_timeout() => {
            return Err((format!("{host} can't be reached."), Wait::None));
        }
        Err(error) if error.is_timeout() => return Err((format!("{host} did not answer in time."), Wait::Growing)),
        Err(_) => return Err((format!("{host} sent an invalid answer."), Wait::Growing)),
    };
    let (status, signal) = (response.status(), batch.signal.word());
    if is_passing(status) {
        let wait = asked_wait(&response).map_or(Wait::Growing, Wait::Asked);
        return Err((format!("{host} answered {status} for {signal}."), wait));
    }
    if !status.is_success() {
        return Ok(Some(format!("{host} refused {signal} with {status}.")));
    }
    Ok(refused_part(response).await.map(|part| format!("{host} refused a part of the {signal}: {part}")))
}

fn gzipped(body: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    // Nothing fails that writes to memory.
    encoder.write_all(body).and_then(|()| encoder.finish()).unwrap_or_default()
}

/// Returns whether the same may be taken later.
fn is_passing(status: StatusCode) -> bool {
    status.is_server_error() || matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT)
}

/// Seconds, or a date.
fn asked_wait(response: &Response) -> Option<Duration> {
    let asked = response.headers().get(RETRY_AFTER)?.to_str().ok()?.trim();
    let wait = match asked.parse() {
        Ok(seconds) => Duration::from_secs(seconds),
        Err(_) => {
            let then = jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(asked).ok()?;
            Duration::try_from(then.duration_since(jiff::Timestamp::now())).unwrap_or_default()
        }
    };
    Some(wait.min(MAX_WAIT))
}

/// A partial success that says nothing and refuses nothing is a whole one.
async fn refused_part(mut response: Response) -> Option<String> {
    let mut body = Vec::new();
    while let Ok(Some(piece)) = response.chunk().await {
        body.extend_from_slice(&piece);
        if body.len() > MAX_ANSWER_BYTES {
            return None;
        }
    }
    let partial = ExportResponse::decode(body.as_slice()).ok()?.partial_success?;
    let words: String = partial.error_message.chars().filter(|c| !c.is_control()).take(MAX_WORDS).collect();
    match (partial.rejected, words.is_empty()) {
        (0, true) => None,
        (0, false) => Some(words),
        (count, true) => Some(format!("{count} items.")),
        (count, false) => Some(format!("{count} items ({words}).")),
    }
}
