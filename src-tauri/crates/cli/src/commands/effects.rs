//! Tells of a command, before it is carried out, what it does to Arki's data: whether it only reads, whether an agent
//! works in it, whether it steers Arki.

use crate::arguments::{
    AgentsCommand, ApprovalsCommand, Command, ConfigCommand, HooksCommand, KeysCommand, McpCommand, MemoryCommand,
    ProvidersCommand, QueueCommand, RewindArguments, ScheduleCommand, SessionsCommand, ToolsArguments,
    WorktreesCommand,
};
use arki_domain::{Code, Fault};

/// True for the commands in which an agent works.
pub(super) fn works(command: &Command) -> bool {
    matches!(
        command,
        Command::Exec(_)
            | Command::Run(_)
            | Command::Schedule(ScheduleCommand::Run { .. })
            | Command::Resume { .. }
            | Command::Approvals(ApprovalsCommand::Approve { .. } | ApprovalsCommand::Reject { .. })
    )
}

/// Returns whether a command works without writing into the data directory, such as on a read-only disk. There is no
/// case for the rest: a new command has to say.
pub(super) fn only_reads(command: &Command) -> bool {
    match command {
        Command::Sessions(command) => sessions_only_read(command),
        Command::Approvals(command) => match command {
            ApprovalsCommand::List | ApprovalsCommand::Show { .. } | ApprovalsCommand::Granted { .. } => true,
            ApprovalsCommand::Approve { .. } | ApprovalsCommand::Reject { .. } | ApprovalsCommand::Withdraw { .. } => {
                false
            }
        },
        Command::Schedule(command) => matches!(command, ScheduleCommand::List | ScheduleCommand::History { .. }),
        Command::Queue(command) => matches!(command, QueueCommand::List { .. }),
        Command::Keys(command) => matches!(command, KeysCommand::List),
        Command::Providers { command } => matches!(command, None | Some(ProvidersCommand::Test { .. })),
        Command::Mcp(command) => matches!(command, McpCommand::List),
        Command::Memory(command) => matches!(command, MemoryCommand::List),
        Command::Worktrees(command) => matches!(command, WorktreesCommand::List),
        Command::Config(command) => matches!(command, ConfigCommand::Show { .. } | ConfigCommand::Get { .. }),
        Command::Tools(ToolsArguments { off, on, .. }) => off.is_empty() && on.is_empty(),
        Command::Rewind(RewindArguments { dry_run, .. }) | Command::Undo { dry_run, .. } => *dry_run,
        Command::Trust { show, list, .. } => *show || *list,
        Command::Policy(_) | Command::Hooks(_) | Command::Pipelines(_) => true,
        Command::Status { .. } | Command::Runs | Command::Events(_) | Command::Blame { .. } => true,
        Command::Usage { .. } | Command::Models { .. } | Command::Artifacts(_) | Command::Context { .. } => true,
        Command::Skills | Command::Procedures => true,
        Command::Verify { .. } | Command::Completions { .. } | Command::Man { .. } | Command::Open { .. } => true,
        // It is about writing, too.
        Command::Doctor => false,
        Command::Agents(command) => matches!(command, AgentsCommand::List | AgentsCommand::Test { .. }),
        Command::Stop { .. } | Command::Pause { .. } => false,
        Command::Exec(_) | Command::Run(_) | Command::Resume { .. } | Command::Untrust { .. } => false,
    }
}

fn sessions_only_read(command: &SessionsCommand) -> bool {
    match command {
        SessionsCommand::State(state) => !state.changes(),
        SessionsCommand::List { .. }
        | SessionsCommand::Show { .. }
        | SessionsCommand::Search(_)
        | SessionsCommand::Files(_)
        | SessionsCommand::Export(_) => true,
        SessionsCommand::Fork { .. }
        | SessionsCommand::Import { .. }
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
pub(super) fn refuse_under_a_tool(command: &Command) -> Result<(), Fault> {
    let steers = matches!(
        command,
        Command::Exec(_)
            | Command::Run(_)
            | Command::Schedule(
                ScheduleCommand::Add(_)
                    | ScheduleCommand::Rm { .. }
                    | ScheduleCommand::On { .. }
                    | ScheduleCommand::Off { .. }
                    | ScheduleCommand::Run { .. },
            )
            | Command::Trust { .. }
            | Command::Untrust { .. }
            | Command::Approvals(_)
            | Command::Resume { .. }
            | Command::Stop { .. }
            | Command::Pause { .. }
            | Command::Agents(AgentsCommand::Add { .. } | AgentsCommand::Rm { .. } | AgentsCommand::Test { .. })
            | Command::Rewind(_)
            | Command::Undo { .. }
            | Command::Queue(_)
            | Command::Tools(ToolsArguments { session: Some(_), .. })
            | Command::Sessions(
                SessionsCommand::Rm { .. }
                    | SessionsCommand::Fork { .. }
                    | SessionsCommand::Import { .. }
                    | SessionsCommand::Compact { .. }
                    | SessionsCommand::Configure(_)
                    | SessionsCommand::Rename { .. }
            )
            | Command::Worktrees(
                WorktreesCommand::Add { .. } | WorktreesCommand::Bring { .. } | WorktreesCommand::Rm { .. }
            )
            | Command::Keys(_)
            | Command::Memory(
                MemoryCommand::Accept { .. }
                    | MemoryCommand::Reject { .. }
                    | MemoryCommand::Edit { .. }
                    | MemoryCommand::Rm { .. }
            )
            | Command::Mcp(
                McpCommand::Test { .. }
                    | McpCommand::Add { .. }
                    | McpCommand::Rm { .. }
                    | McpCommand::Agree { .. }
                    | McpCommand::Login { .. }
                    | McpCommand::Prompts { .. }
            )
            | Command::Providers { command: Some(_) }
            | Command::Policy(_)
            | Command::Hooks(HooksCommand::Test { .. })
            | Command::Config(ConfigCommand::Set { .. } | ConfigCommand::Unset { .. } | ConfigCommand::Edit)
    );
    let sets_state = matches!(command, Command::Sessions(SessionsCommand::State(state)) if state.changes());
    if (steers || sets_state) && arki_engine::stands_under_a_tool() {
        return Err(Fault::new(
            Code::UNDER_TOOL,
            "This command runs inside one of Arki's tools, and tools may not control Arki.",
            "Run it in your own terminal.",
        ));
    }
    Ok(())
}
