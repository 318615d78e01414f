//! Errors of the database, in sentences for people and codes for programs.

use arki_domain::{ApprovalId, Code, Error, SessionId, io_words};
use rusqlite::ffi::ErrorCode;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    #[error("Can't use the database at {}: another program has locked it.", path.display())]
    Locked { path: PathBuf },
    #[error("The database at {} was written by a newer Arki (layout version {found}; this Arki supports up to \
        {known}).", path.display())]
    Newer { path: PathBuf, found: i64, known: i64 },
    #[error("The database at {} was written by an older Arki and is open read-only.", path.display())]
    Older { path: PathBuf },
    #[error("The database at {} can only be read through a copy, and Arki can't make one in {}: {detail}.", path.display(), folder.display())]
    NoCopy { path: PathBuf, folder: PathBuf, detail: String },
    #[error("The database at {} is damaged: {detail}.", path.display())]
    Damaged { path: PathBuf, detail: String },
    #[error("The file at {} is not an Arki database, or is damaged beyond recognition.", path.display())]
    NotArkis { path: PathBuf },
    #[error("The disk is full: the database at {} can't grow.", path.display())]
    DiskFull { path: PathBuf },
    #[error("There is no database at {}.", path.display())]
    Missing { path: PathBuf },
    #[error("The database at {} was deleted or replaced while Arki was using it.", path.display())]
    Gone { path: PathBuf },
    #[error("Arki isn't allowed to write the database at {}: {detail}.", path.display())]
    NotPermitted { path: PathBuf, detail: String },
    #[error("Can't read or write the database at {}: {detail}.", path.display())]
    Io { path: PathBuf, detail: String },
    #[error("There is no session {wanted}.")]
    SessionNotFound { wanted: String },
    #[error("Another process took over the session {session_id} while this one was suspended, so this run stopped.")]
    LeaseLost { session_id: SessionId },
    #[error("Another Arki process (pid {pid}) is running the session {session_id}.")]
    SessionBusy { session_id: SessionId, pid: u32 },
    #[error("The log of session {session_id} is broken at event {seq}, so the session is read-only.")]
    SessionBroken { session_id: SessionId, seq: u64 },
    #[error("Can't remove session {session_id}: other sessions were forked from it, {}.", forks.join(", "))]
    SessionHasForks { session_id: SessionId, forks: Vec<String> },
    #[error("The approval {approval_id} is no longer pending.")]
    ApprovalDecided { approval_id: ApprovalId },
    #[error("Another request with the same `Idempotency-Key` was answered at the same time.")]
    RequestAnswered,
    #[error("An event of {bytes} bytes is larger than the limit of {limit}.")]
    EventTooLarge { bytes: usize, limit: usize },
    #[error("An event is nested deeper than the limit of {limit} levels.")]
    EventTooDeep { limit: usize },
    #[error("Content of {bytes} bytes is larger than the limit of {limit}.")]
    BlobTooLarge { bytes: usize, limit: usize },
    #[error("Can't import line {line} of the export: {detail}.")]
    ExportInvalid { line: u64, detail: String },
    #[error("The export is too large to import: the limits are {events} events and {} MiB.", bytes >> 20)]
    ImportTooLarge { events: u64, bytes: u64 },
    #[error("The session {session_id} already exists here with a different log.")]
    SessionExists { session_id: SessionId },
    #[error("This cursor belongs to another database.")]
    CursorUnknown,
    #[error("The database is closed.")]
    Closed,
    #[error("Something failed inside Arki's database: {detail}.")]
    Internal { detail: String },
}

impl StoreError {
    #[must_use]
    pub fn code(&self) -> Code {
        match self {
            Self::Locked { .. } => Code::DATABASE_LOCKED,
            Self::Newer { .. } => Code::DATABASE_NEWER,
            Self::Damaged { .. } | Self::NotArkis { .. } => Code::DATABASE_DAMAGED,
            Self::DiskFull { .. } => Code::DISK_FULL,
            Self::Missing { .. } => Code::FILE_NOT_FOUND,
            Self::NotPermitted { .. } => Code::PERMISSION_DENIED,
            Self::Older { .. } | Self::NoCopy { .. } | Self::Gone { .. } | Self::Io { .. } => Code::IO_FAILED,
            Self::SessionNotFound { .. } => Code::SESSION_NOT_FOUND,
            Self::SessionBusy { .. } | Self::LeaseLost { .. } => Code::SESSION_BUSY,
            Self::SessionBroken { .. } => Code::SESSION_READ_ONLY,
            Self::SessionHasForks { .. } => Code::SESSION_HAS_FORKS,
            Self::ApprovalDecided { .. } => Code::APPROVAL_ALREADY_RESOLVED,
            Self::RequestAnswered => Code::IDEMPOTENCY_IN_PROGRESS,
            Self::CursorUnknown => Code::CURSOR_UNKNOWN,
            Self::ExportInvalid { .. } => Code::EXPORT_INVALID,
            Self::SessionExists { .. } => Code::SESSION_EXISTS,
            Self::BlobTooLarge { .. } | Self::ImportTooLarge { .. } => Code::FILE_TOO_LARGE,
            Self::EventTooLarge { .. } => Code::EVENT_TOO_LARGE,
            Self::EventTooDeep { .. } => Code::EVENT_TOO_DEEP,
            Self::Closed | Self::Internal { .. } => Code::INTERNAL,
        }
    }

