//! A commit of a session's changes on what is checked out, made of objects: the user's other changes of the same files,
//! and what they have staged, stay as they are. No hook, filter or signing program runs; whoever wants those is told.
//!
//! The index gets the new content first, then the branch moves if nobody moved it meanwhile: cut off between the two,
//! the changes are staged.

use crate::git::{BY_HAND, Git};
use arki_domain::{Code, Error};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

const FILE: &str = "100644";
const PROGRAM: &str = "100755";
/// In the place of a mode: the index has sides of a conflict, which are the user's to settle.
const UNMERGED: &str = "unmerged";
/// Paths that one call of git gets.
const BATCH: usize = 200;
/// Files of git's that are there while it waits for the user in the middle of something.
const UNDER_WAY: &[&str] = &["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply"];
/// Hooks that a commit in a terminal runs.
const HOOKS: &[&str] = &["pre-commit", "prepare-commit-msg", "commit-msg", "post-commit"];
const SHORT_HASH: usize = 10;

/// Makes of a file's content (`None`: no file) the one with the session's changes; `None` where both changed one place.
pub(crate) type WithChanges = dyn Fn(Option<Vec<u8>>) -> Option<Option<Vec<u8>>> + Send + Sync;

pub struct FileToCommit {
    /// Relative to the project.
    pub path: String,
    /// On the disk it is a program; counts where git doesn't know the file.
    pub is_program: bool,
    pub with_changes: Box<WithChanges>,
}

pub struct NewCommit<'a> {
    /// The project.
    pub folder: &'a Path,
    /// A folder of Arki's own, in which git is run.
    pub directory: &'a Path,
    pub message: &'a str,
    pub files: Vec<FileToCommit>,
}

/// Why a file is not in the commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommitGap {
    /// The user's uncommitted or staged changes touch the same lines.
    Mixed,
    /// It is ignored, a link, in conflict, or git has a filter write it.
    NotByArki,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenCommit {
    /// The beginning of its hash.
    pub commit: String,
    /// Relative to the project.
    pub files: Vec<String>,
    pub left_out: Vec<(String, CommitGap)>,
    /// The hooks of the repository that did not run, and `commit.gpgSign`.
    pub not_run: Vec<String>,
}

/// A file as git has it; `None` is no file.
type TreeEntry = Option<(String, String)>;

struct Committing<'a> {
    git: Git,
    root: PathBuf,
    /// Leads from the repository's root to the project, with a slash at its end; or empty.
    prefix: String,
    new: NewCommit<'a>,
}

/// # Errors
/// `COMMIT_UNAVAILABLE` where Arki can't commit, `NOTHING_TO_COMMIT`, `COMMIT_FAILED` with git's own words.
pub async fn commit(new: NewCommit<'_>) -> Result<WrittenCommit, Error> {
    let root = committable_root(new.folder)?;
    let below = new.folder.strip_prefix(root).unwrap_or(Path::new("")).components();
    let prefix = below.map(|part| format!("{}/", part.as_os_str().to_string_lossy())).collect();
    let git = Git::of(root, new.directory, BY_HAND)?;
    Committing { git, root: root.to_owned(), prefix, new }.write().await.map_err(in_own_words)
}

/// Says of the commit what this crate's git says of worktrees.
fn in_own_words(fault: Error) -> Error {
    match fault.is(Code::WORKTREE_FAILED) || fault.is(Code::WORKTREE_UNAVAILABLE) {
        true => Error::new(Code::COMMIT_FAILED, fault.message, "Fix what git reports, or commit in a terminal."),
        false => fault,
    }
}

/// Returns the root of the repository around a folder.
///
/// # Errors
/// `COMMIT_UNAVAILABLE` where Arki can't commit there.
pub fn committable_root(folder: &Path) -> Result<&Path, Error> {
    let root = folder.ancestors().find(|folder| folder.join(".git").symlink_metadata().is_ok());
    let root = root.ok_or_else(|| unavailable("The folder is not in a git repository.", "Run `git init` first."))?;
    ensure_can_commit(&root.join(".git")).map(|()| root)
}

