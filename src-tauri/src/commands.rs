//! The window's commands: [`call`] has `arki_commands` answer each, with the desktop around the window.

use crate::desktop_state::Desktop;
use arki_commands::{Asker, CommandAnswer};
use serde_json::Value;
use tauri::Webview;
use tauri::ipc::{Channel, JavaScriptChannelId, Response};

mod surroundings;
mod windows;

/// Answers the command of this name; a command that tells steps tells them to `on_step`.
#[tauri::command]
pub(crate) async fn call(
    name: String,
    params: Value,
    on_step: Option<JavaScriptChannelId>,
    webview: Webview,
    desktop: Desktop,
) -> CommandAnswer<Response> {
    let channel: Option<Channel<Value>> = on_step.map(|id| id.channel_on(webview));
    let tell = move |step| {
        if let Some(Err(error)) = channel.as_ref().map(|channel| channel.send(step)) {
            tracing::warn!(%error, "a step did not reach the window");
        }
    };
    let (client, page) = (desktop.window.client.clone(), desktop.window.page.clone());
    let asking = Asker { client, page, surroundings: desktop };
    Ok(Response::new(asking.answer(&name, params, Box::new(tell)).await?))
}
