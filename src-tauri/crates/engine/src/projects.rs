//! A folder and what it brings along: trust, configuration, skills and procedures.

mod agent_files;
mod agent_list;
mod app_state;
pub(crate) mod config_in_force;
mod example_prompts;
mod git;
pub(crate) mod guides;
pub(crate) mod hook_list;
mod hook_pins;
pub(crate) mod leavings;
pub(crate) mod memory_files;
pub(crate) mod mentionable;
pub(crate) mod open;
mod own_programs;
pub(crate) mod pipelines;
pub(crate) mod rules;
pub(crate) mod session_trees;
mod setting_list;
mod skill_list;
pub(crate) mod skills;
pub(crate) mod slash_commands;
pub(crate) mod trees;
pub(crate) mod trusted_folders;

use crate::accounts::Accounts;
use crate::records::{Records, blocking};
use arki_domain::{Error, SessionId};
use arki_sandbox::SandboxStatus;
use arki_tools::BackgroundCommands;
use leavings::Leavings;
use mentionable::Mentionable;
use session_trees::SessionTrees;
use std::sync::{Arc, OnceLock};
use trees::Trees;

/// Folders: their trust, the configuration in force in them, their skills and procedures.
pub struct Projects {
    records: Arc<Records>,
    accounts: Arc<Accounts>,
    leavings: Arc<Leavings>,
    sandbox: OnceLock<SandboxStatus>,
    mentionable: Mentionable,
    trees: Arc<Trees>,
    session_trees: Arc<SessionTrees>,
}

impl Projects {
    pub(crate) fn new(records: Arc<Records>, accounts: Arc<Accounts>) -> Self {
        let leavings = Arc::new(Leavings::new(records.directories().untold()));
        let trees = Arc::new(Trees::new(records.directories()));
        let session_trees = Arc::new(SessionTrees::new(records.directories()));
        let (sandbox, mentionable) = Default::default();
        Self { records, accounts, leavings, sandbox, mentionable, trees, session_trees }
    }

    pub(crate) fn session_trees(&self) -> &Arc<SessionTrees> {
        &self.session_trees
    }

    pub(crate) fn trees(&self) -> &Arc<Trees> {
        &self.trees
    }

    /// Removes worktrees whose changes nobody can take any more. Returns whether there is something to tell of it.
    pub(crate) async fn discard_trees(
        &self,
        session_ids: Vec<SessionId>,
        background: &BackgroundCommands,
    ) -> Result<bool, Error> {
        let discarded = self.trees.discard(session_ids, background).await?;
        let has_some = !discarded.is_empty();
        blocking(&self.leavings, move |leavings| {
            discarded.iter().for_each(|tree| leavings.add(&tree.origin.display().to_string(), &[tree.told()]));
            Ok(has_some)
        })
        .await
    }

    pub(crate) fn leavings(&self) -> &Arc<Leavings> {
        &self.leavings
    }
}