fn ensure_can_commit(git_dir: &Path) -> Result<(), Error> {
    let is_there = |name: &str| git_dir.join(name).symlink_metadata().is_ok();
    if !git_dir.symlink_metadata().is_ok_and(|found| found.is_dir()) || is_there("commondir") {
        return Err(unavailable("The folder is a linked worktree.", "Commit in a terminal."));
    }
    match UNDER_WAY.iter().any(|name| is_there(name)) {
        true => Err(unavailable("A merge, rebase or pick is under way.", "Finish it in a terminal first.")),
        false => Ok(()),
    }
}

impl Committing<'_> {
    async fn write(&self) -> Result<WrittenCommit, Error> {
        let head = self.git.commit("HEAD").await?;
        let identity = self.identity().await?;
        let mut left_out = BTreeMap::new();
        for path in self.not_by_arki().await? {
            left_out.insert(path, CommitGap::NotByArki);
        }
        let committed = match &head {
            Some(head) => self.entries(&["ls-tree", "-z", "--full-tree", head]).await?,
            None => BTreeMap::new(),
        };
        let staged = self.entries(&["ls-files", "-z", "--stage"]).await?;
        let (mut tree, mut index) = (BTreeMap::new(), BTreeMap::new());
        for file in &self.new.files {
            let path = format!("{}{}", self.prefix, file.path);
            if left_out.contains_key(&path) {
                continue;
            }
            let (of_head, of_index) = (committed.get(&path).cloned(), staged.get(&path).cloned());
            let new = match self.changed(file, of_head.clone()).await? {
                Ok(new) => new,
                Err(why) => {
                    left_out.insert(path, why);
                    continue;
                }
            };
            let new_index = match of_index == of_head {
                true => Ok(new.clone()),
                false => self.changed(file, of_index.clone()).await?,
            };
            match new_index {
                Ok(_) if new == of_head => {}
                Ok(new_index) => {
                    tree.insert(path.clone(), new);
                    index.insert(path, new_index);
                }
                Err(why) => drop(left_out.insert(path, why)),
            }
        }
        if tree.is_empty() {
            return Err(nothing(left_out.values().any(|why| *why == CommitGap::Mixed)));
        }
        let commit = self.write_commit(head.as_deref(), &identity, &tree).await?;
        self.update_index(&index, &[]).await?;
        let old = head.as_deref().unwrap_or("");
        self.git.done(self.git.in_repository(&["update-ref", "-m", "commit: by Arki", "HEAD", &commit, old])).await?;
        let of_project = |path: &str| path.strip_prefix(&self.prefix).unwrap_or(path).to_owned();
        Ok(WrittenCommit {
            commit: commit[..SHORT_HASH.min(commit.len())].to_owned(),
            files: tree.keys().map(|path| of_project(path)).collect(),
            left_out: left_out.iter().map(|(path, why)| (of_project(path), *why)).collect(),
            not_run: self.not_run().await?,
        })
    }

    /// The new entry of a file; or why there is none.
    async fn changed(&self, file: &FileToCommit, entry: TreeEntry) -> Result<Result<TreeEntry, CommitGap>, Error> {
        let mode = match &entry {
            Some((mode, _)) if mode != FILE && mode != PROGRAM => return Ok(Err(CommitGap::NotByArki)),
            Some((mode, _)) => mode.clone(),
            None if file.is_program => PROGRAM.to_owned(),
            None => FILE.to_owned(),
        };
        let content = match &entry {
            Some((_, object)) => Some(self.bytes(&["cat-file", "blob", object], &[]).await?),
            None => None,
        };
        let Some(changed) = (file.with_changes)(content.clone()) else { return Ok(Err(CommitGap::Mixed)) };
        match changed {
            unchanged if unchanged == content => Ok(Ok(entry)),
            None => Ok(Ok(None)),
            Some(bytes) => Ok(Ok(Some((mode, self.object(&bytes).await?)))),
        }
    }

    async fn write_commit(
        &self,
        head: Option<&str>,
        identity: &[(&'static str, String)],
        tree: &BTreeMap<String, TreeEntry>,
    ) -> Result<String, Error> {
        let index = [("GIT_INDEX_FILE", self.git.temp_dir().join("index").display().to_string())];
        self.done(&["read-tree", head.unwrap_or("--empty")], &index).await?;
        self.update_index(tree, &index).await?;
        let tree = self.done(&["write-tree"], &index).await?;
        let mut arguments = vec!["commit-tree", tree.trim(), "-m", self.new.message];
        arguments.extend(head.iter().flat_map(|head| ["-p", head]));
        Ok(self.done(&arguments, identity).await?.trim().to_owned())
    }

    async fn update_index(
        &self,
        files: &BTreeMap<String, TreeEntry>,
        variables: &[(&str, String)],
    ) -> Result<(), Error> {
        let files: Vec<_> = files.iter().collect();
        for some in files.chunks(BATCH) {
            let of_file = |(path, entry): &(&String, &TreeEntry)| match entry {
                Some((mode, object)) => ["--cacheinfo".to_owned(), format!("{mode},{object},{path}")],
                None => ["--force-remove".to_owned(), (*path).clone()],
            };
            let arguments: Vec<String> = some.iter().flat_map(of_file).collect();
            let mut all = vec!["update-index", "--add"];
            all.extend(arguments.iter().map(String::as_str));
            self.done(&all, variables).await?;
        }
        Ok(())
    }

    async fn object(&self, bytes: &[u8]) -> Result<String, Error> {
        // The folder above it is locked for as long as it is used.
        let folder = self.git.temp_dir().join("content");
        arki_disk::create_private_dir(&folder).map_err(Error::internal)?;
        let file = folder.join("object");
        arki_disk::write_private_file(&file, bytes).map_err(Error::internal)?;
        let object = self.done(&["hash-object", "-w", "--no-filters", &file.display().to_string()], &[]).await?;
        Ok(object.trim().to_owned())
    }

    /// Files of the commit, by their path from the repository's root, with their mode and object.
    async fn entries(&self, command: &[&str]) -> Result<BTreeMap<String, (String, String)>, Error> {
        let mut entries = BTreeMap::new();
        for paths in self.paths().chunks(BATCH) {
            let listed = self.bytes(&with_paths(command, paths), &[]).await?;
            for entry in String::from_utf8_lossy(&listed).split_terminator('\0') {
                // Of a tree: mode, kind, object. Of the index: mode, object, stage.
                let Some((about, path)) = entry.split_once('\t') else { continue };
                let words: Vec<&str> = about.split_whitespace().collect();
                let [mode, second, third] = words[..] else { continue };
                let (mode, object) = match second {
                    "blob" | "commit" | "tree" => (mode, third),
                    _ if third == "0" => (mode, second),
                    _ => (UNMERGED, second),
                };
                entries.insert(path.to_owned(), (mode.to_owned(), object.to_owned()));
            }
        }
        Ok(entries)
    }

    /// Ignored files, and those that a filter writes, such as those of large file storage.
    async fn not_by_arki(&self) -> Result<BTreeSet<String>, Error> {
        let mut found = BTreeSet::new();
        for paths in self.paths().chunks(BATCH) {
            let untracked = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard"];
            let ignored = self.bytes(&with_paths(&untracked, paths), &[]).await?;
            found.extend(String::from_utf8_lossy(&ignored).split_terminator('\0').map(str::to_owned));
            let attributes = with_paths(&["check-attr", "-z", "filter", "working-tree-encoding"], paths);
            let told = self.done(&attributes, &[]).await?;
            let fields: Vec<&str> = told.split_terminator('\0').collect();
            let has_value = |of: &&[&str]| of.get(2).is_some_and(|value| !["unspecified", "unset"].contains(value));
            found.extend(fields.chunks(3).filter(has_value).filter_map(|of| of.first()).map(|path| (*path).to_owned()));
        }
        Ok(found)
    }

    /// The author, as git would find them; the committer is the same.
    async fn identity(&self) -> Result<[(&'static str, String); 4], Error> {
        let name = self.setting("user.name").await?;
        let email = self.setting("user.email").await?;
        let (Some(name), Some(email)) = (name, email) else {
            return Err(unavailable(
                "Git doesn't know who commits here.",
                "Set `git config --global user.name` and `user.email`.",
            ));
        };
        Ok([
            ("GIT_AUTHOR_NAME", name.clone()),
            ("GIT_AUTHOR_EMAIL", email.clone()),
            ("GIT_COMMITTER_NAME", name),
            ("GIT_COMMITTER_EMAIL", email),
        ])
    }

    /// A setting of the repository, or else of the user. Reading one runs nothing.
    async fn setting(&self, key: &str) -> Result<Option<String>, Error> {
        let own = self.git.answer(self.git.in_repository(&["config", "--local", "--get", key])).await?;
        if own.exit_code == Some(0) {
            return Ok(Some(own.stdout.trim().to_owned()));
        }
        for file in arki_git::user_configurations(std::env::home_dir().as_deref()).iter().rev() {
            let file = file.display().to_string();
            let asked = ["config", "--file", &file, "--includes", "--get", key];
            let answer = self.git.answer(self.git.in_repository(&asked)).await?;
            if answer.exit_code == Some(0) {
                return Ok(Some(answer.stdout.trim().to_owned()));
            }
        }
        Ok(None)
    }

    async fn not_run(&self) -> Result<Vec<String>, Error> {
        let hooks = self.root.join(".git/hooks");
        let mut not_run: Vec<String> =
            HOOKS.iter().filter(|name| hooks.join(name).exists()).map(|name| (*name).to_owned()).collect();
        if self.setting("core.hooksPath").await?.is_some() {
            not_run.push("core.hooksPath".to_owned());
        }
        if self.setting("commit.gpgSign").await?.is_some_and(|value| value == "true") {
            not_run.push("commit.gpgSign".to_owned());
        }
        Ok(not_run)
    }

    fn paths(&self) -> Vec<String> {
        self.new.files.iter().map(|file| format!("{}{}", self.prefix, file.path)).collect()
    }

    fn arguments(&self, command: &[&str]) -> Vec<String> {
        std::iter::once("--literal-pathspecs".to_owned()).chain(self.git.in_repository(command)).collect()
    }

    async fn bytes(&self, command: &[&str], variables: &[(&str, String)]) -> Result<Vec<u8>, Error> {
        let (exit_code, stdout, stderr) = self.git.run(self.arguments(command), variables).await?;
        match exit_code {
            Some(0) => Ok(stdout),
            _ => Err(failed(&stderr)),
        }
    }

    async fn done(&self, command: &[&str], variables: &[(&str, String)]) -> Result<String, Error> {
        Ok(String::from_utf8_lossy(&self.bytes(command, variables).await?).into_owned())
    }
}

fn with_paths<'a>(command: &[&'a str], paths: &'a [String]) -> Vec<&'a str> {
    command.iter().copied().chain(["--"]).chain(paths.iter().map(String::as_str)).collect()
}

fn failed(stderr: &str) -> Error {
    let hint = "Fix what git reports, or commit in a terminal.";
    Error::new(Code::COMMIT_FAILED, format!("Git failed: {}", stderr.trim()), hint)
}

fn unavailable(message: &str, hint: &str) -> Error {
    Error::new(Code::COMMIT_UNAVAILABLE, message, hint)
}

fn nothing(is_mixed: bool) -> Error {
    match is_mixed {
        true => Error::new(
            Code::NOTHING_TO_COMMIT,
            "Your own uncommitted or staged changes touch the same lines.",
            "Commit them together in a terminal.",
        ),
        false => Error::new(
            Code::NOTHING_TO_COMMIT,
            "The last commit has all of the session's changes.",
            "Ask for a change first.",
        ),
    }
}
