//! The target of a fetch: which addresses stand behind a URL, and whether they may be spoken to.

use super::address::is_public;
use arki_domain::{Code, Error};
use reqwest::Url;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

const LOOKUP_TIMEOUT: Duration = Duration::from_secs(10);
const MAX_URL_BYTES: usize = 8192;

/// Hosts of a network of the user's own that may be fetched from although their addresses are private.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PrivateHosts(Vec<(String, Option<u16>)>);

impl PrivateHosts {
    /// Parses `host` or `host:port` each; without a port every port is allowed.
    ///
    /// # Errors
    /// The first that is no host.
    pub fn new(hosts: &[String]) -> Result<Self, String> {
        hosts.iter().map(|host| entry(host).ok_or_else(|| host.clone())).collect::<Result<_, _>>().map(Self)
    }

    fn has(&self, url: &Url) -> bool {
        let host = host_of(url);
        let port = url.port_or_known_default();
        self.0.iter().any(|(known, only)| *known == host && (only.is_none() || *only == port))
    }

    /// Returns whether the host is named together with this port.
    pub(crate) fn names_port(&self, url: &Url) -> bool {
        let (host, port) = (host_of(url), url.port_or_known_default());
        self.0.iter().any(|(known, only)| *known == host && only.is_some() && *only == port)
    }
}

fn entry(host: &str) -> Option<(String, Option<u16>)> {
    let url = Url::parse(&format!("http://{host}/")).ok()?;
    let is_bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none() && url.username().is_empty();
    // The parser drops a port that is the scheme's own.
    let port = url.port().or_else(|| host.ends_with(":80").then_some(80));
    (is_bare && !host_of(&url).is_empty() && !host.contains(['/', '?', '#', '@'])).then(|| (host_of(&url), port))
}

/// # Errors
/// `URL_INVALID` for what is no plain `http` or `https` address.
pub(crate) fn parse(text: &str) -> Result<Url, Error> {
    let url = Url::parse(text.trim()).ok().filter(|_| text.len() <= MAX_URL_BYTES).ok_or_else(|| invalid(text))?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none_or(str::is_empty) {
        return Err(invalid(text));
    }
    if !url.username().is_empty() || url.password().is_some() {
        let message = "The address contains a user name or a password, and fetch_url doesn't send them.";
        return Err(Error::new(Code::URL_INVALID, message, "Remove the part before the @."));
    }
    Ok(url)
}

pub(super) fn invalid(text: &str) -> Error {
    let shown: String = text.chars().take(200).collect();
    let hint = "Use a full URL that begins with https:// or http://.";
    Error::new(Code::URL_INVALID, format!("{shown:?} is not a URL that fetch_url can read."), hint)
}

/// Returns the host in lower case, without a port, brackets or the dot of the root.
pub(crate) fn host_of(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    host.trim_start_matches('[').trim_end_matches(']').trim_end_matches('.').to_ascii_lowercase()
}

fn not_public(host: &str, address: IpAddr) -> String {
    match host.parse() == Ok(address) {
        true => format!("{address} is not on the public internet."),
        false => format!("{host} resolves to {address}, which is not on the public internet."),
    }
}

/// A proxy would look names up itself, so that nobody could say where they lead.
fn no_host_hint() -> &'static str {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let proxies = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"];
    match proxies.into_iter().any(is_set) {
        true => "fetch_url doesn't use the proxy from the environment, so it needs name resolution without it.",
        false => "Check the address, and that this computer is online.",
    }
}

/// Looks the host up, once: these are the addresses to connect to.
///
/// # Errors
/// `ADDRESS_REFUSED` where one of them is not public and the user has not said that this host may be.
pub(crate) async fn addresses(url: &Url, private: &PrivateHosts) -> Result<Vec<SocketAddr>, Error> {
    let (host, port) = (host_of(url), url.port_or_known_default().unwrap_or(443));
    let looked_up = tokio::time::timeout(LOOKUP_TIMEOUT, tokio::net::lookup_host((host.as_str(), port))).await;
    let addresses: Vec<SocketAddr> = looked_up.ok().and_then(Result::ok).into_iter().flatten().collect();
    if addresses.is_empty() {
        return Err(Error::new(Code::FETCH_FAILED, format!("Can't find the host {host}."), no_host_hint()));
    }
    match addresses.iter().find(|address| !is_public(address.ip())) {
        Some(address) if !private.has(url) => Err(Error::new(
            Code::ADDRESS_REFUSED,
            not_public(&host, address.ip()),
            "The user can allow hosts of their own network with policy.fetch.allowPrivateHosts in config.json.",
        )),
        _ => Ok(addresses),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_web_addresses_are_taken() {
        for good in ["https://example.org", "http://example.org:8080/a?b#c", " https://[::1]/x "] {
            assert!(parse(good).is_ok(), "{good}");
        }
        let long = format!("https://example.org/{}", "x".repeat(MAX_URL_BYTES));
        for bad in ["", "example.org", "ftp://x", "file:///etc/passwd", "data:text/plain,x", "https://u:p@x/", &long] {
            assert_eq!(parse(bad).unwrap_err().code, "URL_INVALID", "{bad}");
        }
    }

    #[test]
    fn every_spelling_of_an_address_is_the_same_host() {
        for spelling in ["http://127.1/", "http://0x7f.0.0.1/", "http://2130706433/", "http://0177.0.0.1/"] {
            assert_eq!(host_of(&parse(spelling).unwrap()), "127.0.0.1");
        }
        assert_eq!(host_of(&parse("https://EXAMPLE.org./").unwrap()), "example.org");
    }

    #[test]
    fn a_private_host_is_meant_with_its_port_if_it_has_one() {
        let hosts =
            PrivateHosts::new(&["127.0.0.1:8080".into(), "Intranet.example".into(), "[::1]:80".into()]).unwrap();
        let has = |url: &str| hosts.has(&parse(url).unwrap());
        assert!(
            has("http://127.0.0.1:8080/x") && has("https://intranet.example/") && has("http://intranet.example:9/")
        );
        assert!(has("http://[::1]/") && !has("https://[::1]/"));
        assert!(!has("http://127.0.0.1/") && !has("http://localhost:8080/") && !has("http://x.intranet.example/"));
        assert_eq!(PrivateHosts::new(&["http://x/".into()]), Err("http://x/".to_owned()));
        assert!(PrivateHosts::new(&["a/b".into()]).is_err() && PrivateHosts::new(&["".into()]).is_err());
    }

    #[tokio::test]
    async fn a_name_of_this_computer_is_refused_like_its_address() {
        for url in ["http://localhost:1/", "http://127.0.0.1:1/", "http://[::1]:1/", "http://[::ffff:127.0.0.1]:1/"] {
            let refused = addresses(&parse(url).unwrap(), &PrivateHosts::default()).await.unwrap_err();
            assert_eq!(refused.code, "ADDRESS_REFUSED", "{url}");
        }
    }
}
