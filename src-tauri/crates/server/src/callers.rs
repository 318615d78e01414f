//! The engine's client of each token, with the page that it has open.

use crate::guard::TokenHolder;
use arki_commands::{Asker, ClientPage};
use arki_engine::{Client, ClientCapabilities, Engine};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::surroundings::Elsewhere;

/// More pages than this at once are forgotten.
const MAX_PAGES: usize = 64;

/// The clients of those who ask.
pub(crate) struct Callers {
    engine: Arc<Engine>,
    pages: Mutex<HashMap<String, CallerPage>>,
}

/// One program's client of the engine, and its page.
#[derive(Clone)]
struct CallerPage {
    client: Arc<Client>,
    page: Arc<ClientPage>,
}

impl Callers {
    pub(crate) fn new(engine: Arc<Engine>) -> Self {
        Self { engine, pages: Mutex::default() }
    }

    /// Returns whoever asks, as before if they asked before.
    pub(crate) fn asking(&self, caller: &TokenHolder) -> Asker<Elsewhere> {
        let (name, door) = (&caller.page, if caller.is_browser { "browser" } else { "http" });
        let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        if pages.len() >= MAX_PAGES && !pages.contains_key(name) {
            pages.clear();
        }
        let attach = || {
            let client = Client::attach(&self.engine, door, ClientCapabilities { answers: true, stays: true });
            CallerPage { client: Arc::new(client), page: Arc::default() }
        };
        let CallerPage { client, page } = pages.entry(name.to_owned()).or_insert_with(attach).clone();
        Asker { client, page, surroundings: Elsewhere }
    }
}
