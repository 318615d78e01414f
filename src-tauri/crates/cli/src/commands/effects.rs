//! Tells of a command, before it is carried out, what it does to Arki's data: whether it only reads, whether an agent
//! works in it, whether it steers Arki.

use super::CliCommand;
use super::agents::AgentsCommand;
use super::approvals::ApprovalsCommand;
use super::config::ConfigCommand;
use super::hooks::HooksCommand;
use super::keys::KeysCommand;
use super::mcp::McpCommand;
use super::memory::MemoryCommand;
use super::providers::ProvidersCommand;
use super::queue::QueueCommand;
use super::rewind::RewindArguments;
use super::schedule::ScheduleCommand;
use super::sessions::SessionsCommand;
use super::tools::ToolsArguments;
use super::trust::TrustArguments;
use super::worktrees::WorktreesCommand;
use arki_domain::{Code, Error};

/// True for the commands in which an agent works.
pub(super) fn works(command: &CliCommand) -> bool {
    matches!(
        command,
        CliCommand::Exec(_)
            | CliCommand::Run(_)
            | CliCommand::Schedule(ScheduleCommand::Run { .. })
            | CliCommand::Resume(_)
            | CliCommand::Approvals(ApprovalsCommand::Approve(_) | ApprovalsCommand::Reject { .. })
    )
}

/// Returns whether a command works without writing into the data directory, such as on a read-only disk. There is no
/// case for the rest: a new command has to say.
pub(super) fn only_reads(command: &CliCommand) -> bool {
    match command {
        CliCommand::Sessions(command) => sessions_only_read(command),
        CliCommand::Approvals(command) => match command {
            ApprovalsCommand::List | ApprovalsCommand::Show(_) | ApprovalsCommand::Granted { .. } => true,
            ApprovalsCommand::Approve(_) | ApprovalsCommand::Reject { .. } | ApprovalsCommand::Withdraw { .. } => false,
        },
        CliCommand::Schedule(command) => matches!(command, ScheduleCommand::List | ScheduleCommand::History { .. }),
        CliCommand::Queue(command) => matches!(command, QueueCommand::List { .. }),
        CliCommand::Keys(command) => matches!(command, KeysCommand::List),
        CliCommand::Providers { command } => matches!(command, None | Some(ProvidersCommand::Test { .. })),
        CliCommand::Mcp(command) => matches!(command, McpCommand::List),
        CliCommand::Memory(command) => matches!(command, MemoryCommand::List),
        CliCommand::Worktrees(command) => matches!(command, WorktreesCommand::List),
        CliCommand::Config(command) => matches!(command, ConfigCommand::Show { .. } | ConfigCommand::Get { .. }),
        CliCommand::Tools(ToolsArguments { off, on, .. }) => off.is_empty() && on.is_empty(),
        CliCommand::Rewind(RewindArguments { dry_run, .. }) | CliCommand::Undo { dry_run, .. } => *dry_run,
        CliCommand::Trust(TrustArguments { show, list, .. }) => *show || *list,
        CliCommand::Policy(_) | CliCommand::Hooks(_) | CliCommand::Pipelines(_) => true,
        CliCommand::Status { .. } | CliCommand::Runs | CliCommand::Events(_) | CliCommand::Blame { .. } => true,
        CliCommand::Usage { .. } | CliCommand::Models { .. } | CliCommand::Context { .. } => true,
        CliCommand::Artifacts(_) | CliCommand::Skills | CliCommand::Procedures | CliCommand::Open { .. } => true,
        CliCommand::Verify { .. } | CliCommand::Completions { .. } | CliCommand::Man { .. } => true,
        // It is about writing, too.
        CliCommand::Doctor => false,
        CliCommand::Agents(command) => matches!(command, AgentsCommand::List | AgentsCommand::Test { .. }),
        CliCommand::Stop { .. } | CliCommand::Pause { .. } | CliCommand::Serve(_) | CliCommand::Acp => false,
        CliCommand::Exec(_) | CliCommand::Run(_) | CliCommand::Resume(_) | CliCommand::Untrust { .. } => false,
    }
}

