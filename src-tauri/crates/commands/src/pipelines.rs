//! The commands about pipelines: thin delegates to the engine.

use crate::keeping::file_name;
use crate::surroundings::{SavedFile, shown};
use crate::{Asker, CommandAnswer, Surroundings};
use arki_api::{
    PipelineCommands, PipelineDefinition, PipelineEntry, PipelineRunDetails, PipelineRunEntry, PipelineSchedule,
    SaveSchedule, Sent, StartPipeline,
};
use arki_domain::RunId;
use std::path::PathBuf;

impl<S: Surroundings> PipelineCommands for Asker<S> {
    async fn list_pipelines(self, folder: PathBuf) -> CommandAnswer<Vec<PipelineEntry>> {
        self.reading(move |engine| arki_engine::pipeline_entries(engine.projects(), &folder)).await
    }

    async fn start_pipeline(self, start: StartPipeline) -> CommandAnswer<Sent> {
        Ok(Sent::from(&self.client.start_pipeline(start.into()).await?.0))
    }

    async fn list_pipeline_runs(self) -> CommandAnswer<Vec<PipelineRunEntry>> {
        self.reading(|engine| engine.pipeline_history().run_entries()).await
    }

    async fn pipeline_run(self, run_id: String) -> CommandAnswer<PipelineRunDetails> {
        self.reading(move |engine| engine.pipeline_history().run_details(&RunId::from(run_id))).await
    }

    async fn step_output(self, run_id: String, step: String) -> CommandAnswer<String> {
        self.reading(move |engine| engine.pipeline_history().step_output_beginning(&RunId::from(run_id), &step)).await
    }

    async fn save_step_output(self, run_id: String, step: String) -> CommandAnswer<Option<String>> {
        let name = output_name(&step);
        let output =
            self.reading(move |engine| engine.pipeline_history().step_output(&RunId::from(run_id), &step)).await?;
        let Some(path) = self.surroundings.choose_place(SavedFile::StepOutput, name).await? else {
            return Ok(None);
        };
        let written = path.clone();
        self.reading(move |engine| engine.exports().save_text(&written, &output)).await?;
        Ok(Some(shown(&path)))
    }

    async fn resume_pipeline(self, run_id: String, definition: Option<PipelineDefinition>) -> CommandAnswer<Sent> {
        let named = self.reading(move |engine| engine.session_names().find_place(&run_id)).await?;
        let definition = definition.map(Into::into).unwrap_or_default();
        Ok(Sent::from(&self.client.go_on(&named, None, definition).await?.0))
    }

    async fn retry_pipeline(
        self,
        run_id: String,
        step: String,
        definition: Option<PipelineDefinition>,
    ) -> CommandAnswer<Sent> {
        let definition = definition.map(Into::into).unwrap_or_default();
        Ok(Sent::from(&self.client.retry_pipeline(&RunId::from(run_id), &step, definition).await?.0))
    }

    async fn list_schedules(self) -> CommandAnswer<Vec<PipelineSchedule>> {
        Ok(self.engine().schedules().list().await?)
    }

    async fn save_schedule(self, schedule: SaveSchedule) -> CommandAnswer<()> {
        self.engine().schedules().save(schedule).await?;
        Ok(())
    }

    async fn switch_schedule(self, name: String, on: bool) -> CommandAnswer<()> {
        Ok(self.engine().schedules().switch(&name, on).await?)
    }

    async fn remove_schedule(self, name: String) -> CommandAnswer<()> {
        Ok(self.engine().schedules().remove(&name).await?)
    }
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
