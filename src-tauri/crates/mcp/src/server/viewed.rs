//! A server whose program works in a view of the project: its calls take turns, and it starts in a new view where the old
//! one is no longer good.

use super::Server;
use crate::settings::Transport;
use arki_tools::{ProgramView, ViewedProgram};
use async_trait::async_trait;
use std::sync::Arc;
use tokio::sync::OwnedMutexGuard;

impl Server {
    pub(crate) fn works_in_view(&self) -> bool {
        match &self.settings.transport {
            Transport::Stdio(command) => self.ports.launcher.works_in_view(command),
            Transport::Http(_) => false,
        }
    }
}

#[async_trait]
impl ViewedProgram for Server {
    async fn turn(&self) -> OwnedMutexGuard<()> {
        self.turn.clone().lock_owned().await
    }

    async fn view(&self) -> Option<Arc<ProgramView>> {
        self.inner.lock().await.connection.as_ref()?.view().cloned()
    }

    async fn restart(&self) {
        self.stop().await;
    }
}
