//! The folder that a run is at work in: what of it may become another meanwhile.

use arki_policy::{ChangedGit, PolicySettings};

/// The rules that forbid something in a folder at the moment of a call.
pub trait FolderRules: Send + Sync {
    /// The policy that holds now, where it is stricter than the one that the run began with. Blocks for as long as it
    /// takes to read a file.
    fn now(&self, policy: &PolicySettings) -> Option<PolicySettings>;

    /// Returns what git would run there that nobody has agreed to, as it is now. Blocks for as long as it takes to read
    /// git's configuration and hooks.
    fn changed_git(&self) -> ChangedGit;

    /// Returns whether a file of the project's configuration, and the scripts that a line of it names, are what was agreed
    /// to, as they are now. Blocks for as long as it takes to read these.
    fn is_agreed(&self, file: &'static str, line: Option<&str>) -> bool;

    /// Keeps a sentence on the folder for whoever looks at it next, be it a run or nobody's.
    fn tell(&self, note: String);
}
