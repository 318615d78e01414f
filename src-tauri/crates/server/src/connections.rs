//! Connections: accepted at every address, and bounded. One on which no token was shown yet is silent, and may be closed
//! for another: many that say nothing keep nobody out.

use crate::addresses::ListeningAddress;
use crate::guard::Arrival;
use crate::limits::{MAX_CONNECTIONS, SilentConnections};
use crate::serve::RouteState;
use axum::Router;
use axum::response::{IntoResponse, Redirect};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio_util::task::TaskTracker;

/// The time for a request's head, and for what comes before it with TLS.
const HEAD_PATIENCE: Duration = Duration::from_secs(10);
/// The time after which it is tried again where none could be accepted.
const ACCEPT_PATIENCE: Duration = Duration::from_millis(100);

/// Accepts connections, and answers what is asked on them.
pub(crate) struct HttpConnections {
    shared: Arc<RouteState>,
    router: Router,
    places: Arc<Semaphore>,
    silent: Arc<SilentConnections>,
    open: TaskTracker,
}

impl HttpConnections {
    pub(crate) fn new(shared: Arc<RouteState>, router: Router) -> Arc<Self> {
        let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
        Arc::new(Self { shared, router, places, silent: Arc::default(), open: TaskTracker::new() })
    }

    /// Accepts until the server ends.
    pub(crate) async fn accept(self: Arc<Self>, address: ListeningAddress) {
        loop {
            let accepted = tokio::select! {
                () = self.shared.closing.cancelled() => return,
                accepted = address.listener.accept() => accepted,
            };
            match accepted {
                Ok((stream, peer)) => self.begin(stream, peer, &address),
                Err(error) => {
                    tracing::warn!(%error, "no connection can be accepted");
                    tokio::time::sleep(ACCEPT_PATIENCE).await;
                }
            }
        }
    }

    /// Waits until all that is being answered is answered.
    pub(crate) async fn ended(&self) {
        self.open.close();
        self.open.wait().await;
    }

    fn begin(self: &Arc<Self>, stream: TcpStream, peer: SocketAddr, address: &ListeningAddress) {
        // Beyond the limit it is closed at once.
        let Ok(place) = self.places.clone().try_acquire_owned() else { return };
        let Ok(local) = stream.local_addr() else { return };
        let _ = stream.set_nodelay(true);
        let silent = self.silent.clone().enter();
        let closed = silent.closed.clone();
        let silent = Arc::new(Mutex::new(Some(silent)));
        let arrival = Arrival { listener: address.at, local, peer, silent, is_below_base: false };
        let tls = address.tls.clone();
        let connections = self.clone();
        self.open.spawn(async move {
            let _place = place;
            let served = async {
                match tls {
                    None => connections.serve(stream, arrival).await,
                    Some(tls) => {
                        if let Ok(Ok(stream)) = tokio::time::timeout(HEAD_PATIENCE, tls.accept(stream)).await {
                            connections.serve(stream, arrival).await;
                        }
                    }
                }
            };
            tokio::select! {
                () = closed.cancelled() => {}
                () = served => {}
            }
        });
    }

    async fn serve(&self, stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static, arrival: Arrival) {
        let answer = |request: hyper::Request<Incoming>| {
            let mut request = request.map(axum::body::Body::new);
            let elsewhere = self.shared.hosts.with_slash(request.uri());
            self.shared.hosts.arrived(&mut request, arrival.clone());
            let answering = TowerToHyperService::new(self.router.clone()).call(request);
            async move {
                match elsewhere {
                    Some(path) => Ok(Redirect::permanent(&path).into_response()),
                    None => answering.await,
                }
            }
        };
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD_PATIENCE)
            .serve_connection(TokioIo::new(stream), service_fn(answer));
        tokio::pin!(connection);
        tokio::select! {
            // Whoever breaks off has said enough.
            _ = connection.as_mut() => {}
            () = self.shared.closing.cancelled() => {
                connection.as_mut().graceful_shutdown();
                let _ = connection.await;
            }
        }
    }
}
