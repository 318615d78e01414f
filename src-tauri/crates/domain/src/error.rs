//! Errors as the user and the window see them: a stable code, what happened, and what to do.

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
    /// Arki can't create a client for the provider.
    ADAPTER_INSTANTIATION,
    /// The address is not on the public internet, and the user has not allowed it.
    ADDRESS_REFUSED,
    /// No agent with this name is configured.
    AGENT_UNKNOWN,
    /// The model's answer kept repeating itself, so Arki stopped it.
    ANSWER_REPEATS,
    /// The model's answer took longer than `limits.maxAnswerSeconds`, so Arki stopped it.
    ANSWER_TIMEOUT,
    /// The model's answer is too long, or asks for too many tool calls.
    ANSWER_TOO_LONG,
    /// A request waited too long in a provider's queue.
    API_QUEUE_TIMEOUT,
    /// Over HTTP: the approval was already decided, and otherwise.
    APPROVAL_ALREADY_DECIDED,
    /// The approval was already decided.
    APPROVAL_ALREADY_RESOLVED,
    /// Nobody answered the approval in time.
    APPROVAL_EXPIRED,
    /// There is no approval with this id.
    APPROVAL_NOT_FOUND,
    /// The arguments of a tool call or a command are not JSON, or not what it takes.
    ARGUMENTS_INVALID,
    /// The session has no stored result with this name.
    ARTIFACT_NOT_FOUND,
    /// Over HTTP: the request has no token that is known.
    AUTHENTICATION_REQUIRED,
    /// Too many commands or sub-agents are already running in the background.
    BACKGROUND_FULL,
    /// The agent may change files, so it can't work in the background beside the run above.
    BACKGROUND_WOULD_WRITE,
    /// The branch is checked out in the project, so only git there may move it.
    BRANCH_CHECKED_OUT,
    /// The name can't be that of a branch.
    BRANCH_NAME_INVALID,
    /// A budget (turns, seconds or money) paused the run.
    BUDGET_EXHAUSTED,
    /// The run was cancelled.
    CANCELLED,
    /// The provider's certificate is not trusted on this computer.
    CERTIFICATE_UNTRUSTED,
    /// The lines to restore were changed again later, so Arki left them alone.
    CHANGE_CONFLICT,
    /// The log has no such change.
    CHANGE_NOT_FOUND,
    /// A change was written only in part and could not be undone.
    CHANGE_PARTLY_APPLIED,
    /// A command that reads for a mention did not succeed.
    COMMAND_FAILED,
    /// A command and its child processes were too many, used too much memory or wrote too much.
    COMMAND_OVER_LIMIT,
    /// A command could not be started.
    COMMAND_SPAWN_FAILED,
    /// There is no such slash command.
    COMMAND_UNKNOWN,
    /// Git refused to commit; the message has its words.
    COMMIT_FAILED,
    /// Arki can't commit here: there is no repository, a merge is under way, or git doesn't know who commits.
    COMMIT_UNAVAILABLE,
    /// The configuration was changed while it was being edited.
    CONFIG_CHANGED,
    /// The configuration has an error.
    CONFIG_INVALID,
    /// The configuration names a key that does not exist.
    CONFIG_UNKNOWN_KEY,
    /// Content stored beside the event log is missing or doesn't match its hash.
    CONTENT_DAMAGED,
    /// The provider refuses to answer because of the content.
    CONTENT_REFUSED,
    /// The request is longer than the model's context window.
    CONTEXT_TOO_LONG,
    /// This cursor belongs to another database.
    CURSOR_UNKNOWN,
    /// The database is damaged.
    DATABASE_DAMAGED,
    /// Another program has locked the database.
    DATABASE_LOCKED,
    /// The database was written by a newer Arki.
    DATABASE_NEWER,
    /// The disk is full.
    DISK_FULL,
    /// The document is damaged, or something else than its name says.
    DOCUMENT_BROKEN,
    /// The document is protected by a password.
    DOCUMENT_ENCRYPTED,
    /// Reading the document would take more memory or time than Arki gives it.
    DOCUMENT_TOO_LARGE,
    /// The document has no text, such as a scan.
    DOCUMENT_WITHOUT_TEXT,
    /// The text to replace occurs more than once.
    EDIT_AMBIGUOUS,
    /// The edit is invalid.
    EDIT_INVALID,
    /// The text to replace is not in the file.
    EDIT_NOT_FOUND,
    /// The new text contains a placeholder line instead of code.
    EDIT_PLACEHOLDER,
    /// The session has no event with this number.
    EVENT_NOT_FOUND,
    /// Something is nested too deeply to be stored.
    EVENT_TOO_DEEP,
    /// Something is too large to be stored.
    EVENT_TOO_LARGE,
    /// The file is not a complete and unchanged export.
    EXPORT_INVALID,
    /// The expression to calculate is invalid or has no value.
    EXPRESSION_INVALID,
    /// A web page could not be fetched.
    FETCH_FAILED,
    /// There is no such file or folder.
    FILE_NOT_FOUND,
    /// The file is not text.
    FILE_NOT_TEXT,
    /// The file is too large for this tool.
    FILE_TOO_LARGE,
    /// The folder does not exist or cannot be opened.
    FOLDER_UNAVAILABLE,
    /// Arki could not check everything a command left behind; git might run a program from it.
    GUARD_UNFINISHED,
    /// A session of another agent can't be read.
    HISTORY_UNREADABLE,
    /// A hook blocked the user's message.
    HOOK_BLOCKED_PROMPT,
    /// A hook stopped the run.
    HOOK_STOPPED,
    /// A skill or procedure file is invalid.
    GUIDE_INVALID,
    /// There is no such skill, procedure or skill file.
    GUIDE_UNKNOWN,
    /// A host can't be reached, or cut off its answer.
    HOST_UNREACHABLE,
    /// The hunk changes a file that another hunk moves, and that one wasn't accepted.
    HUNK_NEEDS_MOVE,
    /// The hunk has no lines that could be edited.
    HUNK_NOT_EDITABLE,
    /// The preview has no hunk with this number.
    HUNK_UNKNOWN,
    /// Over HTTP: a request with the same `Idempotency-Key` is still in progress.
    IDEMPOTENCY_IN_PROGRESS,
    /// Over HTTP: the `Idempotency-Key` was used for another request.
    IDEMPOTENCY_MISMATCH,
    /// The given part of an id matches several ids.
    ID_AMBIGUOUS,
    /// A file's earlier content is no longer kept.
    IMAGE_MISSING,
    /// The search index of the folder can't be used.
    INDEX_UNAVAILABLE,
    /// A bug in Arki; please report it.
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
    /// An MCP server didn't start, ended, or broke the protocol.
    MCP_SERVER_FAILED,
    /// No MCP server with this name is configured.
    MCP_SERVER_UNKNOWN,
    /// An MCP server's tool changed since you approved it.
    MCP_TOOL_CHANGED,
    /// Over HTTP: the body isn't said to be JSON.
    MEDIA_TYPE_UNSUPPORTED,
    /// No memory or proposal has this ID.
    MEMORY_UNKNOWN,
    /// The queue has no message with this id.
    MESSAGE_NOT_FOUND,
    /// The provider does not know the model.
    MODEL_NOT_FOUND,
    /// The model asked a question, but nobody can answer.
    NOBODY_TO_ASK,
    /// This client has no such thing around it, as a browser has no clipboard of files.
    NOT_AVAILABLE_HERE,
    /// No change of the session's can be committed by itself.
    NOTHING_TO_COMMIT,
    /// The model's plan could not be read, even after it was asked again.
    OUTPUT_PARSING_FAILED,
    /// No token of `arki serve` has this id.
    PAIRING_NOT_FOUND,
    /// The next request has no such part.
    PART_UNKNOWN,
    /// The patch is invalid, or contradicts itself or the files.
    PATCH_INVALID,
    /// The path is empty, too long, or a name that systems reserve.
    PATH_INVALID,
    /// A path points outside the project.
    PATH_OUTSIDE_PROJECT,
    /// A path has invisible or misleading characters, or a name that is not safe on every system.
    PATH_SUSPICIOUS,
    /// The search pattern is not a valid regular expression or glob.
    PATTERN_INVALID,
    /// The operating system does not permit it.
    PERMISSION_DENIED,
    /// The pipeline changed since the run started or the schedule was made.
    PIPELINE_CHANGED,
    /// A pipeline's definition has an error.
    PIPELINE_INVALID,
    /// A pipeline would go over one of its limits.
    PIPELINE_LIMIT,
    /// There is no pipeline with this name or path.
    PIPELINE_NOT_FOUND,
    /// A pipeline ran longer than `limits.run_timeout_seconds`.
    PIPELINE_TIMEOUT,
    /// The policy does not allow it.
    POLICY_DENIED,
    /// A prompt names a fragment that is not defined.
    PROMPT_FRAGMENT_NOT_FOUND,
    /// A prompt is empty, too long or contains itself.
    PROMPT_VALIDATION_FAILED,
    /// The provider's answer is not in the expected format.
    PROVIDER_BAD_ANSWER,
    /// The provider refused the request as malformed.
    PROVIDER_BAD_REQUEST,
    /// The provider failed on its side.
    PROVIDER_FAILED,
    /// The provider's account has no credit or quota left.
    PROVIDER_NO_CREDIT,
    /// The provider is limiting requests.
    PROVIDER_RATE_LIMITED,
    /// The connection ended in the middle of an answer.
    PROVIDER_STREAM_CUT,
    /// The provider did not answer in time.
    PROVIDER_TIMEOUT,
    /// The provider cannot be reached.
    PROVIDER_UNREACHABLE,
    /// The question was already answered.
    QUESTION_ALREADY_ANSWERED,
    /// The session has no such question.
    QUESTION_NOT_FOUND,
    /// The session's queue has no room for another message.
    QUEUE_FULL,
    /// Over HTTP: the request comes from another page, or names another host.
    REQUEST_REFUSED,
    /// Over HTTP: the body is larger than may be.
    REQUEST_TOO_LARGE,
    /// Over HTTP: the token may not do this.
    RIGHTS_MISSING,
    /// Over HTTP: there is nothing at this path (404), or not by this method (405).
    ROUTE_NOT_FOUND,
    /// There is no run with this id.
    RUN_NOT_FOUND,
    /// Commands can't be confined on this machine.
    SANDBOX_UNAVAILABLE,
    /// A secret's placeholder could not be resolved, so nothing was done.
    SECRET_UNRESOLVED,
    /// Another Arki process is running the session.
    SESSION_BUSY,
    /// The session belongs to another folder than the one given.
    SESSION_ELSEWHERE,
    /// A session with this id already exists with different content.
    SESSION_EXISTS,
    /// Other sessions were forked from this one, so it can't be removed.
    SESSION_HAS_FORKS,
    /// There is no session with this id.
    SESSION_NOT_FOUND,
    /// The session's log is broken, so it is read-only.
    SESSION_READ_ONLY,
    /// The file changed after the preview was made.
    STALE_PREVIEW,
    /// The session's state would become larger than it may be.
    STATE_TOO_LARGE,
    /// A step touches a path that the pipeline's `denylist_patterns` forbid.
    STEP_DENYLISTED,
    /// A step of a pipeline failed.
    STEP_FAILED,
    /// A step's output is too long, no text, or not what the pipeline says it is.
    STEP_OUTPUT_INVALID,
    /// The user rejected a step that asks for approval.
    STEP_REJECTED,
    /// A step took longer than its time limit.
    STEP_TIMEOUT,
    /// The program that a step runs isn't installed.
    STEP_TOOL_MISSING,
    /// The sub-agent failed or used up its budget before it finished.
    SUBAGENT_FAILED,
    /// The tool took longer than its time limit.
    TOOL_TIMEOUT,
    /// The tool does not exist.
    TOOL_UNKNOWN,
    /// An external tool's description or schema is invalid.
    TOOL_UNUSABLE,
    /// A command changed more files, or wrote more, than is reviewed at once. None of its changes was kept.
    TOO_MANY_CHANGES,
    /// Over HTTP: more requests, or readers, than are answered at once.
    TOO_MANY_REQUESTS,
    /// The folder has too many files for trust to cover.
    TRUST_TOO_LARGE,
    /// A tool tried to control Arki itself.
    UNDER_TOOL,
    /// The provider is not configured.
    UNKNOWN_PROVIDER,
    /// A file has unsaved changes in the editor, so it was not changed.
    UNSAVED_CHANGES,
    /// The folder is not trusted.
    UNTRUSTED,
    /// An update can't be found, downloaded or installed.
    UPDATE_FAILED,
    /// An update isn't signed by the key of Arki's releases, so it was not installed.
    UPDATE_NOT_SIGNED,
    /// The text is not a URL that fetch_url can read.
    URL_INVALID,
    /// Arki can't do this as requested.
    USAGE,
    /// No more windows are opened.
    WINDOWS_FULL,
    /// The changes in a worktree and those in the project since then don't go together.
    WORKTREE_CONFLICT,
    /// There is a worktree or another folder of this name already.
    WORKTREE_EXISTS,
    /// Git could not make a worktree, or take something from one.
    WORKTREE_FAILED,
    /// This worktree doesn't exist, or its changes can't be brought back.
    WORKTREE_GONE,
    /// The folder has too many files, or too large ones, for a worktree.
    WORKTREE_TOO_LARGE,
    /// Can't create a worktree for this folder, or its changes can't be brought back.
    WORKTREE_UNAVAILABLE,
    /// The worktree has no commit that the project doesn't have.
    WORKTREE_UNCHANGED,
    /// The worktree has work that is nowhere else.
    WORKTREE_UNSAVED,
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// An error, for people and for programs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    pub code: String,
    pub message: String,
    pub hint: String,
    /// The time to wait, in milliseconds, that whoever refused asks for.
    #[serde(skip)]
    pub retry_after_ms: Option<u64>,
    /// The error of a library or server behind it, in its own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
}

/// Bytes of a cause.
const MAX_CAUSE_BYTES: usize = 1000;

impl Error {
    pub fn new(code: Code, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { code: code.0.to_owned(), message: message.into(), hint: hint.into(), retry_after_ms: None, cause: None }
    }

    /// Makes the error for a state that should not be reachable; `what` says which expectation failed.
    pub fn internal(what: impl fmt::Display) -> Self {
        Self::new(
            Code::INTERNAL,
            format!("Something failed inside Arki: {what}"),
            "Everything shown as saved is safe. Please report this with the log from the data directory.",
        )
    }

    #[must_use]
    pub fn caused_by(self, cause: &str) -> Self {
        let cause = &cause[..cause.floor_char_boundary(MAX_CAUSE_BYTES)];
        Self { cause: (!cause.is_empty()).then(|| cause.to_owned()), ..self }
    }

    #[must_use]
    pub fn is(&self, code: Code) -> bool {
        self.code == code.0
    }
}
