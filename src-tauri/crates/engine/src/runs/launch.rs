//! Sets the agent to work: wires its ports, keeps the session's lease alive, and freezes what the run begins with.

use crate::ActiveRun;
use crate::config::Config;
use crate::projects::guides::index;
use crate::projects::open::OpenProject;
use crate::records::blocking;
use crate::runs::Runs;
use crate::runs::active_run::Running;
use crate::sessions::claim::Claim;
use crate::sessions::history::History;
use crate::sessions::lease::SessionLease;
use crate::sessions::usage::day;
use arki_agent::{RunControl, RunEnd, RunHost, RunParts, Standing};
use arki_context::SystemPromptInputs;
use arki_domain::{Code, Executor, Fault, ModelOptions, RunOptions, SessionId};
use arki_policy::PolicySettings;
use arki_store::LeaseRequest;
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// How soon a run hears that another process asks it to stop or pause.
const LISTEN_INTERVAL: Duration = Duration::from_millis(250);
/// The lease is renewed this often; it is given up for dead after several missed times.
const HEARTBEAT: Duration = Duration::from_secs(3);

/// The right to work on the session, and the way to stop or pause.
pub(crate) struct Work {
    pub(crate) claim: Claim,
    pub(crate) lease: SessionLease,
    pub(crate) control: RunControl,
}

impl Runs {
    pub(crate) async fn launch(
        self: &Arc<Self>,
        session_id: SessionId,
        history: History,
        open: OpenProject,
        config: Config,
        system: Arc<str>,
        work: Work,
    ) -> Result<Running, Fault> {
        let (project, session) = (open.path(), session_id.clone());
        let wired = blocking(self, move |runs| runs.wired(&session, history, &open, &config, system));
        let (parts, standing) = wired.await?;
        let run = &standing.state;
        let core = arki_agent::core(&run.core)?;
        let active = ActiveRun {
            session_id: session_id.clone(),
            run_id: run.run_id.clone(),
            subagent: run.subagent().map(|started| started.session_id.clone()),
            control: work.control.clone(),
        };
        self.active.lock().unwrap_or_else(PoisonError::into_inner).insert(session_id.clone(), active.clone());
        let host = RunHost::new(parts, session_id.clone(), standing, active.control.clone());
        let runs = self.clone();
        let control = active.control.clone();
        let handle = tokio::spawn(async move {
            let Work { claim: _claim, lease, .. } = work;
            let telling = runs.projects.with_leavings(&session_id, &project, host.run(core));
            let ended = runs.with_heartbeat(&session_id, &lease, &control, telling).await;
            runs.active.lock().unwrap_or_else(PoisonError::into_inner).remove(&session_id);
            // It ends by itself; how the run ended is what matters.
            if let Err(fault) = lease.release().await {
                tracing::warn!(%session_id, %fault, "the lease was not given back");
            }
            warn_without_snapshot(&session_id, runs.sessions.keep_snapshot(&session_id).await);
            runs.sessions.anchor_soon(&session_id);
            match &ended {
                Ok(RunEnd::Completed { .. }) => runs.follow_up_soon(&session_id),
                // In the window and by the doctor it is told until the next run begins.
                Ok(RunEnd::Failed(fault)) if fault.is(Code::GUARD_UNFINISHED) => {
                    runs.projects.leavings().add(&project, &[format!("{} {}", fault.message, fault.hint)]);
                }
                Ok(RunEnd::AwaitingApproval(approval_id)) => runs.expire_in_time(&session_id, approval_id),
                _ => {}
            }
            if let Err(fault) = &ended {
                tracing::error!(%session_id, code = fault.code, %fault, "a run stopped: its log cannot be written");
            }
            ended
        });
        Ok((active, handle))
    }

