//! The receivers that telemetry goes to: an address of the configuration, or what OpenTelemetry's variables say.
//!
//! Plain HTTP goes to this computer alone. Even without contents, telemetry tells who works when on what, and the
//! headers that come with it are keys, so that beyond loopback there is TLS or nothing.

use crate::run_telemetry::{Resource, Signal};
use arki_domain::io_words;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Certificate, Url};
use std::net::IpAddr;
use std::time::Duration;

/// The time for one request, unless the environment says otherwise.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(10);
const MAX_TIMEOUT: Duration = Duration::from_secs(60);
const SIGNALS: [Signal; 3] = [Signal::Traces, Signal::Metrics, Signal::Logs];

/// `telemetry.endpoint`, where it is set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Endpoint {
    /// The signals' paths are added to it.
    Address(Url),
    /// OpenTelemetry's variables decide.
    Environment,
}

impl Endpoint {
    /// # Errors
    /// A sentence's end on what is wrong with it: "must …".
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        match text {
            "env" => Ok(Self::Environment),
            address => checked(address).map(Self::Address),
        }
    }
}

fn checked(address: &str) -> Result<Url, &'static str> {
    let url = Url::parse(address).map_err(|_| "must be a URL, or \"env\"")?;
    match url.scheme() {
        "https" => {}
        "http" if is_loopback(&url) => {}
        "http" => return Err("must begin with https:// unless it is on this computer"),
        _ => return Err("must begin with http:// or https://"),
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("must not contain a password: set it with OTEL_EXPORTER_OTLP_HEADERS, and use \"env\"");
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err("must not contain a query or a fragment");
    }
    Ok(url)
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    address.map_or(host == "localhost", |address| address.is_loopback())
}

/// The receiver of one signal.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    pub(crate) signal: Signal,
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
    pub(crate) timeout: Duration,
    pub(crate) is_compressed: bool,
    /// The certificates that the receiver's is checked by; `None` for the system's.
    pub(crate) certificates: Option<Vec<Certificate>>,
}

impl Target {
    pub(crate) fn is_on_this_computer(&self) -> bool {
        is_loopback(&self.url)
    }
}

/// The receiver of each signal, and the name of the resource.
#[derive(Debug, Clone)]
pub struct TelemetryDestination {
    pub(crate) targets: Vec<Target>,
    resource: Resource,
}

impl TelemetryDestination {
    /// `None` where the environment decides and names no receiver, or turns telemetry off. `variable` reads one.
    ///
    /// # Errors
    /// A sentence on a variable that can't be used; what may be a key is not in it.
    pub fn of(endpoint: &Endpoint, variable: &dyn Fn(&str) -> Option<String>) -> Result<Option<Self>, String> {
        let variables = Variables(variable);
        let (targets, resource) = match endpoint {
            Endpoint::Address(base) => {
                (SIGNALS.map(|signal| Target::below(base, signal)).to_vec(), Resource::default())
            }
            Endpoint::Environment if variables.is_disabled() => return Ok(None),
            Endpoint::Environment => {
                let targets = SIGNALS.iter().map(|signal| variables.target(*signal)).collect::<Result<Vec<_>, _>>()?;
                (targets.into_iter().flatten().collect(), variables.resource()?)
            }
        };
        Ok((!targets.is_empty()).then_some(Self { targets, resource }))
    }

    #[must_use]
    pub fn resource(&self) -> &Resource {
        &self.resource
    }

    /// The receivers, for people: without what may be a key.
    #[must_use]
    pub fn words(&self) -> String {
        let mut origins: Vec<String> = self.targets.iter().map(|it| it.url.origin().ascii_serialization()).collect();
        origins.dedup();
        origins.join(", ")
    }

    /// The values of headers: each may be a key.
    pub fn secrets(&self) -> impl Iterator<Item = &str> {
        self.targets.iter().flat_map(|target| target.headers.values()).filter_map(|value| value.to_str().ok())
    }
}

impl Target {
    fn below(base: &Url, signal: Signal) -> Self {
        let mut url = base.clone();
        url.set_path(&format!("{}/v1/{}", base.path().trim_end_matches('/'), signal.word()));
        Self {
            signal,
            url,
            headers: HeaderMap::new(),
            timeout: DEFAULT_TIMEOUT,
            is_compressed: false,
            certificates: None,
        }
    }
}

/// OpenTelemetry's variables; an empty one is as good as none.
struct Variables<'a>(&'a dyn Fn(&str) -> Option<String>);

