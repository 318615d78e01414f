//! Servers that are reached over HTTP: the client, and the headers that the user configured.

use crate::fault::failed;
use crate::settings::Remote;
use arki_domain::Error;
use http::{HeaderName, HeaderValue};
use reqwest::{Client, Url};
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use std::collections::HashMap;
use std::time::Duration;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Redirects are not followed: a server that sends elsewhere would send the token there as well.
pub(crate) fn client(server: &str, remote: &Remote) -> Result<Client, Error> {
    arki_tools::install_crypto();
    let url = Url::parse(&remote.url).map_err(|_| failed(server, "has an address that is not a URL."))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(failed(server, "has an address that is neither http nor https."));
    }
    let mut builder = Client::builder()
        .user_agent(concat!("arki/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT_TIMEOUT)
        .redirect(reqwest::redirect::Policy::none());
    if url.scheme() == "http" {
        builder = builder.tls_certs_only([]);
    }
    if is_loopback(&url) {
        builder = builder.no_proxy();
    }
    builder.build().map_err(|error| failed(server, format_args!("can't be contacted: {error}.")))
}

pub(crate) fn config(server: &str, remote: &Remote) -> Result<StreamableHttpClientTransportConfig, Error> {
    let mut headers = HashMap::new();
    for (name, value) in &remote.headers {
        let header = HeaderName::from_bytes(name.as_bytes()).ok().zip(HeaderValue::from_str(value).ok());
        let Some((name, mut value)) = header else {
            return Err(failed(server, format_args!("has an invalid header \"{name}\".")));
        };
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    Ok(StreamableHttpClientTransportConfig::with_uri(remote.url.as_str())
        .custom_headers(headers)
        .max_sse_event_size(crate::stdout_lines::MAX_MESSAGE_BYTES))
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    host.parse::<std::net::IpAddr>().map_or(host == "localhost", |address| address.is_loopback())
}