    /// Returns what to do about it.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Locked { .. } => "Close the other program, or wait and try again.",
            Self::Newer { .. } => "Update Arki, or set ARKI_DATA_DIR to another folder.",
            Self::Older { .. } => "Start Arki once with this data folder to update the database.",
            Self::NoCopy { .. } => "Set TMPDIR to a folder with enough space for a copy of the database.",
            Self::Damaged { .. } => "Start Arki again: it keeps the damaged file and recovers what it can.",
            Self::NotArkis { .. } => {
                "Arki left it untouched. Replace it with a backup, or move it away so that Arki creates a new one."
            }
            Self::DiskFull { .. } => "Free some space and try again. Everything saved before is intact.",
            Self::Missing { .. } => "Run something first, or set ARKI_DATA_DIR to the folder that holds arki.db.",
            Self::Gone { .. } => "Nothing more was saved. Restore the data folder from a backup, or start again.",
            Self::NotPermitted { .. } => {
                "Make the folder and its files writable, or set ARKI_DATA_DIR to another \
                folder."
            }
            Self::Io { .. } => "Check the disk and the folder, then try again. Everything saved before is intact.",
            Self::SessionNotFound { .. } => "Run `arki sessions list` to see all sessions.",
            Self::LeaseLost { .. } => "Its work so far is saved. Run `arki events` to see how the session continued.",
            Self::SessionBusy { .. } => "Wait until it finishes, or stop it there.",
            Self::SessionHasForks { .. } => "Remove those sessions first.",
            Self::SessionBroken { .. } => "Run `arki verify` for details, and continue in a new session.",
            Self::ApprovalDecided { .. } => "Run `arki approvals list` to see pending approvals.",
            Self::RequestAnswered => "Send the request again to get its answer.",
            Self::EventTooLarge { .. } | Self::EventTooDeep { .. } | Self::BlobTooLarge { .. } => {
                "Ask for less at a time."
            }
            Self::ExportInvalid { .. } => {
                "Nothing was imported. Export the session again, and copy the file without changing it."
            }
            Self::ImportTooLarge { .. } => "Nothing was imported. Export fewer sessions at once.",
            Self::SessionExists { .. } => "Nothing was imported. To replace the session here, remove it first.",
            Self::CursorUnknown => "Start again without a cursor.",
            Self::Closed => "Start Arki again.",
            Self::Internal { .. } => {
                "Everything shown as saved is safe. Please report this with the log from the data directory."
            }
        }
    }

    /// Says of which file an error speaks that was made where the file was not known.
    #[must_use]
    pub(crate) fn located(mut self, at: &Path) -> Self {
        match &mut self {
            Self::Locked { path }
            | Self::Damaged { path, .. }
            | Self::DiskFull { path }
            | Self::NotPermitted { path, .. }
            | Self::Io { path, .. }
                if path.as_os_str().is_empty() =>
            {
                *path = at.to_owned();
            }
            _ => {}
        }
        self
    }

    pub(crate) fn internal(what: impl std::fmt::Display) -> Self {
        Self::Internal { detail: what.to_string() }
    }

    pub(crate) fn damaged(what: impl std::fmt::Display) -> Self {
        Self::Damaged { path: PathBuf::new(), detail: what.to_string() }
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        let path = PathBuf::new();
        let detail = error.to_string();
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed) => {
                Self::Locked { path }
            }
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Damaged { path, detail },
            Some(ErrorCode::DiskFull) => Self::DiskFull { path },
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => Self::NotPermitted { path, detail },
            Some(ErrorCode::CannotOpen | ErrorCode::SystemIoFailure) => Self::Io { path, detail },
            _ => Self::Internal { detail },
        }
    }
}

impl From<std::io::Error> for StoreError {
    fn from(error: std::io::Error) -> Self {
        use std::io::ErrorKind;
        let path = PathBuf::new();
        match error.kind() {
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
                Self::NotPermitted { path, detail: io_words(error.kind()).to_owned() }
            }
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Self::DiskFull { path },
            kind => Self::Io { path, detail: io_words(kind).to_owned() },
        }
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        Self::new(error.code(), error.to_string(), error.hint())
    }
}
