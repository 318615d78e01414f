//! What may become another while a run is at work.

use crate::policy::PolicySettings;

/// What is forbidden in a folder at the moment of a call.
pub trait Standing: Send + Sync {
    /// The policy that holds now, where it is stricter than the one that the run began with. Blocks for as long as it
    /// takes to read a file.
    fn now(&self, policy: &PolicySettings) -> Option<PolicySettings>;
}
