//! The sandbox as whoever starts commands knows it, where there is none.

use arki_process::{Confined, Confinement, Meanwhile, ProcessError, Result};
use async_trait::async_trait;

use crate::sandbox::Sandbox;

#[async_trait]
impl Confinement for Sandbox {
    fn has_own_network(&self) -> bool {
        self.platform.has_own_network()
    }

    async fn begin(&self, _: Option<Meanwhile>) -> Result<Box<dyn Confined>> {
        self.platform.perform(|| ()).await?;
        Err(ProcessError::SandboxUnavailable { reason: "There is none for this system yet.".to_owned() })
    }
}
