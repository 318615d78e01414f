//! Chat Completions over HTTP on a free port of loopback, for this process alone.

use super::conversation::{Conversation, Request};
use super::playback::{self, Body};
use super::script;
use crate::Secret;
use crate::catalogue::DEMO_MODELS;
use arki_domain::{Code, Fault};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request as HttpRequest, Response, StatusCode};
use hyper_util::rt::TokioIo;
use reqwest::Url;
use serde_json::{Value, json};
use std::convert::Infallible;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::AbortHandle;

/// More than any context window holds.
const MAX_REQUEST_BYTES: usize = 64 * 1024 * 1024;

/// Runs until it is dropped.
pub(crate) struct DemoServer {
    base_url: Url,
    token: Secret,
    accepting: AbortHandle,
}

struct Settings {
    word_pause: Duration,
    authorization: Secret,
}

impl DemoServer {
    /// Only who knows the token is answered: other programs of this computer do not.
    pub(crate) async fn start(word_pause: Duration) -> Result<Self, Fault> {
        ensure_time(SystemTime::now())?;
        let cannot = |what: &dyn std::fmt::Display| Fault::internal(format!("the demo model's server: {what}"));
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.map_err(|error| cannot(&error))?;
        let address = listener.local_addr().map_err(|error| cannot(&error))?;
        let base_url = Url::parse(&format!("http://{address}/v1")).map_err(|error| cannot(&error))?;
        let mut random = [0_u8; 32];
        let source = rustls::crypto::ring::default_provider().secure_random;
        source.fill(&mut random).map_err(|_| cannot(&"no random numbers"))?;
        let token = Secret::new(hex::encode(random));
        let authorization = Secret::new(format!("Bearer {}", token.expose()));
        let accepting = tokio::spawn(accept(listener, Arc::new(Settings { word_pause, authorization }))).abort_handle();
        Ok(Self { base_url, token, accepting })
    }

    pub(crate) fn base_url(&self) -> Url {
        self.base_url.clone()
    }

    pub(crate) fn token(&self) -> &Secret {
        &self.token
    }
}

impl Drop for DemoServer {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// The HTTP library notes the date whenever it answers, and knows none before 1970.
fn ensure_time(now: SystemTime) -> Result<(), Fault> {
    match now < SystemTime::UNIX_EPOCH {
        true => Err(Fault::new(
            Code::ADAPTER_INSTANTIATION,
            "The demo model can't answer while this computer's clock is before 1970.",
            "Set the clock.",
        )),
        false => Ok(()),
    }
}

async fn accept(listener: TcpListener, settings: Arc<Settings>) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => drop(tokio::spawn(serve(stream, Arc::clone(&settings)))),
            Err(error) => {
                tracing::warn!(%error, "the demo model's server stopped");
                return;
            }
        }
    }
}

async fn serve(stream: TcpStream, settings: Arc<Settings>) {
    // Without it words would arrive in clumps; where it can't be set they do.
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request| {
        let settings = Arc::clone(&settings);
        async move { Ok::<_, Infallible>(answer(request, &settings).await) }
    });
    // Ends with an error when the client goes away in the middle, which is its right.
    let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
}

async fn answer(request: HttpRequest<Incoming>, settings: &Settings) -> Response<Body> {
    let given = request.headers().get(AUTHORIZATION).map(HeaderValue::as_bytes).unwrap_or_default();
    if !same(given, settings.authorization.expose().as_bytes()) {
        return error(StatusCode::UNAUTHORIZED, "This server answers only the process it belongs to.");
    }
    match (request.method(), request.uri().path()) {
        (&Method::GET, "/v1/models") => json_response(StatusCode::OK, &models()),
        (&Method::POST, "/v1/chat/completions") => complete(request, settings).await,
        _ => error(StatusCode::NOT_FOUND, "There is nothing here."),
    }
}

async fn complete(request: HttpRequest<Incoming>, settings: &Settings) -> Response<Body> {
    let Ok(body) = Limited::new(request.into_body(), MAX_REQUEST_BYTES).collect().await else {
        return error(StatusCode::PAYLOAD_TOO_LARGE, "The request is too long.");
    };
    let body = body.to_bytes();
    let Ok(request) = serde_json::from_slice::<Request>(&body) else {
        return error(StatusCode::BAD_REQUEST, "The request is not the JSON of Chat Completions.");
    };
    let conversation = Conversation::of(&request);
    let turn = match request.model.as_str() {
        "demo" => script::next(&conversation),
        "echo" => script::echo(&conversation),
        _ => return error(StatusCode::NOT_FOUND, "The demo models are demo and echo."),
    };
    let mut response = Response::new(playback::play(&request, turn, settings.word_pause));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    response
}

/// In a time that does not tell how much of it was right.
fn same(given: &[u8], expected: &[u8]) -> bool {
    given.len() == expected.len() && given.iter().zip(expected).fold(0, |difference, (a, b)| difference | (a ^ b)) == 0
}

fn models() -> Value {
    let models: Vec<Value> =
        DEMO_MODELS.iter().map(|model| json!({"id": model, "object": "model", "owned_by": "arki"})).collect();
    json!({"object": "list", "data": models})
}

fn error(status: StatusCode, message: &str) -> Response<Body> {
    json_response(status, &json!({"error": {"message": message}}))
}

fn json_response(status: StatusCode, value: &Value) -> Response<Body> {
    let mut response = Response::new(Full::from(value.to_string()).boxed());
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