fn sessions_only_read(command: &SessionsCommand) -> bool {
    match command {
        SessionsCommand::State(state) => !state.changes(),
        SessionsCommand::List(_)
        | SessionsCommand::Show(_)
        | SessionsCommand::Search(_)
        | SessionsCommand::Files(_)
        | SessionsCommand::Export(_) => true,
        SessionsCommand::Commit(commit) => commit.dry_run,
        SessionsCommand::Fork { .. }
        | SessionsCommand::Import(_)
        | SessionsCommand::Rename { .. }
        | SessionsCommand::Pin { .. }
        | SessionsCommand::Unpin { .. }
        | SessionsCommand::Archive { .. }
        | SessionsCommand::Unarchive { .. }
        | SessionsCommand::Compact { .. }
        | SessionsCommand::Configure(_)
        | SessionsCommand::Rm { .. } => false,
    }
}

/// A tool must not steer Arki: it could grant itself what the user would not.
pub(super) fn refuse_under_a_tool(command: &CliCommand) -> Result<(), Error> {
    let steers = matches!(
        command,
        CliCommand::Exec(_)
            | CliCommand::Run(_)
            | CliCommand::Schedule(
                ScheduleCommand::Add(_)
                    | ScheduleCommand::Rm { .. }
                    | ScheduleCommand::On { .. }
                    | ScheduleCommand::Off { .. }
                    | ScheduleCommand::Run { .. },
            )
            | CliCommand::Trust(_)
            | CliCommand::Untrust { .. }
            | CliCommand::Approvals(_)
            | CliCommand::Resume(_)
            | CliCommand::Sessions(SessionsCommand::Commit(_))
            | CliCommand::Stop { .. }
            | CliCommand::Pause { .. }
            | CliCommand::Serve(_)
            | CliCommand::Acp
            | CliCommand::Agents(AgentsCommand::Add { .. } | AgentsCommand::Rm { .. } | AgentsCommand::Test { .. })
            | CliCommand::Rewind(_)
            | CliCommand::Undo { .. }
            | CliCommand::Queue(_)
            | CliCommand::Tools(ToolsArguments { session: Some(_), .. })
            | CliCommand::Sessions(
                SessionsCommand::Rm { .. }
                    | SessionsCommand::Fork { .. }
                    | SessionsCommand::Import(_)
                    | SessionsCommand::Compact { .. }
                    | SessionsCommand::Configure(_)
                    | SessionsCommand::Rename { .. }
            )
            | CliCommand::Worktrees(
                WorktreesCommand::Add { .. } | WorktreesCommand::Bring { .. } | WorktreesCommand::Rm { .. }
            )
            | CliCommand::Keys(_)
            | CliCommand::Memory(
                MemoryCommand::Accept { .. }
                    | MemoryCommand::Reject { .. }
                    | MemoryCommand::Edit { .. }
                    | MemoryCommand::Rm { .. }
            )
            | CliCommand::Mcp(
                McpCommand::Test { .. }
                    | McpCommand::Add(_)
                    | McpCommand::Rm { .. }
                    | McpCommand::Agree { .. }
                    | McpCommand::Login { .. }
                    | McpCommand::Prompts { .. }
            )
            | CliCommand::Providers { command: Some(_) }
            | CliCommand::Policy(_)
            | CliCommand::Hooks(HooksCommand::Test { .. })
            | CliCommand::Config(ConfigCommand::Set { .. } | ConfigCommand::Unset { .. } | ConfigCommand::Edit)
    );
    let sets_state = matches!(command, CliCommand::Sessions(SessionsCommand::State(state)) if state.changes());
    if (steers || sets_state) && arki_engine::stands_under_a_tool() {
        return Err(Error::new(
            Code::UNDER_TOOL,
            "This command runs inside one of Arki's tools, and tools may not control Arki.",
            "Run it in your own terminal.",
        ));
    }
    Ok(())
}
