//! Checks that a server takes connections: its name, its address, or those of the proxy on the way.

use crate::fault::Target;
use crate::proxy::proxy_for;
use arki_domain::Error;
use reqwest::Url;
use std::time::Duration;
use tokio::net::{TcpStream, lookup_host};
use tokio::time::timeout;

/// Returns the address that was reached, in a sentence. Through a proxy, only the proxy can be seen from here.
pub(super) async fn reach(url: &Url, patience: Duration, target: &Target) -> Result<String, Error> {
    let through = proxy_for(url);
    let (host, port) = match &through {
        Some(proxy) => proxy.clone(),
        None => (host_of(url), url.port_or_known_default().unwrap_or(443)),
    };
    let connecting = async {
        let mut addresses = lookup_host((host.as_str(), port)).await.map_err(|_| target.unresolved(&host))?;
        let Some(first) = addresses.next() else { return Err(target.unresolved(&host)) };
        for address in std::iter::once(first).chain(addresses) {
            if TcpStream::connect(address).await.is_ok() {
                return Ok(address);
            }
        }
        Err(if through.is_some() { target.proxy_unreachable(&host, port) } else { target.unreachable() })
    };
    let address = timeout(patience, connecting).await.unwrap_or_else(|_| Err(target.unreachable()))?;
    Ok(match through {
        Some((host, port)) => format!("The proxy {host}:{port} takes connections."),
        None => format!("{address} takes connections."),
    })
}

fn host_of(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host).to_owned()
}
