//! The runs of sub-agents, begun and gone on with for the run above them.

use crate::delegation::{RunsSubagents, SubagentResume, SubagentStart};
use crate::runs::place::RunPlace;
use crate::{ResumeOptions, RunTarget, Runs, StartRun};
use arki_agent::RunEnd;
use arki_domain::Error;
use async_trait::async_trait;
use std::sync::Arc;
use tokio::task::JoinHandle;

#[async_trait]
impl RunsSubagents for Runs {
    async fn start_subagent(self: Arc<Self>, start: SubagentStart) -> Result<JoinHandle<Result<RunEnd, Error>>, Error> {
        let SubagentStart { started, folder, parent, presence, control, prompt, model, options } = start;
        let target = RunTarget::NewSession(folder.clone());
        let place = RunPlace {
            session_id: started.session_id,
            run_id: started.run_id,
            agent: started.agent,
            parent: Some(parent),
            control,
            ..RunPlace::of_new_session(folder, presence)
        };
        let start = StartRun { model: Some(model), options, ..StartRun::new(target, prompt) };
        Ok(self.start_at(place, start).await?.1)
    }

    async fn resume_subagent(
        self: Arc<Self>,
        SubagentResume { started, approve, presence, control }: SubagentResume,
    ) -> Result<JoinHandle<Result<RunEnd, Error>>, Error> {
        let resume =
            ResumeOptions { control, approve, run: Some(started.run_id), presence, ..ResumeOptions::default() };
        Ok(self.resume(&started.session_id, resume).await?.1)
    }
}
