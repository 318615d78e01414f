//! The engine: one data directory, opened once a process.

use crate::accounts::placeholder_key::placeholder_key;
use crate::background_results::{BackgroundResults, LateLog};
use crate::projects::folder_trust::search_indexes;
use crate::projects::memory_files::OWN_MEMORY;
use crate::records::EngineDeps;
use crate::records::model_memory::StoredModelMemory;
use crate::runs::composing::{self, RunServices};
use crate::schedules::Schedules;
use crate::sent_requests::SentRequests;
use crate::worktrees::Worktrees;
use crate::{
    Accounts, Approvals, Artifacts, BackgroundWork, BelowRuns, Compactions, Delegations, Directories, Doctor,
    DraftMentions, EnvironmentKeys, EventFilter, EventsSince, ExecutorFactory, Exports, FolderTrust, Histories, Inbox,
    LineCounts, LineOrigins, LogAnchors, Mcp, MemoryReviews, Mentionables, MessageQueues, NextRequests, Observations,
    OpenQuestions, OwnPrograms, Pairings, PastFiles, PipelineHistory, PipelineRuns, Projects, Records, Restorations,
    Retention, Rewinds, Runs, SessionConfiguring, SessionNames, SessionReader, SessionResults, SessionSearch,
    SessionTools, Sessions, Subscription, SystemPrompts, Telemetry, TypedCommands, UsageReports,
};
use arki_disk::{create_private_dir, remove_unfinished_writes, write_private_file, write_private_file_once};
use arki_domain::projection::ObservationFilter;
use arki_domain::{Clock, Error, SessionId, SystemClock};
use arki_redaction::Redactor;
use arki_sandbox::Sandbox;
use arki_store::{Salvaged, Store, StoreError, StoreOptions, StoreReader, open_or_salvage};
use arki_tools::BackgroundCommands;
use std::sync::Arc;

/// The options of opening an engine.
#[derive(Debug, Clone)]
pub struct EngineOptions {
    pub directories: Directories,
    /// Keep nothing after the process.
    pub ephemeral: bool,
    /// Keys that were taken out of this process's environment; empty where they stay in it.
    pub environment_keys: EnvironmentKeys,
}

/// Declares the engine with its services, each with the method that hands it out.
macro_rules! services {
    ($($name:ident: $service:ty),* $(,)?) => {
        /// The services over one data directory, each of which owns its state; this only puts them together.
        pub struct Engine {
            records: Arc<Records>,
            $($name: Arc<$service>,)*
            /// The result of salvaging a damaged database when this engine was opened.
            salvaged: Option<Salvaged>,
        }

        impl Engine {
            $(
                #[must_use]
                pub fn $name(&self) -> &Arc<$service> {
                    &self.$name
                }
            )*
        }
    };
}

services! {
    accounts: Accounts,
    projects: Projects,
    folder_trust: FolderTrust,
    mentionables: Mentionables,
    own_programs: OwnPrograms,
    mcp: Mcp,
    session_reader: SessionReader,
    sessions: Sessions,
    background_work: BackgroundWork,
    open_questions: OpenQuestions,
    session_names: SessionNames,
    log_anchors: LogAnchors,
    past_files: PastFiles,
    results: SessionResults,
    line_origins: LineOrigins,
    artifacts: Artifacts,
    memory_reviews: MemoryReviews,
    session_tools: SessionTools,
    search: SessionSearch,
    usage: UsageReports,
    line_counts: LineCounts,
    exports: Exports,
    telemetry: Telemetry,
    approvals: Approvals,
    pipeline_history: PipelineHistory,
    runs: Runs,
    pipeline_runs: PipelineRuns,
    message_queues: MessageQueues,
    typed_commands: TypedCommands,
    draft_mentions: DraftMentions,
    system_prompts: SystemPrompts,
    next_requests: NextRequests,
    compactions: Compactions,
    session_configuring: SessionConfiguring,
    inbox: Inbox,
    rewinds: Rewinds,
    retention: Retention,
    histories: Histories,
    sent_requests: SentRequests,
    pairings: Pairings,
    worktrees: Worktrees,
    schedules: Schedules,
    doctor: Doctor,
}

