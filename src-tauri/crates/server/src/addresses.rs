//! The addresses that the server listens at: on loopback and, where the user says so, at one address beyond it, with TLS alone.

use arki_domain::{Code, Error, io_words};
use axum::http::Uri;
use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// Tried first, so that a client finds it where it was.
const USUAL_PORT: u16 = 4870;

/// The user's wishes for a server.
#[derive(Debug, Clone, Default)]
pub struct ServeOptions {
    /// `None`: the usual one or, where that is taken, any.
    pub port: Option<u16>,
    /// Instead of loopback.
    pub listen: Option<IpAddr>,
    pub tls: Option<TlsFiles>,
    /// The address under which a proxy is reached that leads here.
    pub public_url: Option<PublicUrl>,
    /// The folder of the window's files, to serve it to browsers too.
    pub window: Option<PathBuf>,
}

/// A certificate with those that it rests on, and its key, in PEM.
#[derive(Debug, Clone)]
pub struct TlsFiles {
    pub certificate: PathBuf,
    pub key: PathBuf,
}

/// A further address of the server: a host, and the path below which everything is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicUrl {
    pub(crate) scheme: &'static str,
    /// The host, with its port where that isn't the scheme's own.
    pub(crate) host: String,
    /// Empty, or with a slash at its beginning and none at its end.
    pub(crate) base: String,
}

/// A port that is listened on.
pub(crate) struct ListeningAddress {
    pub(crate) listener: TcpListener,
    pub(crate) at: SocketAddr,
    pub(crate) tls: Option<TlsAcceptor>,
}

impl PublicUrl {
    /// # Errors
    /// A sentence on what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let uri: Uri = text.parse().map_err(|_| "it isn't a URL".to_owned())?;
        let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
            return Err("write it as https://HOST/PATH".to_owned());
        };
        let scheme = match scheme {
            "https" => "https",
            "http" if is_loopback_name(authority.host()) => "http",
            "http" => return Err("beyond this computer it has to be https".to_owned()),
            _ => return Err("write it as https://HOST/PATH".to_owned()),
        };
        if authority.as_str().contains('@') || uri.query().is_some() {
            return Err("it has more than a host and a path".to_owned());
        }
        let host = match authority.port_u16() {
            Some(port) => with_port(scheme, authority.host(), port),
            None => authority.host().to_owned(),
        };
        Ok(Self { scheme, host: host.to_ascii_lowercase(), base: uri.path().trim_end_matches('/').to_owned() })
    }
}

fn is_loopback_name(host: &str) -> bool {
    let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
    host.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
}

/// A host as browsers write it: without the scheme's own port.
pub(crate) fn with_port(scheme: &str, host: &str, port: u16) -> String {
    match (scheme, port) {
        ("http", 80) | ("https", 443) => host.to_owned(),
        _ => format!("{host}:{port}"),
    }
}

/// An address as it stands in a URL.
pub(crate) fn in_url(address: IpAddr) -> String {
    match address.to_canonical() {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("[{address}]"),
    }
}

/// Begins to listen: on loopback, by both of its addresses, or at the one that is named.
///
/// # Errors
/// `USAGE` where the port is taken, the files are no certificate with its key, or are missing beyond loopback.
pub(crate) async fn listen(options: &ServeOptions) -> Result<Vec<ListeningAddress>, Error> {
    let tls = options.tls.as_ref().map(acceptor).transpose()?;
    let address = options.listen.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
    if tls.is_none() && !address.to_canonical().is_loopback() {
        let message = format!("{address} is reachable from other computers, so it needs TLS.");
        let hint = "Name a certificate and its key: `--tls-cert FILE --tls-key FILE`.";
        return Err(Error::new(Code::USAGE, message, hint));
    }
    let listener = bound(address, options.port).await?;
    let at = listener.local_addr().map_err(Error::internal)?;
    let mut listening = vec![ListeningAddress { listener, at, tls: tls.clone() }];
    if options.listen.is_none() {
        // Where there is no IPv6, nobody asks for it.
        let at = SocketAddr::from((Ipv6Addr::LOCALHOST, at.port()));
        match TcpListener::bind(at).await {
            Ok(listener) => listening.push(ListeningAddress { listener, at, tls }),
            Err(error) => tracing::debug!(%error, "[::1] can't be listened on"),
        }
    }
    Ok(listening)
}

async fn bound(address: IpAddr, port: Option<u16>) -> Result<TcpListener, Error> {
    let bind = |port| TcpListener::bind(SocketAddr::from((address, port)));
    let failed = |port: u16, error: &std::io::Error| {
        let why = match error.kind() {
            ErrorKind::AddrInUse => "another program listens there",
            ErrorKind::AddrNotAvailable => "this computer hasn't this address",
            kind => io_words(kind),
        };
        let message = format!("Port {port} of {address} can't be listened on: {why}.");
        Error::new(Code::USAGE, message, "Name another port, or leave --port out.")
    };
    match port {
        Some(port) => bind(port).await.map_err(|error| failed(port, &error)),
        None => match bind(USUAL_PORT).await {
            Ok(listener) => Ok(listener),
            Err(_) => bind(0).await.map_err(|error| failed(0, &error)),
        },
    }
}

fn acceptor(files: &TlsFiles) -> Result<TlsAcceptor, Error> {
    let unusable = |what: String| {
        Error::new(Code::USAGE, what, "Both files are PEM: the certificate with those that it rests on, and its key.")
    };
    let certificates = CertificateDer::pem_file_iter(&files.certificate)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| unusable(format!("{} can't be used: {error}.", files.certificate.display())))?;
    let key = PrivateKeyDer::from_pem_file(&files.key)
        .map_err(|error| unusable(format!("{} can't be used: {error}.", files.key.display())))?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(Error::internal)?
        .with_no_client_auth()
        .with_single_cert(certificates, key)
        .map_err(|error| unusable(format!("The certificate and the key can't be used: {error}.")))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_public_address_is_a_host_and_a_path_and_safe_beyond_this_computer() {
        let parsed = |text: &str| PublicUrl::parse(text).map(|url| (url.scheme, url.host, url.base));
        let url = |scheme, host: &str, base: &str| Ok((scheme, host.to_owned(), base.to_owned()));
        assert_eq!(parsed("https://Arki.Example/tools/arki/"), url("https", "arki.example", "/tools/arki"));
        assert_eq!(parsed("https://arki.example:443"), url("https", "arki.example", ""));
        assert_eq!(parsed("https://arki.example:8443/"), url("https", "arki.example:8443", ""));
        assert_eq!(parsed("http://localhost:3000/a"), url("http", "localhost:3000", "/a"));
        for wrong in ["http://arki.example", "arki.example", "/a", "ftp://a", "https://a@b", "https://a/?q", "https://"]
        {
            assert!(parsed(wrong).is_err(), "{wrong}");
        }
    }

    #[tokio::test]
    async fn beyond_loopback_nothing_is_listened_on_without_tls() {
        for address in ["0.0.0.0", "::", "192.0.2.1", "::ffff:192.0.2.1"] {
            let options = ServeOptions { listen: Some(address.parse().unwrap()), ..ServeOptions::default() };
            assert!(listen(&options).await.is_err_and(|fault| fault.is(Code::USAGE)), "{address}");
        }
        let loopback = ServeOptions { port: Some(0), ..ServeOptions::default() };
        let at = listen(&loopback).await.unwrap();
        assert!(at.iter().all(|listening| listening.at.ip().is_loopback()));
    }
}
