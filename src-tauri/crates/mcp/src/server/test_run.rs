//! Trying a server out for the user, beside whatever runs use of it.

use super::{Server, State};
use crate::agreement::Agreement;
use crate::opening::{Started, Step};
use arki_domain::Fault;

impl Server {
    /// Opens a connection of its own, step by step, and lists the tools. `on_step` is told each step that went well.
    ///
    /// # Errors
    /// The step that failed, and why.
    pub async fn test(&self, on_step: &mut (dyn FnMut(Step, String) + Send)) -> Result<Agreement, (Step, Fault)> {
        let tested = self.test_steps(on_step).await;
        match &tested {
            // Whoever mended it need not wait.
            Ok(_) => self.inner.lock().await.backoff.clear(),
            Err((_, fault)) if self.state() != State::Running => self.show_failure(fault),
            Err(_) => {}
        }
        if tested.is_ok() && self.state() == State::Failed {
            self.show(State::Idle);
        }
        tested
    }

    async fn test_steps(&self, on_step: &mut (dyn FnMut(Step, String) + Send)) -> Result<Agreement, (Step, Fault)> {
        let heard = self.begin_hearing();
        let started = Started::new(&self.settings, &self.ports, heard).await.map_err(|fault| (Step::Start, fault))?;
        on_step(Step::Start, self.place());
        let opened = started.initialize(&self.settings, &self.ports).await;
        let connection = opened.map_err(|fault| (Step::Initialize, fault))?;
        on_step(Step::Initialize, connection.introduction());
        let agreement = match self.list(&connection).await {
            Ok(agreement) => agreement,
            Err(unanswered) => return Err((Step::Tools, self.words(unanswered, &connection).await)),
        };
        connection.close().await;
        let count = agreement.latest.len();
        on_step(Step::Tools, format!("{count} {}", if count == 1 { "tool" } else { "tools" }));
        Ok(agreement)
    }
}
