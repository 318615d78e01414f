//! The items that trusting a folder would enable, pinned to their content, and the template a trusted folder gets.
//!
//! Scanning reads an untrusted folder, so it only hashes: nothing is followed out of the project, nothing blocks,
//! everything is bounded. Over a bound the scan fails rather than leaving something unpinned.
//!
//! The pieces of `.arki/config.json` are pinned besides the whole: `.arki/config.json#hooks` and
//! `.arki/config.json#mcpServers.NAME`, by a hash of their value that comments and layout don't change. A server's program
//! that lies in the project is pinned as well, and so is what hooks run (`followed`); a hook of which not everything can be
//! pinned has a pin of its own, `FILE#COMMAND`, to which the user agrees apart. Of a git configuration what may have git run a program is pinned besides
//! the whole, `.git/config#programs`: branches and remotes come and go. Hooks are pinned wherever git runs them from: in git
//! directories, and where `core.hooksPath` points. Those of a worktree's repository may lie outside the project; their
//! paths are absolute.

mod config_pieces;
mod folder_scan;
mod followed;
mod template;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::change_set::content_hash;
use crate::error::Result;
use crate::project::Project;
use arki_git::WorkingTree;

pub use config_pieces::command_programs;
pub use followed::{Followed, RunsOf, follow, unpinned_pin};
pub use template::install_template;

/// The file in which other agents name the project's MCP servers.
const MCP_JSON: &str = ".mcp.json";
/// The files in which other agents keep the project's hooks and permissions.
pub const CLAUDE_SETTINGS: [&str; 2] = [".claude/settings.json", ".claude/settings.local.json"];
const PIECE_OF_HOOKS: &str = "#hooks";
/// Ends the path of a pin for what a git configuration may have git run.
pub const PROGRAMS_OF_GIT: &str = "#programs";
/// Ends the path of a pin for a repository elsewhere.
const FOREIGN: &str = ".git#repository";

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PinKind {
    Config,
    Hook,
    /// A hook's or checker's line of which not everything that it runs can be pinned.
    UnpinnedHook,
    McpServer,
    Rule,
    Skill,
    Procedure,
    Command,
    Agent,
    Pipeline,
    Memory,
    GitConfig,
    GitHook,
}

/// One executable or instructive thing and its content.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Pin {
    pub kind: PinKind,
    /// Relative to the project, with `#` and a key where it is a piece of a file.
    pub path: String,
    /// SHA-256 hex.
    pub hash: String,
    /// The effect, in words, where the path does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PinChange {
    Added,
    Changed,
    Removed,
}

/// A piece that is off until the user has seen the difference and agreed again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ChangedPin {
    pub kind: PinKind,
    pub path: String,
    pub change: PinChange,
}

impl ChangedPin {
    /// Returns whether something is off for it. Git's configuration changes with every branch that is followed; only
    /// what it may have git run is.
    #[must_use]
    pub fn puts_off(&self) -> bool {
        match self.kind {
            PinKind::UnpinnedHook => false,
            PinKind::GitConfig => self.path.ends_with(PROGRAMS_OF_GIT) && self.change != PinChange::Removed,
            _ => true,
        }
    }
}

/// A function from a rule's path and text to the paths, relative to the project, of the files that it imports.
pub type ImportsOf = fn(&str, &str) -> Vec<String>;

/// Those who read what is in a folder.
#[derive(Clone, Copy)]
pub struct Readers {
    pub imports: ImportsOf,
    pub runs: RunsOf,
}

/// The result of looking at a folder.
#[derive(Debug, Clone, Default)]
pub struct TrustScan {
    /// The pins by kind and path.
    pub pins: Vec<Pin>,
    pub git: GitScan,
}

/// The places in a folder of what git reads and runs: its own repository, nested ones, submodules and worktrees.
#[derive(Debug, Clone, Default)]
pub struct GitScan {
    trees: Vec<WorkingTree>,
}

