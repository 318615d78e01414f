//! The names under which the server is asked, and from where.
//!
//! A page of another origin can send simple requests here, and by a name that it has leading here (DNS rebinding) even
//! read the answers. So the host has to be this server's own, to the letter; an origin, where there is one, too.

use crate::addresses::{ListeningAddress, PublicUrl, in_url, with_port};
use crate::answers::HttpRefusal;
use crate::guard::Arrival;
use crate::rights::Reach;
use arki_domain::{Code, Error};
use axum::extract::Request;
use axum::http::{HeaderMap, Uri, header};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Headers that only proxies send: who asks is somewhere else.
const FORWARDED: &[&str] = &["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via"];

/// The names that this server has.
#[derive(Debug)]
pub(crate) struct OwnHosts {
    scheme: &'static str,
    public: Option<PublicUrl>,
}

impl OwnHosts {
    pub(crate) fn new(listening: &[ListeningAddress], public: Option<PublicUrl>) -> Self {
        let is_safe = listening.iter().any(|listening| listening.tls.is_some());
        Self { scheme: if is_safe { "https" } else { "http" }, public }
    }

    /// The address to be told: where it is reached by whoever is on this computer.
    pub(crate) fn url(&self, listening: &[ListeningAddress]) -> String {
        let Some(first) = listening.first() else { return String::new() };
        let host = match first.at.ip() {
            IpAddr::V4(address) if address.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(address) if address.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
            named => named,
        };
        format!("{}://{}:{}", self.scheme, in_url(host), first.at.port())
    }

    /// Notes how a request came, and takes the public address's path away from its own.
    pub(crate) fn arrived(&self, request: &mut Request, mut arrival: Arrival) {
        if let Some(below) = self.public.as_ref().and_then(|public| below(public, request.uri())) {
            arrival.is_below_base = true;
            *request.uri_mut() = below;
        }
        request.extensions_mut().insert(arrival);
    }

    /// The path to go to instead, where what is asked for is the public address's own path without the slash at its end:
    /// the window's files are named from there.
    pub(crate) fn with_slash(&self, uri: &Uri) -> Option<String> {
        let base = &self.public.as_ref()?.base;
        (!base.is_empty() && uri.path() == base).then(|| format!("{base}/"))
    }

    /// Refuses what names another host, or was sent by the page of another; tells from where the request came.
    pub(crate) fn ensure_meant(&self, headers: &HeaderMap, arrival: &Arrival) -> Result<Reach, HttpRefusal> {
        let mut hosts = headers.get_all(header::HOST).iter();
        let host = hosts.next().and_then(|host| host.to_str().ok()).filter(|_| hosts.next().is_none());
        let own = self.names(arrival);
        let is_own = |host: &str| own.iter().any(|own| own.eq_ignore_ascii_case(host));
        let public =
            self.public.as_ref().filter(|public| host.is_some_and(|host| host.eq_ignore_ascii_case(&public.host)));
        let is_below = |public: &PublicUrl| public.base.is_empty() || arrival.is_below_base;
        if !host.is_some_and(is_own) && !public.is_some_and(is_below) {
            return Err(refused("The request names another host."));
        }
        let is_of_own_page = |origin: &str| {
            let of = |scheme: &str, host: &str| origin.eq_ignore_ascii_case(&format!("{scheme}://{host}"));
            own.iter().any(|own| of(self.scheme, own))
                || self.public.iter().any(|public| of(public.scheme, &public.host))
        };
        if headers.get_all(header::ORIGIN).iter().any(|origin| !origin.to_str().is_ok_and(is_of_own_page)) {
            return Err(refused("The request comes from another page."));
        }
        // What browsers say of every request, and no page can change.
        let mut sites = headers.get_all("sec-fetch-site").iter();
        if !sites.all(|site| site == "same-origin" || site == "none") {
            return Err(refused("The request comes from another site."));
        }
        let is_forwarded =
            public.is_some() || arrival.is_below_base || FORWARDED.iter().any(|name| headers.contains_key(*name));
        let is_here = [arrival.listener, arrival.peer].iter().all(|at| at.ip().to_canonical().is_loopback());
        Ok(if is_here && !is_forwarded { Reach::Loopback } else { Reach::Beyond })
    }

    /// The public address, without a slash at its end.
    pub(crate) fn public_url(&self) -> Option<String> {
        self.public.as_ref().map(|public| format!("{}://{}{}", public.scheme, public.host, public.base))
    }

    /// The path under which the server is reached on this way, without a slash at its end, and whether all of it is safe
    /// from listeners.
    pub(crate) fn place_of(&self, headers: &HeaderMap, arrival: &Arrival) -> (&str, bool) {
        let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        let is_public = |public: &&PublicUrl| match public.base.is_empty() {
            true => host.eq_ignore_ascii_case(&public.host),
            false => arrival.is_below_base,
        };
        match self.public.as_ref().filter(is_public) {
            Some(public) => (&public.base, public.scheme == "https"),
            None => ("", self.scheme == "https"),
        }
    }

    /// The names of the address that was reached, each with its port.
    fn names(&self, arrival: &Arrival) -> Vec<String> {
        let at = arrival.local.ip();
        let names = match at.to_canonical().is_loopback() {
            true => vec!["127.0.0.1".to_owned(), "localhost".to_owned(), "[::1]".to_owned()],
            false => vec![in_url(at)],
        };
        names.iter().map(|name| with_port(self.scheme, name, arrival.local.port())).collect()
    }
}

