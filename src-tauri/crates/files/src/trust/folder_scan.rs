//! Finding and reading the files that trust covers.
//!
//! Known places are walked without regard to `.gitignore`: what is ignored is obeyed all the same. Only the rules and
//! repositories that may lie in any folder are looked for where git looks, not in `node_modules`.

use std::collections::{BTreeSet, VecDeque};
use std::io;
use std::path::{Path, PathBuf};

use super::config_pieces::{self, HookPieces};
use super::followed::{follow, unpinned_pin};
use super::{CLAUDE_SETTINGS, GitScan, ImportsOf, MCP_JSON, Pin, PinKind, Readers};
use crate::error::{FileAction, FileError, FilesError, Result, TrustError, io_error};
use crate::project::{FileBytes, Project, ProjectPath};
use crate::walk::walk;
use arki_disk::EntryKind;
use arki_disk::entries;
use arki_git::{WorkingTree, hooks_below, included};
use globset::GlobSet;

/// Files that are pinned at most.
const MAX_PINS: usize = 5000;
/// Largest file that is pinned.
pub(super) const MAX_PIN_BYTES: u64 = 32 * 1024 * 1024;
/// The depth to which rules are looked for, and that a known folder may have.
const MAX_DEPTH: usize = 32;

const CONFIG: &str = ".arki/config.json";
const COPILOT_RULES: &str = ".github/copilot-instructions.md";
/// Files that rules import, in all.
const MAX_IMPORTED: usize = 500;
/// A longer file is not imported.
const MAX_IMPORTED_BYTES: u64 = 1024 * 1024;
const RULE_NAMES: &[&str] = &["agents.md", "claude.md"];
/// Every file in these counts.
const FOLDERS: &[(&str, PinKind)] = &[
    (".claude/rules", PinKind::Rule),
    (".cursor/rules", PinKind::Rule),
    (".github/instructions", PinKind::Rule),
    (".agent/skills", PinKind::Skill),
    (".agents/skills", PinKind::Skill),
    (".skills", PinKind::Skill),
    (".claude/skills", PinKind::Skill),
    (".arki/procedures", PinKind::Procedure),
    (".arki/commands", PinKind::Command),
    (".claude/commands", PinKind::Command),
    (".arki/agents", PinKind::Agent),
    (".claude/agents", PinKind::Agent),
    (".arki/pipelines", PinKind::Pipeline),
    (".arki/memory", PinKind::Memory),
];

#[derive(Clone)]
pub(super) struct PinnedFile {
    pub(super) kind: PinKind,
    pub(super) path: String,
    pub(super) bytes: Vec<u8>,
}

/// And where git's own lie, to look at those alone.
pub(super) fn files(project: &Project, readers: Readers) -> Result<(Vec<PinnedFile>, Vec<Pin>, GitScan)> {
    let mut scan = FolderScan { project, files: Vec::new() };
    let config = scan.configuration(CONFIG)?;
    let known = scan.files.len();
    scan.file(MCP_JSON, PinKind::McpServer)?;
    let mcp_json = scan.files.get(known).map(|file| file.bytes.clone()).unwrap_or_default();
    for program in [&config, &mcp_json].into_iter().flat_map(|file| config_pieces::programs(file)) {
        scan.file(&program, PinKind::McpServer)?;
    }
    let mut unpinned = scan.hooks(CONFIG, &config, readers)?;
    for path in CLAUDE_SETTINGS {
        let settings = scan.configuration(path)?;
        unpinned.extend(scan.hooks(path, &settings, readers)?);
    }
    for (folder, kind) in FOLDERS {
        scan.folder(folder, *kind, 0)?;
    }
    let repositories = scan.rules()?;
    scan.imported(readers.imports)?;
    let git = GitScan { trees: scan.working_trees(&repositories)? };
    scan.git(&git)?;
    Ok((scan.files, unpinned, git))
}

/// Returns only the files that git reads and runs.
pub(super) fn git_files(project: &Project, git: &GitScan) -> Result<Vec<PinnedFile>> {
    let mut scan = FolderScan { project, files: Vec::new() };
    scan.git(git)?;
    Ok(scan.files)
}

pub(super) struct FolderScan<'a> {
    pub(super) project: &'a Project,
    pub(super) files: Vec<PinnedFile>,
}

