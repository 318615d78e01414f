//! `arki resume`: goes on with a run that was interrupted, paused, or failed; and in a session, with what waits to be
//! said.

use crate::arguments::{APPROVAL_MODES, one_of};
use crate::exit::{CommandExit, Exit};
use crate::follow;
use crate::output::Printer;
use arki_domain::ApprovalMode;
use arki_engine::{Client, DefinitionChoice, refuse_last};
use clap::Args;
use clap::builder::PossibleValue;
use std::path::Path;

/// Resume an interrupted, paused or failed run
#[derive(Debug, Args)]
pub(crate) struct ResumeArguments {
    /// The id of a run or session, or a pipeline's name for its newest run in this project
    id: String,
    /// Approve calls from now on, including the pending one, as in `exec --approve`; default: as before
    #[arg(long, value_parser = one_of(APPROVAL_MODES))]
    approve: Option<ApprovalMode>,
    /// Answer the question the run is waiting on; without this, the question is shown
    #[arg(long, value_name = "TEXT", conflicts_with = "approve")]
    answer: Option<String>,
    /// Choose the original or the current version of a pipeline whose file changed since the run started
    #[arg(long, value_name = "WHICH", conflicts_with = "answer", value_parser = one_of(definitions()))]
    definition: Option<DefinitionChoice>,
    /// Run the pipeline again from this step on, as a new run; its earlier run must have ended
    #[arg(long, value_name = "STEP", conflicts_with_all = ["answer", "approve"])]
    from: Option<String>,
}

impl ResumeArguments {
    fn definition(&self) -> DefinitionChoice {
        self.definition.unwrap_or_default()
    }
}

fn definitions() -> [(PossibleValue, DefinitionChoice); 2] {
    let original = PossibleValue::new("original").help("The definition as it was when the run started");
    let current = PossibleValue::new("current").help("The definition as it is in the file now");
    [(original, DefinitionChoice::Original), (current, DefinitionChoice::Current)]
}

pub(crate) async fn run(client: &Client, dir: &Path, arguments: &ResumeArguments, output: &Printer) -> CommandExit {
    match arguments {
        ResumeArguments { id, answer: Some(text), .. } => answer(client, id, text, output).await,
        ResumeArguments { from: Some(step), .. } => from_step(client, dir, arguments, step, output).await,
        _ => resume(client, dir, arguments, output).await,
    }
}

async fn resume(client: &Client, dir: &Path, arguments: &ResumeArguments, output: &Printer) -> CommandExit {
    let engine = client.engine();
    let subscription = engine.subscribe();
    if matches!(arguments.approve, Some(ApprovalMode::Edits | ApprovalMode::All)) {
        refuse_last(&arguments.id)?;
    }
    let named = engine.pipeline_history().find_resumable(dir, &arguments.id)?;
    if let Some(run_id) = engine.pipeline_history().completed(&named)? {
        follow::print_output(engine, output, &run_id)?;
        return Ok(Exit::Done);
    }
    let running = client.go_on(&named, arguments.approve, arguments.definition()).await?;
    follow::tell_grants(output, &running.0);
    follow::to_end(client, output, subscription, running).await
}

/// Runs a pipeline once more from a step on, as a new run.
async fn from_step(
    client: &Client,
    dir: &Path,
    arguments: &ResumeArguments,
    step: &str,
    output: &Printer,
) -> CommandExit {
    let engine = client.engine();
    let subscription = engine.subscribe();
    let run_id = engine.pipeline_history().find_run(dir, &arguments.id)?;
    let running = client.retry_pipeline(&run_id, step, arguments.definition()).await?;
    follow::tell_grants(output, &running.0);
    follow::to_end(client, output, subscription, running).await
}

/// Answers what the run waits for, and goes on with it.
async fn answer(client: &Client, id: &str, text: &str, output: &Printer) -> CommandExit {
    let subscription = client.engine().subscribe();
    let session_id = client.engine().session_names().find_session(id)?.session_id;
    let running = client.answer_open_question(&session_id, text).await?;
    follow::to_end(client, output, subscription, running).await
}
