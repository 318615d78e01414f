//! The window's commands about rules, hooks, agents and skills: thin delegates to the engine.

use crate::desktop_state::Desktop;
use crate::rpc::{Answer, reading};
use arki_api::{AgentEntries, BacktestResult, HookEntries, MadeUpEvent, SkillEntries, TriedHookEntry};
use std::path::PathBuf;

#[tauri::command]
pub(crate) async fn backtest_rule(rule: String, desktop: Desktop) -> Answer<BacktestResult> {
    reading(&desktop, move |engine| engine.approvals().backtest_rule(&rule)).await
}

#[tauri::command]
pub(crate) async fn add_rule(rule: String, desktop: Desktop) -> Answer<()> {
    reading(&desktop, move |engine| engine.approvals().add_typed_rule(&rule)).await
}

#[tauri::command]
pub(crate) async fn remove_rule(rule: String, desktop: Desktop) -> Answer<()> {
    reading(&desktop, move |engine| engine.approvals().remove_rule(&rule)).await
}

#[tauri::command]
pub(crate) async fn list_hooks(folder: Option<PathBuf>, desktop: Desktop) -> Answer<HookEntries> {
    reading(&desktop, move |engine| engine.projects().list_hooks(folder.as_deref())).await
}

#[tauri::command]
pub(crate) async fn list_agents(folder: Option<PathBuf>, desktop: Desktop) -> Answer<AgentEntries> {
    reading(&desktop, move |engine| engine.projects().list_agents(folder.as_deref())).await
}

#[tauri::command]
pub(crate) async fn list_skills(folder: Option<PathBuf>, desktop: Desktop) -> Answer<SkillEntries> {
    reading(&desktop, move |engine| engine.projects().list_skills(folder.as_deref())).await
}

#[tauri::command]
pub(crate) async fn try_hooks(folder: PathBuf, happens: MadeUpEvent, desktop: Desktop) -> Answer<Vec<TriedHookEntry>> {
    Ok(desktop.engine.approvals().try_hooks_with(&folder, happens).await?)
}

#[tauri::command]
pub(crate) async fn open_configured(folder: Option<PathBuf>, path: String, desktop: Desktop) -> Answer<()> {
    reading(&desktop, move |engine| engine.projects().open_configured(folder.as_deref(), &path)).await
}