impl FolderScan<'_> {
    /// Pins `path` if it is there.
    pub(super) fn file(&mut self, path: &str, kind: PinKind) -> Result<()> {
        let Ok(path) = self.project.resolve(path) else { return Ok(()) };
        let file = self.project.read(&path, MAX_PIN_BYTES);
        self.take(file, &path, kind)
    }

    /// Returns its bytes. One that can't be read is refused by whoever goes by it, with its own words.
    fn configuration(&mut self, path: &str) -> Result<Vec<u8>> {
        let known = self.files.len();
        if let Err(error @ FilesError::Trust(TrustError::TooManyPins { .. })) = self.file(path, PinKind::Config) {
            return Err(error);
        }
        Ok(self.files.get(known).map(|file| file.bytes.clone()).unwrap_or_default())
    }

    /// Finds all that hooks and checkers run and say. Returns the pins of those that can't be pinned.
    fn hooks(&mut self, path: &str, config: &[u8], readers: Readers) -> Result<Vec<Pin>> {
        let HookPieces { lines, texts } = config_pieces::hook_pieces(config);
        texts.iter().try_for_each(|text| self.file(text, PinKind::Hook))?;
        let mut unpinned = Vec::new();
        for (line, is_checker) in lines {
            let followed = follow(self.project, &line, readers.runs)?;
            unpinned.extend(followed.unpinned(is_checker).map(|why| unpinned_pin(path, &line, &why)));
            self.files.extend(followed.files);
        }
        if self.files.len() > MAX_PINS { Err(too_many(self.project)) } else { Ok(unpinned) }
    }

    fn take(&mut self, file: Result<FileBytes>, path: &ProjectPath, kind: PinKind) -> Result<()> {
        match file {
            Ok(file) => self.push(kind, path, file.bytes),
            Err(error) => skip_or_fail(error),
        }
    }

    pub(super) fn push(&mut self, kind: PinKind, path: &ProjectPath, bytes: Vec<u8>) -> Result<()> {
        if self.files.len() == MAX_PINS {
            return Err(too_many(self.project));
        }
        self.files.push(PinnedFile { kind, path: path.to_string(), bytes });
        Ok(())
    }

    /// Everything below `folder`, links inside the project included.
    pub(super) fn folder(&mut self, folder: &str, kind: PinKind, depth: usize) -> Result<()> {
        if depth == MAX_DEPTH {
            return Err(too_many(self.project));
        }
        for (name, entry) in self.entries(folder)? {
            let path = format!("{folder}/{name}");
            match entry {
                // As the folder has just told it: what is there by now is seen once it is open.
                EntryKind::File => {
                    let Ok(path) = self.project.resolve(&path) else { continue };
                    let file = self.project.read_walked(&path, MAX_PIN_BYTES);
                    self.take(file, &path, kind)?;
                }
                EntryKind::Folder => self.folder(&path, kind, depth + 1)?,
                EntryKind::Link | EntryKind::Special => match self.kind_at(&path)? {
                    Some(EntryKind::File) => self.file(&path, kind)?,
                    Some(EntryKind::Folder) => self.folder(&path, kind, depth + 1)?,
                    _ => {}
                },
            }
        }
        Ok(())
    }

    /// Returns what is at `path`, links followed. A link that leads out enables nothing: it can't be read through here,
    /// nor when it comes to using it.
    fn kind_at(&self, path: &str) -> Result<Option<EntryKind>> {
        let Ok(path) = self.project.resolve(path) else { return Ok(None) };
        match self.project.kind(&path) {
            Ok(kind) => Ok(kind),
            Err(error) => skip_or_fail(error).map(|()| None),
        }
    }

    pub(super) fn names(&self, folder: &str) -> Result<Vec<String>> {
        Ok(self.entries(folder)?.into_iter().map(|(name, _)| name).collect())
    }

    /// Returns what is in a folder, sorted by name; nothing where there is no folder.
    fn entries(&self, folder: &str) -> Result<Vec<(String, EntryKind)>> {
        let open = match self.project.dir().open_dir(folder) {
            Ok(open) => open,
            Err(error) if is_nothing(&error) => return Ok(Vec::new()),
            Err(error) => return skip_or_fail(io_error(folder, FileAction::List, error)).map(|()| Vec::new()),
        };
        let fail = |error| io_error(folder, FileAction::List, error);
        let mut found = Vec::new();
        for entry in entries(&open).map_err(fail)? {
            let (name, kind) = entry.map_err(fail)?;
            if found.len() == MAX_PINS {
                return Err(too_many(self.project));
            }
            // A name that is not UTF-8, or hides something, can't be addressed later either.
            found.extend(name.into_string().ok().map(|name| (name, kind)));
        }
        found.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        Ok(found)
    }

    /// `AGENTS.md` and `CLAUDE.md` in any folder, in any case: on some disks the case does not matter. The folders with a
    /// `.git` that were on the way.
    fn rules(&mut self) -> Result<Vec<PathBuf>> {
        let mut walk = walk(self.project, &ProjectPath::root(), Some(MAX_DEPTH));
        for entry in walk.by_ref() {
            let Ok(entry) = entry else { continue };
            let name = entry.path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
            if !RULE_NAMES.contains(&name.as_str()) {
                continue;
            }
            let relative = entry.path.strip_prefix(self.project.root()).unwrap_or(&entry.path);
            if let Some(path) = ProjectPath::from_walk(relative) {
                self.file(path.as_str(), PinKind::Rule)?;
            }
        }
        // Ignored by git, they are obeyed all the same where they count most.
        for name in ["AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md", COPILOT_RULES] {
            if !self.files.iter().any(|file| file.path == name) {
                self.file(name, PinKind::Rule)?;
            }
        }
        Ok(walk.repositories)
    }

    /// The files that rules import, and those that these import. Secret ones never are; what can't be read enables nothing.
    fn imported(&mut self, imports: ImportsOf) -> Result<()> {
        let rules: Vec<usize> = (0..self.files.len()).filter(|at| self.files[*at].kind == PinKind::Rule).collect();
        let mut known: BTreeSet<String> = rules.iter().map(|at| self.files[*at].path.clone()).collect();
        let mut open: VecDeque<usize> = rules.into();
        let mut left = MAX_IMPORTED;
        while let Some(at) = open.pop_front() {
            let rule = &self.files[at];
            for import in imports(&rule.path, &String::from_utf8_lossy(&rule.bytes)) {
                let Ok(path) = self.project.resolve(&import) else { continue };
                if !known.insert(path.to_string()) || self.project.is_secret(&path, &GlobSet::empty()) {
                    continue;
                }
                let Ok(file) = self.project.read(&path, MAX_IMPORTED_BYTES) else { continue };
                left = left.checked_sub(1).ok_or_else(|| too_many(self.project))?;
                open.push_back(self.files.len());
                self.push(PinKind::Rule, &path, file.bytes)?;
            }
        }
        Ok(())
    }

    /// The project's own, nested ones and submodules that are in it, and its worktrees, which git may ignore.
    fn working_trees(&self, repositories: &[PathBuf]) -> Result<Vec<WorkingTree>> {
        let root = self.project.root();
        let mut trees: Vec<_> = repositories.iter().filter_map(|folder| WorkingTree::at(folder)).collect();
        for name in self.names(".git/worktrees")? {
            let place = self.project.resolve(&format!(".git/worktrees/{name}/gitdir"))?;
            let named = self.project.read_if_present(&place, MAX_PIN_BYTES).ok().flatten();
            let named = named.and_then(|file| String::from_utf8(file.bytes).ok());
            let tree = named.as_deref().and_then(|named| Path::new(named.trim()).parent());
            trees.extend(tree.filter(|tree| tree.starts_with(root)).and_then(WorkingTree::at));
        }
        trees.sort();
        trees.dedup();
        Ok(trees)
    }

    /// The project's git directory with its worktrees' configuration, those of its submodules and of repositories in it,
    /// and what all of these have git run that lies elsewhere in the project.
    fn git(&mut self, scan: &GitScan) -> Result<()> {
        self.git_directory(".git")?;
        for name in self.names(".git/worktrees")? {
            self.git_configuration(&format!(".git/worktrees/{name}/config.worktree"))?;
        }
        self.submodules(".git/modules", 0)?;
        for tree in &scan.trees {
            self.git_of(tree)?;
        }
        for place in hooks_below(self.project.root(), &scan.trees) {
            let Some(path) = self.inside(&place) else { continue };
            match self.kind_at(&path)? {
                Some(EntryKind::File) => self.file(&path, PinKind::GitHook)?,
                Some(EntryKind::Folder) => self.folder(&path, PinKind::GitHook, 0)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// A worktree's repository may lie outside the project.
    fn git_of(&mut self, tree: &WorkingTree) -> Result<()> {
        let mut folders = vec![tree.git.clone(), tree.common()];
        folders.dedup();
        for folder in folders {
            match self.inside(&folder) {
                Some(inside) => self.git_directory(&inside)?,
                None => self.git_outside(&folder)?,
            }
        }
        Ok(())
    }

    /// Adds a git directory outside the folder, by its absolute path.
    fn git_outside(&mut self, folder: &Path) -> Result<()> {
        // One that can't be opened is none that git uses.
        let Ok(outside) = Project::open(folder) else { return Ok(()) };
        let mut scan = FolderScan { project: &outside, files: Vec::new() };
        scan.git_directory(".")?;
        for file in scan.files {
            let path = outside.root().join(&file.path).display().to_string();
            if self.files.len() == MAX_PINS {
                return Err(too_many(self.project));
            }
            self.files.push(PinnedFile { path, ..file });
        }
        Ok(())
    }

    fn inside(&self, place: &Path) -> Option<String> {
        let inside = place.strip_prefix(self.project.root()).ok().and_then(ProjectPath::from_walk)?;
        Some(inside.to_string())
    }

    fn git_directory(&mut self, folder: &str) -> Result<()> {
        for name in ["config", "config.worktree"] {
            self.git_configuration(&format!("{folder}/{name}"))?;
        }
        for name in self.names(&format!("{folder}/hooks"))? {
            // One that may not be executed yet is a `chmod` away from it.
            if !name.ends_with(".sample") {
                self.file(&format!("{folder}/hooks/{name}"), PinKind::GitHook)?;
            }
        }
        Ok(())
    }

    /// A submodule is named as its folder is, so that its git directory may lie some folders down, and it may have
    /// submodules of its own.
    fn submodules(&mut self, folder: &str, depth: usize) -> Result<()> {
        if depth == MAX_DEPTH {
            return Err(too_many(self.project));
        }
        for name in self.names(folder)? {
            let path = format!("{folder}/{name}");
            if self.kind_at(&path)? != Some(EntryKind::Folder) {
                continue;
            }
            if self.kind_at(&format!("{path}/HEAD"))? == Some(EntryKind::File) {
                self.git_directory(&path)?;
                self.submodules(&format!("{path}/modules"), depth + 1)?;
            } else {
                self.submodules(&path, depth + 1)?;
            }
        }
        Ok(())
    }

    /// Adds a git configuration with the files of the project that it includes, once each.
    fn git_configuration(&mut self, path: &str) -> Result<()> {
        if self.files.iter().any(|file| file.kind == PinKind::GitConfig && file.path == path) {
            return Ok(());
        }
        let known = self.files.len();
        self.file(path, PinKind::GitConfig)?;
        let Some(pinned) = self.files.get(known) else { return Ok(()) };
        let text = String::from_utf8_lossy(&pinned.bytes).into_owned();
        let folder = self.project.root().join(path);
        for named in included(&text, folder.parent().unwrap_or(&folder)) {
            if let Some(inside) = self.inside(&named) {
                self.git_configuration(&inside)?;
            }
        }
        Ok(())
    }
}

fn is_nothing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn too_many(project: &Project) -> FilesError {
    TrustError::TooManyPins { path: project.root().display().to_string(), limit: MAX_PINS }.into()
}

/// Passes over a path that is missing, no file, or leads out: it enables nothing. What can't be read could later, so it
/// is an error.
pub(super) fn skip_or_fail(error: FilesError) -> Result<()> {
    match error {
        FilesError::Path(_) => Ok(()),
        FilesError::File(
            FileError::NotFound { .. }
            | FileError::BrokenLink { .. }
            | FileError::NotRegular { .. }
            | FileError::NotFolder { .. },
        ) => Ok(()),
        FilesError::File(FileError::TooLarge { path, limit }) => Err(TrustError::PinTooLarge { path, limit }.into()),
        other => Err(other),
    }
}