    /// What the run works with, and where it stands.
    fn wired(
        &self,
        session_id: &SessionId,
        history: History,
        open: &OpenProject,
        config: &Config,
        system: Arc<str>,
    ) -> Result<(RunParts, Standing), Fault> {
        let grants = self.approvals.granted_rules(session_id, &history)?;
        let run = history.run.ok_or_else(|| Fault::internal("a run without its first event"))?;
        let policy = PolicySettings {
            grants,
            plan: run.options.plan,
            tools: run.options.tools.clone(),
            disabled_tools: run.options.disabled_tools.clone(),
            ..config.policy.clone()
        };
        let output_schema = run.options.output_schema.clone();
        let parts = RunParts {
            log: self.records.run_log(),
            bus: self.records.live_bus(),
            model: self.accounts.providers(config).model(&run.model)?,
            executor: self.executor(open, config, &run.model, policy),
            clock: self.records.clock().clone(),
            redactor: self.records.redactor().clone(),
            system,
            images: Arc::new(self.images_of(&history.transcript)?),
            model_options: ModelOptions { output_schema, ..config.model_options.clone() },
            is_retryable: arki_llm::retryable,
            max_answer: Duration::from_secs(config.max_answer_seconds),
        };
        let standing = Standing { state: run, transcript: history.transcript, last_seq: history.last_seq };
        Ok((parts, standing))
    }

    /// Keeps the lease alive while the run works; a run whose lease was taken over stops.
    async fn with_heartbeat<T>(
        &self,
        session_id: &SessionId,
        lease: &SessionLease,
        control: &RunControl,
        run: impl Future<Output = T>,
    ) -> T {
        tokio::pin!(run);
        let mut renewal = tokio::time::interval_at(Instant::now() + HEARTBEAT, HEARTBEAT);
        let mut listening = tokio::time::interval_at(Instant::now() + LISTEN_INTERVAL, LISTEN_INTERVAL);
        loop {
            tokio::select! {
                ended = &mut run => return ended,
                _ = listening.tick() => {
                    self.hear_request(session_id, control);
                    warn_without_snapshot(session_id, self.sessions.note_snapshot(session_id).await);
                }
                _ = renewal.tick() => match lease.renew().await {
                    Ok(true) => {}
                    Ok(false) => control.cancel.cancel(),
                    Err(error) => tracing::warn!(%error, "the lease was not renewed"),
                },
            }
        }
    }

    /// Another process may ask for a stop or a pause.
    fn hear_request(&self, session_id: &SessionId, control: &RunControl) {
        match self.records.reader().lease_request(session_id, self.records.owner()) {
            Ok(Some(LeaseRequest::Stop)) => control.cancel.cancel(),
            Ok(Some(LeaseRequest::Pause)) => control.pause.cancel(),
            Ok(None) => {}
            Err(error) => tracing::warn!(%error, "what others ask was not heard"),
        }
    }

    fn executor(
        &self,
        open: &OpenProject,
        config: &Config,
        model: &str,
        mut policy: PolicySettings,
    ) -> Arc<dyn Executor> {
        policy.keep_rules_of(&open.path());
        self.kernels.kernel(open, &Config { policy, model: model.to_owned(), ..config.clone() })
    }

    /// # Errors
    /// When a skill that was asked for is not there.
    pub(crate) fn system_prompt(
        &self,
        open: &OpenProject,
        config: &Config,
        options: &RunOptions,
        is_subagent: bool,
    ) -> Result<String, Fault> {
        let found = self.projects.guides_of(open, config);
        let inputs = SystemPromptInputs {
            project: &open.path(),
            system: std::env::consts::OS,
            today: &day(self.records.clock().now_ms()),
            plans: options.plan,
            is_subagent,
            call_prompt: options.system.as_deref(),
            configured_prompt: config.system_prompt.as_deref(),
            rules: open.rules(),
            skills: index(&found.guides.skills),
            chosen_skills: found.chosen(&options.skills)?,
            procedures: index(&found.guides.procedures),
        };
        // The hash names these bytes in the log and the blob store, so keys go before it is computed.
        Ok(self.records.redactor().redact(&arki_context::assemble(&inputs).text()).into_owned())
    }
}

/// Nothing is lost without a snapshot but time.
fn warn_without_snapshot<T>(session_id: &SessionId, kept: Result<T, Fault>) {
    if let Err(fault) = kept {
        tracing::warn!(%session_id, %fault, "no snapshot was kept");
    }
}
