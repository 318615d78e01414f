//! The window's commands: [`call`] hands each on to its room, thin delegates to the engine.

use crate::desktop_state::Desktop;
use arki_api::CommandError;
use arki_domain::Error;
use arki_engine::Engine;
use serde_json::Value;
use std::sync::Arc;
use tauri::Webview;
use tauri::ipc::{Channel, JavaScriptChannelId, Response};

mod app;
mod configured;
mod context;
pub(crate) mod frames;
mod history;
mod keeping;
mod mcp;
mod memory;
mod observations;
mod pictures;
mod pipelines;
mod places;
mod runs;
mod sent;
mod settings;
mod windows;

pub(crate) type Answer<T> = Result<T, CommandError>;

/// Answers the command of this name; a command that tells steps tells them to `on_step`.
#[tauri::command]
pub(crate) async fn call(
    name: String,
    params: Value,
    on_step: Option<JavaScriptChannelId>,
    webview: Webview,
    desktop: Desktop,
) -> Answer<Response> {
    let channel: Option<Channel<Value>> = on_step.map(|id| id.channel_on(webview));
    let tell = move |step| {
        if let Some(Err(error)) = channel.as_ref().map(|channel| channel.send(step)) {
            tracing::warn!(%error, "a step did not reach the window");
        }
    };
    Ok(Response::new(arki_api::answer(desktop, &name, params, Box::new(tell)).await?))
}

impl Desktop {
    /// Reads or writes files on a thread of its own: the few that answer commands are free for what is asked meanwhile,
    /// such as the page that somebody wants to read while all that waits is looked for.
    async fn reading<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Arc<Engine>) -> Result<T, Error> + Send + 'static,
    ) -> Answer<T> {
        let engine = self.engine.clone();
        let read = tauri::async_runtime::spawn_blocking(move || read(&engine));
        Ok(read.await.map_err(Error::internal)??)
    }
}
