//! Hooks, agents and skills, with where each comes from and why one is off.

use crate::CommandError;
use arki_domain::{HookEvent, HookOutcome, ToolNames};
use serde_json::Value;

words! {
    /// The effect of a hook.
    HookActionKind { Command, Inject, Log, Remind }
    /// The reason why a hook doesn't run.
    HookOffReason { Untrusted, ConfigurationChanged, ScriptChanged, Unpinned }
    /// The reason why a skill isn't offered: its folder isn't trusted, or its files aren't those that the user approved.
    SkillOffReason { Untrusted, Changed }
}

wire! {
    /// The user's hooks and the project's, in the order in which they run.
    HookEntries {
        pub hooks: Vec<HookEntry>,
        /// Why the project's configuration, and so its hooks, can't be used.
        pub refused: Option<CommandError>,
    }
    HookEntry {
        pub name: String,
        pub event: HookEvent,
        /// The condition as it was written; empty if it matches everything.
        pub condition: String,
        pub action: HookActionKind,
        /// The shell line or the text.
        pub does: String,
        /// The time that a command has.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[ts(optional = nullable)]
        pub timeout_seconds: Option<u64>,
        pub network: bool,
        /// The configuration file.
        pub origin: String,
        pub enabled: bool,
        /// Absent for one that runs.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[ts(optional = nullable)]
        pub off: Option<HookOffReason>,
        /// Why not all that it runs can be pinned, of one that is off for it.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[ts(optional = nullable)]
        pub unpinned: Option<String>,
        /// The key of its entry in the user's own file, such as `hooks.Stop[0]`; absent for a project's. Several hooks
        /// behind one matcher share an entry.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[ts(optional = nullable)]
        pub key: Option<String>,
        /// The entry as it stands in the user's own file, without its secrets; absent for a project's.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[ts(optional = nullable, type = "unknown")]
        pub entry: Option<Value>,
    }
    /// A made-up event in a run, for hooks to be tried with.
    MadeUpEvent {
        pub event: HookEvent,
        /// The tool of a call; empty for what is not about one.
        pub tool: String,
        /// The arguments of a call, as JSON; empty for none.
        pub args: String,
        /// The prompt, the result of a call, the last words of a run or the message of a notification.
        pub text: String,
    }
    /// The answer of a hook that was tried.
    TriedHookEntry {
        pub name: String,
        pub outcome: Option<HookOutcome>,
        /// The outcome in a line.
        pub words: String,
        pub duration_ms: u64,
        /// The arguments that it wants instead, as JSON.
        pub args: Option<String>,
        /// The words that it tells the model.
        pub context: Option<String>,
    }
    AgentEntries {
        pub agents: Vec<ConfiguredAgent>,
        /// Faults of agents' files, a sentence each.
        pub warnings: Vec<String>,
    }
    /// An agent as it would work, with what it takes from `arki` where it says nothing itself.
    ConfiguredAgent {
        pub name: String,
        /// When to use it: one line.
        pub description: Option<String>,
        /// `provider/model`.
        pub model: String,
        pub core: String,
        /// The only tools that it has; null for all.
        pub tools: Option<ToolNames>,
        pub read_only: bool,
        /// True if it works in a git worktree of its own when it runs as a sub-agent.
        pub isolated: bool,
        /// It is there without any file.
        pub built_in: bool,
        /// The files that say something of it, the one that counts most first.
        pub origins: Vec<String>,
    }
    SkillEntries {
        /// False if the configuration switches skills off.
        pub enabled: bool,
        pub skills: Vec<SkillEntry>,
        /// Why files that look like skills are none.
        pub faults: Vec<CommandError>,
        /// A sentence about skills that are left out because there are too many.
        pub notice: Option<String>,
    }
    SkillEntry {
        pub name: String,
        /// Empty for one that is off: nobody has approved its text.
        pub description: String,
        /// The file with its text.
        pub origin: String,
        /// Words of a prompt that bring its text in.
        pub keywords: Vec<String>,
        /// Patterns of paths that bring its text in when one of them is touched.
        pub paths: Vec<String>,
        /// The tools that a run has for which the user chose it; null for all.
        pub allowed_tools: Option<ToolNames>,
        /// Faults of the skill, in words that go on after its file's name.
        pub warnings: Vec<String>,
        pub off: Option<SkillOffReason>,
    }
}
