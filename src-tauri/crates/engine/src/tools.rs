//! What the agent would be offered in a folder.

use crate::Engine;
use arki_domain::{Executor, Fault, ToolDefinition};
use std::path::Path;
use std::sync::Arc;

impl Engine {
    /// The tools that a run in this folder would have, in the order they are offered.
    ///
    /// # Errors
    /// When the folder or the configuration cannot be used.
    pub fn tools(&self, folder: &Path) -> Result<Arc<[ToolDefinition]>, Fault> {
        let open = self.load_project(folder)?;
        let config = self.config_of(&open)?;
        Ok(self.kernel(&open, &config).definitions())
    }
}
