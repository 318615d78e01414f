//! Fetching one page of the web: text only, from hosts that are public, and never more than a bounded piece of it.
//!
//! A model that has read something hostile asks for addresses too. So a host's addresses are looked up once, judged,
//! and exactly these are connected to: what the name says a moment later does not matter. A redirect to another host is
//! not followed but told, so that it becomes a call of its own, which the policy judges like any other. No cookies, no
//! credentials, no proxy.

mod address;
mod nesting;
mod page;
mod tags;
mod target;

use arki_domain::{Code, Error};
use page::FetchedPage;
use reqwest::header::{ACCEPT, CONTENT_ENCODING, CONTENT_TYPE, LOCATION};
use reqwest::{Client, Method, Response, Url};
use std::collections::BTreeMap;
use std::time::Duration;

pub use target::PrivateHosts;
pub(crate) use target::{addresses, host_of, parse};

const MAX_REDIRECTS: usize = 5;
/// The limit for the body, unpacked. More is not read.
const MAX_BODY_BYTES: usize = 5 << 20;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The time limit between two pieces of a body.
const READ_TIMEOUT: Duration = Duration::from_secs(20);
const ACCEPTED: &str = "text/html, text/markdown, text/plain, application/json;q=0.9, text/*;q=0.8, */*;q=0.1";

/// Gets the page and tells of it in text.
pub(crate) async fn fetch(url: &str, private: &PrivateHosts) -> Result<String, Error> {
    let mut url = parse(url)?;
    for _ in 0..=MAX_REDIRECTS {
        let response = get(&url, private).await?;
        let Some(next) = redirected_to(&url, &response)? else { return told(url, response).await };
        if next.host_str() != url.host_str() || is_downgrade(&url, &next) {
            return Ok(elsewhere(&url, &next, &response));
        }
        url = next;
    }
    Err(failed(format!("{url} redirects more than {MAX_REDIRECTS} times."), "Ask the user for the right URL."))
}

async fn get(url: &Url, private: &PrivateHosts) -> Result<Response, Error> {
    let client = client(url, private).await?;
    client.get(url.clone()).header(ACCEPT, ACCEPTED).send().await.map_err(|error| unreachable_host(url, &error))
}

/// A client that connects to the addresses that were judged, and to no others.
async fn client(url: &Url, private: &PrivateHosts) -> Result<Client, Error> {
    let addresses = target::addresses(url, private).await?;
    install_crypto();
    let host = url.host_str().unwrap_or_default();
    let builder = Client::builder()
        .user_agent(concat!("arki/", env!("CARGO_PKG_VERSION")))
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .referer(false)
        .connect_timeout(CONNECT_TIMEOUT)
        .read_timeout(READ_TIMEOUT)
        .resolve_to_addrs(host, &addresses);
    // Loading the system's certificates takes time; without TLS nobody looks at them.
    let builder = if url.scheme() == "http" { builder.tls_certs_only([]) } else { builder };
    builder.build().map_err(|error| unreachable_host(url, &error))
}

/// A request of a pipeline's step.
pub struct Requested<'a> {
    pub url: &'a str,
    pub method: &'a str,
    pub headers: &'a BTreeMap<String, String>,
    pub body: Option<String>,
    /// The longest response body, in bytes; a longer one is an error.
    pub max_bytes: usize,
}

/// The response to a request.
#[derive(Debug)]
pub struct HttpAnswer {
    pub status: u16,
    /// The address that a redirect leads to.
    pub location: Option<String>,
    pub body: String,
}

/// Sends one request. A redirect isn't followed: it is the answer.
pub(crate) async fn request(request: Requested<'_>, private: &PrivateHosts) -> Result<HttpAnswer, Error> {
    let url = parse(request.url)?;
    let method = Method::from_bytes(request.method.as_bytes()).map_err(Error::internal)?;
    let mut sending = client(&url, private).await?.request(method, url.clone());
    for (name, value) in request.headers {
        sending = sending.header(name, value);
    }
    if let Some(body) = request.body {
        sending = sending.body(body);
    }
    let mut response = sending.send().await.map_err(|error| unreachable_host(&url, &error))?;
    let status = response.status();
    if status.is_redirection() {
        let location = redirected_to(&url, &response)?.map(String::from);
        return Ok(HttpAnswer { status: status.as_u16(), location, body: String::new() });
    }
    // Of a failure anything will do that says more.
    let is_failure = status.is_client_error() || status.is_server_error();
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| unreachable_host(&url, &error))? {
        if bytes.len() + chunk.len() > request.max_bytes {
            if is_failure {
                break;
            }
            let words = format!("The answer of {} is longer than {} bytes.", host_of(&url), request.max_bytes);
            return Err(Error::new(Code::STEP_OUTPUT_INVALID, words, "Raise `limits.max_output_bytes`."));
        }
        bytes.extend_from_slice(&chunk);
    }
    if is_failure {
        let body = String::from_utf8_lossy(&bytes).into_owned();
        return Ok(HttpAnswer { status: status.as_u16(), location: None, body });
    }
    let body = String::from_utf8(bytes).map_err(|_| {
        let words = format!("The answer of {} is not text (UTF-8).", host_of(&url));
        Error::new(Code::STEP_OUTPUT_INVALID, words, "Ask for text, for example with an `Accept` header.")
    })?;
    Ok(HttpAnswer { status: status.as_u16(), location: None, body })
}

