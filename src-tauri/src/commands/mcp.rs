//! The window's commands about MCP servers: thin delegates to the engine, for the folder that is open.

use crate::commands::Answer;
use crate::desktop_state::Desktop;
use arki_api::{
    ElicitationAction, ElicitationFault, ElicitationReply, ElicitationSummary, McpCommands, McpServerEntry,
    McpServerSettings, McpTestStep, Steps,
};
use arki_domain::{Code, Error};
use std::path::PathBuf;
use tauri_plugin_opener::OpenerExt;

impl McpCommands for Desktop {
    async fn list_mcp_servers(self) -> Answer<Vec<McpServerEntry>> {
        let folder = self.window.client.folder();
        self.reading(move |engine| match folder {
            Some(folder) => engine.mcp().mcp_listed(&folder),
            None => engine.mcp().mcp_configured(),
        })
        .await
    }

    async fn save_mcp_server(self, name: String, settings: McpServerSettings) -> Answer<()> {
        self.reading(move |engine| engine.mcp().save_mcp_server(&name, &settings)).await
    }

    async fn enable_mcp_server(self, name: String, enabled: bool) -> Answer<()> {
        self.reading(move |engine| engine.mcp().enable_mcp_server(&name, enabled)).await
    }

    async fn remove_mcp_server(self, name: String) -> Answer<()> {
        self.reading(move |engine| engine.mcp().remove_mcp_server(&name)).await
    }

    async fn test_mcp_server(self, name: String, mut tell: Steps<McpTestStep>) -> Answer<bool> {
        Ok(self.engine.mcp().mcp_test(&folder(&self)?, &name, &mut *tell).await?)
    }

    async fn mcp_server_log(self, name: String) -> Answer<String> {
        let folder = folder(&self)?;
        self.reading(move |engine| engine.mcp().mcp_trail(&folder, &name)).await
    }

    async fn review_mcp_server(self, name: String) -> Answer<McpServerEntry> {
        Ok(self.engine.mcp().mcp_look(&folder(&self)?, &name).await?)
    }

    async fn agree_to_mcp_server(self, name: String, digest: String) -> Answer<()> {
        Ok(self.engine.mcp().mcp_agree(&folder(&self)?, &name, &digest).await?)
    }

    async fn sign_in_to_mcp_server(self, name: String) -> Answer<()> {
        let app = self.app.clone();
        let show = move |url: &str| {
            // Whatever a server asks for, only a page is opened.
            let is_page = url.starts_with("https://") || url.starts_with("http://");
            if !is_page || app.opener().open_url(url, None::<&str>).is_err() {
                tracing::warn!("the page to sign in on could not be opened");
            }
        };
        Ok(self.engine.mcp().mcp_sign_in(&folder(&self)?, &name, show).await?)
    }

    async fn list_elicitations(self) -> Answer<Vec<ElicitationSummary>> {
        Ok(self.engine.mcp().elicitations())
    }

    async fn answer_elicitation(self, id: u64, reply: ElicitationReply) -> Answer<Vec<ElicitationFault>> {
        if reply.action == ElicitationAction::Accept
            && let Some(url) = self.engine.mcp().elicitation_page(id)?
            && self.app.opener().open_url(url, None::<&str>).is_err()
        {
            let message = "The page could not be opened in your browser.";
            return Err(Error::new(Code::IO_FAILED, message, "Set a browser for links, and try again.").into());
        }
        Ok(self.engine.mcp().answer_elicitation(id, reply)?)
    }
}

fn folder(desktop: &Desktop) -> Result<PathBuf, Error> {
    desktop.window.client.folder().ok_or_else(|| {
        let message = "No folder is open for the MCP servers to start in.";
        Error::new(Code::FOLDER_UNAVAILABLE, message, "Open one first.")
    })
}
