//! Serving: the addresses, the routes behind the guard, and the end of it all.

use crate::addresses::{ListeningAddress, ServeOptions, listen};
use crate::callers::Callers;
use crate::connections::HttpConnections;
use crate::guard::{guarded, meant};
use crate::hosts::OwnHosts;
use crate::idempotency::KeysInProgress;
use crate::limits::RequestRates;
use crate::routes;
use crate::sign_in::SignIns;
use crate::stream::Feed;
use crate::window_files::WindowFiles;
use arki_api::ServedAt;
use arki_domain::Error;
use arki_engine::{Client, ClientCapabilities, Engine};
use axum::{Router, middleware};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tower_http::compression::CompressionLayer;

/// The time that is left to what is being answered when the server ends.
const END_PATIENCE: Duration = Duration::from_secs(1);

/// The state that all requests share.
pub(crate) struct RouteState {
    /// Stays for as long as is served: runs go on without whoever began them.
    client: Arc<Client>,
    pub(crate) callers: Callers,
    pub(crate) feed: Feed,
    pub(crate) hosts: OwnHosts,
    pub(crate) requests: RequestRates,
    pub(crate) keys: KeysInProgress,
    /// The window for browsers; `None` without it.
    pub(crate) window: Option<WindowFiles>,
    /// The codes with which browsers sign in; `None` without the window.
    pub(crate) sign_ins: Option<SignIns>,
    /// Cancelled when the server ends: no stream outlives it.
    pub(crate) closing: CancellationToken,
}

impl RouteState {
    pub(crate) fn engine(&self) -> &Arc<Engine> {
        self.client.engine()
    }

    /// Reads on a thread of its own.
    pub(crate) async fn reading<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Engine) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let engine = self.engine().clone();
        tokio::task::spawn_blocking(move || read(&engine)).await.map_err(Error::internal)?
    }
}

/// A server that listens; nothing is answered before [`Served::run`].
pub struct Served {
    listening: Vec<ListeningAddress>,
    shared: Arc<RouteState>,
    at: ServedAt,
}

/// Begins to listen.
///
/// # Errors
/// `USAGE` where that can't be listened on, or when the token or the database can't be used.
pub async fn serve(engine: &Arc<Engine>, options: &ServeOptions) -> Result<Served, Error> {
    let token_file = engine.pairings().token_file()?;
    let window = options.window.as_deref().map(WindowFiles::of).transpose()?;
    engine.follow_others()?;
    let listening = listen(options).await?;
    let hosts = OwnHosts::new(&listening, options.public_url.clone());
    let url = hosts.url(&listening);
    let client = Arc::new(Client::attach(engine, "http", ClientCapabilities { answers: true, stays: true }));
    let closing = CancellationToken::new();
    let shared = Arc::new(RouteState {
        callers: Callers::new(engine.clone()),
        feed: Feed::begin(engine.clone(), closing.clone()).await?,
        hosts,
        requests: RequestRates::default(),
        keys: KeysInProgress::default(),
        sign_ins: window.as_ref().map(|_| SignIns::default()),
        window,
        client,
        closing,
    });
    let at = ServedAt { url, token_file: token_file.display().to_string(), sign_in: None };
    let mut served = Served { listening, shared, at };
    served.at.sign_in = served.sign_ins().link()?;
    Ok(served)
}

impl Served {
    #[must_use]
    pub fn at(&self) -> &ServedAt {
        &self.at
    }

    /// Makes further links for browsers to sign in with, also while this runs.
    #[must_use]
    pub fn sign_ins(&self) -> SignInLinks {
        SignInLinks { shared: self.shared.clone(), url: self.at.url.clone() }
    }

    /// Answers until `end` comes; then what is being answered is finished, streams end, and this process's runs stop.
    pub async fn run(self, end: impl Future<Output = ()> + Send + 'static) {
        let shared = self.shared;
        shared.client.expire_waiting();
        let keeping = {
            let client = shared.client.clone();
            tokio::spawn(async move { client.keep_schedules().await })
        };
        let closing = shared.closing.clone();
        tokio::spawn(async move {
            end.await;
            closing.cancel();
        });
        let connections = HttpConnections::new(shared.clone(), router(shared.clone()));
        let accepting: Vec<_> =
            self.listening.into_iter().map(|address| tokio::spawn(connections.clone().accept(address))).collect();
        shared.closing.cancelled().await;
        keeping.abort();
        shared.engine().runs().stop_all().await;
        // Whoever sends half a request, or reads nothing, doesn't keep the server from its end.
        let answered = async {
            for accepting in accepting {
                let _ = accepting.await;
            }
            connections.ended().await;
        };
        if tokio::time::timeout(END_PATIENCE, answered).await.is_err() {
            tracing::debug!("some requests were not answered to their end");
        }
        // What was begun meanwhile.
        shared.engine().runs().stop_all().await;
    }
}

/// Makes links with which browsers sign in.
pub struct SignInLinks {
    shared: Arc<RouteState>,
    url: String,
}

impl SignInLinks {
    /// A link that is good once and for five minutes; `None` where no window is served.
    ///
    /// # Errors
    /// When the system has no random bytes.
    pub fn link(&self) -> Result<Option<String>, Error> {
        let Some(codes) = &self.shared.sign_ins else { return Ok(None) };
        let code = self.shared.engine().pairings().random_word()?;
        codes.keep(&code);
        let base = self.shared.hosts.public_url().unwrap_or_else(|| self.url.clone());
        Ok(Some(format!("{base}/#code={code}")))
    }
}

fn router(shared: Arc<RouteState>) -> Router {
    let asked = routes::all().layer(middleware::from_fn_with_state(shared.clone(), guarded));
    if shared.window.is_none() {
        return asked.with_state(shared);
    }
    let window =
        routes::window().layer(CompressionLayer::new()).layer(middleware::from_fn_with_state(shared.clone(), meant));
    asked.merge(window).with_state(shared)
}