/// The address without the public one's path; `None` where it isn't below it.
fn below(public: &PublicUrl, uri: &Uri) -> Option<Uri> {
    if public.base.is_empty() {
        return None;
    }
    let rest = uri.path_and_query()?.as_str().strip_prefix(&public.base)?;
    rest.starts_with('/').then(|| rest.parse().ok())?
}

fn refused(message: &str) -> HttpRefusal {
    let hint = "Ask for it under the address that `arki serve` printed, and not from another page.";
    Error::new(Code::REQUEST_REFUSED, message, hint).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::SocketAddr;
    use std::sync::Arc;

    fn head(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| ((*name).parse().unwrap(), value.parse().unwrap())).collect()
    }

    fn arrival(listener: &str, local: &str, peer: &str) -> Arrival {
        let [listener, local, peer] = [listener, local, peer].map(|at| at.parse::<SocketAddr>().unwrap());
        Arrival { listener, local, peer, is_below_base: false, silent: Arc::default() }
    }

    fn at_home() -> Arrival {
        arrival("127.0.0.1:4870", "127.0.0.1:4870", "127.0.0.1:50000")
    }

    fn own(public: Option<&str>) -> OwnHosts {
        OwnHosts { scheme: "http", public: public.map(|url| PublicUrl::parse(url).unwrap()) }
    }

    #[test]
    fn only_its_own_name_and_no_other_page_gets_in() {
        let own = own(None);
        let is_in = |pairs: &[(&'static str, &str)]| own.ensure_meant(&head(pairs), &at_home()).is_ok();
        assert!(is_in(&[("host", "127.0.0.1:4870")]) && is_in(&[("host", "LOCALHOST:4870")]));
        assert!(is_in(&[("host", "[::1]:4870"), ("origin", "http://[::1]:4870"), ("sec-fetch-site", "same-origin")]));
        for host in
            ["127.0.0.1", "127.0.0.1:80", "evil.example:4870", "0.0.0.0:4870", "127.0.0.1:4870.evil.example", ""]
        {
            assert!(!is_in(&[("host", host)]), "{host}");
        }
        assert!(!is_in(&[]));
        for origin in ["null", "http://evil.example", "https://127.0.0.1:4870", "http://127.0.0.1:4871"] {
            assert!(!is_in(&[("host", "127.0.0.1:4870"), ("origin", origin)]), "{origin}");
        }
        for site in ["cross-site", "same-site", "other"] {
            assert!(!is_in(&[("host", "127.0.0.1:4870"), ("sec-fetch-site", site)]), "{site}");
        }
        let mut twice = head(&[("host", "127.0.0.1:4870"), ("sec-fetch-site", "none")]);
        twice.append("sec-fetch-site", "cross-site".parse().unwrap());
        assert!(own.ensure_meant(&twice, &at_home()).is_err());
        let mut two_hosts = head(&[("host", "127.0.0.1:4870")]);
        two_hosts.append("host", "evil.example".parse().unwrap());
        assert!(own.ensure_meant(&two_hosts, &at_home()).is_err());
    }

    #[test]
    fn what_comes_from_elsewhere_is_known_by_its_address_and_not_by_what_it_says() {
        let reach =
            |arrival: Arrival, pairs: &[(&'static str, &str)]| own(None).ensure_meant(&head(pairs), &arrival).ok();
        let to = |host| [("host", host)];
        assert_eq!(reach(at_home(), &to("localhost:4870")), Some(Reach::Loopback));
        let outside = || arrival("0.0.0.0:4870", "192.0.2.7:4870", "192.0.2.9:50000");
        assert_eq!(reach(outside(), &to("192.0.2.7:4870")), Some(Reach::Beyond));
        assert_eq!(reach(outside(), &to("127.0.0.1:4870")), None);
        // A server that can be reached from elsewhere believes nobody to be here.
        let inside = arrival("0.0.0.0:4870", "127.0.0.1:4870", "127.0.0.1:50000");
        assert_eq!(reach(inside, &to("127.0.0.1:4870")), Some(Reach::Beyond));
        assert_eq!(
            reach(at_home(), &[("host", "127.0.0.1:4870"), ("x-forwarded-for", "192.0.2.9")]),
            Some(Reach::Beyond)
        );
    }

    #[test]
    fn a_public_address_is_one_host_and_what_is_below_its_path() {
        let own = own(Some("https://arki.example/tools"));
        let asked = |host: &str, path: &str| {
            let mut request = Request::new(axum::body::Body::empty());
            *request.uri_mut() = path.parse().unwrap();
            own.arrived(&mut request, at_home());
            let arrival = request.extensions().get::<Arrival>().cloned().unwrap();
            let reach = own.ensure_meant(&head(&[("host", host)]), &arrival).ok();
            (reach, request.uri().to_string())
        };
        assert_eq!(
            asked("arki.example", "/tools/v1/runs?active=true"),
            (Some(Reach::Beyond), "/v1/runs?active=true".into())
        );
        assert_eq!(asked("arki.example", "/v1/runs").0, None);
        assert_eq!(asked("arki.example", "/toolsv1/runs").0, None);
        assert_eq!(asked("other.example", "/tools/v1/runs").0, None);
        assert_eq!(asked("127.0.0.1:4870", "/tools/v1/runs").0, Some(Reach::Beyond));
        assert_eq!(asked("127.0.0.1:4870", "/v1/runs"), (Some(Reach::Loopback), "/v1/runs".into()));
        let from =
            |origin| own.ensure_meant(&head(&[("host", "127.0.0.1:4870"), ("origin", origin)]), &at_home()).is_ok();
        assert!(from("https://arki.example") && !from("http://arki.example") && !from("https://arki.example:8443"));
    }
}
