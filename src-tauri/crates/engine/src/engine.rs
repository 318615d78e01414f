//! The engine: one data directory, opened once a process.

use crate::accounts::Accounts;
use crate::accounts::environment_keys::EnvironmentKeys;
use crate::accounts::keys::AnchorKey;
use crate::accounts::keys::anchor_key;
use crate::accounts::placeholder_key::placeholder_key;
use crate::approvals::review::ReviewDiff;
use crate::config;
use crate::events::announcer::Announcer;
use crate::events::bus::Bus;
use crate::events::recorded_log::RecordedLog;
use crate::events::subscription::{EventFilter, Subscription};
use crate::mcp::McpServers;
use crate::projects::leavings::Leavings;
use crate::runs::background::above::LateLog;
use crate::runs::claim::Claims;
use crate::sessions::contents::Contents;
use crate::sessions::names;
use crate::sessions::wholeness::Found;
use crate::this_process::is_alive;
use crate::{ActiveRun, Directories};
use arki_domain::projection::SessionSummary;
use arki_domain::{
    Clock, Code, ContentStore, Event, EventLog, Fault, LiveBus, Redactor, RunId, SessionId, SystemClock,
};
use arki_store::{
    ApprovalRecord, ContentsReport, EventPage, Reader, Salvaged, Store, StoreError, StoreOptions, VerifyReport,
    open_or_salvage,
};
use arki_tools::BackgroundCommands;
use arki_workspace::{Sandbox, SandboxStatus, create_private_dir, write_private_file};
use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use tokio::sync::OnceCell;
use tokio::task::JoinHandle;

/// How an engine is opened.
#[derive(Debug, Clone)]
pub struct EngineOptions {
    pub directories: Directories,
    /// Keep nothing after the process.
    pub ephemeral: bool,
    /// Keys that were taken out of this process's environment; empty where they stay in it.
    pub environment_keys: EnvironmentKeys,
}

pub struct Engine {
    /// For what is handed to a run and leads back here.
    pub(crate) me: Weak<Self>,
    pub(crate) directories: Directories,
    pub(crate) store: Arc<Store>,
    pub(crate) log: Arc<RecordedLog>,
    pub(crate) bus: Arc<Bus>,
    pub(crate) announcer: Arc<Announcer>,
    pub(crate) contents: Arc<dyn ContentStore>,
    pub(crate) redactor: Redactor,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) accounts: Accounts,
    /// Names this process in leases.
    pub(crate) owner: String,
    pub(crate) active: Arc<Mutex<HashMap<SessionId, ActiveRun>>>,
    pub(crate) claims: Claims,
    pub(crate) background: Arc<BackgroundCommands>,
    /// So that what came of a sub-agent's call is told once.
    pub(crate) telling_above: tokio::sync::Mutex<()>,
    /// Which logs are known to be whole.
    pub(crate) found: Found,
    sandbox: OnceLock<SandboxStatus>,
    pub(crate) ephemeral: bool,
    /// Whether a completed run is followed by what waits in its session.
    pub(crate) follows_up: AtomicBool,
    /// Whether somebody sees what the model asks.
    pub(crate) puts_questions: AtomicBool,
    /// Loaded when a log is first vouched for; `None` where no keychain has it.
    pub(crate) anchor_key: OnceCell<Option<AnchorKey>>,
    pub(crate) anchoring: Mutex<Vec<JoinHandle<()>>>,
    /// What became of a damaged database when this engine was opened.
    salvaged: Option<Salvaged>,
    /// For a run that keeps nothing: what the user decided before it.
    pub(crate) decided_before: Option<Arc<Reader>>,
    pub(crate) mcp: McpServers,
    /// The large diff that was last looked at, by its hash.
    reviewed: Mutex<Option<(String, ReviewDiff)>>,
    pub(crate) leavings: Arc<Leavings>,
}

impl Engine {
    /// Opens the data directory; the first start writes the configuration's template.
    ///
    /// # Errors
    /// When the directories or the database cannot be used; the fault says why and what to do.
    pub fn open(options: EngineOptions) -> Result<Arc<Self>, Fault> {
        ensure_config(&options.directories)?;
        let database = options.directories.database();
        let decided_before = match options.ephemeral && database.exists() {
            true => Some(Store::open_read_only(&database)?),
            false => None,
        };
        Self::over(options, decided_before, |options, store_options| match options.ephemeral {
            true => Ok((Store::open_in_memory(store_options)?, None)),
            false => open_or_salvage(&database, store_options),
        })
    }

