//! Exit codes, as the contract lists them.

use arki_domain::{Code, Error};
use arki_engine::RunEnd;
use std::process::ExitCode;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    Done = 0,
    Failed = 1,
    /// Wrong use or configuration.
    Usage = 2,
    /// Stopped at an approval that nobody could give, or at a question that nobody answered.
    Approval = 3,
    /// A call was denied because the folder is not trusted.
    Untrusted = 4,
    /// A budget, or the user, paused the run.
    Budget = 5,
    Cancelled = 130,
}

/// The end of a command: its code, or the fault that becomes one.
pub(crate) type CommandExit = Result<Exit, Error>;

/// Faults of the way Arki was called or set up, rather than of what it did.
const USAGE_CODES: &[Code] = &[
    Code::AGENT_UNKNOWN,
    Code::APPROVAL_ALREADY_RESOLVED,
    Code::APPROVAL_EXPIRED,
    Code::APPROVAL_NOT_FOUND,
    Code::ARTIFACT_NOT_FOUND,
    Code::BRANCH_NAME_INVALID,
    Code::CHANGE_NOT_FOUND,
    Code::COMMAND_UNKNOWN,
    Code::CONFIG_CHANGED,
    Code::CONFIG_INVALID,
    Code::CONFIG_UNKNOWN_KEY,
    Code::CURSOR_UNKNOWN,
    Code::EVENT_NOT_FOUND,
    Code::EXPORT_INVALID,
    Code::FOLDER_UNAVAILABLE,
    Code::GUIDE_UNKNOWN,
    Code::HUNK_UNKNOWN,
    Code::ID_AMBIGUOUS,
    Code::MCP_SERVER_UNKNOWN,
    Code::MEMORY_UNKNOWN,
    Code::MESSAGE_NOT_FOUND,
    Code::PART_UNKNOWN,
    Code::PATH_INVALID,
    Code::PATH_OUTSIDE_PROJECT,
    Code::PATH_SUSPICIOUS,
    Code::PIPELINE_CHANGED,
    Code::PIPELINE_INVALID,
    Code::PIPELINE_NOT_FOUND,
    Code::PROMPT_FRAGMENT_NOT_FOUND,
    Code::PROMPT_VALIDATION_FAILED,
    Code::QUESTION_ALREADY_ANSWERED,
    Code::QUESTION_NOT_FOUND,
    Code::RUN_NOT_FOUND,
    Code::SESSION_NOT_FOUND,
    Code::TOOL_UNKNOWN,
    Code::UNDER_TOOL,
    Code::UNKNOWN_PROVIDER,
    Code::USAGE,
    Code::WORKTREE_EXISTS,
    Code::WORKTREE_GONE,
];

impl Exit {
    pub(crate) fn of_fault(fault: &Error) -> Self {
        match USAGE_CODES.iter().any(|code| fault.is(*code)) {
            true => Self::Usage,
            false => Self::Failed,
        }
    }

    pub(crate) fn of_run(end: &RunEnd, denied_untrusted: bool) -> Self {
        match end {
            RunEnd::Completed { .. } if denied_untrusted => Self::Untrusted,
            RunEnd::Completed { .. } => Self::Done,
            RunEnd::Failed(fault) if fault.is(Code::UNTRUSTED) => Self::Untrusted,
            RunEnd::Failed(_) => Self::Failed,
            RunEnd::Cancelled => Self::Cancelled,
            RunEnd::AwaitingApproval(_) | RunEnd::AwaitingAnswer(_) => Self::Approval,
            RunEnd::BudgetExhausted | RunEnd::Paused => Self::Budget,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// The fault of a wrong use of the command line.
pub(crate) fn wrong_use(message: impl Into<String>, hint: impl Into<String>) -> Error {
    Error::new(Code::USAGE, message, hint)
}