impl Engine {
    /// Opens the data directory; the first start writes the configuration's template.
    ///
    /// # Errors
    /// When the directories or the database cannot be used; the fault says why and what to do.
    pub fn open(options: EngineOptions) -> Result<Arc<Self>, Error> {
        options.directories.ensure_are_folders()?;
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

    /// Opens the engine like [`Self::open`], for whoever only reads: on a disk that can't be written it shows what is
    /// there, which is nothing where there is no database yet, and every write fails with the reason.
    ///
    /// # Errors
    /// Those of [`Self::open`].
    pub fn open_to_read(options: EngineOptions) -> Result<Arc<Self>, Error> {
        options.directories.ensure_are_folders()?;
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

    /// Returns for what can be told where the data directory cannot be used: nothing of it is touched, nothing is kept.
    ///
    /// # Errors
    /// When not even a database in memory can be made.
    pub fn without_database(options: EngineOptions) -> Result<Arc<Self>, Error> {
        let options = EngineOptions { ephemeral: true, ..options };
        Self::over(options, None, |_, store_options| Ok((Store::open_in_memory(store_options)?, None)))
    }

    fn over(
        options: EngineOptions,
        decided_before: Option<StoreReader>,
        open_store: impl FnOnce(&EngineOptions, StoreOptions) -> Result<(Store, Option<Salvaged>), StoreError>,
    ) -> Result<Arc<Self>, Error> {
        let redactor = Redactor::new(placeholder_key(&options.directories, !options.ephemeral));
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let store_options = StoreOptions { clock: clock.clone(), redactor: redactor.clone() };
        let (store, salvaged) = open_store(&options, store_options)?;
        let EngineOptions { directories, ephemeral: is_ephemeral, environment_keys } = options;
        let (own_directories, own_redactor) = (directories.clone(), redactor.clone());
        let grounds = EngineDeps { store, redactor, clock, directories, is_ephemeral, decided_before };
        let records = Arc::new(Records::new(grounds));
        let memory = Arc::new(StoredModelMemory(records.store().clone()));
        let accounts = Arc::new(Accounts::new(own_directories, own_redactor, environment_keys, memory));
        // An error is told by the first command that needs the configuration.
        if let Err(fault) = accounts.user_file() {
            tracing::info!(%fault, "no redaction rules are loaded");
        }
        Ok(Arc::new(Self::composed(records, accounts, salvaged)))
    }

    /// Composes the services from the bottom up.
    fn composed(records: Arc<Records>, accounts: Arc<Accounts>, salvaged: Option<Salvaged>) -> Self {
        let projects = Arc::new(Projects::new(records.clone(), accounts.clone()));
        projects.session_worktrees().remove_unfinished();
        let indexes = search_indexes(&records);
        let folder_trust = Arc::new(FolderTrust::new(records.clone(), projects.clone(), indexes.clone()));
        let session_reader = Arc::new(SessionReader::new(records.clone()));
        let sessions = Arc::new(Sessions::new(records.clone(), projects.clone(), session_reader.clone()));
        let open_questions = Arc::new(OpenQuestions::new(records.clone(), session_reader.clone()));
        let session_names =
            Arc::new(SessionNames::new(records.clone(), session_reader.clone(), open_questions.clone()));
        let log_anchors = Arc::new(LogAnchors::new(records.clone()));
        let past_files = Arc::new(PastFiles::new(records.clone(), session_reader.clone()));
        let restorations =
            Arc::new(Restorations::new(records.clone(), projects.clone(), session_reader.clone(), past_files.clone()));
        let pipeline_history = Arc::new(PipelineHistory::new(
            records.clone(),
            projects.clone(),
            session_reader.clone(),
            session_names.clone(),
        ));
        let telemetry = Arc::new(Telemetry::new(records.clone(), accounts.clone(), session_reader.clone()));
        let mcp = Arc::new(Mcp::new(records.clone(), accounts.clone(), projects.clone()));
        let results = Arc::new(BackgroundResults::new(records.clone(), session_reader.clone()));
        let late_log = LateLog { log: records.log().clone(), results: results.clone() };
        let commands = Arc::new(BackgroundCommands::new(Arc::new(late_log)));
        let background_work = Arc::new(BackgroundWork::new(session_reader.clone(), commands.clone(), results.clone()));
        let delegations = Arc::new(Delegations::new(
            records.clone(),
            projects.clone(),
            session_reader.clone(),
            commands.clone(),
            results,
        ));
        let executors = Arc::new(ExecutorFactory::new(
            records.clone(),
            projects.clone(),
            mcp.clone(),
            commands.clone(),
            delegations.clone(),
            indexes,
        ));
        let approvals = Arc::new(Approvals::new(
            records.clone(),
            accounts.clone(),
            projects.clone(),
            executors.clone(),
            session_reader.clone(),
        ));
        let below = BelowRuns {
            records: records.clone(),
            accounts: accounts.clone(),
            projects: projects.clone(),
            mcp: mcp.clone(),
            executors: executors.clone(),
            commands,
            delegations,
            background: background_work.clone(),
            reader: session_reader.clone(),
            sessions: sessions.clone(),
            names: session_names.clone(),
            questions: open_questions.clone(),
            anchors: log_anchors.clone(),
            restorations,
            approvals: approvals.clone(),
            pipeline_history: pipeline_history.clone(),
        };
        let of_runs = composing::composed(below.clone());
        let RunServices { runs, pipeline_runs, .. } = &of_runs;
        let retention = Arc::new(Retention::new(&below));
        Self {
            search: Arc::new(SessionSearch::new(records.clone())),
            usage: Arc::new(UsageReports::new(records.clone())),
            line_counts: Arc::new(LineCounts::new(records.clone())),
            artifacts: Arc::new(Artifacts::new(records.clone(), session_reader.clone())),
            telemetry: telemetry.clone(),
            exports: Arc::new(Exports::new(records.clone(), session_reader.clone())),
            line_origins: Arc::new(LineOrigins::new(records.clone(), projects.clone(), past_files.clone())),
            memory_reviews: Arc::new(MemoryReviews::new(records.clone(), projects.clone(), session_reader.clone())),
            session_tools: Arc::new(SessionTools::new(
                records.clone(),
                projects.clone(),
                executors.clone(),
                session_reader.clone(),
            )),
            histories: Arc::new(Histories::new(records.clone(), projects.clone(), retention.clone())),
            retention,
            results: Arc::new(SessionResults::new(&below, past_files.clone())),
            rewinds: Arc::new(Rewinds::new(&below, runs.clone())),
            sent_requests: Arc::new(SentRequests::new(&below)),
            worktrees: Arc::new(Worktrees::new(&below, folder_trust.clone())),
            schedules: Arc::new(Schedules::new(records.clone(), projects.clone(), pipeline_runs.clone())),
            mentionables: Arc::new(Mentionables::new(records.clone(), accounts.clone())),
            own_programs: Arc::new(OwnPrograms::new(records.clone(), accounts.clone(), projects.clone())),
            pairings: Arc::new(Pairings::new(records.clone())),
            inbox: Arc::new(Inbox::new(approvals.clone(), mcp.clone(), open_questions.clone())),
            doctor: Arc::new(Doctor::new(records.clone(), accounts.clone(), projects.clone(), telemetry)),
            records,
            accounts,
            projects,
            folder_trust,
            mcp,
            session_reader,
            sessions,
            background_work,
            open_questions,
            session_names,
            log_anchors,
            past_files,
            approvals,
            pipeline_history,
            runs: of_runs.runs,
            pipeline_runs: of_runs.pipeline_runs,
            message_queues: of_runs.message_queues,
            typed_commands: of_runs.typed_commands,
            draft_mentions: of_runs.draft_mentions,
            system_prompts: of_runs.system_prompts,
            next_requests: of_runs.next_requests,
            compactions: of_runs.compactions,
            session_configuring: of_runs.session_configuring,
            salvaged,
        }
    }

    #[must_use]
    pub fn directories(&self) -> &Directories {
        self.records.directories()
    }

    /// Everything that is announced from now on.
    #[must_use]
    pub fn subscribe(&self) -> Subscription {
        self.subscribe_to(EventFilter::default())
    }

    /// Returns what the filter lets through of what is announced from now on.
    #[must_use]
    pub fn subscribe_to(&self, filter: EventFilter) -> Subscription {
        self.records.bus().subscribe(filter)
    }

    /// Returns what was stored after a cursor, or from the beginning where there is none, by whichever process; at most
    /// `limit` events. Whoever subscribes first and asks for this until there is no more has missed nothing.
    ///
    /// # Errors
    /// `CURSOR_UNKNOWN` for one that this database has not given out, or when it cannot be read.
    pub async fn events_since(
        &self,
        cursor: Option<&str>,
        filter: &EventFilter,
        limit: usize,
    ) -> Result<EventsSince, Error> {
        self.records.events_since(cursor, filter, limit).await
    }

    /// Returns a session's events with numbers above `after_seq`, each with its cursor; at most `limit`.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn session_since(&self, session: &SessionId, after_seq: u64, limit: usize) -> Result<EventsSince, Error> {
        self.records.session_since(session, after_seq, limit).await
    }

    /// Returns the observations that the filter lets through: those of the past, then each as it comes.
    #[must_use]
    pub fn observe(&self, filter: ObservationFilter) -> Observations {
        Observations::new(&self.records, filter)
    }

    /// The cursor behind everything that is stored now.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn end_of_events(&self) -> Result<String, Error> {
        self.records.end_of_events().await
    }

