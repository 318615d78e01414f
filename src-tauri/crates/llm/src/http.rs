//! The HTTP client of one provider: time-outs, certificates, proxies.

use crate::fault::Target;
use arki_domain::Fault;
use reqwest::redirect::Policy;
use reqwest::{Client, Url};
use std::time::Duration;

/// How long to wait for a provider before giving up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// For a connection, TLS included.
    pub connect: Duration,
    /// From the request until the answer begins. A local model may read a long prompt in silence.
    pub first_byte: Duration,
    /// Between two pieces of an answer; keep-alive comments count as pieces.
    pub idle: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self { connect: Duration::from_secs(10), first_byte: Duration::from_secs(120), idle: Duration::from_secs(120) }
    }
}

/// A client for one base URL.
///
/// Loading the system's certificates takes longer than a whole request to a local server, so that it is left out where
/// no TLS can happen: redirects are not followed, hence `http://` stays `http://`.
pub(crate) fn client_for(url: &Url, timeouts: Timeouts, idle: Duration, target: &Target) -> Result<Client, Fault> {
    install_crypto();
    let mut builder = Client::builder()
        .user_agent(concat!("arki/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(timeouts.connect)
        .pool_idle_timeout(idle)
        .redirect(Policy::none())
        .tcp_nodelay(true);
    if url.scheme() == "http" {
        builder = builder.tls_certs_only([]);
    }
    if is_loopback(url) {
        builder = builder.no_proxy();
    }
    builder.build().map_err(|error| target.no_client(&error))
}

/// reqwest takes the process's default; another crate may have installed one already, which is as good.
pub(crate) fn install_crypto() {
    if rustls::crypto::CryptoProvider::get_default().is_none() {
        // Fails only when another thread was faster.
        let _ = rustls::crypto::ring::default_provider().install_default();
    }
}

pub(crate) fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    match host.parse::<std::net::IpAddr>() {
        Ok(address) => address.is_loopback(),
        Err(_) => host == "localhost" || host.ends_with(".localhost"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_is_known_by_address_and_by_name() {
        let loopback = |url: &str| is_loopback(&Url::parse(url).unwrap());
        assert!(loopback("http://127.0.0.1:80/v1"));
        assert!(loopback("http://[::1]:80/v1"));
        assert!(loopback("http://localhost/v1"));
        assert!(loopback("http://lab.localhost/v1"));
        assert!(!loopback("http://localhost.example/v1"));
        assert!(!loopback("http://10.0.0.1/v1"));
    }
}
