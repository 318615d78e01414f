//! A folder and what it brings along: trust, configuration, skills and procedures.

pub(crate) mod agents;
pub(crate) mod config_in_force;
pub(crate) mod editor_buffers;
pub(crate) mod example_prompts;
pub(crate) mod folder_trust;
pub(crate) mod guides;
pub(crate) mod hooks;
pub(crate) mod leavings;
pub(crate) mod memory_files;
pub(crate) mod mentionable;
pub(crate) mod open;
pub(crate) mod own_programs;
pub(crate) mod pipelines;
pub(crate) mod rules;
pub(crate) mod sample;
pub(crate) mod setting_list;
pub(crate) mod skills;
pub(crate) mod slash_commands;
pub(crate) mod subagent_changes;

use crate::{Accounts, Records, blocking};
use arki_api::{AppState, ProjectState};
use arki_domain::{Error, SessionId};
use arki_sandbox::{Sandbox, SandboxStatus};
use arki_tools::BackgroundCommands;
use arki_worktrees::{SessionWorktrees, SubagentWorktrees};
use editor_buffers::EditorBuffers;
use leavings::Leavings;
use pipelines::PipelineDefinitions;
use std::sync::{Arc, OnceLock};

/// The setting that says that [`UNUSED_EXEC`] was told.
const TOLD_OF_EXEC: &str = "told_unused_exec";
const UNUSED_EXEC: &str = "Commands run without asking now: they work on a view of the project, and you review what they \
    change. The \"exec\": \"approval\" in your configuration comes from an older template and isn't used. To be asked \
    before every command: arki config set policy.categories.exec approval";

/// Folders: their trust, the configuration in force in them, their skills and procedures.
pub struct Projects {
    records: Arc<Records>,
    accounts: Arc<Accounts>,
    leavings: Arc<Leavings>,
    editor_buffers: EditorBuffers,
    sandbox: OnceLock<SandboxStatus>,
    pipelines: PipelineDefinitions,
    trees: Arc<SubagentWorktrees>,
    session_trees: Arc<SessionWorktrees>,
}

impl Projects {
    pub(crate) fn new(records: Arc<Records>, accounts: Arc<Accounts>) -> Self {
        let leavings = Arc::new(Leavings::new(records.clone()));
        let trees = Arc::new(SubagentWorktrees::new(records.directories().trees(), records.directories().tree_notes()));
        let session_trees = Arc::new(SessionWorktrees::new(records.directories().session_tree_notes()));
        let pipelines = PipelineDefinitions::new(&records.directories().config);
        let sandbox = OnceLock::new();
        let editor_buffers = EditorBuffers::default();
        Self { records, accounts, leavings, editor_buffers, sandbox, pipelines, trees, session_trees }
    }

    pub(crate) fn session_worktrees(&self) -> &Arc<SessionWorktrees> {
        &self.session_trees
    }

    pub(crate) fn subagent_worktrees(&self) -> &Arc<SubagentWorktrees> {
        &self.trees
    }

    pub(crate) fn pipelines(&self) -> &PipelineDefinitions {
        &self.pipelines
    }

    /// Removes worktrees whose changes nobody can take any more. Returns whether there is something to tell of it.
    pub(crate) async fn discard_trees(
        &self,
        session_ids: Vec<SessionId>,
        background: &BackgroundCommands,
    ) -> Result<bool, Error> {
        let discarded = subagent_changes::discard_worktrees(&self.trees, session_ids, background).await?;
        let has_some = !discarded.is_empty();
        blocking(&self.leavings, move |leavings| {
            discarded.iter().for_each(|tree| leavings.add(&tree.origin.display().to_string(), &[tree.told()]));
            Ok(has_some)
        })
        .await
    }

    /// Tells once, in the first run that it matters to, that commands don't ask as the first template said.
    pub(crate) async fn tell_unused_exec(self: &Arc<Self>, project: &str) -> Result<(), Error> {
        let is_unused = |projects: &Arc<Self>| {
            Ok(Sandbox::has_views() && arki_config::has_first_exec(&projects.accounts.written_user_config()?))
        };
        if blocking(self, is_unused).await? && self.records.store().swap_meta(TOLD_OF_EXEC, None, "told").await? {
            let project = project.to_owned();
            let words = [UNUSED_EXEC.to_owned()];
            blocking(&self.leavings, move |leavings| {
                leavings.add(&project, &words);
                Ok(())
            })
            .await?;
        }
        Ok(())
    }

    /// The editors that have files open, which runs that begin in their folders look at.
    pub fn editor_buffers(&self) -> &EditorBuffers {
        &self.editor_buffers
    }

    pub(crate) fn leavings(&self) -> &Arc<Leavings> {
        &self.leavings
    }
}

/// The open folder, the folders that were open before, and what is configured.
///
/// # Errors
/// When the configuration has an error.
pub fn app_state(projects: &Projects, project: Option<ProjectState>) -> Result<AppState, Error> {
    let config = projects.accounts.user_config()?;
    Ok(AppState {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        data_dir: projects.records.directories().data.display().to_string(),
        project,
        recent_projects: projects.recent_projects(),
        default_model: config.model,
        sandbox: Sandbox::strongest().name,
        reflects: config.reflects,
        notifies: config.window.notifies,
        keeps_awake: config.window.keeps_awake,
        looks_for_updates: config.window.looks_for_updates,
        has_tray: config.window.has_tray,
    })
}
