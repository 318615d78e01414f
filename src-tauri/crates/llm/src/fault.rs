//! Errors of a provider, in sentences for people. The only place that makes such faults, so that they read alike, carry
//! no internals of the HTTP library, and never a key.

use crate::provider::without_credentials;
use crate::proxy::proxy_for;
use crate::vendor_error::VendorError;
use crate::{ProviderKind, ProviderSettings, Secret};
use arki_domain::{Code, Error};
use std::error::Error as StdError;
use std::io;
use std::path::Path;

const ADD_CERTIFICATE: &str =
    "Behind a company proxy, add its root certificate to the system, or set SSL_CERT_FILE to it.";

/// Returns whether the same request may succeed a little later.
#[must_use]
pub fn retryable(fault: &Error) -> bool {
    [
        Code::PROVIDER_FAILED,
        Code::PROVIDER_RATE_LIMITED,
        Code::PROVIDER_STREAM_CUT,
        Code::PROVIDER_TIMEOUT,
        Code::PROVIDER_UNREACHABLE,
    ]
    .iter()
    .any(|code| fault.is(*code))
}

/// Whom a request went to: what its faults name.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    provider: String,
    kind: ProviderKind,
    key_env: Option<String>,
    /// The URL without user name, password and query.
    url: String,
    secrets: Vec<Secret>,
    pub(crate) key_sent: bool,
}

