//! The window's commands about MCP servers: thin delegates to the engine, for the folder that is open.

use crate::desktop_state::Desktop;
use crate::rpc::{Answer, reading};
use arki_api::{
    ElicitationAction, ElicitationFault, ElicitationReply, ElicitationSummary, McpServerEntry, McpServerSettings,
    McpTestStep,
};
use arki_domain::{Code, Fault};
use std::path::PathBuf;
use tauri::AppHandle;
use tauri::ipc::Channel;
use tauri_plugin_opener::OpenerExt;

#[tauri::command]
pub(crate) async fn list_mcp_servers(desktop: Desktop) -> Answer<Vec<McpServerEntry>> {
    let folder = desktop.window.client.folder();
    reading(&desktop, move |engine| match folder {
        Some(folder) => engine.mcp().mcp_listed(&folder),
        None => engine.mcp().mcp_configured(),
    })
    .await
}

#[tauri::command]
pub(crate) async fn save_mcp_server(name: String, settings: McpServerSettings, desktop: Desktop) -> Answer<()> {
    reading(&desktop, move |engine| engine.mcp().save_mcp_server(&name, &settings)).await
}

#[tauri::command]
pub(crate) async fn enable_mcp_server(name: String, enabled: bool, desktop: Desktop) -> Answer<()> {
    reading(&desktop, move |engine| engine.mcp().enable_mcp_server(&name, enabled)).await
}

#[tauri::command]
pub(crate) async fn remove_mcp_server(name: String, desktop: Desktop) -> Answer<()> {
    reading(&desktop, move |engine| engine.mcp().remove_mcp_server(&name)).await
}

/// Sends each step as it ends; answers whether none failed.
#[tauri::command]
pub(crate) async fn test_mcp_server(name: String, on_step: Channel<McpTestStep>, desktop: Desktop) -> Answer<bool> {
    let mut tell = move |step| {
        if let Err(error) = on_step.send(step) {
            tracing::warn!(%error, "a step of an MCP server's test did not reach the window");
        }
    };
    Ok(desktop.engine.mcp().mcp_test(&folder(&desktop)?, &name, &mut tell).await?)
}

#[tauri::command]
pub(crate) async fn mcp_server_log(name: String, desktop: Desktop) -> Answer<String> {
    let folder = folder(&desktop)?;
    reading(&desktop, move |engine| engine.mcp().mcp_trail(&folder, &name)).await
}

#[tauri::command]
pub(crate) async fn review_mcp_server(name: String, desktop: Desktop) -> Answer<McpServerEntry> {
    Ok(desktop.engine.mcp().mcp_look(&folder(&desktop)?, &name).await?)
}

#[tauri::command]
pub(crate) async fn agree_to_mcp_server(name: String, digest: String, desktop: Desktop) -> Answer<()> {
    Ok(desktop.engine.mcp().mcp_agree(&folder(&desktop)?, &name, &digest).await?)
}

/// Opens the page in the user's browser, and waits for them to come back.
#[tauri::command]
pub(crate) async fn sign_in_to_mcp_server(app: AppHandle, name: String, desktop: Desktop) -> Answer<()> {
    let show = move |url: &str| {
        // Whatever a server asks for, only a page is opened.
        let is_page = url.starts_with("https://") || url.starts_with("http://");
        if !is_page || app.opener().open_url(url, None::<&str>).is_err() {
            tracing::warn!("the page to sign in on could not be opened");
        }
    };
    Ok(desktop.engine.mcp().mcp_sign_in(&folder(&desktop)?, &name, show).await?)
}

#[tauri::command]
pub(crate) async fn list_elicitations(desktop: Desktop) -> Answer<Vec<ElicitationSummary>> {
    Ok(desktop.engine.mcp().elicitations())
}

/// Tells what is wrong with the values, field by field; nothing where the server has its answer. A page is opened first.
#[tauri::command]
pub(crate) async fn answer_elicitation(
    app: AppHandle,
    id: u64,
    reply: ElicitationReply,
    desktop: Desktop,
) -> Answer<Vec<ElicitationFault>> {
    if reply.action == ElicitationAction::Accept
        && let Some(url) = desktop.engine.mcp().elicitation_page(id)?
        && app.opener().open_url(url, None::<&str>).is_err()
    {
        let message = "The page could not be opened in your browser.";
        return Err(Fault::new(Code::IO_FAILED, message, "Set a browser for links, and try again.").into());
    }
    Ok(desktop.engine.mcp().answer_elicitation(id, reply)?)
}

fn folder(desktop: &Desktop) -> Result<PathBuf, Fault> {
    desktop.window.client.folder().ok_or_else(|| {
        let message = "No folder is open for the MCP servers to start in.";
        Fault::new(Code::FOLDER_UNAVAILABLE, message, "Open one first.")
    })
}
