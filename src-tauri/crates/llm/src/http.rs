//! The HTTP client of one provider: time-outs, certificates, proxies.

use crate::fault::Target;
use crate::provider::Timeouts;
use crate::proxy::is_loopback;
use arki_domain::Error;
use reqwest::redirect::Policy;
use reqwest::{Certificate, Client, Url};
use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

/// Names a PEM file with certificates besides the system's.
const CERTIFICATES: &str = "SSL_CERT_FILE";
/// Elsewhere the verifier reads the variable itself, and takes the file in place of the system's certificates, as other
/// programs there do.
const VERIFIER_READS_FILE: bool = !cfg!(any(windows, target_vendor = "apple"));
/// Every authority that anybody trusts takes about a quarter.
const MAX_CERTIFICATE_BYTES: u64 = 1 << 20;

/// A client for one base URL.
///
/// Loading the system's certificates takes longer than a whole request to a local server, so that it is left out where
/// no TLS can happen: redirects are not followed, hence `http://` stays `http://`.
pub(crate) fn client_for(url: &Url, timeouts: Timeouts, idle: Duration, target: &Target) -> Result<Client, Error> {
    install_crypto();
    ensure_time(SystemTime::now(), url, target)?;
    let mut builder = Client::builder()
        .user_agent(concat!("arki/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(timeouts.connect)
        .pool_idle_timeout(idle)
        .redirect(Policy::none())
        .tcp_nodelay(true);
    if url.scheme() == "http" {
        builder = builder.tls_certs_only([]);
    } else if !VERIFIER_READS_FILE {
        builder = builder.tls_certs_merge(named_certificates(std::env::var_os(CERTIFICATES), target)?);
    }
    if is_loopback(url) {
        builder = builder.no_proxy();
    }
    builder.build().map_err(|error| target.no_client(&error))
}

/// The TLS library does not bear a clock before 1970, and no certificate is valid then.
fn ensure_time(now: SystemTime, url: &Url, target: &Target) -> Result<(), Error> {
    match url.scheme() != "http" && now < SystemTime::UNIX_EPOCH {
        true => Err(target.no_time()),
        false => Ok(()),
    }
}

/// Reads the certificates in a file that the environment names; none if it names no file.
fn named_certificates(file: Option<OsString>, target: &Target) -> Result<Vec<Certificate>, Error> {
    let Some(file) = file.filter(|file| !file.is_empty()).map(PathBuf::from) else { return Ok(Vec::new()) };
    let mut pem = Vec::new();
    let read = File::open(&file).and_then(|open| open.take(MAX_CERTIFICATE_BYTES).read_to_end(&mut pem));
    let certificates = read.ok().and_then(|_| Certificate::from_pem_bundle(&pem).ok());
    certificates.filter(|certificates| !certificates.is_empty()).ok_or_else(|| target.no_certificates(&file))
}

/// reqwest takes the process's default; another crate may have installed one already, which is as good.
pub(crate) fn install_crypto() {
    if rustls::crypto::CryptoProvider::get_default().is_none() {
        // Fails only when another thread was faster.
        let _ = rustls::crypto::ring::default_provider().install_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ProviderKind, ProviderSettings};
    use arki_domain::Code;

    #[test]
    fn before_1970_no_certificate_is_asked_for() {
        let settings = ProviderSettings::new("lab", ProviderKind::Custom);
        let asked = |now, url: &str| {
            let url = Url::parse(url).unwrap();
            ensure_time(now, &url, &Target::new(&settings, &url, None))
        };
        let early = SystemTime::UNIX_EPOCH - Duration::from_secs(1);
        assert!(asked(early, "https://lab.example/v1").unwrap_err().is(Code::CERTIFICATE_UNTRUSTED));
        assert_eq!(asked(early, "http://127.0.0.1/v1"), Ok(()));
        assert_eq!(asked(SystemTime::UNIX_EPOCH, "https://lab.example/v1"), Ok(()));
    }

    #[test]
    fn certificates_are_read_from_the_file_that_is_named_and_one_without_any_is_an_error() {
        let settings = ProviderSettings::new("lab", ProviderKind::Custom);
        let target = Target::new(&settings, &Url::parse("https://lab.example/v1").unwrap(), None);
        assert!(named_certificates(None, &target).unwrap().is_empty());
        assert!(named_certificates(Some(OsString::new()), &target).unwrap().is_empty());
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("own.pem");
        let named = |pem: &str| {
            std::fs::write(&file, pem).unwrap();
            named_certificates(Some(file.clone().into()), &target)
        };
        let authority = || rcgen::generate_simple_self_signed(["lab.example".to_owned()]).unwrap().cert.pem();
        assert_eq!(named(&(authority() + &authority())).unwrap().len(), 2);
        for broken in ["", "no certificate"] {
            let fault = named(broken).unwrap_err();
            assert!(fault.is(Code::ADAPTER_INSTANTIATION) && fault.message.contains("own.pem"), "{fault:?}");
        }
        assert!(named_certificates(Some("/not/there.pem".into()), &target).is_err());
    }

    #[test]
    fn a_client_takes_them_besides_the_systems() {
        install_crypto();
        let pem = rcgen::generate_simple_self_signed(["lab.example".to_owned()]).unwrap().cert.pem();
        let own = Certificate::from_pem_bundle(pem.as_bytes()).unwrap();
        assert!(Client::builder().tls_certs_merge(own).build().is_ok());
    }

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
