//! The open folder, what of it the user agreed to, and what the window starts from.

use arki_domain::WorktreeOf;

words! {
    /// The task that an example prompt asks for. A task about one file comes with its path.
    ExamplePromptKind { ExplainProject, ExplainFile, SumUpFile, ListOpenTasks, FindBugs, RunTests, WriteTests, CheckReadme, WriteReadme, StartPage, StartScript, StartNotes }

    TrustState { Trusted, Untrusted, Undecided }
    PinChange { Added, Changed, Removed }

    /// The source of a provider's key.
    #[ts(rename = "KeySource")]
#[schemars(rename = "KeySource")]
    KeyStatus { Keychain, Environment, NoneNeeded, Missing }
}

wire! {
    /// A prompt that fits to a folder, in the client's words.
    #[derive(PartialEq, Eq)]
    ExamplePrompt {
        pub kind: ExamplePromptKind,
        /// Relative to the folder, of those that are about one file.
        pub path: Option<String>,
    }

    /// A piece of the folder that is executable or instructs the model.
    #[derive(PartialEq, Eq)]
    Pin {
        pub kind: String,
        pub path: String,
        pub hash: String,
        /// The effect, where the path does not say.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        pub note: Option<String>,
    }
    /// An item that differs from what the user approved.
    ChangedPin {
        pub kind: String,
        pub path: String,
        pub change: PinChange,
        /// The effect now, where the path does not say.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        pub note: Option<String>,
        pub diff: Option<String>,
    }
    ProjectState {
        pub path: String,
        pub name: String,
        pub trust: TrustState,
        pub enables: Vec<Pin>,
        /// The hooks and checkers of which not all that they run can be pinned: off until the user agrees to each.
        pub unpinned: Vec<Pin>,
        pub changed: Vec<ChangedPin>,
        /// Further notices about the folder, a sentence each.
        pub notices: Vec<String>,
        /// The worktree that the folder is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        pub worktree: Option<WorktreeOf>,
    }
    AppState {
        pub version: String,
        pub data_dir: String,
        pub project: Option<ProjectState>,
        pub recent_projects: Vec<String>,
        pub default_model: String,
        /// The sandbox that confines commands, or `none`.
        pub sandbox: String,
        /// True if a model draws conclusions from runs, by the user's configuration (`memory.reflect`).
        pub reflects: bool,
        /// True if the system notifies the user of how runs stopped (`window.notifications`).
        pub notifies: bool,
        /// True if the computer stays awake while a run works (`window.keepAwake`).
        pub keeps_awake: bool,
        /// True if the window looks for updates once a day (`window.updates`).
        pub looks_for_updates: bool,
        /// True if Arki has an icon in the system's tray, where there is one (`window.tray`).
        pub has_tray: bool,
    }
    /// The report of a crash of Arki, for the user to send or to remove.
    CrashReport {
        /// In milliseconds since 1970.
        pub at: i64,
        pub text: String,
    }
    /// The state of a folder's repository.
    RepositoryState {
        /// The branch; where none is checked out, the beginning of the commit's hash.
        pub branch: String,
        pub is_detached: bool,
        /// The files that differ from the last commit, new ones among them; null where git may not be asked.
        pub changed_files: Option<u32>,
    }
    ProviderEntry {
        pub name: String,
        pub kind: String,
        pub base_url: Option<String>,
        pub is_local: bool,
        pub key_source: KeyStatus,
        pub key_env: Option<String>,
    }
}
