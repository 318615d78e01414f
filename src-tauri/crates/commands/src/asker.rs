//! Whoever asks, and the answer to a command.

use crate::page::ClientPage;
use crate::surroundings::Surroundings;
use arki_api::{CommandError, Steps, WindowCommands};
use arki_domain::Error;
use arki_engine::{Client, Engine};
use std::sync::Arc;

pub type CommandAnswer<T> = Result<T, CommandError>;

/// Whoever asks for a command: their client of the engine, the page that they have open, and what is around them.
pub struct Asker<S> {
    pub client: Arc<Client>,
    pub page: Arc<ClientPage>,
    pub surroundings: S,
}

impl<S: Surroundings + WindowCommands> Asker<S> {
    /// Answers the command of this name, as JSON; a command that tells steps tells them to `tell`.
    ///
    /// # Errors
    /// What the command fails with, or `INTERNAL` for an unknown name or parameters in another form.
    pub async fn answer(
        self,
        name: &str,
        params: serde_json::Value,
        tell: Steps<serde_json::Value>,
    ) -> CommandAnswer<String> {
        arki_api::answer(self, name, params, tell).await
    }
}

impl<S: Surroundings> Asker<S> {
    pub(crate) fn engine(&self) -> &Arc<Engine> {
        self.client.engine()
    }

    /// Reads or writes files on a thread of its own: the few that answer commands are free for what is asked meanwhile,
    /// such as the page that somebody wants to read while all that waits is looked for.
    pub(crate) async fn reading<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Arc<Engine>) -> Result<T, Error> + Send + 'static,
    ) -> CommandAnswer<T> {
        let engine = self.engine().clone();
        let read = tokio::task::spawn_blocking(move || read(&engine));
        Ok(read.await.map_err(Error::internal)??)
    }
}
