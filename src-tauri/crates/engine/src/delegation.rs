//! Sub-agents: each works on a call of another run, in a session of its own.
//!
//! Its run goes on beneath the run that waits for it, and never by itself: whoever decides what it asks goes on with the
//! run above (`SessionReader::run_above`), which goes on with it. Where a sub-agent stands is read off its own log, so that a
//! program that is started anew begins nothing twice.

mod port;

pub(crate) use port::{RunAbove, RunsSubagents, SubagentResume, SubagentStart};

use crate::background_results::BackgroundResults;
use crate::projects::subagent_changes::end_worktree;
use crate::{Projects, Records, SessionReader, blocking};
use arki_agent::{RunControl, RunEnd};
use arki_domain::projection::{FileAt, FilesAt, NextStep, PendingCall, RunPhase, RunState, WantedFile};
use arki_domain::{
    ApprovalMode, CallContext, Code, DELEGATE_TOOL, Error, Event, FileChanged, ParentCall, PauseReason, RunOptions,
    SubagentStarted, TAKE_CHANGES_TOOL,
};
use arki_tools::{BackgroundCommands, SubagentEnd, SubagentStop, SubagentTask};
use arki_worktrees::NewSubagentWorktree;
use std::path::Path;
use std::sync::Arc;

/// The tools that sub-agents don't get: nobody hears their questions, and they do their work themselves.
pub(crate) const NOT_FOR_SUBAGENTS: [&str; 3] = ["ask_user", DELEGATE_TOOL, TAKE_CHANGES_TOOL];

/// Hands the work of runs to sub-agents, and reads off their logs where they stand. What begins runs is handed in by
/// whoever works on the run above.
pub(crate) struct Delegations {
    records: Arc<Records>,
    projects: Arc<Projects>,
    reader: Arc<SessionReader>,
    background: Arc<BackgroundCommands>,
    results: Arc<BackgroundResults>,
}

impl Delegations {
    pub(crate) fn new(
        records: Arc<Records>,
        projects: Arc<Projects>,
        reader: Arc<SessionReader>,
        background: Arc<BackgroundCommands>,
        results: Arc<BackgroundResults>,
    ) -> Self {
        Self { records, projects, reader, background, results }
    }

