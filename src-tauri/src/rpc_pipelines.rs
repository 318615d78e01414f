//! The window's commands about pipelines: thin delegates to the engine.

use crate::desktop_state::Desktop;
use crate::rpc::{Answer, reading};
use crate::rpc_keeping::{asked_where, file_name};
use arki_api::{
    PipelineDefinition, PipelineEntry, PipelineRunDetails, PipelineRunEntry, PipelineSchedule, SaveSchedule, Sent,
    StartPipeline,
};
use arki_domain::RunId;
use std::path::PathBuf;
use tauri::AppHandle;

#[tauri::command]
pub(crate) async fn list_pipelines(folder: PathBuf, desktop: Desktop) -> Answer<Vec<PipelineEntry>> {
    reading(&desktop, move |engine| engine.runs().pipeline_entries(&folder)).await
}

#[tauri::command]
pub(crate) async fn start_pipeline(start: StartPipeline, desktop: Desktop) -> Answer<Sent> {
    Ok(Sent::from(&desktop.window.client.start_pipeline(start.into()).await?.0))
}

#[tauri::command]
pub(crate) async fn list_pipeline_runs(desktop: Desktop) -> Answer<Vec<PipelineRunEntry>> {
    reading(&desktop, |engine| engine.runs().pipeline_run_entries()).await
}

#[tauri::command]
pub(crate) async fn pipeline_run(run_id: String, desktop: Desktop) -> Answer<PipelineRunDetails> {
    reading(&desktop, move |engine| engine.runs().pipeline_run_details(&RunId::from(run_id))).await
}

#[tauri::command]
pub(crate) async fn step_output(run_id: String, step: String, desktop: Desktop) -> Answer<String> {
    reading(&desktop, move |engine| engine.runs().step_output_beginning(&RunId::from(run_id), &step)).await
}

/// Asks where to; `None` when the user changed their mind.
#[tauri::command]
pub(crate) async fn save_step_output(
    run_id: String,
    step: String,
    app: AppHandle,
    desktop: Desktop,
) -> Answer<Option<String>> {
    let name = output_name(&step);
    let output = reading(&desktop, move |engine| engine.runs().step_output(&RunId::from(run_id), &step)).await?;
    let Some(path) = asked_where(&app, &desktop.words.now().dialogs.save_output, name).await else { return Ok(None) };
    let written = path.clone();
    reading(&desktop, move |engine| engine.sessions().save_text(&written, &output)).await?;
    Ok(Some(path.display().to_string()))
}

#[tauri::command]
pub(crate) async fn resume_pipeline(
    run_id: String,
    definition: Option<PipelineDefinition>,
    desktop: Desktop,
) -> Answer<Sent> {
    let named = reading(&desktop, move |engine| engine.sessions().find_place(&run_id)).await?;
    let definition = definition.map(Into::into).unwrap_or_default();
    Ok(Sent::from(&desktop.window.client.go_on(&named, None, definition).await?.0))
}

#[tauri::command]
pub(crate) async fn retry_pipeline(
    run_id: String,
    step: String,
    definition: Option<PipelineDefinition>,
    desktop: Desktop,
) -> Answer<Sent> {
    let definition = definition.map(Into::into).unwrap_or_default();
    Ok(Sent::from(&desktop.window.client.retry_pipeline(&RunId::from(run_id), &step, definition).await?.0))
}

#[tauri::command]
pub(crate) async fn list_schedules(desktop: Desktop) -> Answer<Vec<PipelineSchedule>> {
    Ok(desktop.engine.runs().schedules().await?)
}

#[tauri::command]
pub(crate) async fn save_schedule(schedule: SaveSchedule, desktop: Desktop) -> Answer<()> {
    desktop.engine.runs().save_schedule(schedule.into()).await?;
    Ok(())
}

#[tauri::command]
pub(crate) async fn switch_schedule(name: String, on: bool, desktop: Desktop) -> Answer<()> {
    desktop.engine.runs().switch_schedule(&name, on).await?;
    Ok(())
}

#[tauri::command]
pub(crate) async fn remove_schedule(name: String, desktop: Desktop) -> Answer<()> {
    desktop.engine.runs().remove_schedule(&name).await?;
    Ok(())
}

/// A step's name as a file's; items are counted from one, as the window counts them.
fn output_name(step: &str) -> String {
    let item = step.strip_suffix(']').and_then(|step| step.rsplit_once('['));
    let item = item.and_then(|(step, at)| Some((step, at.parse::<usize>().ok()?)));
    match item {
        Some((step, at)) => format!("{}-{}.txt", file_name(step), at + 1),
        None => format!("{}.txt", file_name(step)),
    }
}

#[cfg(test)]
mod tests {
    use super::output_name;

    #[test]
    fn an_items_file_has_the_items_number() {
        assert_eq!(output_name("notes"), "notes.txt");
        assert_eq!(output_name("each[0]"), "each-1.txt");
        assert_eq!(output_name("../odd[x]"), "odd-x.txt");
    }
}
