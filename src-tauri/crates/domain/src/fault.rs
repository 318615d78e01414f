//! Errors as the user and the window see them: a stable code, what happened, and what to do.

use crate::Redactor;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A stable SCREAMING_SNAKE_CASE code. The list for readers is `docs/errors.md`; a test keeps the two the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Code(pub &'static str);

macro_rules! codes {
    ($($(#[doc = $doc:literal])* $name:ident),* $(,)?) => {
        impl Code {
            $($(#[doc = $doc])* pub const $name: Code = Code(stringify!($name));)*

            /// Every code with its one-line meaning, in alphabetical order.
            pub const ALL: &[(Code, &str)] = &[$((Code::$name, concat!($($doc),*).trim_ascii())),*];
        }
    };
}

codes! {
    /// A provider's client could not be made.
    ADAPTER_INSTANTIATION,
    /// The address is not on the public internet, and the user has not allowed it.
    ADDRESS_REFUSED,
    /// No agent of this name is configured.
    AGENT_UNKNOWN,
    /// The model's answer repeats itself word for word and was stopped.
    ANSWER_REPEATS,
    /// The model's answer took longer than `limits.maxAnswerSeconds` and was stopped.
    ANSWER_TIMEOUT,
    /// The model's answer is longer, or asks for more tool calls, than Arki takes.
    ANSWER_TOO_LONG,
    /// A request waited too long for its turn at a provider.
    API_QUEUE_TIMEOUT,
    /// The approval was decided before.
    APPROVAL_ALREADY_RESOLVED,
    /// Nobody answered the approval in the time that it had.
    APPROVAL_EXPIRED,
    /// There is no approval with this id.
    APPROVAL_NOT_FOUND,
    /// A tool call's arguments are not JSON or break the tool's schema.
    ARGUMENTS_INVALID,
    /// The session keeps nothing under this name.
    ARTIFACT_NOT_FOUND,
    /// As many commands go on in the background as may.
    BACKGROUND_FULL,
    /// A budget (turns, seconds or money) paused the run.
    BUDGET_EXHAUSTED,
    /// The run was cancelled.
    CANCELLED,
    /// The provider's certificate is not trusted on this computer.
    CERTIFICATE_UNTRUSTED,
    /// What should be taken back was changed again since, so that it was left as it is.
    CHANGE_CONFLICT,
    /// The log has no such change.
    CHANGE_NOT_FOUND,
    /// A change was written only in part and could not be taken back.
    CHANGE_PARTLY_APPLIED,
    /// A command with all that it started had too many processes, took too much memory or wrote too much.
    COMMAND_OVER_LIMIT,
    /// A command could not be started.
    COMMAND_SPAWN_FAILED,
    /// The configuration has an error.
    CONFIG_INVALID,
    /// The configuration names a key that does not exist.
    CONFIG_UNKNOWN_KEY,
    /// A content beside the event log is missing, or is not the one that its hash says.
    CONTENT_DAMAGED,
    /// The provider refuses to answer this for what it says.
    CONTENT_REFUSED,
    /// The request is longer than the model's context window.
    CONTEXT_TOO_LONG,
    /// The database is damaged.
    DATABASE_DAMAGED,
    /// Another program holds the database and does not let go.
    DATABASE_LOCKED,
    /// The database was written by a newer Arki.
    DATABASE_NEWER,
    /// The disk is full.
    DISK_FULL,
    /// The text to replace occurs more than once.
    EDIT_AMBIGUOUS,
    /// The edit itself makes no sense.
    EDIT_INVALID,
    /// The text to replace is not in the file.
    EDIT_NOT_FOUND,
    /// The new text has a line that only stands for code which it leaves out.
    EDIT_PLACEHOLDER,
    /// The session has no event of this number.
    EVENT_NOT_FOUND,
    /// Something is nested too deeply to be stored.
    EVENT_TOO_DEEP,
    /// Something is too large to be stored.
    EVENT_TOO_LARGE,
    /// The file is not a complete and unchanged export.
    EXPORT_INVALID,
    /// The expression to calculate makes no sense or has no value.
    EXPRESSION_INVALID,
    /// A page of the web could not be fetched.
    FETCH_FAILED,
    /// There is no such file or folder.
    FILE_NOT_FOUND,
    /// The file is not text.
    FILE_NOT_TEXT,
    /// The file is too large for this tool.
    FILE_TOO_LARGE,
    /// The folder does not exist or cannot be opened.
    FOLDER_UNAVAILABLE,
    /// Not all that a command left could be looked at: a repository that makes git run a program may be left.
    GUARD_UNFINISHED,
    /// A skill or procedure can't be read as one.
    GUIDE_INVALID,
    /// There is no skill or procedure of this name, or no such file of a skill.
    GUIDE_UNKNOWN,
    /// A host can't be reached, or breaks off its answer.
    HOST_UNREACHABLE,
    /// The hunk has no lines that could be edited.
    HUNK_NOT_EDITABLE,
    /// A hunk number that the preview does not have.
    HUNK_UNKNOWN,
    /// Several ids fit the part of one that was given.
    ID_AMBIGUOUS,
    /// A file's earlier content is no longer kept.
    IMAGE_MISSING,
    /// Something failed that should not; please report it.
    INTERNAL,
    /// The file system refused or failed.
    IO_FAILED,
    /// The operating system's keychain cannot be used.
    KEYCHAIN_UNAVAILABLE,
    /// The key that the provider needs is missing.
    KEY_MISSING,
    /// The provider refused the key.
    KEY_REFUSED,
    /// The local provider is answering another request.
    LOCAL_INSTANCE_BUSY,
    /// Another local provider is in use.
    LOCAL_PROVIDER_CONFLICT,
    /// The event log's hash chain is broken.
    LOG_CHAIN_BROKEN,
    /// The MCP server asks the user to sign in.
    MCP_AUTHORIZATION_NEEDED,
    /// An MCP server answered a call with an error.
    MCP_CALL_REFUSED,
    /// An MCP server cannot be started, ended, or does not keep to the protocol.
    MCP_SERVER_FAILED,
    /// No MCP server of this name is configured.
    MCP_SERVER_UNKNOWN,
    /// An MCP server's tool is no longer what was agreed to.
    MCP_TOOL_CHANGED,
    /// No message of this id waits in the queue.
    MESSAGE_NOT_FOUND,
    /// The provider does not know the model.
    MODEL_NOT_FOUND,
    /// The model asks the user where nobody can answer.
    NOBODY_TO_ASK,
    /// The patch can't be read, or contradicts itself or the files that are there.
    PATCH_INVALID,
    /// The path is empty, too long, or a name that systems reserve.
    PATH_INVALID,
    /// A path leads out of the project.
    PATH_OUTSIDE_PROJECT,
    /// A path has invisible or misleading characters, or a name that is not safe on every system.
    PATH_SUSPICIOUS,
    /// The search pattern is not a valid regular expression or glob.
    PATTERN_INVALID,
    /// The operating system does not permit it.
    PERMISSION_DENIED,
    /// The policy does not allow it.
    POLICY_DENIED,
    /// The provider answered with something that is not its own format.
    PROVIDER_BAD_ANSWER,
    /// The provider refused the request as malformed.
    PROVIDER_BAD_REQUEST,
    /// The provider failed on its side.
    PROVIDER_FAILED,
    /// The provider's account has no credit or quota left.
    PROVIDER_NO_CREDIT,
    /// The provider asks to slow down.
    PROVIDER_RATE_LIMITED,
    /// The connection ended in the middle of an answer.
    PROVIDER_STREAM_CUT,
    /// The provider did not answer in time.
    PROVIDER_TIMEOUT,
    /// The provider cannot be reached.
    PROVIDER_UNREACHABLE,
    /// The question no longer waits for an answer.
    QUESTION_ALREADY_ANSWERED,
    /// The session has no such question.
    QUESTION_NOT_FOUND,
    /// The session's queue has no room for another message.
    QUEUE_FULL,
    /// There is no run with this id.
    RUN_NOT_FOUND,
    /// Commands can't be confined on this machine.
    SANDBOX_UNAVAILABLE,
    /// A placeholder of a secret could not be put back, so nothing was done.
    SECRET_UNRESOLVED,
    /// The session is being run by another Arki process.
    SESSION_BUSY,
    /// The session works in another folder than the one it was named with.
    SESSION_ELSEWHERE,
    /// A session of this id is here already, and says something else.
    SESSION_EXISTS,
    /// Other sessions begin where this one stood, so it cannot be removed.
    SESSION_HAS_FORKS,
    /// There is no session with this id.
    SESSION_NOT_FOUND,
    /// The session's log is broken, so it is read-only.
    SESSION_READ_ONLY,
    /// The file changed after the preview was made.
    STALE_PREVIEW,
    /// The sub-agent failed or used up its budget before it was done.
    SUBAGENT_FAILED,
    /// The tool took longer than its time limit.
    TOOL_TIMEOUT,
    /// The tool does not exist.
    TOOL_UNKNOWN,
    /// A tool from outside describes itself in a way that cannot be offered to a model.
    TOOL_UNUSABLE,
    /// There is more to pin in the folder than trust can cover.
    TRUST_TOO_LARGE,
    /// A tool must not steer Arki itself.
    UNDER_TOOL,
    /// The provider is not configured.
    UNKNOWN_PROVIDER,
    /// The folder is not trusted.
    UNTRUSTED,
    /// The text is not an address that can be fetched.
    URL_INVALID,
    /// The command line was used wrongly.
    USAGE,
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// What went wrong, for people and for programs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    pub code: String,
    pub message: String,
    pub hint: String,
    /// How long whoever refused asks to wait, in milliseconds.
    #[serde(skip)]
    pub retry_after_ms: Option<u64>,
}

impl Fault {
    pub fn new(code: Code, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { code: code.0.to_owned(), message: message.into(), hint: hint.into(), retry_after_ms: None }
    }

    /// For a state that should not be reachable; `what` says which expectation failed.
    pub fn internal(what: impl fmt::Display) -> Self {
        Self::new(
            Code::INTERNAL,
            format!("Something failed inside Arki: {what}"),
            "Nothing that was shown as saved is lost. Please report this with the log from the data directory.",
        )
    }

    /// Without keys: a server may repeat one, also another's, in what it says.
    #[must_use]
    pub fn redacted(self, redactor: &Redactor) -> Self {
        Self {
            message: redactor.redact(&self.message).into_owned(),
            hint: redactor.redact(&self.hint).into_owned(),
            ..self
        }
    }

    #[must_use]
    pub fn is(&self, code: Code) -> bool {
        self.code == code.0
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.message)
    }
}

impl std::error::Error for Fault {}