    /// Returns whether it is the approvals of sub-agents that keep the run waiting: none of those that work for it could
    /// go on, and the first has no result yet.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub(crate) fn waits_for_subagents(&self, run: &RunState) -> Result<bool, Error> {
        let awaited: Vec<&SubagentStarted> = match run.next_step() {
            NextStep::Execute(_) => run.pending_calls().iter().filter_map(PendingCall::subagent).collect(),
            NextStep::AwaitSubagents => run.background().iter().filter_map(PendingCall::subagent).collect(),
            NextStep::AskModel | NextStep::Complete | NextStep::Ended => Vec::new(),
        };
        for (place, started) in awaited.iter().enumerate() {
            let stands = self.subagent(started)?;
            let stays = stands.is_some_and(|(state, _)| match end_of(&state) {
                Some(_) => place > 0,
                None => state.open_approval().is_some(),
            });
            if !stays {
                return Ok(false);
            }
        }
        Ok(!awaited.is_empty())
    }

    /// Has a sub-agent work on its task, until it ends or waits.
    pub(crate) async fn work(
        self: &Arc<Self>,
        above: &RunAbove,
        task: SubagentTask<'_>,
    ) -> Result<SubagentStop, Error> {
        let started = task.started;
        let end = self.subagent_works(above, task).await?;
        let stands = self.subagent_now(started).await?;
        let (state, events) = stands.ok_or_else(|| Error::internal("a sub-agent without its first event"))?;
        let end = match end {
            RunEnd::Completed { response } => SubagentEnd::Answered { response },
            RunEnd::Failed(fault) => SubagentEnd::Failed(fault),
            RunEnd::Cancelled => SubagentEnd::Stopped,
            RunEnd::AwaitingApproval(approval_id) => SubagentEnd::AwaitingApproval(approval_id),
            RunEnd::BudgetExhausted => SubagentEnd::OutOfBudget { last_said: state.last_text.clone() },
            RunEnd::AwaitingAnswer(_) | RunEnd::Paused => SubagentEnd::Paused,
        };
        let has_ended = !matches!(end, SubagentEnd::AwaitingApproval(_) | SubagentEnd::Paused);
        let in_tree = if has_ended { self.changed_in_tree(started).await? } else { Vec::new() };
        let is_changed = |file: &WantedFile| file.wanted == FileAt::Unknown || file.wanted != file.last_known;
        let of_project = if started.tree.is_none() { FilesAt::fold(0, &events) } else { Vec::new() };
        let files = of_project.into_iter().filter(is_changed).map(|file| changed(file, started)).collect();
        let background = if has_ended { self.results.left_in_background(started).await? } else { Vec::new() };
        Ok(SubagentStop { end, usage: state.usage, files, background, in_tree })
    }

    /// Returns where a sub-agent stands; `None` before it has begun.
    fn subagent(&self, started: &SubagentStarted) -> Result<Option<(RunState, Vec<Event>)>, Error> {
        let events = self.reader.run_events(started.run_id.as_str())?.unwrap_or_default();
        Ok(RunState::fold(&events).map(|state| (state, events)))
    }

    async fn subagent_works(
        self: &Arc<Self>,
        above: &RunAbove,
        SubagentTask { started, task, context }: SubagentTask<'_>,
    ) -> Result<RunEnd, Error> {
        // The user may stop the sub-agent alone.
        let (cancel, pause) = (context.cancel.child_token(), context.pause.child_token());
        let control = RunControl { cancel, pause, ..RunControl::default() };
        let handle = match self.subagent_now(started).await? {
            None => {
                let parent = ParentCall {
                    session_id: context.session_id.clone(),
                    run_id: context.run_id.clone(),
                    call_id: started.call_id.clone(),
                };
                let (folder, agent) = (above.project.clone(), started.agent.clone());
                let own_model = blocking(self, move |delegations| delegations.own_model_of(&folder, &agent)).await?;
                let folder = match &started.tree {
                    Some(tree) => self.tree_made(above, started, &parent).await.map(|()| tree.into())?,
                    None => above.project.clone(),
                };
                let start = SubagentStart {
                    started: started.clone(),
                    folder,
                    parent,
                    presence: above.presence,
                    control,
                    prompt: task.to_owned(),
                    model: own_model.unwrap_or_else(|| above.model.clone()),
                    options: options_of(started, context),
                };
                above.runs()?.start_subagent(start).await?
            }
            Some((state, _)) => match end_of(&state) {
                Some(end) => return Ok(end),
                None => {
                    self.ensure_tree_is_there(started).await?;
                    let approve =
                        Some(approval_of(started, context)).filter(|approve| *approve != state.options.approve);
                    let resume =
                        SubagentResume { started: started.clone(), approve, presence: above.presence, control };
                    above.runs()?.resume_subagent(resume).await?
                }
            },
        };
        handle.await.map_err(Error::internal)?
    }

    /// Makes the sub-agent's worktree, unless an interrupted run has.
    async fn tree_made(
        self: &Arc<Self>,
        above: &RunAbove,
        started: &SubagentStarted,
        parent: &ParentCall,
    ) -> Result<(), Error> {
        let (origin, session_id) = (above.project.clone(), started.session_id.clone());
        let folder = origin.clone();
        let known = blocking(self, move |it| {
            let config = it.projects.config_of(&it.projects.load_project(&folder)?)?;
            Ok((config.secret_files.set, it.projects.subagent_worktrees().is_made(&session_id)))
        });
        let (secrets, is_made) = known.await?;
        if is_made {
            return Ok(());
        }
        let (session_id, parent) = (started.session_id.clone(), parent.clone());
        self.projects.subagent_worktrees().make(NewSubagentWorktree { origin, session_id, parent, secrets }).await
    }

    async fn ensure_tree_is_there(self: &Arc<Self>, started: &SubagentStarted) -> Result<(), Error> {
        let Some(tree) = started.tree.clone() else { return Ok(()) };
        let session_id = started.session_id.clone();
        blocking(self, move |it| match it.projects.subagent_worktrees().is_made(&session_id) {
            true => Ok(()),
            false => Err(Error::new(
                Code::WORKTREE_GONE,
                format!("The sub-agent's worktree {tree} is gone."),
                "Delegate the task again.",
            )),
        })
        .await
    }

    /// Returns what an isolated sub-agent that has ended changed in its worktree. One without changes is removed.
    async fn changed_in_tree(self: &Arc<Self>, started: &SubagentStarted) -> Result<Vec<String>, Error> {
        if started.tree.is_none() {
            return Ok(Vec::new());
        }
        let session_id = started.session_id.clone();
        let changed = blocking(self, move |it| it.projects.subagent_worktrees().changes_at_end(&session_id)).await?;
        if changed.is_empty() {
            end_worktree(self.projects.subagent_worktrees(), &started.session_id, &self.background).await?;
        }
        Ok(changed)
    }

    async fn subagent_now(
        self: &Arc<Self>,
        started: &SubagentStarted,
    ) -> Result<Option<(RunState, Vec<Event>)>, Error> {
        let started = started.clone();
        blocking(self, move |it| it.subagent(&started)).await
    }

    fn own_model_of(&self, folder: &Path, agent: &str) -> Result<Option<String>, Error> {
        let config = self.projects.config_of(&self.projects.load_project(folder)?)?;
        Ok(config.own_model_of(agent).map(str::to_owned))
    }
}

