//! Composes runs, and what is around them, from the services below.

use crate::runs::hold::ActiveRuns;
use crate::runs::notifying::RunNotices;
use crate::runs::preparing::RunPreparation;
use crate::runs::settling::{Afterwards, RunSettling};
use crate::{
    Accounts, Approvals, BackgroundWork, Compactions, Delegations, DraftMentions, ExecutorFactory, LogAnchors, Mcp,
    MessageQueues, NextRequests, OpenQuestions, PipelineHistory, PipelineRuns, Projects, Records, Restorations, Runs,
    SessionConfiguring, SessionNames, SessionReader, Sessions, SystemPrompts, TypedCommands,
};
use arki_tools::BackgroundCommands;
use std::sync::Arc;

/// The services that runs are made with.
#[derive(Clone)]
pub(crate) struct BelowRuns {
    pub(crate) records: Arc<Records>,
    pub(crate) accounts: Arc<Accounts>,
    pub(crate) projects: Arc<Projects>,
    pub(crate) mcp: Arc<Mcp>,
    pub(crate) executors: Arc<ExecutorFactory>,
    pub(crate) commands: Arc<BackgroundCommands>,
    pub(crate) delegations: Arc<Delegations>,
    pub(crate) background: Arc<BackgroundWork>,
    pub(crate) reader: Arc<SessionReader>,
    pub(crate) sessions: Arc<Sessions>,
    pub(crate) names: Arc<SessionNames>,
    pub(crate) questions: Arc<OpenQuestions>,
    pub(crate) anchors: Arc<LogAnchors>,
    pub(crate) restorations: Arc<Restorations>,
    pub(crate) approvals: Arc<Approvals>,
    pub(crate) pipeline_history: Arc<PipelineHistory>,
}

/// Runs and the services around them.
pub(crate) struct RunServices {
    pub(crate) runs: Arc<Runs>,
    pub(crate) pipeline_runs: Arc<PipelineRuns>,
    pub(crate) message_queues: Arc<MessageQueues>,
    pub(crate) typed_commands: Arc<TypedCommands>,
    pub(crate) draft_mentions: Arc<DraftMentions>,
    pub(crate) system_prompts: Arc<SystemPrompts>,
    pub(crate) next_requests: Arc<NextRequests>,
    pub(crate) compactions: Arc<Compactions>,
    pub(crate) session_configuring: Arc<SessionConfiguring>,
}

pub(crate) fn composed(below: BelowRuns) -> RunServices {
    let BelowRuns { records, accounts, projects, reader, .. } = below.clone();
    let typed_commands = Arc::new(TypedCommands { projects: projects.clone(), reader: reader.clone() });
    let message_queues = MessageQueues::new(records.clone(), projects.clone(), reader, typed_commands.clone());
    let message_queues = Arc::new(message_queues);
    let system_prompts = Arc::new(SystemPrompts { records, accounts, projects });
    let BelowRuns { executors, names, reader, .. } = below.clone();
    let draft_mentions = Arc::new(DraftMentions { executors, names, reader });
    let (next_requests, session_configuring) = configuring(below.clone(), system_prompts.clone());
    let BelowRuns { records, accounts, reader, sessions, .. } = below.clone();
    let compactions = Compactions { records, accounts, reader, sessions, next_requests: next_requests.clone() };
    let pipeline_history = below.pipeline_history.clone();
    let runs = Arc::new(runs_over(below, &message_queues, &draft_mentions, &system_prompts));
    let pipeline_runs = Arc::new(PipelineRuns::new(runs.clone(), pipeline_history));
    RunServices {
        runs,
        pipeline_runs,
        message_queues,
        typed_commands,
        draft_mentions,
        system_prompts,
        next_requests,
        compactions: Arc::new(compactions),
        session_configuring: Arc::new(session_configuring),
    }
}

/// A session's next request, and what the user sets of it.
fn configuring(below: BelowRuns, system_prompts: Arc<SystemPrompts>) -> (Arc<NextRequests>, SessionConfiguring) {
    let BelowRuns { accounts, projects, executors, reader, .. } = below.clone();
    let next = Arc::new(NextRequests { accounts, projects, executors, reader, system_prompts });
    let BelowRuns { records, accounts, projects, executors, reader, .. } = below;
    let next_requests = next.clone();
    (next, SessionConfiguring { records, accounts, projects, executors, reader, next_requests })
}

fn runs_over(
    below: BelowRuns,
    queues: &Arc<MessageQueues>,
    mentions: &Arc<DraftMentions>,
    system_prompts: &Arc<SystemPrompts>,
) -> Runs {
    let (mentions, system_prompts) = (mentions.clone(), system_prompts.clone());
    let BelowRuns { records, accounts, projects, approvals, mcp, executors, .. } = below.clone();
    let preparation =
        RunPreparation { records, accounts, projects, approvals, mcp, executors, mentions, system_prompts };
    let BelowRuns { records, accounts, projects, reader, sessions, anchors, commands, approvals, .. } = below.clone();
    let notices = Arc::new(RunNotices::new(records.clone(), reader.clone(), approvals));
    let afterwards = Afterwards::default();
    let settling =
        RunSettling { records, accounts, projects, reader, sessions, anchors, commands, notices, afterwards };
    Runs {
        records: below.records,
        accounts: below.accounts,
        projects: below.projects,
        mcp: below.mcp,
        executors: below.executors,
        delegations: below.delegations,
        background: below.background,
        reader: below.reader,
        sessions: below.sessions,
        questions: below.questions,
        restorations: below.restorations,
        approvals: below.approvals,
        pipeline_history: below.pipeline_history,
        queues: queues.clone(),
        preparation: Arc::new(preparation),
        settling: Arc::new(settling),
        active: ActiveRuns::default(),
    }
}