impl GitScan {
    /// The pins of what git reads and runs, as it is now, without looking for repositories again. Blocking: it reads all of
    /// these files.
    pub fn pins(&self, project: &Project) -> Result<Vec<Pin>> {
        Ok(pins(folder_scan::git_files(project, self)?))
    }
}

/// Finds the items that trusting the folder would enable. Blocking: it reads all of these files.
///
/// The caller says what a rule imports and what a hook runs.
pub fn scan(project_root: &Path, readers: Readers) -> Result<TrustScan> {
    let project = Project::open(project_root)?;
    let (files, unpinned, git) = folder_scan::files(&project, readers)?;
    let mut pins = pins(files);
    pins.extend(unpinned);
    pins.extend(git.trees.iter().filter_map(|tree| foreign_repository(project_root, tree)));
    pins.sort();
    Ok(TrustScan { pins, git })
}

/// The pin of a repository outside that git would read in the folder, and that doesn't link back.
fn foreign_repository(root: &Path, tree: &WorkingTree) -> Option<Pin> {
    let place = arki_git::foreign_repository(root, &tree.root)?.display().to_string();
    let folder = tree.root.strip_prefix(root.canonicalize().ok()?).ok()?.to_str()?;
    let path = if folder.is_empty() { FOREIGN.to_owned() } else { format!("{folder}/{FOREIGN}") };
    let note =
        format!("Git here reads the repository {place}, outside the folder: all of its history becomes readable.");
    Some(Pin { kind: PinKind::GitConfig, path, hash: content_hash(place.as_bytes()), note: Some(note) })
}

fn pins(files: Vec<folder_scan::PinnedFile>) -> Vec<Pin> {
    let mut pins = Vec::new();
    for file in files {
        if file.kind == PinKind::Config || file.path == MCP_JSON {
            let is_used =
                |pin: &Pin| pin.path.ends_with(PIECE_OF_HOOKS) || !CLAUDE_SETTINGS.contains(&file.path.as_str());
            pins.extend(config_pieces::pins(&file.path, &file.bytes).into_iter().filter(is_used));
        }
        if file.kind == PinKind::GitConfig {
            pins.extend(programs_of_git(&file.path, &file.bytes));
        }
        let note = (file.kind == PinKind::Hook).then(|| followed::note_of(&file.path, &file.bytes)).flatten();
        pins.push(Pin { kind: file.kind, path: file.path, hash: content_hash(&file.bytes), note });
    }
    pins.sort();
    pins.dedup();
    pins
}

fn programs_of_git(path: &str, config: &[u8]) -> Option<Pin> {
    let programs = arki_git::beyond_harmless(&String::from_utf8_lossy(config));
    let pin = || Pin {
        kind: PinKind::GitConfig,
        path: format!("{path}{PROGRAMS_OF_GIT}"),
        hash: content_hash(programs.as_bytes()),
        note: None,
    };
    (!programs.is_empty()).then(pin)
}

/// Returns how `current` differs from `pinned`, by kind and path.
pub fn compare(pinned: &[Pin], current: &[Pin]) -> Vec<ChangedPin> {
    let (before, after) = (by_name(pinned), by_name(current));
    let names: BTreeSet<_> = before.keys().chain(after.keys()).copied().collect();
    let mut changed = Vec::new();
    for name @ (kind, path) in names {
        let change = match (before.get(&name), after.get(&name)) {
            (None, _) => PinChange::Added,
            (_, None) => PinChange::Removed,
            (before, after) if before == after => continue,
            _ => PinChange::Changed,
        };
        changed.push(ChangedPin { kind, path: path.to_owned(), change });
    }
    changed
}

fn by_name(pins: &[Pin]) -> BTreeMap<(PinKind, &str), &str> {
    pins.iter().map(|pin| ((pin.kind, pin.path.as_str()), pin.hash.as_str())).collect()
}

#[cfg(test)]
mod tests;
