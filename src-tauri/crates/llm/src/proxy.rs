//! The proxy between Arki and a provider.

use hyper::Uri;
use hyper_util::client::proxy::matcher::Matcher;
use reqwest::Url;

/// Returns the proxy on the way, without its password: by the same rules, from the environment and the system, as the
/// client itself goes by.
pub(crate) fn proxy_for(url: &Url) -> Option<(String, u16)> {
    if is_loopback(url) {
        return None;
    }
    let proxy = Matcher::from_system().intercept(&url.as_str().parse::<Uri>().ok()?)?;
    let default = match proxy.uri().scheme_str() {
        Some("https") => 443,
        Some(scheme) if scheme.starts_with("socks") => 1080,
        _ => 80,
    };
    let host = proxy.uri().host()?;
    let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    Some((host.to_owned(), proxy.uri().port_u16().unwrap_or(default)))
}

pub(crate) fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    match host.parse::<std::net::IpAddr>() {
        Ok(address) => address.is_loopback(),
        Err(_) => host == "localhost" || host.ends_with(".localhost"),
    }
}
