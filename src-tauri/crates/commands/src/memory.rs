//! The commands about memory: thin delegates to the engine.

use crate::{Asker, CommandAnswer, Surroundings};
use arki_api::{MemoryCommands, MemoryEntry};
use std::path::PathBuf;

impl<S: Surroundings> MemoryCommands for Asker<S> {
    async fn list_memory(self, folder: Option<PathBuf>) -> CommandAnswer<Vec<MemoryEntry>> {
        self.reading(move |engine| engine.memory_reviews().memory(folder.as_deref())).await
    }

    async fn accept_memory(self, id: String, text: Option<String>) -> CommandAnswer<()> {
        self.engine().memory_reviews().accept_memory(&id, text.as_deref()).await?;
        Ok(())
    }

    async fn reject_memory(self, id: String) -> CommandAnswer<()> {
        self.engine().memory_reviews().reject_memory(&id).await?;
        Ok(())
    }

    async fn edit_memory(self, folder: Option<PathBuf>, id: String, text: String) -> CommandAnswer<()> {
        self.engine().memory_reviews().edit_memory(folder.as_deref(), &id, &text).await?;
        Ok(())
    }

    async fn remove_memory(self, folder: Option<PathBuf>, id: String) -> CommandAnswer<()> {
        self.engine().memory_reviews().remove_memory(folder.as_deref(), &id).await?;
        Ok(())
    }
}
