//! The sandbox as whoever starts commands knows it.

use std::io;
use std::path::Path;
use std::sync::Arc;

use arki_process::{Confined, ConfinedStart, Confinement, Explanation, Findings, Meanwhile, Result, WrappedProgram};
use async_trait::async_trait;

use crate::guard::Guard;
use crate::sandbox::Sandbox;

#[async_trait]
impl Confinement for Sandbox {
    fn has_own_network(&self) -> bool {
        self.platform.has_own_network()
    }

    async fn begin(&self, meanwhile: Option<Meanwhile>) -> Result<Box<dyn Confined>> {
        Ok(Box::new(GuardedSandbox { sandbox: self.clone(), guard: self.guard(meanwhile).await? }))
    }
}

/// A sandbox while one command runs in it.
struct GuardedSandbox {
    sandbox: Sandbox,
    guard: Guard,
}

#[async_trait]
impl Confined for GuardedSandbox {
    fn wrap(&self, directory: &Path, command: &[&str], terminal: Option<&Path>) -> io::Result<WrappedProgram> {
        self.sandbox.wrap(directory, command, terminal, self.guard.git())
    }

    async fn place(&self, terminal: Option<&Path>) -> Result<Arc<dyn ConfinedStart>> {
        Ok(Arc::new(self.sandbox.platform.for_one_command(terminal).await?))
    }

    async fn end(self: Box<Self>) -> (Findings, Explanation) {
        let Self { sandbox, guard } = *self;
        let found = guard.git().clone();
        // It does not panic, and would look again then.
        let findings = tokio::task::spawn_blocking(move || guard.finish())
            .await
            .unwrap_or_else(|_| Findings::unfinished("the look at it failed".to_owned()));
        (findings, Explanation::new(move |output, outcome| sandbox.explanation(output, outcome, &found)))
    }
}