fn redirected_to(url: &Url, response: &Response) -> Result<Option<Url>, Error> {
    let location = response.headers().get(LOCATION).filter(|_| response.status().is_redirection());
    let Some(location) = location else { return Ok(None) };
    let location = String::from_utf8_lossy(location.as_bytes());
    let next = url.join(&location).map_err(|_| target::invalid(&location))?;
    parse(next.as_str()).map(Some)
}

fn is_downgrade(from: &Url, to: &Url) -> bool {
    from.scheme() == "https" && to.scheme() == "http"
}

fn elsewhere(url: &Url, next: &Url, response: &Response) -> String {
    format!(
        "URL: {url}\nStatus: {}\n\nThis address redirects to another host: {next}\nCall fetch_url with that address \
        to follow it.",
        response.status()
    )
}

async fn told(url: Url, mut response: Response) -> Result<String, Error> {
    let status = response.status();
    let header = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let content_type = header.to_owned();
    page::ensure_text(&url, &content_type)?;
    ensure_unpacked(&url, &response)?;
    let mut bytes = Vec::new();
    let mut truncated = false;
    while let Some(chunk) = response.chunk().await.map_err(|error| unreachable_host(&url, &error))? {
        let room = MAX_BODY_BYTES - bytes.len();
        bytes.extend_from_slice(&chunk[..chunk.len().min(room)]);
        if chunk.len() > room {
            truncated = true;
            break;
        }
    }
    let shown_type = if content_type.is_empty() { "not given" } else { &content_type };
    let cut = if truncated { ", and more that wasn't read" } else { "" };
    let head = format!("URL: {url}\nStatus: {status}\nType: {shown_type}\nBytes: {}{cut}\n\n", bytes.len());
    let page = FetchedPage { url, content_type, bytes };
    // Parsing a large page takes a while.
    let text = tokio::task::spawn_blocking(move || page.text()).await;
    Ok(head + &text.map_err(|_| failed("Can't read the page as HTML.", "Try another address."))??)
}

/// Checks that the body is unpacked already, with the header gone. Servers that pack as they like are not unheard of.
fn ensure_unpacked(url: &Url, response: &Response) -> Result<(), Error> {
    let packed = response.headers().get(CONTENT_ENCODING).map(|value| String::from_utf8_lossy(value.as_bytes()));
    match packed.filter(|encoding| !encoding.trim().eq_ignore_ascii_case("identity")) {
        Some(encoding) => Err(failed(
            format!("{url} uses an unsupported compression: {encoding:?}."),
            "Try another address of the same page. fetch_url reads uncompressed and gzip pages only.",
        )),
        None => Ok(()),
    }
}

fn failed(message: impl Into<String>, hint: &str) -> Error {
    Error::new(Code::FETCH_FAILED, message, hint)
}

fn unreachable_host(url: &Url, error: &reqwest::Error) -> Error {
    let host = host_of(url);
    let why = match error {
        error if error.is_timeout() => "did not answer in time",
        error if error.is_connect() => "can't be reached",
        error if error.is_body() || error.is_decode() => "closed the connection in the middle of its answer",
        _ => "sent an invalid answer",
    };
    tracing::debug!(%error, "fetch_url");
    let hint = "Check the address, or try again later.";
    Error::new(Code::HOST_UNREACHABLE, format!("{host} {why}."), hint)
}

/// Installs the cryptography that reqwest takes from the process; another crate may have installed one already, which is
/// as good.
pub fn install_crypto() {
    if rustls::crypto::CryptoProvider::get_default().is_none() {
        // Fails only when another thread was faster.
        let _ = rustls::crypto::ring::default_provider().install_default();
    }
}

#[cfg(test)]
mod tests;
