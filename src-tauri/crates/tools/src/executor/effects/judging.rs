//! The question to the policy about what a call changed.

use crate::builtin::run_command;
use crate::executor::judging::Judge;
use arki_domain::{ApprovalMode, Permissions, ToolCall};
use arki_files::{ChangeSet, FileChange, FileContent, GitIgnoring, Project};
use arki_policy::{ChangedPath, EffectsQuestion, EffectsVerdict, PathChange, PathTrait, decide_effects};
use std::collections::BTreeSet;
use std::path::{Component, Path};

/// Returns whether a command made the changes, and not an MCP server.
pub(super) fn is_command(call: &ToolCall) -> bool {
    call.tool_id == run_command::NAME
}

/// The files by which a folder is a git directory, beside its folders of objects and references.
const OF_GIT_DIRECTORY: [&str; 5] = ["HEAD", "commondir", "config", "gitdir", "packed-refs"];

impl Judge {
    /// The verdict on what a call changed, path by path in the order of the change's files.
    pub(in crate::executor) fn judge_effects(
        &self,
        call: &ToolCall,
        set: &ChangeSet,
        approve: ApprovalMode,
    ) -> EffectsVerdict {
        let settings = &self.subjects.settings;
        let subject = self.subject_of(self.toolbox.tool(&call.tool_id), &call.args).subject;
        let (project, mut ignoring) = (&settings.project, GitIgnored::new(&settings.project));
        let paths: BTreeSet<&str> = set.files().iter().map(|file| file.path.as_str()).collect();
        let changed =
            |file: &FileChange| ChangedPath {
                // A path that can't be judged is one that asks.
                touched: self.subjects.touched_by_tool(file.path.as_str()).unwrap_or_else(|_| {
                    arki_policy::TouchedPath { path: file.path.to_string(), real: None, protected: true, secret: true }
                }),
                change: match (&file.before, &file.after) {
                    (None, _) => PathChange::Added,
                    (Some(_), None) => PathChange::Removed,
                    (Some(_), Some(_)) => PathChange::Changed,
                },
                traits: traits(project, file, &paths),
                ignored: ignoring.is_ignored(file),
            };
        let changes: Vec<ChangedPath> = set.files().iter().map(changed).collect();
        let question = EffectsQuestion {
            changes: &changes,
            tool: &call.tool_id,
            subject: &subject,
            network: is_command(call)
                && run_command::parse(&call.args).is_ok_and(|arguments| arguments.wants_network()),
            trusted: settings.trusted,
            approve,
            lines: set.preview().lines_changed,
        };
        decide_effects(&question, &self.policy())
    }
}

/// The paths that git ignores and doesn't keep; nothing where there is no repository.
struct GitIgnored<'a> {
    rules: GitIgnoring<'a>,
    kept: Option<BTreeSet<String>>,
}

impl<'a> GitIgnored<'a> {
    fn new(project: &'a Project) -> Self {
        let kept = arki_git::kept_in(project.root()).map(|names| names.into_iter().collect());
        Self { rules: GitIgnoring::new(project), kept }
    }

    fn is_ignored(&mut self, file: &FileChange) -> bool {
        self.kept.as_ref().is_some_and(|kept| !kept.contains(file.path.as_str())) && self.rules.is_ignored(&file.path)
    }
}

fn traits(project: &Project, file: &FileChange, changed: &BTreeSet<&str>) -> Vec<PathTrait> {
    let is_binary = |content: &Option<FileContent>| content.as_ref().is_some_and(|content| !content.is_text());
    let is_new_program = file.before.is_none() && file.permissions() != Permissions::default();
    let found = [
        (PathTrait::Mode, file.changes_mode() || is_new_program),
        (PathTrait::Link, file.is_of_link()),
        (PathTrait::LinkOutside, leads_outside(file)),
        (PathTrait::Binary, is_binary(&file.before) || is_binary(&file.after)),
        (PathTrait::Repository, is_of_repository(project, file.path.as_str(), changed)),
    ];
    found.into_iter().filter(|(_, is_so)| *is_so).map(|(found, _)| found).collect()
}

/// By its text: what it leads through is the project's already.
fn leads_outside(file: &FileChange) -> bool {
    let Some(FileContent::Link(target)) = &file.after else { return false };
    let Ok(target) = std::str::from_utf8(target) else { return true };
    let mut depth = file.path.as_str().matches('/').count();
    for part in Path::new(target).components() {
        match part {
            Component::Normal(_) => depth += 1,
            Component::CurDir => {}
            Component::ParentDir if depth > 0 => depth -= 1,
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return true,
        }
    }
    false
}

fn is_of_repository(project: &Project, path: &str, changed: &BTreeSet<&str>) -> bool {
    if path.split('/').any(|part| part.eq_ignore_ascii_case(".git")) {
        return true;
    }
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let in_folder = |name: &str| if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
    let has = |name: &str| {
        let (place, below) = (in_folder(name), format!("{}/", in_folder(name)));
        changed.contains(place.as_str())
            || changed.range(below.as_str()..).next().is_some_and(|next| next.starts_with(&below))
            || project.root().join(&place).is_dir()
    };
    OF_GIT_DIRECTORY.iter().any(|one| one.eq_ignore_ascii_case(name)) && has("objects") && has("refs")
}
