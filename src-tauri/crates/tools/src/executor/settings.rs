//! The settings of an executor for a run: the project, the permissions in it, and where things are kept.

use super::{Audience, BackgroundCommands};
use crate::diagnostics::Checker;
use crate::fetch::PrivateHosts;
use crate::folder_rules::FolderRules;
use crate::guide::Guides;
use crate::hooks::Hook;
use crate::open_buffers::OpenBuffers;
use crate::tool::Tool;
use arki_domain::ContentStore;
use arki_files::Project;
use arki_policy::PolicySettings;
use arki_process::CommandLimits;
use arki_retrieval::ContextProvider;
use arki_sandbox::{OverlayView, Sandbox, SandboxStatus};
use globset::{Glob, GlobSet};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

/// Bounds on what one call may take.
#[derive(Debug, Clone, Copy)]
pub struct ToolLimits {
    pub timeout_seconds: u64,
    pub max_output_bytes: usize,
    /// The limits of a command with all that it started.
    pub command: CommandLimits,
    /// The most that a command may write to files that are reviewed, in bytes.
    pub max_effects_bytes: u64,
}

pub struct ExecutorSettings {
    pub project: Arc<Project>,
    pub trusted: bool,
    pub policy: PolicySettings,
    pub limits: ToolLimits,
    /// Files that the project's rules import, by their paths: writing them asks, as writing the rules does.
    pub imported: BTreeSet<String>,
    /// The user's own secret files, besides the known ones.
    pub secrets: GlobSet,
    /// The globs that `secrets` is made of.
    pub secret_globs: Vec<Glob>,
    /// Arki's own folders, canonical: no tool touches anything in them, wherever the project lies.
    pub own_folders: Vec<PathBuf>,
    /// The folders that commands must not see: Arki's own among them.
    pub hidden: Vec<PathBuf>,
    /// The folder for files that commands may not leave behind; within a hidden folder.
    pub trash: PathBuf,
    /// The folder for notes on the state before commands, should Arki be killed; within a hidden folder too.
    pub journals: PathBuf,
    /// The folder for the views of commands; within a hidden folder too.
    pub views: PathBuf,
    pub sandbox: SandboxStatus,
    pub standing: Arc<dyn FolderRules>,
    /// Hosts of the user's own network that a pipeline's request may reach.
    pub private_hosts: PrivateHosts,
    pub audience: Audience,
    /// The model that is offered the tools: `provider/model`.
    pub model: String,
    /// The tools besides the built-in ones, which keep their names.
    pub tools: Vec<Tool>,
    pub guides: Guides,
    /// Finds passages of the project.
    pub context: Arc<dyn ContextProvider>,
    /// The hooks in the order in which they run.
    pub hooks: Vec<Hook>,
    /// The checkers in the order in which they run.
    pub checkers: Vec<Checker>,
    /// The folder for what this project's checkers build; within a hidden folder too.
    pub checks: PathBuf,
    /// Outlives the run.
    pub background: Arc<BackgroundCommands>,
    /// The store for the contents of files before they are changed.
    pub contents: Arc<dyn ContentStore>,
    /// The files that an editor has open here, where there is one.
    pub buffers: Option<Arc<dyn OpenBuffers>>,
    /// Tried out when the first command is judged.
    pub view_fault: OnceLock<Option<String>>,
}

impl ExecutorSettings {
    /// Returns whether commands work in views of this project; tried once.
    #[must_use]
    pub fn has_views(&self) -> bool {
        self.sandbox.available && Sandbox::has_views() && self.view_fault().is_none()
    }

    /// Returns why commands can't work in views of this project, where they could on this machine.
    #[must_use]
    pub fn view_fault(&self) -> Option<&str> {
        if !self.sandbox.available || !Sandbox::has_views() {
            return None;
        }
        let try_out = || OverlayView::fault(self.project.root(), &self.views);
        self.view_fault.get_or_init(try_out).as_deref()
    }
}