    /// As [`Self::open`] for whoever only reads: on a disk that can't be written it shows what is there, and every write
    /// fails with the reason.
    ///
    /// # Errors
    /// Those of [`Self::open`].
    pub fn open_to_read(options: EngineOptions) -> Result<Arc<Self>, Fault> {
        ensure_config(&options.directories)?;
        let database = options.directories.database();
        Self::over(options, None, |_, store_options| match open_or_salvage(&database, store_options.clone()) {
            Err(refused @ (StoreError::NotPermitted { .. } | StoreError::Io { .. } | StoreError::DiskFull { .. })) => {
                match Store::open_unwritable(&database, store_options, refused.clone()) {
                    Ok(store) => Ok((store, None)),
                    Err(error) => {
                        tracing::info!(%error, "the database can't be read either");
                        Err(refused)
                    }
                }
            }
            opened => opened,
        })
    }

    /// Why nothing can be kept, where the engine was opened to read; `None` where everything works.
    #[must_use]
    pub fn unwritable(&self) -> Option<Fault> {
        self.store.unwritable().cloned().map(Fault::from)
    }

    /// For what can be told where the data directory cannot be used: nothing of it is touched, nothing is kept.
    pub(crate) fn without_database(options: EngineOptions) -> Result<Arc<Self>, Fault> {
        let options = EngineOptions { ephemeral: true, ..options };
        Self::over(options, None, |_, store_options| Ok((Store::open_in_memory(store_options)?, None)))
    }

    fn over(
        options: EngineOptions,
        decided_before: Option<Reader>,
        open_store: impl FnOnce(&EngineOptions, StoreOptions) -> Result<(Store, Option<Salvaged>), StoreError>,
    ) -> Result<Arc<Self>, Fault> {
        let redactor = Redactor::new(placeholder_key(&options.directories, !options.ephemeral));
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let store_options = StoreOptions { clock: clock.clone(), redactor: redactor.clone() };
        let (store, salvaged) = open_store(&options, store_options)?;
        let EngineOptions { directories, ephemeral, environment_keys } = options;
        let store = Arc::new(store.with_process_check(is_alive));
        let bus = Arc::new(Bus::new());
        let contents = Arc::new(Contents::new(store.clone()));
        let announcer = Arc::new(Announcer::new(store.clone(), bus.clone()));
        let log = Arc::new(RecordedLog::new(store.clone(), announcer.clone()));
        Ok(Arc::new_cyclic(|me| Self {
            me: me.clone(),
            leavings: Arc::new(Leavings::new(directories.untold())),
            accounts: Accounts::new(directories.clone(), redactor.clone(), environment_keys),
            directories,
            background: Arc::new(BackgroundCommands::new(Arc::new(LateLog { log: log.clone(), engine: me.clone() }))),
            telling_above: tokio::sync::Mutex::default(),
            log,
            store,
            bus,
            announcer,
            contents,
            redactor,
            clock,
            owner: RunId::new().to_string(),
            active: Arc::default(),
            claims: Claims::default(),
            found: Found::default(),
            sandbox: OnceLock::new(),
            ephemeral,
            follows_up: AtomicBool::new(false),
            puts_questions: AtomicBool::new(false),
            anchor_key: OnceCell::new(),
            anchoring: Mutex::default(),
            salvaged,
            decided_before: decided_before.map(Arc::new),
            mcp: McpServers::default(),
            reviewed: Mutex::default(),
        }))
    }

    #[must_use]
    pub fn directories(&self) -> &Directories {
        &self.directories
    }

    /// Everything that is announced from now on.
    #[must_use]
    pub fn subscribe(&self) -> Subscription {
        self.subscribe_to(EventFilter::default())
    }

    /// What the filter lets through of what is announced from now on.
    #[must_use]
    pub fn subscribe_to(&self, filter: EventFilter) -> Subscription {
        self.bus.subscribe(filter)
    }

    #[must_use]
    pub fn accounts(&self) -> &Accounts {
        &self.accounts
    }

    #[must_use]
    pub fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    /// What became of a damaged database; `None` where it was whole.
    #[must_use]
    pub fn salvaged(&self) -> Option<&Salvaged> {
        self.salvaged.as_ref()
    }

    /// Writes what waits and closes the database.
    ///
    /// # Errors
    /// When the write-ahead log could not be emptied; nothing is lost by it.
    pub fn close(&self) -> Result<(), Fault> {
        Ok(self.store.close()?)
    }

