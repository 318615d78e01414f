//! The host that a program asks a proxy for: `CONNECT host:443`, or `GET http://host/path`. Names only.

use crate::fetch::{host_of, parse};
use reqwest::Url;

const END: &[u8] = b"\r\n\r\n";
/// Fields that are between a program and its proxy, and none of the server's business.
const OF_CONNECTION: [&str; 5] = ["connection", "keep-alive", "proxy-authorization", "proxy-connection", "upgrade"];

/// A request to a proxy.
#[derive(Debug)]
pub(super) struct AskedHost {
    /// In lower case.
    pub(super) host: String,
    /// The address with scheme and port.
    pub(super) url: Url,
    /// The request as it goes to the server, with what came behind its head; `None` for a tunnel.
    pub(super) forwarded: Option<Vec<u8>>,
    /// Came behind the head of a tunnel.
    pub(super) rest: Vec<u8>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum HeadError {
    Unreadable,
    /// A host that nobody could be granted, and a sentence on why.
    Refused(String, String),
}

/// Returns whether a request's head is complete.
pub(super) fn is_whole(bytes: &[u8]) -> bool {
    end_of(bytes).is_some()
}

fn end_of(bytes: &[u8]) -> Option<usize> {
    bytes.windows(END.len()).position(|window| window == END)
}

impl AskedHost {
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, HeadError> {
        let end = end_of(bytes).ok_or(HeadError::Unreadable)?;
        let head = std::str::from_utf8(&bytes[..end]).map_err(|_| HeadError::Unreadable)?;
        let rest = &bytes[end + END.len()..];
        let mut lines = head.split("\r\n");
        let words: Vec<&str> = lines.next().unwrap_or_default().split(' ').collect();
        let [method, target, version] = words.as_slice() else { return Err(HeadError::Unreadable) };
        if !version.starts_with("HTTP/1.")
            || method.is_empty()
            || !method.bytes().all(|byte| byte.is_ascii_alphabetic())
        {
            return Err(HeadError::Unreadable);
        }
        if *method == "CONNECT" {
            let has_more = target.contains(['/', '@', '?', '#', '\\']);
            let url = Some(format!("https://{target}/")).filter(|_| !has_more).and_then(|url| parse(&url).ok());
            let url = url.ok_or(HeadError::Unreadable)?;
            return Ok(Self { host: name_of(&url)?, url, forwarded: None, rest: rest.to_vec() });
        }
        let url = parse(target).ok().filter(|url| url.scheme() == "http").ok_or(HeadError::Unreadable)?;
        let host = name_of(&url)?;
        let fields = lines.filter(|line| !is_of_connection(line)).map(|line| format!("{line}\r\n"));
        let mut path = url.path().to_owned();
        path.extend(url.query().map(|query| format!("?{query}")));
        // One request a connection: a second one may be for another host.
        let mut forwarded = format!("{method} {path} {version}\r\nConnection: close\r\n");
        forwarded.extend(fields);
        forwarded.push_str("\r\n");
        let forwarded = [forwarded.as_bytes(), rest].concat();
        Ok(Self { host, url, forwarded: Some(forwarded), rest: Vec::new() })
    }

    pub(super) fn port(&self) -> u16 {
        self.url.port_or_known_default().unwrap_or_default()
    }

    /// Returns whether its port is one of the web's: 443 for tunnels, and 80 for both.
    pub(super) fn is_of_web(&self) -> bool {
        self.port() == 80 || (self.port() == 443 && self.forwarded.is_none())
    }
}

/// An address has no name by which it could have been granted.
fn name_of(url: &Url) -> Result<String, HeadError> {
    let host = host_of(url);
    if url.domain().is_none() || host.is_empty() {
        return Err(HeadError::Refused(host, "hosts are reached by name, not by address.".to_owned()));
    }
    Ok(host)
}

fn is_of_connection(line: &str) -> bool {
    let name = line.split(':').next().unwrap_or_default().trim().to_ascii_lowercase();
    OF_CONNECTION.contains(&name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(head: &str) -> Result<AskedHost, HeadError> {
        AskedHost::parse(format!("{head}\r\n\r\n").as_bytes())
    }

    #[test]
    fn a_tunnel_and_a_request_name_their_host() {
        for (head, host, port) in [
            ("CONNECT registry.npmjs.org:443 HTTP/1.1\r\nHost: registry.npmjs.org:443", "registry.npmjs.org", 443),
            ("CONNECT PyPI.org.:443 HTTP/1.0", "pypi.org", 443),
            ("CONNECT example.org:22 HTTP/1.1", "example.org", 22),
            ("CONNECT bücher.example:443 HTTP/1.1", "xn--bcher-kva.example", 443),
            ("GET http://example.org/a HTTP/1.1", "example.org", 80),
            ("GET http://example.org:8080/a HTTP/1.1", "example.org", 8080),
        ] {
            let asked = asked(head).unwrap();
            assert_eq!((asked.host.as_str(), asked.port()), (host, port), "{head}");
        }
        assert!(asked("CONNECT a.example:443 HTTP/1.1").unwrap().is_of_web());
        assert!(!asked("CONNECT a.example:22 HTTP/1.1").unwrap().is_of_web());
        assert!(!asked("GET http://a.example:443/ HTTP/1.1").unwrap().is_of_web());
    }

    #[test]
    fn an_address_is_refused_in_every_spelling() {
        for target in
            ["1.1.1.1", "127.0.0.1", "127.1", "0x7f.0.0.1", "2130706433", "0", "[::1]", "[::ffff:10.0.0.1]", "1.1.1.1."]
        {
            for head in [format!("CONNECT {target}:443 HTTP/1.1"), format!("GET http://{target}/ HTTP/1.1")] {
                assert!(matches!(asked(&head), Err(HeadError::Refused(..))), "{head}");
            }
        }
    }

    #[test]
    fn what_is_no_request_to_a_proxy_is_not_read() {
        for head in [
            "",
            "GET / HTTP/1.1\r\nHost: a.example",
            "GET https://a.example/ HTTP/1.1",
            "GET ftp://a.example/ HTTP/1.1",
            "CONNECT a.example:443/x HTTP/1.1",
            "CONNECT u:p@a.example:443 HTTP/1.1",
            "CONNECT a.example:443@b.example:443 HTTP/1.1",
            "CONNECT a.example\\b:443 HTTP/1.1",
            "CONNECT a.example:99999 HTTP/1.1",
            "CONNECT a.example:443",
            "CONNECT  a.example:443 HTTP/1.1",
            "GET http://u:p@a.example/ HTTP/1.1",
            "PRI * HTTP/2.0",
            "\u{16}\u{3}\u{1}",
        ] {
            assert_eq!(asked(head).unwrap_err(), HeadError::Unreadable, "{head}");
        }
        assert!(!is_whole(b"GET http://a.example/ HTTP/1.1\r\n") && is_whole(b"x\r\n\r\ny"));
    }

    #[test]
    fn a_request_goes_on_without_what_is_the_proxys_and_as_the_only_one() {
        let head = "POST http://a.example/x?y=1#z HTTP/1.1\r\nHost: a.example\r\nProxy-Authorization: Basic x\r\n\
            Connection: keep-alive\r\nContent-Length: 2";
        let asked = AskedHost::parse(format!("{head}\r\n\r\nhi").as_bytes()).unwrap();
        let forwarded = String::from_utf8(asked.forwarded.unwrap()).unwrap();
        let wanted = "POST /x?y=1 HTTP/1.1\r\nConnection: close\r\nHost: a.example\r\nContent-Length: 2\r\n\r\nhi";
        assert_eq!(forwarded, wanted);
    }
}