    /// Announces what other processes store, from now on until the engine is gone.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn follow_others(&self) -> Result<(), Error> {
        self.records.follow_others()
    }

    #[must_use]
    pub fn redactor(&self) -> &Redactor {
        self.records.redactor()
    }

    /// Why nothing can be kept, where the engine was opened to read; `None` where everything works.
    #[must_use]
    pub fn unwritable(&self) -> Option<Error> {
        self.records.unwritable()
    }

    /// Returns whether nothing is kept once this engine is closed.
    #[must_use]
    pub fn is_ephemeral(&self) -> bool {
        self.records.is_ephemeral()
    }

    /// Returns what became of a damaged database; `None` where it was whole.
    #[must_use]
    pub fn salvaged(&self) -> Option<&Salvaged> {
        self.salvaged.as_ref()
    }

    /// Writes what waits and closes the database.
    ///
    /// # Errors
    /// When the write-ahead log could not be emptied; nothing is lost by it.
    pub fn close(&self) -> Result<(), Error> {
        Ok(self.records.store().close()?)
    }

    /// Finds out what can confine commands on this machine, for whoever asks later: it takes some tens of milliseconds.
    pub fn look_for_sandboxes() {
        let _ = Sandbox::strongest();
    }
}

/// A configuration folder that cannot be written does not stop anybody: the defaults hold.
fn ensure_config(directories: &Directories) -> Result<(), Error> {
    let file = directories.config_file();
    if file.exists() {
        remove_unfinished_writes(&directories.config);
        remove_unfinished_writes(&directories.config.join(OWN_MEMORY));
        let notes = [directories.tree_notes(), directories.session_tree_notes(), directories.untold()];
        notes.iter().for_each(|folder| remove_unfinished_writes(folder));
        return Ok(());
    }
    let written = create_private_dir(&directories.config)
        // Another process may begin as well, and have changed it already.
        .and_then(|()| write_private_file_once(&file, arki_config::USER_TEMPLATE.as_bytes()))
        .and_then(|()| {
            write_private_file(&file.with_file_name("config.schema.json"), arki_config::schema_text().as_bytes())
        });
    if let Err(error) = written {
        tracing::warn!(%error, "the configuration's template was not written");
    }
    Ok(())
}
