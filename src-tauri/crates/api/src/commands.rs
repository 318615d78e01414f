//! The commands: everything that a client can ask, declared once.
//!
//! `Commands` in TypeScript, the protocol's schema, a trait for each room and [`answer`], which finds a command by its
//! name, are made from this table. Whoever serves clients implements the traits; a command that is declared and not
//! answered, or with other types, doesn't compile.

use crate::*;
use arki_domain::projection::{Observation, ObservationFilter, QueuedMessage};
use arki_domain::{Code, Error, QueueMode, StateChanged};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::PathBuf;
use std::pin::Pin;
use ts_rs::TS;

/// The way to tell steps of a command before its result is there.
pub type Steps<T> = Box<dyn FnMut(T) + Send>;

/// A command's answer as JSON text.
pub type JsonAnswer = Pin<Box<dyn Future<Output = Result<String, CommandError>> + Send>>;

macro_rules! commands {
    ($($(#[$about:meta])* $room:ident { $(
        $(#[$doc:meta])*
        $name:ident { $($parameter:ident: $type:ty),* } -> $result:ty $(, steps of $step:ty)?;
    )* })*) => {
        $($(#[allow(dead_code, reason = "some of it is only used for what is generated from it")]
        mod $name {
            use super::*;

            #[derive(TS, JsonSchema, Deserialize)]
            #[ts(rename_all = "camelCase")]
            #[schemars(inline)]
            #[serde(rename_all = "camelCase")]
            pub(super) struct Params { $(pub(super) $parameter: $type),* }

            #[derive(TS, JsonSchema)]
            #[schemars(inline)]
            pub(super) struct Command {
                #[ts(inline)]
                params: Params,
                result: $result,
                $(step: $step,)?
            }
        })*)*

        /// Every command by its name: what it takes and what it answers. One with a `step` tells steps before its result.
        #[derive(TS, JsonSchema)]
        #[ts(export)]
        #[allow(dead_code, reason = "only its TypeScript is used")]
        pub(crate) struct Commands {
            $($($(#[$doc])* #[ts(inline)] $name: $name::Command,)*)*
        }

        $($(#[$about])*
        pub trait $room: Sized + Send {
            $($(#[$doc])*
            fn $name(self, $($parameter: $type,)* $(tell: Steps<$step>)?)
                -> impl Future<Output = Result<$result, CommandError>> + Send;)*
        })*

        /// Every command: the trait of its room, and its name.
        pub const COMMANDS: &[(&str, &str)] = &[$($((stringify!($room), stringify!($name)),)*)*];

        /// Answers the command of this name. Parameters are an object as in `Commands`; steps are told as JSON.
        pub fn answer<Handler>(handler: Handler, name: &str, params: Value, steps: Steps<Value>) -> JsonAnswer
        where
            Handler: $($room +)* 'static,
        {
            // Moved into the one command that uses it.
            let _steps = steps;
            match name {
                $($(stringify!($name) => match parsed(name, params) {
                    Ok($name::Params { $($parameter),* }) => Box::pin(async move {
                        json(&handler.$name($($parameter,)* $(in_json::<$step>(_steps))?).await?)
                    }),
                    Err(fault) => Box::pin(std::future::ready(Err(fault.into()))),
                },)*)*
                _ => {
                    let message = format!("There is no command {name}.");
                    let unknown = Error::new(Code::COMMAND_UNKNOWN, message, "The protocol's schema lists them.");
                    Box::pin(std::future::ready(Err(unknown.into())))
                }
            }
        }
    };
}

fn parsed<T: DeserializeOwned>(name: &str, params: Value) -> Result<T, Error> {
    serde_json::from_value(params).map_err(|error| {
        let message = format!("{name} takes other parameters: {error}.");
        Error::new(Code::ARGUMENTS_INVALID, message, "The protocol's schema lists those of each command.")
    })
}

fn json(answer: &impl Serialize) -> Result<String, CommandError> {
    serde_json::to_string(answer).map_err(|error| Error::internal(error).into())
}

fn in_json<T: Serialize + 'static>(mut steps: Steps<Value>) -> Steps<T> {
    Box::new(move |step| steps(serde_json::to_value(step).unwrap_or_default()))
}

commands! {
    /// Commands about the app, its crashes and its folder.
    AppCommands {
        app_state {} -> AppState;
        /// The system's own dialog; null: the user changed their mind.
        choose_folder {} -> Option<String>;
        /// Makes a small project to try Arki on, in a new folder of the user's home, and returns its path.
        make_sample {} -> String;
        open_project { path: PathBuf } -> ProjectState;
        trust_project { path: PathBuf, unpinned: Vec<String> } -> ProjectState;
        keep_untrusted { path: PathBuf } -> ProjectState;
        /// The newest report of a crash of Arki; null where there is none.
        crash_report {} -> Option<CrashReport>;
        /// Removes the crash reports up to that time, in milliseconds since 1970.
        remove_crash_reports { until: i64 } -> ();
    }

    /// Commands about what surrounds the window: repositories, worktrees, the user's editor, file manager and terminal.
    PlaceCommands {
        /// The folder that was dropped onto the window since this was last asked; null where none of it is one.
        take_dropped_folder {} -> Option<String>;
        /// Returns up to three prompts that fit what lies in the folder.
        example_prompts { folder: PathBuf } -> Vec<ExamplePrompt>;
        /// Returns the state of the folder's repository; null if git doesn't keep it. May take some hundred milliseconds.
        repository { folder: PathBuf } -> Option<RepositoryState>;
        /// Returns the place that a worktree of the folder's project would get; nothing is made.
        plan_worktree { folder: PathBuf, branch: String } -> PlannedWorktree;
        /// Makes a worktree with a new branch at the last commit and the project's files as they are; it is trusted as the
        /// project is.
        add_worktree { folder: PathBuf, branch: String } -> WorktreeEntry;
        /// The worktrees of the project that the folder is or belongs to, the newest first.
        list_worktrees { folder: PathBuf } -> Vec<WorktreeEntry>;
        /// Brings a worktree's commits back to the branch of the same name in its project.
        bring_worktree { folder: PathBuf, branch: String } -> BroughtBranch;
        /// Removes a worktree. Without `force` it fails with `WORKTREE_UNSAVED` if work would be lost.
        remove_worktree { folder: PathBuf, branch: String, force: bool } -> ();
        /// Opens the folder, or a file of it, in the user's editor.
        open_in_editor { folder: PathBuf, path: Option<String> } -> ();
        /// Shows the folder, or a file of it, in the system's file manager.
        show_in_folder { folder: PathBuf, path: Option<String> } -> ();
        /// Opens a terminal in the folder.
        open_terminal { folder: PathBuf } -> ();
    }

    /// Commands that hear what happens.
    FrameCommands {
        /// Begins the stream of frames; the number is the argument for `next_frame`.
        begin_frames {} -> u32;
        /// Waits for something to happen. Null: nothing more will be heard under this number.
        next_frame { number: u32 } -> Option<Frame>;
    }

    /// Commands that hear observations.
    ObservationCommands {
        /// Begins a subscription to observations; the number is what `next_observations` is asked with.
        begin_observations { filter: ObservationFilter } -> u32;
        /// Waits for the next ones, oldest first: those of the past, then each as it comes. Null: no more will come under this
        /// number.
        next_observations { number: u32 } -> Option<Vec<Observation>>;
        /// No harm where it has ended already.
        end_observations { number: u32 } -> ();
    }

    /// Commands about sessions, runs, approvals and questions.
    RunCommands {
        list_sessions {} -> Vec<SessionSummary>;
        session_page { session_id: String, before_seq: Option<u64>, limit: usize } -> SessionPage;
        /// A session's last page and the conversation over it, which is then held.
        open_conversation { session_id: String, limit: usize } -> OpenedConversation;
        /// Folds a stretch of a session's log, up to its end where no last event is named; that end is then held, and frames
        /// tell what changes.
        hold_conversation { session_id: String, from_seq: u64, to_seq: Option<u64> } -> HeldConversation;
        /// Sends a message. With a mode it is queued while the session's run works, waits or is paused. Pictures, each in
        /// Base64, can't be queued: with them it begins a run or fails.
        send_message {
            to: Shown, text: String, pictures: Option<Vec<String>>, options: SendOptions, mode: Option<QueueMode>
        } -> Sent;
        stop_run { session_id: String } -> ();
        resume_run { of: Shown } -> ();
        /// Ends the wait before a retry; no harm where none is waited for.
        retry_now { session_id: String } -> ();
        list_processes {} -> Vec<RunningCommand>;
        /// No harm where it has ended already.
        stop_process { id: u64 } -> ();
        list_approvals {} -> Vec<ApprovalSummary>;
        /// The files of a change whose diff is too large to be sent at once.
        review_files { approval_id: String } -> Vec<ReviewFile>;
        /// A page of the diff of one of these files, by its place among them.
        review_page { approval_id: String, file: usize, from: usize } -> ReviewPage;
        /// Lines of a file of a pending change as they stand in it now, before the change; `from` counts from 1. At most 200.
        review_context { approval_id: String, path: String, from: usize, lines: usize } -> ReviewContext;
        /// The rule that approving for longer would store, as JSON; null where only once is offered.
        proposed_rule { approval_id: String } -> Option<String>;
        /// Explains the policy's decision on a call: the decision in the event `seq`, or the newest one; null if the policy
        /// made none, such as when the user answered.
        explain_decision { session_id: String, call_id: String, seq: Option<u64> } -> Option<ExplainedDecision>;
        resolve_approval { approval_id: String, resolution: Resolution } -> ();
        list_questions {} -> Vec<QuestionSummary>;
        /// The run goes on with it.
        answer_question { session_id: String, question_id: String, text: String } -> ();
        /// Lists the commands that can be typed behind a `/` in the open folder, by name.
        list_commands {} -> Vec<SlashCommandEntry>;
        /// Lists the files and other things in the open folder that match what was typed behind an `@`, the best match
        /// first.
        list_mentions { typed: String } -> Vec<MentionEntry>;
        /// Lists the mentions in a draft, in its order, with their sizes.
        mentions_in { text: String } -> Vec<MentionSize>;
    }

    /// Commands about a session's past and its queue.
    HistoryCommands {
        session_overview { session_id: String } -> SessionOverview;
        session_tools { session_id: String } -> Vec<SessionToolEntry>;
        /// The tools as they are then.
        switch_session_tools { session_id: String, on: Vec<String>, off: Vec<String> } -> Vec<SessionToolEntry>;
        set_queue { session_id: String, queued: Vec<QueuedMessage> } -> ();
        send_next { of: Shown } -> Sent;
        pause_run { session_id: String } -> ();
        rewind_preview { session_id: String, to_seq: u64, files: bool, conversation: bool } -> RewindPreview;
        rewind { session_id: String, to_seq: u64, files: bool, conversation: bool } -> RewindPreview;
        take_back_preview { session_id: String, seq: u64 } -> RewindPreview;
        take_back { session_id: String, seq: u64 } -> RewindPreview;
        /// Compares the files before the session's first change and after its last.
        session_result { session_id: String } -> SessionResult;
        /// Commits the session's changes, without what the user changed or staged besides. No hook runs.
        commit_changes { session_id: String, message: String } -> CommittedChanges;
        /// The files that the session changes at some time, as they were right after this event.
        replay_files { session_id: String, seq: u64 } -> Vec<ReplayedFile>;
        replay_file { session_id: String, seq: u64, path: String } -> ReplayedContent;
        fork_session { session_id: String, at_seq: Option<u64> } -> SessionSummary;
        line_origins { session_id: String, path: String } -> Vec<LineOrigin>;
    }

    /// Commands about a session's next request and its state.
    ContextCommands {
        /// Null as the session: of a new one in this folder.
        next_request { of: Shown } -> NextRequest;
        /// Null: there is nothing to leave out.
        compact_session { session_id: String, focus: Option<String> } -> Option<CompactedSession>;
        /// The next request as it is then.
        configure_session { session_id: String, changes: SessionChanges } -> NextRequest;
        get_state { session_id: String } -> AgentState;
        /// The state as it is then.
        set_state { session_id: String, changes: StateChanged } -> AgentState;
    }

    /// Commands about past requests, as they were sent.
    SentRequestCommands {
        /// A past request, by its event, as it was sent.
        sent_request { session_id: String, seq: u64 } -> SentRequest;
        /// More parts of it, from this place on.
        sent_parts { session_id: String, seq: u64, side: SentSide, from: usize } -> SentParts;
        /// More of a part's text, from this byte on; up to 64 KiB.
        sent_text { session_id: String, seq: u64, side: SentSide, place: usize, from: usize } -> SentText;
        /// All of it, as JSON.
        sent_json { session_id: String, seq: u64, form: SentForm } -> String;
    }

    /// Commands about pictures and files that the user attaches.
    PictureCommands {
        /// Looks at a picture, in Base64, without keeping it. Fails where it can't be shown even when it is scaled down.
        look_at_picture { data: String } -> PictureFacts;
        /// The system's own dialog for files; empty: the user changed their mind.
        choose_files {} -> Vec<AttachedFile>;
        /// Returns the files that were dropped onto the window since the last call.
        take_dropped {} -> Vec<AttachedFile>;
        /// The files or the picture on the clipboard, where the system's webview doesn't hand these to the page that is
        /// pasted into. Of files, the page is handed bytes alone, and never where they are.
        take_pasted {} -> Vec<AttachedFile>;
        /// A picture that was sent in this session, as a `data:` address; null: it is no longer kept.
        sent_picture { session_id: String, content_hash: String } -> Option<String>;
    }

    /// Commands about pipelines and their schedules.
    PipelineCommands {
        /// Lists the pipelines available in a folder, in the order of their names.
        list_pipelines { folder: PathBuf } -> Vec<PipelineEntry>;
        /// Starting a pipeline approves its own steps.
        start_pipeline { start: StartPipeline } -> Sent;
        /// The newest first. Progress comes as events of the run's session.
        list_pipeline_runs {} -> Vec<PipelineRunEntry>;
        pipeline_run { run_id: String } -> PipelineRunDetails;
        /// The beginning of a step's output; of an item of a `foreach` by a name such as `each[0]`.
        step_output { run_id: String, step: String } -> String;
        /// Writes the whole output to a file that the user chooses. Answers with its path, or with nothing when they
        /// changed their mind.
        save_step_output { run_id: String, step: String } -> Option<String>;
        /// Goes on with a run that failed, was paused or was interrupted. Where its definition has changed since and none
        /// is chosen, this fails with `PIPELINE_CHANGED` and the difference.
        resume_pipeline { run_id: String, definition: Option<PipelineDefinition> } -> Sent;
        /// Begins a new run from this step on, which takes over what came before it.
        retry_pipeline { run_id: String, step: String, definition: Option<PipelineDefinition> } -> Sent;
        list_schedules {} -> Vec<PipelineSchedule>;
        save_schedule { schedule: SaveSchedule } -> ();
        switch_schedule { name: String, on: bool } -> ();
        remove_schedule { name: String } -> ();
    }

    /// Commands about memory.
    MemoryCommands {
        /// Lists the pending memories of all sessions, the newest first; then the accepted ones of the user and of this
        /// folder.
        list_memory { folder: Option<PathBuf> } -> Vec<MemoryEntry>;
        /// Accepts a memory, in the user's words if there are any.
        accept_memory { id: String, text: Option<String> } -> ();
        reject_memory { id: String } -> ();
        /// Changes the text of an accepted memory, which changes its ID too.
        edit_memory { folder: Option<PathBuf>, id: String, text: String } -> ();
        /// Removes an accepted memory.
        remove_memory { folder: Option<PathBuf>, id: String } -> ();
    }

    /// Commands that find, keep and remove sessions.
    KeepingCommands {
        /// Searches all sessions or those of one folder by words; the newest hits first.
        search_sessions { text: String, project: Option<String>, limit: usize } -> Vec<SearchHit>;
        /// Finds a text in one session, letter by letter; the newest hits first.
        find_in_session { session_id: String, text: String, limit: usize } -> Vec<SearchHit>;
        /// The title as it is kept: one line.
        rename_session { session_id: String, title: String } -> String;
        /// Pins or unpins, archives or brings back; null leaves it as it is.
        mark_session { session_id: String, pinned: Option<bool>, archived: Option<bool> } -> ();
        /// Counts the lines that sessions changed; a session that changed no file isn't named.
        session_lines { session_ids: Vec<String> } -> Vec<SessionLines>;
        remove_session { session_id: String } -> RemovedSession;
        /// The file's path; null: the user changed their mind in the system's dialog.
        export_session { session_id: String, format: ExportFormat } -> Option<String>;
        /// The sessions' ids; null: the user changed their mind in the system's dialog.
        import_sessions {} -> Option<Vec<String>>;
        /// Brings in what another agent has kept: its sessions in this folder, or in all. One that was brought in before
        /// and has grown there since takes the earlier one's place, unless something was added to that here.
        import_history { from: HistorySource, folder: Option<String> } -> ImportedHistory;
        /// Reports what all sessions that are kept have used, by day, model and project.
        usage_report {} -> UsageReport;
        /// Looks at every event: a second for a million of them.
        storage_use {} -> StorageUse;
        /// Removes what is no longer used, files' contents beyond their limit, and old sessions if the user set a limit.
        tidy_now {} -> StorageUse;
    }

    /// Commands about MCP servers.
    McpCommands {
        /// Lists the open questions of MCP servers.
        list_elicitations {} -> Vec<ElicitationSummary>;
        /// Accepting opens the page, where it is about one. What is wrong with the values; nothing once it is answered.
        answer_elicitation { id: u64, reply: ElicitationReply } -> Vec<ElicitationFault>;
        /// Lists the MCP servers of the open folder. Starts none.
        list_mcp_servers {} -> Vec<McpServerEntry>;
        save_mcp_server { name: String, settings: McpServerSettings } -> ();
        enable_mcp_server { name: String, enabled: bool } -> ();
        remove_mcp_server { name: String } -> ();
        /// Tests an MCP server, as `test_provider` does a provider.
        test_mcp_server { name: String } -> bool, steps of McpTestStep;
        mcp_server_log { name: String } -> String;
        /// Has the server list its tools, so that what changed can be shown.
        review_mcp_server { name: String } -> McpServerEntry;
        /// Agrees to the tools with this digest, and to no others.
        agree_to_mcp_server { name: String, digest: String } -> ();
        /// Opens the page in the user's browser, and waits for them to come back.
        sign_in_to_mcp_server { name: String } -> ();
    }

    /// Commands about rules, hooks, agents and skills.
    GuideCommands {
        /// Returns the past calls that a rule matches, and what it would change about them. Nothing is stored. Reads every
        /// session, which may take seconds.
        backtest_rule { rule: String } -> BacktestResult;
        /// Adds a rule, as JSON, to the user's own file.
        add_rule { rule: String } -> ();
        /// Removes a rule from the user's own file, by its JSON as `list_settings` gave it.
        remove_rule { rule: String } -> ();
        /// The hooks of the user and of a folder, those included that don't run there.
        list_hooks { folder: Option<PathBuf> } -> HookEntries;
        /// Runs the hooks of a folder that are for something made up, until one blocks it. Nothing is recorded, and nothing can
        /// be written to the project. None runs in a folder that isn't trusted.
        try_hooks { folder: PathBuf, happens: MadeUpEvent } -> Vec<TriedHookEntry>;
        /// The agents of the user and of a folder, by name.
        list_agents { folder: Option<PathBuf> } -> AgentEntries;
        /// The skills of the user and of a folder, those included that aren't offered there.
        list_skills { folder: Option<PathBuf> } -> SkillEntries;
        /// Opens a file that `list_hooks`, `list_agents` or `list_skills` named, in the user's editor.
        open_configured { folder: Option<PathBuf>, path: String } -> ();
    }

    /// Commands about providers, models, keys and settings.
    SettingCommands {
        list_models {} -> Vec<ModelEntry>;
        /// Lists models like `list_models`, with those of local servers; takes up to two seconds.
        live_models {} -> LiveModelList;
        /// Looks for Ollama, LM Studio and llama.cpp where they usually listen on this computer; takes up to two seconds.
        find_local_servers {} -> Vec<LocalServer>;
        /// Makes a model of such a server the default, and the server a provider. The model's id.
        choose_local_model { server: String, model: String } -> String;
        /// Switches on or off that a model draws conclusions from runs, which costs requests.
        set_reflection { on: bool } -> ();
        /// Every value of the configuration that holds in a folder, or of the user's alone, set or not, in the order of the
        /// document.
        list_settings { folder: Option<PathBuf> } -> Vec<SettingEntry>;
        /// Sets a value in the user's own file; what is no JSON is a text.
        set_setting { key: String, text: String } -> ();
        /// Removes a value from the user's own file, so that the default holds.
        unset_setting { key: String } -> ();
        /// Makes all of the changes in the user's own file, or none. `CONFIG_CHANGED` where the file has other values than were
        /// shown.
        change_settings { changes: Vec<SettingChange> } -> ();
        set_default_model { model: String } -> ();
        list_providers {} -> Vec<ProviderEntry>;
        save_provider { name: String, kind: String, base_url: Option<String> } -> ();
        remove_provider { name: String } -> ();
        /// Tells each step as it ends, the first that fails as the last; answers whether none failed.
        test_provider { provider: String, model: Option<String> } -> bool, steps of ProviderTestStep;
        set_key { provider: String, key: String } -> ();
        remove_key { provider: String } -> ();
    }

    /// Commands about windows and updates.
    WindowCommands {
        /// Opens one more window: on a session or, where none is named, on the folder of the one that asks.
        open_window { session_id: Option<String> } -> ();
        /// Returns what the window was asked for from outside since this was last called, the first first.
        take_asked {} -> Vec<AskedOfWindow>;
        /// Fills the menu bar, where the system has one. Returns the ids of the items whose keys it listens to from now on.
        set_menu_bar { bar: MenuBar } -> Vec<String>;
        /// Names what the tray, notifications and the system's dialogs for files say.
        set_desktop_words { words: DesktopWords } -> ();
        /// Asks the update server whether there is a newer version.
        look_for_update {} -> UpdateState;
        /// Downloads and installs the version that was found; it is used from the next start.
        install_update { version: String } -> ();
        /// Ends the app as its user would, and starts it again.
        restart {} -> ();
    }
}
