//! The way out of a command's own network: a proxy that lets named hosts through, and tells which it refused.
//!
//! It accepts on a socket in the command's network and connects from this process. Names only, on the ports of the web;
//! a name is looked up once, judged as for `fetch_url`, and exactly what was found is connected to. What goes through is
//! not looked at: a command that has a host can send it anything it can read. A program that uses no proxy has no
//! network.

mod asked_host;

use crate::fetch::PrivateHosts;
use arki_policy::HostVerdict;
use asked_host::{AskedHost, HeadError};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy, copy_bidirectional, sink};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::timeout;

/// Connections at once; further ones wait.
const MAX_CONNECTIONS: usize = 128;
/// The first lines of a request, up to the empty one.
const MAX_HEAD_BYTES: usize = 16 << 10;
const HEAD_TIMEOUT: Duration = Duration::from_secs(20);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(20);
/// The rest of a refused request that is still read, in bytes.
const MAX_UNREAD_BYTES: u64 = 1 << 20;
const LINGER: Duration = Duration::from_secs(2);
/// Hosts that are remembered as refused.
const MAX_REFUSED: usize = 20;

/// Decides on hosts, which are names in lower case.
pub(crate) type HostGate = Box<dyn Fn(&str) -> HostVerdict + Send + Sync>;

/// Why a host was not reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum HostRefusal {
    NotGranted,
    Denied(String),
    /// It is none that anybody could have by name; a sentence says why.
    Impossible(String),
}

impl HostRefusal {
    /// A sentence on the host.
    pub(crate) fn sentence(&self, host: &str) -> String {
        match self {
            Self::NotGranted => format!("{host} was refused: this command has no network for it."),
            Self::Denied(rule) => format!("{host} was refused by the rule {rule}."),
            Self::Impossible(why) => format!("{host} was refused: {why}"),
        }
    }
}

/// The proxy of one command; it ends when it is dropped, with all of its connections.
pub(crate) struct HostProxy {
    accepting: JoinHandle<()>,
    shared: Arc<ProxyPolicy>,
}

struct ProxyPolicy {
    gate: HostGate,
    private: PrivateHosts,
    refused: Mutex<BTreeMap<String, HostRefusal>>,
}

impl HostProxy {
    /// Begins to accept when the command's launcher has opened the socket.
    pub(crate) fn start(
        door: impl Future<Output = std::io::Result<TcpListener>> + Send + 'static,
        gate: HostGate,
        private: PrivateHosts,
    ) -> Self {
        let shared = Arc::new(ProxyPolicy { gate, private, refused: Mutex::default() });
        let policy = shared.clone();
        let accepting = tokio::spawn(async move {
            match door.await {
                Ok(listener) => accept(listener, policy).await,
                Err(error) => tracing::debug!(%error, "a command without a door in its network"),
            }
        });
        Self { accepting, shared }
    }

    /// The hosts that were refused so far, and why.
    pub(crate) fn refused(&self) -> BTreeMap<String, HostRefusal> {
        self.shared.refused.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for HostProxy {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(listener: TcpListener, policy: Arc<ProxyPolicy>) {
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let mut connections = JoinSet::new();
    while let Ok(place) = places.clone().acquire_owned().await {
        let Ok((client, _)) = listener.accept().await else { return };
        while connections.try_join_next().is_some() {}
        let policy = policy.clone();
        connections.spawn(async move {
            // Whoever asked has gone: nobody is told.
            let _ = policy.serve(client).await;
            drop(place);
        });
    }
}

impl ProxyPolicy {
    async fn serve(&self, mut client: TcpStream) -> std::io::Result<()> {
        let head = timeout(HEAD_TIMEOUT, read_head(&mut client)).await;
        let Ok(Ok(head)) = head else { return answer(&mut client, "400 Bad Request", "This is no request.").await };
        let asked = match AskedHost::parse(&head) {
            Ok(asked) => asked,
            Err(HeadError::Unreadable) => {
                return answer(&mut client, "400 Bad Request", "Arki can't read this request.").await;
            }
            Err(HeadError::Refused(host, why)) => {
                return self.refuse(&mut client, &host, HostRefusal::Impossible(why)).await;
            }
        };
        let addresses = match self.addresses(&asked).await {
            Ok(addresses) => addresses,
            Err(Unreached::Refused(refusal)) => return self.refuse(&mut client, &asked.host, refusal).await,
            Err(Unreached::NotFound(words)) => return answer(&mut client, "502 Bad Gateway", &words).await,
        };
        let connected = timeout(CONNECT_TIMEOUT, TcpStream::connect(addresses.as_slice())).await;
        let Ok(Ok(mut server)) = connected else {
            return answer(&mut client, "504 Gateway Timeout", &format!("{} can't be reached.", asked.host)).await;
        };
        match &asked.forwarded {
            Some(bytes) => server.write_all(bytes).await?,
            None => {
                client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await?;
                server.write_all(&asked.rest).await?;
            }
        }
        copy_bidirectional(&mut client, &mut server).await.map(drop)
    }

    async fn addresses(&self, asked: &AskedHost) -> Result<Vec<SocketAddr>, Unreached> {
        match (self.gate)(&asked.host) {
            HostVerdict::Granted => {}
            HostVerdict::NotGranted => return Err(Unreached::Refused(HostRefusal::NotGranted)),
            HostVerdict::Denied(rule) => return Err(Unreached::Refused(HostRefusal::Denied(rule))),
        }
        if !asked.is_of_web() && !self.private.names_port(&asked.url) {
            let why = format!("only ports 80 and 443 can be reached, and it asked for {}.", asked.port());
            return Err(Unreached::Refused(HostRefusal::Impossible(why)));
        }
        let found = crate::fetch::addresses(&asked.url, &self.private).await;
        found.map_err(|fault| match fault.is(arki_domain::Code::ADDRESS_REFUSED) {
            true => Unreached::Refused(HostRefusal::Impossible(fault.message)),
            false => Unreached::NotFound(fault.message),
        })
    }

    async fn refuse(&self, client: &mut TcpStream, host: &str, refusal: HostRefusal) -> std::io::Result<()> {
        let words = refusal.sentence(host);
        {
            let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
            if refused.len() < MAX_REFUSED || refused.contains_key(host) {
                refused.insert(host.to_owned(), refusal);
            }
        }
        answer(client, "403 Forbidden", &words).await
    }
}

enum Unreached {
    Refused(HostRefusal),
    NotFound(String),
}

/// Reads up to the empty line, and whatever came with it.
async fn read_head(client: &mut TcpStream) -> std::io::Result<Vec<u8>> {
    let mut head = Vec::new();
    while !asked_host::is_whole(&head) {
        if head.len() >= MAX_HEAD_BYTES || client.read_buf(&mut head).await? == 0 {
            return Err(std::io::ErrorKind::InvalidData.into());
        }
    }
    Ok(head)
}

async fn answer(client: &mut TcpStream, status: &str, words: &str) -> std::io::Result<()> {
    let head = "Content-Type: text/plain; charset=utf-8\r\nConnection: close\r\nX-Proxy-Error: arki";
    let answer = format!("HTTP/1.1 {status}\r\n{head}\r\nContent-Length: {}\r\n\r\n{words}\n", words.len() + 1);
    client.write_all(answer.as_bytes()).await?;
    client.shutdown().await?;
    // What nobody has read would take the answer back.
    let _ = timeout(LINGER, copy(&mut client.take(MAX_UNREAD_BYTES), &mut sink())).await;
    Ok(())
}

#[cfg(test)]
mod tests;