/// Returns the sub-agent's approval mode. Edits in a worktree of its own need no question: the user is asked when they
/// are taken.
fn approval_of(started: &SubagentStarted, context: &CallContext) -> ApprovalMode {
    match context.options.approve {
        ApprovalMode::Ask if started.tree.is_some() => ApprovalMode::Edits,
        approve => approve,
    }
}

/// Returns the options of the sub-agent's run; the permissions and limits above hold beneath, too.
fn options_of(started: &SubagentStarted, context: &CallContext) -> RunOptions {
    let options = &context.options;
    let mut disabled_tools = options.disabled_tools.clone();
    disabled_tools.extend(NOT_FOR_SUBAGENTS.map(str::to_owned));
    RunOptions {
        approve: approval_of(started, context),
        plan: options.plan,
        read_only: options.read_only,
        max_turns: options.max_turns,
        max_seconds: context.time_left.map(|left| left.as_secs().max(1)),
        max_cost_usd: context.cost_left_usd,
        approval_timeout_seconds: options.approval_timeout_seconds,
        disabled_tools,
        denied_paths: options.denied_paths.clone(),
        off: options.off.clone(),
        ..RunOptions::default()
    }
}

/// Returns how its run has ended; `None` where it can go on. One that used up its budget gets no other.
pub(crate) fn end_of(state: &RunState) -> Option<RunEnd> {
    match &state.phase {
        RunPhase::Completed => Some(RunEnd::Completed { response: state.last_text.clone() }),
        RunPhase::Failed { code, message, hint } => {
            let (code, message, hint) = (code.clone(), message.clone(), hint.clone());
            Some(RunEnd::Failed(Error { code, message, hint, retry_after_ms: None, cause: None }))
        }
        RunPhase::Cancelled => Some(RunEnd::Cancelled),
        RunPhase::Paused(PauseReason::Budget) => Some(RunEnd::BudgetExhausted),
        RunPhase::Active | RunPhase::Paused(_) => None,
    }
}

fn changed(file: WantedFile, started: &SubagentStarted) -> FileChanged {
    FileChanged {
        path: file.path,
        before_hash: file.wanted.hash().map(str::to_owned),
        after_hash: file.last_known.hash().map(str::to_owned),
        before_unknown: file.wanted == FileAt::Unknown,
        after_unknown: file.last_known == FileAt::Unknown,
        before_link: matches!(file.wanted, FileAt::Link(_)),
        after_link: matches!(file.last_known, FileAt::Link(_)),
        before_permissions: file.wanted_permissions,
        call_id: started.call_id.clone(),
        hunks: Vec::new(),
        by_session: Some(started.session_id.clone()),
        by_hook: None,
    }
}