impl Variables<'_> {
    fn get(&self, name: &str) -> Option<String> {
        (self.0)(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
    }

    /// The signal's own variable, or the one for all; with its name.
    fn of(&self, signal: Signal, what: &str) -> Option<(String, String)> {
        let own = format!("OTEL_EXPORTER_OTLP_{}_{what}", signal.word().to_uppercase());
        let names = [own, format!("OTEL_EXPORTER_OTLP_{what}")];
        names.into_iter().find_map(|name| self.get(&name).map(|value| (name, value)))
    }

    fn is_disabled(&self) -> bool {
        self.get("OTEL_SDK_DISABLED").is_some_and(|value| value.eq_ignore_ascii_case("true"))
    }

    fn target(&self, signal: Signal) -> Result<Option<Target>, String> {
        let exporters = self.get(&format!("OTEL_{}_EXPORTER", signal.word().to_uppercase()));
        let is_wanted = exporters.is_none_or(|names| names.split(',').any(|name| name.trim() == "otlp"));
        let Some((name, address)) = self.of(signal, "ENDPOINT").filter(|_| is_wanted) else { return Ok(None) };
        let url = checked(&address).map_err(|why| format!("{name} {why}."))?;
        let is_own = name.contains(&signal.word().to_uppercase());
        let mut target = Target::below(&url, signal);
        if is_own {
            target.url = url;
        }
        if let Some((name, protocol)) = self.of(signal, "PROTOCOL").filter(|(_, protocol)| protocol != "http/protobuf")
        {
            return Err(format!("{name} is {protocol:?}; Arki sends http/protobuf only."));
        }
        if let Some((name, headers)) = self.of(signal, "HEADERS") {
            target.headers = header_map(&name, &headers)?;
        }
        if let Some((name, timeout)) = self.of(signal, "TIMEOUT") {
            let milliseconds = timeout.parse().map_err(|_| format!("{name} is not a number of milliseconds."))?;
            target.timeout = Duration::from_millis(milliseconds).min(MAX_TIMEOUT);
        }
        if let Some((name, compression)) = self.of(signal, "COMPRESSION") {
            target.is_compressed = match compression.as_str() {
                "gzip" => true,
                "none" => false,
                _ => return Err(format!("{name} is {compression:?}; Arki knows gzip and none.")),
            };
        }
        let certificates = self.of(signal, "CERTIFICATE").filter(|_| target.url.scheme() == "https");
        target.certificates = certificates.map(|(name, path)| read_certificates(&name, &path)).transpose()?;
        Ok(Some(target))
    }

    fn resource(&self) -> Result<Resource, String> {
        let name = "OTEL_RESOURCE_ATTRIBUTES";
        let resource = Resource::default().with(pairs(name, &self.get(name).unwrap_or_default())?);
        Ok(match self.get("OTEL_SERVICE_NAME") {
            Some(service) => resource.named(&service),
            None => resource,
        })
    }
}

/// The certificates of a file in PEM.
fn read_certificates(variable: &str, path: &str) -> Result<Vec<Certificate>, String> {
    let unusable = |why: &str| format!("{variable} names {path}, which can't be used: {why}.");
    let bytes = std::fs::read(path).map_err(|error| unusable(io_words(error.kind())))?;
    let read = Certificate::from_pem_bundle(&bytes).ok().filter(|certificates| !certificates.is_empty());
    read.ok_or_else(|| unusable("it has no certificate in PEM"))
}

fn header_map(variable: &str, text: &str) -> Result<HeaderMap, String> {
    let mut headers = HeaderMap::new();
    for (name, value) in pairs(variable, text)? {
        let header = HeaderName::from_bytes(name.as_bytes()).ok().zip(HeaderValue::from_str(&value).ok());
        let (name, mut value) = header.ok_or_else(|| format!("{variable} has an invalid header."))?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    Ok(headers)
}

/// `key=value,key=value`, with what is no plain character written as in URLs.
fn pairs(variable: &str, text: &str) -> Result<Vec<(String, String)>, String> {
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    let pair = |part: &str| {
        let (key, value) = part.split_once('=')?;
        Some((decoded(key.trim())?, decoded(value.trim())?)).filter(|(key, _)| !key.is_empty())
    };
    parts.map(|part| pair(part).ok_or_else(|| format!("{variable} must be like `key=value,key=value`."))).collect()
}

fn decoded(text: &str) -> Option<String> {
    let mut parts = text.split('%');
    let mut bytes = parts.next()?.as_bytes().to_vec();
    for part in parts {
        let (digits, rest) = part.split_at_checked(2)?;
        bytes.extend(hex::decode(digits).ok()?);
        bytes.extend(rest.as_bytes());
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests;
