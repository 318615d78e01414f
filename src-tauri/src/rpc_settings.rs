//! The window's commands about providers, models and keys: thin delegates to the engine. A key goes in and never out.

use crate::desktop_state::Desktop;
use crate::rpc::{Answer, reading};
use arki_api::{LiveModelList, LocalServer, ModelEntry, ProviderEntry, ProviderTestStep, SettingChange, SettingEntry};
use std::path::PathBuf;
use tauri::ipc::Channel;

#[tauri::command]
pub(crate) async fn list_models(desktop: Desktop) -> Answer<Vec<ModelEntry>> {
    reading(&desktop, |engine| engine.accounts().models()).await
}

/// Lists the models as [`list_models`] does, with those that local servers list now; takes up to two seconds.
#[tauri::command]
pub(crate) async fn live_models(desktop: Desktop) -> Answer<LiveModelList> {
    Ok(desktop.engine.accounts().live_models().await?)
}

/// Sends each step as it ends; answers whether none failed.
#[tauri::command]
pub(crate) async fn test_provider(
    provider: String,
    model: Option<String>,
    on_step: Channel<ProviderTestStep>,
    desktop: Desktop,
) -> Answer<bool> {
    let mut tell = move |step| {
        if let Err(error) = on_step.send(step) {
            tracing::warn!(%error, "a step of a provider's test did not reach the window");
        }
    };
    Ok(desktop.engine.accounts().test_provider(&provider, model.as_deref(), &mut tell).await?)
}

#[tauri::command]
pub(crate) async fn list_providers(desktop: Desktop) -> Answer<Vec<ProviderEntry>> {
    Ok(desktop.engine.accounts().providers_listed().await?)
}

#[tauri::command]
pub(crate) async fn set_key(provider: String, key: String, desktop: Desktop) -> Answer<()> {
    let key = zeroize::Zeroizing::new(key);
    Ok(desktop.engine.accounts().set_key(&provider, &key).await?)
}

#[tauri::command]
pub(crate) async fn remove_key(provider: String, desktop: Desktop) -> Answer<()> {
    Ok(desktop.engine.accounts().remove_key(&provider).await?)
}

#[tauri::command]
pub(crate) async fn save_provider(
    name: String,
    kind: String,
    base_url: Option<String>,
    desktop: Desktop,
) -> Answer<()> {
    reading(&desktop, move |engine| engine.accounts().save_provider(&name, &kind, base_url.as_deref())).await
}

#[tauri::command]
pub(crate) async fn remove_provider(name: String, desktop: Desktop) -> Answer<()> {
    reading(&desktop, move |engine| engine.accounts().remove_provider(&name)).await
}

#[tauri::command]
pub(crate) async fn set_reflection(on: bool, desktop: Desktop) -> Answer<()> {
    reading(&desktop, move |engine| engine.accounts().set_reflection(on)).await
}

#[tauri::command]
pub(crate) async fn set_default_model(model: String, desktop: Desktop) -> Answer<()> {
    reading(&desktop, move |engine| engine.accounts().set_default_model(&model)).await
}

#[tauri::command]
pub(crate) async fn find_local_servers(desktop: Desktop) -> Answer<Vec<LocalServer>> {
    Ok(desktop.engine.accounts().find_local_servers().await?)
}

#[tauri::command]
pub(crate) async fn choose_local_model(server: String, model: String, desktop: Desktop) -> Answer<String> {
    reading(&desktop, move |engine| engine.accounts().choose_local_model(&server, &model)).await
}

#[tauri::command]
pub(crate) async fn list_settings(folder: Option<PathBuf>, desktop: Desktop) -> Answer<Vec<SettingEntry>> {
    reading(&desktop, move |engine| engine.projects().list_settings(folder.as_deref())).await
}

#[tauri::command]
pub(crate) async fn set_setting(key: String, text: String, desktop: Desktop) -> Answer<()> {
    reading(&desktop, move |engine| engine.accounts().set_config(&key, &text)).await?;
    desktop.awake.look(&desktop.engine).await;
    desktop.tray.look(&desktop.engine).await;
    Ok(())
}

#[tauri::command]
pub(crate) async fn unset_setting(key: String, desktop: Desktop) -> Answer<()> {
    reading(&desktop, move |engine| engine.accounts().unset_config(&key)).await?;
    desktop.awake.look(&desktop.engine).await;
    desktop.tray.look(&desktop.engine).await;
    Ok(())
}

#[tauri::command]
pub(crate) async fn change_settings(changes: Vec<SettingChange>, desktop: Desktop) -> Answer<()> {
    reading(&desktop, move |engine| engine.accounts().change_config(&changes)).await?;
    desktop.awake.look(&desktop.engine).await;
    desktop.tray.look(&desktop.engine).await;
    Ok(())
}
