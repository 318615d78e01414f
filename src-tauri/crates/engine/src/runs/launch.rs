//! Sets the agent to work: wires its ports and keeps the session's lease alive.

use crate::ActiveRun;
use crate::client_capabilities::ClientCapabilities;
use crate::projects::open::OpenProject;
use crate::records::blocking;
use crate::runs::Runs;
use crate::runs::active_run::RunningRun;
use crate::runs::git_state::GitState;
use crate::runs::hold::SessionHold;
use crate::runs::late_context::{LateContextSources, mode_to_tell};
use crate::runs::mentions::Mentioned;
use crate::runs::notifying::Notifier;
use crate::runs::prompt_images::kept_images;
use crate::session_reader::history::History;
use crate::sessions::compacting::compaction_parts;
use arki_agent::{RunControl, RunEnd, RunHost, RunParts, RunSnapshot};
use arki_config::Config;
use arki_domain::{Code, Error, ModelOptions, ParentCall, SessionId};
use arki_policy::PolicySettings;
use arki_tools::ToolExecutor;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

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
        let wired = blocking(self, move |runs| runs.wired(&session, history, (&open, &config), system, until));
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
        self.take_up(&session_id);
        let is_subagent = run.parent.is_some();
        let notifier = Notifier::of(&parts.executor, &session_id, run);
        hold.enter(&self.active, active.clone());
        let run = RunHost::new(parts, session_id.clone(), standing, active.control.clone());
        let (runs, control) = (self.clone(), active.control.clone());
        let handle = tokio::spawn(async move {
            let telling = async {
                let working = runs.projects.with_leavings(&session_id, &project, run.run(core));
                if is_subagent {
                    return working.await;
                }
                runs.discard_trees(&project).await;
                let ended = working.await;
                if runs.discard_trees(&project).await {
                    runs.projects.tell_leavings(&session_id, &project).await;
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
                runs.notices.notify_soon(&runs.afterwards, notifier, &ended);
            }
            ended
        });
        Ok((active, handle))
    }

    /// Removes the worktrees of the project whose changes nobody can take any more: their run has ended, or its session is
    /// gone. Returns whether there is something to tell of it.
    async fn discard_trees(self: &Arc<Self>, project: &str) -> bool {
        let folder = project.to_owned();
        let over = blocking(self, move |runs| {
            let is_over = |parent: &ParentCall| match runs.reader.overview(&parent.session_id) {
                Ok(overview) => overview.run.is_none_or(|run| run.run_id != parent.run_id || !run.can_go_on()),
                Err(fault) => fault.is(Code::SESSION_NOT_FOUND),
            };
            Ok(runs.projects.trees().those(|origin, parent| origin == Path::new(&folder) && is_over(parent)))
        });
        let discarded = async { self.projects.discard_trees(over.await?, self.kernels.background()).await };
        discarded.await.unwrap_or_else(|fault| {
            tracing::warn!(%fault, "the worktrees of sub-agents were not looked through");
            false
        })
    }

    /// Does the work that follows the end of a run, on nobody's way.
    async fn after(
        self: &Arc<Self>,
        presence: ClientCapabilities,
        session_id: &SessionId,
        project: &str,
        ended: &Result<RunEnd, Error>,
    ) {
        self.sessions.keep_snapshot_quietly(session_id).await;
        self.anchors.anchor_soon(session_id);
        if ended.as_ref().is_ok_and(|end| !end.waits()) {
            self.reflector.reflect_soon(&self.afterwards, session_id, project);
        }
        match ended {
            Ok(RunEnd::Completed { .. }) => self.follow_up_soon(presence, session_id),
            // In the window and by the doctor it is told until the next run begins.
            Ok(RunEnd::Failed(fault)) if fault.is(Code::GUARD_UNFINISHED) => {
                let (project, note) = (project.to_owned(), format!("{} {}", fault.message, fault.hint));
                let added = blocking(&self.projects, move |projects| {
                    projects.leavings().add(&project, &[note]);
                    Ok(())
                });
                if let Err(fault) = added.await {
                    tracing::warn!(%session_id, %fault, "what the guard left undone is not kept");
                }
            }
            Ok(RunEnd::AwaitingApproval(approval_id)) => self.expire_in_time(presence, session_id, approval_id),
            Ok(_) => {}
            Err(fault) => {
                tracing::error!(%session_id, code = fault.code, %fault, "a run stopped: its log cannot be written");
            }
        }
    }

    /// Returns what the run works with, and where it stands.
    fn wired(
        self: &Arc<Self>,
        session_id: &SessionId,
        mut history: History,
        (open, config): (&OpenProject, &Config),
        system: Arc<str>,
        (presence, control): (ClientCapabilities, RunControl),
    ) -> Result<(RunParts, RunSnapshot), Error> {
        let grants = self.approvals.grants().granted_rules(session_id, &history)?;
        let run = history.run.ok_or_else(|| Error::internal("a run without its first event"))?;
        // At once, so that the first request needn't wait for it; not in the name of what the run restricts.
        let mode = mode_to_tell(&run, open.is_trusted(), &system, &mut history.transcript);
        let git = match run.turn == 0 {
            true => GitState::ask(open, self.kernel(open, config, ClientCapabilities::default())),
            false => GitState::default(),
        };
        let policy = PolicySettings {
            grants,
            plan: run.options.plan,
            read_only: run.options.read_only,
            tools: run.options.tools.clone(),
            disabled_tools: run.options.disabled_tools.clone(),
            ..config.policy.clone()
        };
        let config = &Config { off: run.options.off.clone(), ..config.clone() };
        let output_schema = run.options.output_schema.clone();
        let skills = self.projects.guides_of(open, config).with_triggers(&run.options.skills, &config.off);
        let info = self.accounts.providers(config).model_info(&run.model)?;
        let reasoning_effort = config.effort_of(run.options.reasoning_effort.as_ref(), &info);
        let mut of_kernel = Config { policy, model: run.model.clone(), ..config.clone() };
        of_kernel.deny_files(&run.options.denied_paths)?;
        let kernel = self.kernels.kernel_of_run(open, &of_kernel, presence, Some(self.clone()));
        let model = self.accounts.providers(config).model(&run.model)?;
        // What a model writes to another mentions nothing.
        let mentioned = run.parent.is_none().then(|| Mentioned {
            kernel: kernel.clone(),
            names: self.names.clone(),
            reader: self.reader.clone(),
            session_id: Some(session_id.clone()),
            model: Some(model.clone()),
            is_draft: false,
            control,
        });
        let rules = self.projects.rules_of(open);
        let belongings = LateContextSources::new(open, rules, &config.off, skills, mentioned, self.records.redactor());
        let parts = RunParts {
            log: self.records.run_log(),
            bus: self.records.live_bus(),
            model,
            executor: kernel,
            clock: self.records.clock().clone(),
            redactor: self.records.redactor().clone(),
            system,
            images: Arc::new(kept_images(&self.records, &history.transcript)?),
            model_options: ModelOptions { output_schema, reasoning_effort, ..config.model_options.clone() },
            is_retryable: arki_llm::retryable,
            max_answer: Duration::from_secs(config.max_answer_seconds),
            compaction: compaction_parts(&self.accounts, config)?,
            late_context: Arc::new(belongings.with_git(git).with_mode(mode)),
            state_saving: config.state_saving,
        };
        let standing = RunSnapshot {
            state: run,
            transcript: history.transcript,
            progress: history.progress,
            last_seq: history.last_seq,
        };
        Ok((parts, standing))
    }

    pub(crate) fn kernel(
        &self,
        open: &OpenProject,
        config: &Config,
        presence: ClientCapabilities,
    ) -> Arc<ToolExecutor> {
        self.kernels.kernel_of_run(open, config, presence, None)
    }
}
