//! The commands about MCP servers: thin delegates to the engine, for the folder that is open.

use crate::{Asker, CommandAnswer, Surroundings};
use arki_api::{
    ElicitationAction, ElicitationFault, ElicitationReply, ElicitationSummary, McpCommands, McpServerEntry,
    McpServerSettings, McpTestStep, Steps,
};
use arki_domain::{Code, Error};
use std::path::PathBuf;

impl<S: Surroundings> McpCommands for Asker<S> {
    async fn list_mcp_servers(self) -> CommandAnswer<Vec<McpServerEntry>> {
        let folder = self.client.folder();
        self.reading(move |engine| match folder {
            Some(folder) => engine.mcp().mcp_listed(&folder),
            None => engine.mcp().mcp_configured(),
        })
        .await
    }

    async fn save_mcp_server(self, name: String, settings: McpServerSettings) -> CommandAnswer<()> {
        self.reading(move |engine| engine.mcp().save_mcp_server(&name, &settings)).await
    }

    async fn enable_mcp_server(self, name: String, enabled: bool) -> CommandAnswer<()> {
        self.reading(move |engine| engine.mcp().enable_mcp_server(&name, enabled)).await
    }

    async fn remove_mcp_server(self, name: String) -> CommandAnswer<()> {
        self.reading(move |engine| engine.mcp().remove_mcp_server(&name)).await
    }

    async fn test_mcp_server(self, name: String, mut tell: Steps<McpTestStep>) -> CommandAnswer<bool> {
        Ok(self.engine().mcp().mcp_test(&folder(&self)?, &name, &mut *tell).await?)
    }

    async fn mcp_server_log(self, name: String) -> CommandAnswer<String> {
        let folder = folder(&self)?;
        self.reading(move |engine| engine.mcp().mcp_trail(&folder, &name)).await
    }

    async fn review_mcp_server(self, name: String) -> CommandAnswer<McpServerEntry> {
        Ok(self.engine().mcp().mcp_look(&folder(&self)?, &name).await?)
    }

    async fn agree_to_mcp_server(self, name: String, digest: String) -> CommandAnswer<()> {
        Ok(self.engine().mcp().mcp_agree(&folder(&self)?, &name, &digest).await?)
    }

    async fn sign_in_to_mcp_server(self, name: String) -> CommandAnswer<()> {
        let folder = folder(&self)?;
        let engine = self.engine().clone();
        let show = move |url: &str| {
            // Whatever a server asks for, only a page is opened.
            let is_page = url.starts_with("https://") || url.starts_with("http://");
            if !is_page || self.surroundings.open_page(url).is_err() {
                tracing::warn!("the page to sign in on could not be opened");
            }
        };
        Ok(engine.mcp().mcp_sign_in(&folder, &name, show).await?)
    }

    async fn list_elicitations(self) -> CommandAnswer<Vec<ElicitationSummary>> {
        Ok(self.engine().mcp().elicitations())
    }

    async fn answer_elicitation(self, id: u64, reply: ElicitationReply) -> CommandAnswer<Vec<ElicitationFault>> {
        if reply.action == ElicitationAction::Accept
            && let Some(url) = self.engine().mcp().elicitation_page(id)?
        {
            self.surroundings.open_page(&url)?;
        }
        Ok(self.engine().mcp().answer_elicitation(id, reply)?)
    }
}

fn folder<S: Surroundings>(asking: &Asker<S>) -> Result<PathBuf, Error> {
    asking.client.folder().ok_or_else(|| {
        let message = "No folder is open for the MCP servers to start in.";
        Error::new(Code::FOLDER_UNAVAILABLE, message, "Open one first.")
    })
}
