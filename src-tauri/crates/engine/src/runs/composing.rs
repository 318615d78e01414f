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
    let BelowRuns { records, accounts, projects, executors, reader, names, sessions, .. } = below.clone();
    let system_prompts =
        Arc::new(SystemPrompts { records: records.clone(), accounts: accounts.clone(), projects: projects.clone() });
    let draft_mentions = Arc::new(DraftMentions { executors: executors.clone(), names, reader: reader.clone() });
    let typed_commands = Arc::new(TypedCommands { projects: projects.clone(), reader: reader.clone() });
    let queues = MessageQueues::new(records.clone(), projects.clone(), reader.clone(), typed_commands.clone());
    let message_queues = Arc::new(queues);
    let next_requests = Arc::new(NextRequests {
        accounts: accounts.clone(),
        projects: projects.clone(),
        executors: executors.clone(),
        reader: reader.clone(),
        system_prompts: system_prompts.clone(),
    });
    let compactions = Arc::new(Compactions {
        records: records.clone(),
        accounts: accounts.clone(),
        reader: reader.clone(),
        sessions: sessions.clone(),
        next_requests: next_requests.clone(),
    });
    let session_configuring = Arc::new(SessionConfiguring {
        records,
        accounts,
        projects,
        executors,
        reader,
        next_requests: next_requests.clone(),
    });
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
        compactions,
        session_configuring,
    }
}

fn runs_over(
    below: BelowRuns,
    queues: &Arc<MessageQueues>,
    mentions: &Arc<DraftMentions>,
    system_prompts: &Arc<SystemPrompts>,
) -> Runs {
    let BelowRuns { records, accounts, projects, mcp, executors, reader, sessions, anchors, approvals, .. } = below;
    let preparation = Arc::new(RunPreparation {
        records: records.clone(),
        accounts: accounts.clone(),
        projects: projects.clone(),
        approvals: approvals.clone(),
        mcp: mcp.clone(),
        executors: executors.clone(),
        mentions: mentions.clone(),
        system_prompts: system_prompts.clone(),
    });
    let settling = Arc::new(RunSettling {
        records: records.clone(),
        accounts: accounts.clone(),
        projects: projects.clone(),
        reader: reader.clone(),
        sessions: sessions.clone(),
        anchors,
        commands: below.commands,
        notices: Arc::new(RunNotices::new(records.clone(), reader.clone(), approvals.clone())),
        afterwards: Afterwards::default(),
    });
    Runs {
        records,
        accounts,
        projects,
        mcp,
        executors,
        delegations: below.delegations,
        background: below.background,
        reader,
        sessions,
        questions: below.questions,
        restorations: below.restorations,
        approvals,
        pipeline_history: below.pipeline_history,
        queues: queues.clone(),
        preparation,
        settling,
        active: ActiveRuns::default(),
    }
}