impl Target {
    pub(crate) fn new(settings: &ProviderSettings, base_url: &reqwest::Url, key: Option<&Secret>) -> Self {
        let headers = settings.headers.values().map(Secret::new);
        Self {
            provider: settings.name.clone(),
            kind: settings.kind,
            key_env: settings.key_env().map(str::to_owned),
            url: without_credentials(base_url),
            secrets: headers.chain(key.cloned()).collect(),
            key_sent: key.is_some(),
        }
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Makes a fault of an error of the HTTP client before the answer began.
    pub(crate) fn not_sent(&self, error: &reqwest::Error) -> Error {
        self.unsent(error).caused_by(&original(error))
    }

    fn unsent(&self, error: &reqwest::Error) -> Error {
        if error.is_builder() {
            return self.bad_configuration();
        }
        if let Some(problem) = certificate_problem(error) {
            return self.untrusted_certificate(&problem);
        }
        if error.is_connect() {
            let proxy = self.url.parse().ok().and_then(|url| proxy_for(&url));
            return proxy.map_or_else(|| self.unreachable(), |proxy| self.not_through(proxy, error));
        }
        if error.is_timeout() { self.timeout("didn't start answering in time") } else { self.cut("before it answered") }
    }

    /// Makes a fault of an error of the HTTP client while the answer was arriving.
    pub(crate) fn broken_off(&self, error: &reqwest::Error) -> Error {
        if causes(error).any(|cause| is_of_chunks(&cause.to_string())) {
            return self.bad_answer("its chunked transfer encoding is damaged");
        }
        if causes(error).any(|cause| cause.downcast_ref::<io::Error>().is_some_and(is_damage)) {
            return self.bad_answer("its compressed data is damaged");
        }
        self.cut("in the middle of its answer").caused_by(&original(error))
    }

    pub(crate) fn unreachable(&self) -> Error {
        Error::new(
            Code::PROVIDER_UNREACHABLE,
            format!("Can't reach {} at {}.", self.provider, self.url),
            match self.kind {
                ProviderKind::Ollama => "Start it with `ollama serve`, check its baseUrl, or choose another model.",
                _ => "Check that the server is running and that its baseUrl is right, or choose another model.",
            },
        )
    }

    pub(crate) fn unresolved(&self, host: &str) -> Error {
        Error::new(
            Code::PROVIDER_UNREACHABLE,
            format!("Can't find the host {host}."),
            format!("Check the baseUrl of {} for a typo, and check your network connection.", self.provider),
        )
    }

    pub(crate) fn proxy_unreachable(&self, host: &str, port: u16) -> Error {
        Error::new(
            Code::PROVIDER_UNREACHABLE,
            format!("Can't reach the proxy {host}:{port} on the way to {}.", self.provider),
            "Check the system's proxy settings, or HTTPS_PROXY and NO_PROXY in the environment.",
        )
    }

    /// Makes a fault of an error of the HTTP client at the proxy.
    fn not_through(&self, (host, port): (String, u16), error: &reqwest::Error) -> Error {
        let says = |words: &str| causes(error).any(|cause| cause.to_string().to_lowercase().contains(words));
        if says("proxy authorization required") || says("user/pass") || says("credentials") {
            return self.proxy_wants_password(&host, port);
        }
        let is_reached = says("unsuccessful") || says("unexpected end of file") || says("socks error");
        if is_reached && !says("underlying connection") {
            return Error::new(
                Code::PROVIDER_UNREACHABLE,
                format!("The proxy {host}:{port} doesn't connect to {} at {}.", self.provider, self.url),
                "Check that the proxy may reach this address, or name it in NO_PROXY.",
            );
        }
        self.proxy_unreachable(&host, port)
    }

    fn proxy_wants_password(&self, host: &str, port: u16) -> Error {
        Error::new(
            Code::CONFIG_INVALID,
            format!("The proxy {host}:{port} on the way to {} asks for a user name and a password.", self.provider),
            "Put them into HTTPS_PROXY, HTTP_PROXY or ALL_PROXY: http://USER:PASSWORD@HOST:PORT.",
        )
    }

    /// `problem` is what the TLS library says of the certificate.
    fn untrusted_certificate(&self, problem: &str) -> Error {
        let (what, hint) = if problem.starts_with("certificate not valid for name") {
            ("is for another name", "Check its baseUrl: the host there must be one the certificate covers.")
        } else if problem.starts_with("certificate expired") {
            ("has expired", "Check this computer's clock. If that is right, the server needs a new certificate.")
        } else if problem.starts_with("certificate not valid yet") {
            ("isn't valid yet", "Check this computer's clock. If that is right, wait until the certificate is valid.")
        } else if problem.contains("CaUsedAsEndEntity") {
            ("is self-signed, so this computer doesn't trust it", ADD_CERTIFICATE)
        } else if problem.contains("UnknownIssuer") || problem.contains("BadSignature") {
            ("is self-signed or from an authority that this computer doesn't know (unknown issuer)", ADD_CERTIFICATE)
        } else if problem.contains("Revoked") {
            ("was revoked", "The server needs a new certificate. Don't send anything to it until it has one.")
        } else {
            ("isn't trusted on this computer", ADD_CERTIFICATE)
        };
        let message = format!("The certificate of {} at {} {what}.", self.provider, self.url);
        Error::new(Code::CERTIFICATE_UNTRUSTED, message, hint)
    }

    pub(crate) fn no_time(&self) -> Error {
        Error::new(
            Code::CERTIFICATE_UNTRUSTED,
            format!(
                "This computer's clock is set before 1970, so Arki can't check the certificate of {}.",
                self.provider
            ),
            "Set the clock and try again.",
        )
    }

    pub(crate) fn bad_configuration(&self) -> Error {
        Error::new(
            Code::CONFIG_INVALID,
            format!("Can't make a request from the settings of {}.", self.provider),
            "Check its baseUrl, headers and key. Headers and keys must be single lines of plain ASCII.",
        )
    }

    pub(crate) fn timeout(&self, what: &str) -> Error {
        Error::new(
            Code::PROVIDER_TIMEOUT,
            format!("{} at {} {what}.", self.provider, self.url),
            "Try again. If the model needs more time, raise timeoutSeconds in the provider's configuration.",
        )
    }

    pub(crate) fn no_client(&self, error: &reqwest::Error) -> Error {
        tracing::warn!(provider = self.provider, %error, "no HTTP client could be made");
        Error::new(
            Code::ADAPTER_INSTANTIATION,
            format!("This computer can't set up a connection to {}.", self.provider),
            "Check SSL_CERT_FILE, the system's certificates and the proxy settings.",
        )
    }

    pub(crate) fn no_certificates(&self, file: &Path) -> Error {
        Error::new(
            Code::ADAPTER_INSTANTIATION,
            format!("{} has no readable certificates, so Arki didn't contact {}.", file.display(), self.provider),
            "SSL_CERT_FILE must name a PEM file with root certificates. Check it, or unset it.",
        )
    }

    pub(crate) fn queued_too_long(&self) -> Error {
        Error::new(
            Code::API_QUEUE_TIMEOUT,
            format!("{} is busy with other requests, and this one waited too long.", self.provider),
            "Try again later, or raise maxParallel or queueTimeoutSeconds in its configuration.",
        )
    }

    pub(crate) fn local_busy(&self) -> Error {
        Error::new(
            Code::LOCAL_INSTANCE_BUSY,
            format!("{} is still answering another request.", self.provider),
            "Wait for it or stop it. If the server can answer several requests at once, raise maxParallel.",
        )
    }

    pub(crate) fn local_conflict(&self, other: &str) -> Error {
        Error::new(
            Code::LOCAL_PROVIDER_CONFLICT,
            format!("{} can't answer while {other} does: they share this computer.", self.provider),
            "Only one local provider can work at a time. Wait for the other one, or stop it.",
        )
    }

    pub(crate) fn cut(&self, when: &str) -> Error {
        Error::new(
            Code::PROVIDER_STREAM_CUT,
            format!("{} closed the connection {when}.", self.provider),
            "Try again. If this happens often, check the server's log and the network.",
        )
    }

    /// Returns what came in place of an answer.
    pub(crate) fn no_answer(&self, says: &VendorError) -> Error {
        let fault = self.bad_answer("it contains no answer");
        Error { message: format!("{}{}", fault.message, self.quoted(says)), ..fault }
    }

    pub(crate) fn web_page(&self, title: Option<&str>) -> Error {
        match title {
            Some(title) => self.bad_answer(&format!("it is a web page, “{title}”")),
            None => self.bad_answer("it is a web page"),
        }
    }

    /// `what` finishes the sentence “The answer of X can't be read: …”.
    pub(crate) fn bad_answer(&self, what: &str) -> Error {
        Error::new(
            Code::PROVIDER_BAD_ANSWER,
            format!("Can't read the answer from {}: {what}.", self.provider),
            format!("Check that {} is the address of an API of kind {}.", self.url, self.kind),
        )
    }

    pub(crate) fn repeats(&self) -> Error {
        Error::new(
            Code::ANSWER_REPEATS,
            format!(
                "The answer from {} keeps repeating itself, so Arki stopped it. The part so far is kept.",
                self.provider
            ),
            "Rephrase your request, or choose another model.",
        )
    }

    pub(crate) fn too_many_calls(&self, limit: usize) -> Error {
        Error::new(
            Code::ANSWER_TOO_LONG,
            format!(
                "The answer from {} asks for more than {limit} tool calls at once, so none of them ran.",
                self.provider
            ),
            "Ask for less at a time, or choose another model.",
        )
    }

    /// Returns the error for a key that is missing before any request.
    pub(crate) fn key_missing(&self) -> Error {
        self.key_wanted("")
    }

    /// `says` are the server's words, where it was asked without a key.
    fn key_wanted(&self, says: &str) -> Error {
        let set = format!("`arki keys set {}`", self.provider);
        let hint = match &self.key_env {
            Some(variable) => format!("Set {variable} in the environment, or store the key with {set}."),
            None => format!("Store one with {set}, or set \"apiKeyEnv\" to the environment variable that holds it."),
        };
        Error::new(Code::KEY_MISSING, format!("{} needs an API key.{says}", self.provider), hint)
    }

    /// Makes a fault of an answer that reports an error, by its status or inside a stream.
    pub(crate) fn refused(&self, error: &VendorError, model: &str) -> Error {
        let code = error.code();
        let proxy = || proxy_for(&self.url.parse().ok()?);
        if let Some((host, port)) = Some(error.status()).filter(|status| *status == 407).and_then(|_| proxy()) {
            return self.proxy_wants_password(&host, port);
        }
        if code == Code::KEY_REFUSED && !self.key_sent {
            return self.key_wanted(&self.quoted(error));
        }
        let through = Some(error.status()).filter(|status| matches!(status, 502..=504)).and_then(|_| proxy());
        let through =
            through.map_or_else(String::new, |(host, port)| format!(" The proxy {host}:{port} is on the way."));
        let says = format!("{}{through}", self.quoted(error));
        let message = match code {
            Code::KEY_REFUSED => format!("{} refused the API key.{says}", self.provider),
            Code::PROVIDER_NO_CREDIT => format!("The account at {} has no credit left.{says}", self.provider),
            Code::MODEL_NOT_FOUND => format!("{} at {} doesn't know “{model}”.{says}", self.provider, self.url),
            Code::CONTEXT_TOO_LONG => format!("The conversation is too long for {model}.{says}"),
            Code::PROVIDER_RATE_LIMITED => format!("{} is limiting requests.{says}", self.provider),
            Code::PROVIDER_TIMEOUT => format!("{} took too long.{says}", self.provider),
            Code::PROVIDER_FAILED => format!("{} failed{}.{says}", self.provider, error.status_in_words()),
            Code::PROVIDER_BAD_ANSWER => format!("{} at {} redirects the request.", self.provider, self.url),
            _ => format!("{} refused the request{}.{says}", self.provider, error.status_in_words()),
        };
        let fault = Error::new(code, message, self.hint(code, model)).caused_by(&error.original(says.trim()));
        Error { retry_after_ms: error.retry_after_ms(), ..fault }
    }

    fn hint(&self, code: Code, model: &str) -> String {
        match code {
            Code::KEY_REFUSED => match &self.key_env {
                Some(variable) => format!(
                    "Check the key in {variable} (it takes precedence if set), or the one stored with `arki keys set \
                    {}`.",
                    self.provider
                ),
                None => format!("Check the key, then store it again with `arki keys set {}`.", self.provider),
            },
            Code::PROVIDER_NO_CREDIT => "Add credit in the provider's console, or choose another model.".into(),
            Code::MODEL_NOT_FOUND if self.kind == ProviderKind::Ollama => {
                format!("Download it with `ollama pull {model}`, or choose one from `ollama list`.")
            }
            Code::MODEL_NOT_FOUND => "Check the model's name (see `arki models`) and the provider's baseUrl.".into(),
            Code::CONTEXT_TOO_LONG => "Start a new session, or choose a model with a larger context window.".into(),
            Code::PROVIDER_RATE_LIMITED => "Wait a moment and try again.".into(),
            Code::CONTENT_REFUSED => "Rephrase your request, or choose another model.".into(),
            Code::PROVIDER_BAD_ANSWER => "Set its baseUrl to the address it redirects to.".into(),
            Code::PROVIDER_BAD_REQUEST => "Check the model's options, or choose another model.".into(),
            _ => "Try again in a moment, or choose another model.".into(),
        }
    }

    fn quoted(&self, error: &VendorError) -> String {
        let words = match error.parameter().filter(|parameter| !error.words().contains(parameter)) {
            Some(parameter) => format!("{} ({parameter})", error.words()).trim_start().to_owned(),
            None => error.words().to_owned(),
        };
        let secrets = self.secrets.iter().map(Secret::expose).filter(|secret| !secret.is_empty());
        let words = secrets.fold(words, |words, secret| words.replace(secret, "[redacted]"));
        if words.is_empty() { String::new() } else { format!(" It says: {words}") }
    }
}

/// The library's own error is hidden within one of I/O, which shows its words alone.
fn certificate_problem(error: &reqwest::Error) -> Option<String> {
    let problem = |text: String| Some(text.split_once("invalid peer certificate: ")?.1.to_owned());
    causes(error).find_map(|cause| problem(cause.to_string()))
}

/// Returns what hyper says of a body that is cut into chunks wrongly; its errors have no other sign.
fn is_of_chunks(words: &str) -> bool {
    let words = words.to_lowercase();
    let parts = ["chunk size", "chunk end", "chunk body", "chunk extension", "chunk trailer"];
    // One that ends within such a line is only cut.
    !words.contains("eof") && parts.iter().any(|part| words.contains(part))
}

/// Returns what gzip says of bytes that are none; a connection that ends says something else.
fn is_damage(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput)
}

/// The libraries' own words, the outermost first; the first of all names the address, perhaps with a key in it.
fn original(error: &reqwest::Error) -> String {
    causes(error).map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

fn causes(error: &reqwest::Error) -> impl Iterator<Item = &(dyn StdError + 'static)> {
    std::iter::successors(error.source(), |&cause| cause.source())
}
