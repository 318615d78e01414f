//! Trying a server out for the user, beside whatever runs use of it.

use super::{Server, ServerState};
use crate::agreement::Agreement;
use crate::opening::{OpeningStep, StartedServer};
use arki_domain::Error;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

type OnStep<'a> = dyn FnMut(OpeningStep, String, Duration) + Send + 'a;

impl Server {
    /// Opens a connection of its own, step by step, and lists the tools. `on_step` is told each step that went well, and
    /// how long it took. A program counts as started once it has answered or at least stays: that a process could be
    /// made says nothing yet, since what confines it starts also where the program is not there.
    pub async fn test(&self, on_step: &mut OnStep<'_>) -> Result<Agreement, (OpeningStep, Error)> {
        let tested = self.test_steps(on_step).await;
        match &tested {
            // Whoever mended it need not wait.
            Ok(_) => self.inner.lock().await.backoff.clear(),
            Err((_, fault)) if self.state() != ServerState::Running => self.show_failure(fault),
            Err(_) => {}
        }
        if tested.is_ok() && self.state() == ServerState::Failed {
            self.show(ServerState::Idle);
        }
        tested
    }

    async fn test_steps(&self, on_step: &mut OnStep<'_>) -> Result<Agreement, (OpeningStep, Error)> {
        let heard = self.begin_hearing();
        let begun = Instant::now();
        let started = StartedServer::new(&self.settings, &self.ports, heard.clone()).await;
        let started = started.map_err(|fault| (OpeningStep::Start, fault))?;
        let (started_in, begun) = (begun.elapsed(), Instant::now());
        let connection = match started.initialize(&self.settings, &self.ports).await {
            Err(fault) if heard.never_ran.load(Ordering::Relaxed) => return Err((OpeningStep::Start, fault)),
            opened => {
                on_step(OpeningStep::Start, self.place(), started_in);
                opened.map_err(|fault| (OpeningStep::Initialize, fault))?
            }
        };
        on_step(OpeningStep::Initialize, connection.introduction(), begun.elapsed());
        let begun = Instant::now();
        let agreement = match self.list(&connection).await {
            Ok(agreement) => agreement,
            Err(unanswered) => return Err((OpeningStep::Tools, self.words(unanswered, &connection).await)),
        };
        connection.close().await;
        let count = agreement.latest.len();
        on_step(OpeningStep::Tools, format!("{count} {}", if count == 1 { "tool" } else { "tools" }), begun.elapsed());
        Ok(agreement)
    }
}