    /// Sessions, the newest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn sessions(&self, limit: usize) -> Result<Vec<SessionSummary>, Fault> {
        Ok(self.reader().sessions(limit, 0)?)
    }

    pub(crate) fn session(&self, session: &SessionId) -> Result<SessionSummary, Fault> {
        self.reader().session(session)?.ok_or_else(|| {
            Fault::new(
                Code::SESSION_NOT_FOUND,
                format!("There is no session {session}."),
                "`arki sessions list` shows the sessions there are.",
            )
        })
    }

    /// The newest session of a folder.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn latest_session(&self, project: &Path) -> Result<Option<SessionSummary>, Fault> {
        Ok(self.reader().latest_session(&project.display().to_string())?)
    }

    /// The events of a session with numbers above `after_seq`.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn events_after(&self, session: &SessionId, after_seq: u64, limit: usize) -> Result<EventPage, Fault> {
        Ok(self.reader().events(session, after_seq, limit)?)
    }

    /// The events of a run; `None` when there is no such run.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn run_events(&self, run: &str) -> Result<Option<Vec<Event>>, Fault> {
        let run = RunId::from(run);
        match self.reader().run(&run)? {
            Some(_) => Ok(Some(self.reader().run_events(&run)?)),
            None => Ok(None),
        }
    }

    /// What waits for the user in all sessions, the newest first. What came with an export waits where it was asked.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn pending_approvals(&self) -> Result<Vec<ApprovalRecord>, Fault> {
        let mut pending = Vec::new();
        for record in self.reader().pending_approvals(MAX_APPROVALS)? {
            let is_imported = record.run_id.as_ref().map(|run_id| self.reader().is_imported(run_id)).transpose()?;
            if is_imported != Some(true) {
                pending.push(record);
            }
        }
        Ok(pending)
    }

    /// Whether nothing is kept once this engine is closed.
    #[must_use]
    pub fn is_ephemeral(&self) -> bool {
        self.ephemeral
    }

    /// Runs what blocks, such as folding a long log or walking a large folder, beside the threads on which heartbeats,
    /// streams and Ctrl-C are waited for.
    pub(crate) async fn blocking<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Arc<Self>) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, Fault> {
        let engine = self.clone();
        tokio::task::spawn_blocking(move || work(&engine)).await.map_err(Fault::internal)?
    }

    pub(crate) fn reader(&self) -> &Reader {
        self.store.reader()
    }

    /// Where decisions about folders are found.
    pub(crate) fn decisions(&self) -> &Reader {
        self.decided_before.as_deref().unwrap_or_else(|| self.reader())
    }

    /// For a run of this engine: see [`RecordedLog::of_run`].
    pub(crate) fn run_log(&self) -> Arc<dyn EventLog> {
        Arc::new(self.log.of_run(&self.owner))
    }

    pub(crate) fn reviewed(&self) -> MutexGuard<'_, Option<(String, ReviewDiff)>> {
        self.reviewed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn live_bus(&self) -> Arc<dyn LiveBus> {
        self.bus.clone()
    }

    /// Finds out what can confine commands on this machine, for whoever asks later: it takes some tens of milliseconds.
    pub fn look_for_sandboxes() {
        let _ = Sandbox::strongest();
    }

    /// What can confine commands on this machine; asked once.
    pub(crate) fn sandbox(&self) -> &SandboxStatus {
        self.sandbox.get_or_init(Sandbox::probe)
    }
}

/// More pending approvals than this are not listed.
const MAX_APPROVALS: usize = 1000;

/// What `verify` looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VerifyScope {
    Log,
    /// And the contents beside it: images of files, prompts, large diffs.
    LogAndContents,
}

/// What `verify` found.
#[derive(Debug)]
pub struct Verified {
    pub sessions: Vec<VerifyReport>,
    /// `None` where they were not looked at.
    pub contents: Option<ContentsReport>,
}

/// Proves the hash chain of one session, or of all, without changing anything in the data directory.
///
/// # Errors
/// When the database is missing or cannot be read; a broken chain is in the reports.
pub async fn verify(directories: &Directories, session: Option<&str>, scope: VerifyScope) -> Result<Verified, Fault> {
    let reader = Store::open_read_only(&directories.database())?;
    let session = match session {
        Some(name) => Some(names::session(&reader, name)?),
        None => None,
    };
    // The keychain is only asked where there is something to check with its key.
    let key = match reader.has_anchors()? {
        true => anchor_key().await.ok().flatten(),
        false => None,
    };
    let sessions = reader.verify_anchored(session.as_ref(), key.as_deref())?;
    let contents = match scope {
        VerifyScope::Log => None,
        VerifyScope::LogAndContents => Some(reader.verify_contents(session.as_ref())?),
    };
    Ok(Verified { sessions, contents })
}

/// A configuration folder that cannot be written does not stop anybody: the defaults hold.
fn ensure_config(directories: &Directories) -> Result<(), Fault> {
    let file = directories.config_file();
    if file.exists() {
        return Ok(());
    }
    let written = create_private_dir(&directories.config)
        .and_then(|()| write_private_file(&file, config::USER_TEMPLATE.as_bytes()))
        .and_then(|()| {
            write_private_file(&file.with_file_name("config.schema.json"), config::schema_text().as_bytes())
        });
    if let Err(error) = written {
        tracing::warn!(%error, "the configuration's template was not written");
    }
    Ok(())
}
