//! Sets the agent to work, and keeps the session's lease alive; also for the runs of sub-agents, begun and gone on with for
//! the run above them.

use crate::delegation::{RunsSubagents, SubagentResume, SubagentStart};
use crate::runs::notifying::Notifier;
use crate::runs::place::RunPlace;
use crate::{
    ActiveRun, ClientCapabilities, History, OpenProject, ResumeOptions, RunTarget, RunningRun, Runs, SessionHold,
    StartRun, blocking,
};
use arki_agent::{RunEnd, RunHost};
use arki_config::Config;
use arki_domain::{Code, Error, SessionId};
use async_trait::async_trait;
use std::sync::Arc;
use tokio::task::JoinHandle;

impl Runs {
    pub(crate) async fn launch(
        self: &Arc<Self>,
        session_id: SessionId,
        history: History,
        open: OpenProject,
        config: Config,
        system: Arc<str>,
        (mut hold, presence): (SessionHold, ClientCapabilities),
    ) -> Result<RunningRun, Error> {
        let (project, session) = (open.path(), session_id.clone());
        let until = (presence, hold.control().clone());
        let beneath = self.clone();
        let wired = blocking(&self.preparation, move |preparation| {
            preparation.wired(&session, history, (&open, &config), system, until, beneath)
        });
        let (parts, standing) = wired.await?;
        let run = &standing.state;
        let core = arki_agent::core(&run.core)?;
        let active = ActiveRun {
            session_id: session_id.clone(),
            run_id: run.run_id.clone(),
            subagents: run.subagents().cloned().collect(),
            grants: Vec::new(),
            control: hold.control().clone(),
        };
        self.active.take_up(&session_id);
        let is_subagent = run.parent.is_some();
        let notifier = Notifier::of(&parts.executor, &session_id, run);
        hold.enter(&self.active, active.clone());
        let run = RunHost::new(parts, session_id.clone(), standing, active.control.clone());
        let (runs, control) = (self.clone(), active.control.clone());
        let handle = tokio::spawn(async move {
            let telling = async {
                let working = runs.projects.leavings().with_leavings(&session_id, &project, run.run(core));
                if is_subagent {
                    return working.await;
                }
                runs.settling.discard_trees(&project).await;
                if let Err(fault) = runs.projects.tell_unused_exec(&project).await {
                    tracing::warn!(%fault, "that the first template's decision on commands isn't used is not told yet");
                }
                let ended = working.await;
                if runs.settling.discard_trees(&project).await {
                    runs.projects.leavings().tell_leavings(&session_id, &project).await;
                }
                ended
            };
            let (ended, claim) = hold.during(telling).await;
            // The user stopped it after it had come to wait, and before it could be seen that nobody works on it.
            if control.cancel.is_cancelled() && ended.as_ref().is_ok_and(RunEnd::waits) {
                drop(claim);
                return match runs.end_waiting(&session_id).await {
                    // Somebody goes on with it already, after a decision or in another process: that run is theirs to stop.
                    Err(fault) if fault.is(Code::SESSION_BUSY) => ended,
                    stopped => stopped.map(|()| RunEnd::Cancelled),
                };
            }
            runs.after(presence, &session_id, &project, &ended).await;
            if let Some(notifier) = notifier {
                runs.settling.notices.notify_soon(&runs.settling.afterwards, notifier, &ended);
            }
            ended
        });
        Ok((active, handle))
    }

    /// Does the work that follows the end of a run, on nobody's way.
    async fn after(
        self: &Arc<Self>,
        presence: ClientCapabilities,
        session_id: &SessionId,
        project: &str,
        ended: &Result<RunEnd, Error>,
    ) {
        self.settling.settle(session_id, project, ended).await;
        match ended {
            Ok(RunEnd::Completed { .. }) => self.follow_up_soon(presence, session_id),
            Ok(RunEnd::AwaitingApproval(approval_id)) => self.expire_in_time(presence, session_id, approval_id),
            Ok(_) | Err(_) => {}
        }
    }
}

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
