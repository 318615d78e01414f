//! Makes a worktree.
//!
//! A new branch goes on with the project's files as they are. A branch that the project has goes on with its own: what
//! lies in the project belongs to another branch. They are written by the worktree's new repository, whose configuration
//! names no program, into a folder that nobody else sees, and copied from there like any others.

use super::{BranchName, SessionWorktrees, WorktreeNote};
use crate::blocking::blocking;
use crate::git::{Git, IN_THE_FOLDER, behind, fitness};
use arki_disk::{FolderLock, PrivateTempDir};
use arki_domain::{Code, Error};
use arki_files::{
    CopyError, CopyLimits, FilesError, Project, copy_files, copy_git_exclude, make_worktree_folder,
    remove_worktree_folder,
};
use arki_git::Head;
use globset::GlobSet;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The most that is copied into one worktree besides its repository: the number of files, and the bytes of all of them
/// together.
const LIMITS: CopyLimits = CopyLimits { files: 50_000, bytes: 1 << 30 };
const ARKI_FOLDER: &str = ".arki";
/// The user's name for commits, where the project has one of its own.
const OF_THE_USER: [&str; 2] = ["user.name", "user.email"];

/// A worktree that is to be made.
pub struct NewSessionWorktree {
    /// The project's folder, canonical.
    pub project: PathBuf,
    pub branch: BranchName,
    /// Files that are not copied.
    pub secrets: GlobSet,
    /// Files that are copied although git ignores them: what the user has agreed to.
    pub agreed: Vec<String>,
    /// Milliseconds since 1970.
    pub now: i64,
}

impl SessionWorktrees {
    /// Returns the folder that a worktree gets.
    ///
    /// # Errors
    /// `WORKTREE_UNAVAILABLE` where there is no folder beside the project.
    pub fn place_of(project: &Path, branch: &BranchName) -> Result<PathBuf, Error> {
        let (Some(parent), Some(name)) = (project.parent(), project.file_name()) else {
            let why = "The project isn't inside another folder.";
            return Err(fitness::unavailable(why, "Move the project into a folder of its own", IN_THE_FOLDER));
        };
        let mut all = OsString::from(name);
        all.push(".worktrees");
        Ok(parent.join(all).join(branch.folder_name()))
    }

    /// Makes a worktree: a repository with the project's commits and the branch. A new branch begins at the last commit, and
    /// gets the project's files as they are, those that git tracks or doesn't ignore; one that the project has gets the
    /// files of its own last commit. Secret files are left out. Returns its folder.
    ///
    /// # Errors
    /// `WORKTREE_UNAVAILABLE`, `WORKTREE_EXISTS`, `BRANCH_CHECKED_OUT`, `WORKTREE_TOO_LARGE`, `WORKTREE_FAILED`, and what
    /// the disk says. Nothing is left then.
    pub async fn make(self: &Arc<Self>, new: NewSessionWorktree) -> Result<PathBuf, Error> {
        let project = new.project.clone();
        let branch = new.branch.clone();
        let git = blocking(self, move |worktrees| {
            fitness::ensure_fit(&project, IN_THE_FOLDER)?;
            fitness::ensure_keeps_to_itself(&project, IN_THE_FOLDER)?;
            ensure_not_checked_out(&project, &branch)?;
            worktrees.notes.ensure_folder()?;
            worktrees.remove_unfinished();
            let place = Self::place_of(&project, &branch)?;
            Ok(Git::of(&project, worktrees.notes.folder(), IN_THE_FOLDER)?.patient(place.parent().unwrap_or(&place)))
        })
        .await?;
        let last = git.last_commit().await?;
        let (base, files) = match git.commit(&new.branch.reference()).await? {
            Some(base) => (base, Files::OfTheBranch),
            None => (last, Files::OfTheProject),
        };
        let NewSessionWorktree { project, branch, secrets, agreed, now } = new;
        let (note, lock) =
            blocking(self, move |worktrees| worktrees.begin(project, branch.as_str(), base, now)).await?;
        let made = self.filled(&git, note.clone(), files, secrets, agreed).await;
        if made.is_err() {
            let note = note.clone();
            let given_up = blocking(self, move |worktrees| {
                remove_worktree_folder(&note.folder).map_err(|error| super::not_removed(&note.folder, &error))?;
                worktrees.notes.remove(&note)
            });
            if let Err(fault) = given_up.await {
                tracing::warn!(%fault, "a worktree that could not be made is still there in part");
            }
        }
        self.made(&note.folder, lock);
        made.map(|()| note.folder)
    }

    /// Makes the folder, which nobody else can have made then, and the note on it.
    fn begin(
        &self,
        project: PathBuf,
        branch: &str,
        base: String,
        now: i64,
    ) -> Result<(WorktreeNote, FolderLock), Error> {
        let place = Self::place_of(&project, &BranchName::parse(branch)?)?;
        let lock = self.making(&place).ok_or_else(|| exists("A worktree that is being made"))?;
        let folder = make_worktree_folder(&place).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => exists(&format!("The folder {}", place.display())),
            kind => not_made(&place, kind),
        })?;
        let branch = branch.to_owned();
        let note = WorktreeNote {
            folder,
            project,
            branch,
            base,
            brought: None,
            created_at: now,
            is_made: false,
            is_removed: false,
        };
        if let Err(fault) = self.notes.write(&note) {
            // Nobody would know of it.
            let _ = remove_worktree_folder(&note.folder);
            return Err(fault);
        }
        Ok((note, lock))
    }

    async fn filled(
        self: &Arc<Self>,
        git: &Git,
        note: WorktreeNote,
        files: Files,
        secrets: GlobSet,
        agreed: Vec<String>,
    ) -> Result<(), Error> {
        clone(git, &note).await?;
        let sources = match files {
            Files::OfTheProject => {
                let mut paths = git.files().await?;
                paths.extend(agreed);
                CopySources { checkout: None, of_checkout: BTreeSet::new(), of_project: paths }
            }
            Files::OfTheBranch => checked_out(git, &note, agreed).await?,
        };
        let arki = format!("{ARKI_FOLDER}/");
        let keeps_arki = match files {
            Files::OfTheProject => !git.done(git.in_repository(&["ls-files", "--", ARKI_FOLDER])).await?.is_empty(),
            Files::OfTheBranch => sources.of_checkout.iter().any(|path| path.starts_with(&arki)),
        };
        blocking(self, move |worktrees| {
            // Nobody has chosen to commit Arki's own folder where git doesn't keep it. It is no reason to fail.
            let also = (!keeps_arki).then(|| format!("/{arki}"));
            if let Err(error) = copy_git_exclude(&note.project, &note.folder, also.as_deref()) {
                tracing::warn!(%error, "what only the project's repository ignores is not ignored in a worktree");
            }
            sources.copy(&note, &secrets)?;
            worktrees.notes.write(&WorktreeNote { is_made: true, ..note })
        })
        .await
    }
}

/// The files that a worktree begins with.
#[derive(Debug, Clone, Copy)]
enum Files {
    OfTheProject,
    OfTheBranch,
}

/// The places that a worktree's files are copied from, with their paths.
struct CopySources {
    /// The private folder, removed together with its owner.
    checkout: Option<PrivateTempDir>,
    of_checkout: BTreeSet<String>,
    of_project: BTreeSet<String>,
}

impl CopySources {
    fn copy(self, note: &WorktreeNote, secrets: &GlobSet) -> Result<(), Error> {
        let Self { checkout, of_checkout, of_project } = self;
        let to = Project::open(&note.folder)?;
        let copy = |from: &Path, paths: BTreeSet<String>| {
            let paths: Vec<String> = paths.into_iter().collect();
            copy_files(&Project::open(from)?, &[&to], &paths, secrets, LIMITS).map_err(|error| too_large(error.into()))
        };
        if let Some(checkout) = &checkout {
            copy(checkout.path(), of_checkout)?;
        }
        copy(&note.project, of_project).map(drop)
    }
}

/// Writes the files of a worktree's commit into a private folder. Of the project come those that the user has agreed to
/// and git doesn't keep.
async fn checked_out(git: &Git, note: &WorktreeNote, agreed: Vec<String>) -> Result<CopySources, Error> {
    let (of_checkout, bytes) = git.files_of(&note.base).await?;
    if bytes > LIMITS.bytes {
        return Err(too_large(FilesError::from(CopyError::TooLarge { limit: LIMITS.bytes }).into()));
    }
    let checkout = PrivateTempDir::create()?;
    let (folder, place) = (note.folder.display(), checkout.path().display());
    let places = vec![format!("--git-dir={folder}/.git"), format!("--work-tree={place}")];
    git.done(behind(places, &["checkout-index", "--all", "--quiet"])).await?;
    let of_project = agreed.into_iter().filter(|path| !of_checkout.contains(path)).collect();
    Ok(CopySources { checkout: Some(checkout), of_checkout, of_project })
}

fn ensure_not_checked_out(project: &Path, branch: &BranchName) -> Result<(), Error> {
    match arki_git::head(project) {
        Some(Head::Branch(head)) if head == branch.as_str() => Err(Error::new(
            Code::BRANCH_CHECKED_OUT,
            format!("The branch {branch} is checked out in the project, so nothing could be brought back to it."),
            "Choose another name for a new branch, or check out another branch in the project.",
        )),
        _ => Ok(()),
    }
}

/// Copies the repository: objects are copied and not linked, since a linked one would be the project's too. No template,
/// and so no hook, is put into it.
async fn clone(git: &Git, note: &WorktreeNote) -> Result<(), Error> {
    let (project, folder) = (note.project.display().to_string(), note.folder.display().to_string());
    let fixed = ["-c", "protocol.file.allow=always", "clone", "--quiet", "--local", "--no-hardlinks", "--no-checkout"];
    let mut arguments: Vec<String> = fixed.map(str::to_owned).to_vec();
    arguments.extend(["--template=", "--origin=origin", "--", &project, &folder].map(str::to_owned));
    git.done(arguments).await?;
    let places = vec![format!("--git-dir={folder}/.git"), format!("--work-tree={folder}")];
    let inside = |command: &[&str]| git.done(behind(places.clone(), command));
    let reference = format!("refs/heads/{}", note.branch);
    inside(&["update-ref", &reference, &note.base]).await?;
    inside(&["symbolic-ref", "HEAD", &reference]).await?;
    inside(&["read-tree", &note.base]).await?;
    for key in OF_THE_USER {
        let answer = git.answer(git.in_repository(&["config", "--local", "--get", key])).await?;
        let value = answer.stdout.trim_end_matches('\n');
        if answer.exit_code == Some(0) && !value.starts_with('-') && !value.contains('\n') {
            inside(&["config", "--local", key, value]).await?;
        }
    }
    Ok(())
}

fn exists(what: &str) -> Error {
    let hint = "Choose another name, or remove what is there first. `arki worktrees list` names the worktrees.";
    Error::new(Code::WORKTREE_EXISTS, format!("{what} already exists."), hint)
}

fn not_made(place: &Path, kind: ErrorKind) -> Error {
    let hint = "Check that you can write to the folder that contains the project.";
    Error::new(Code::IO_FAILED, format!("{} can't be created: {}.", place.display(), arki_domain::io_words(kind)), hint)
}

/// The general hint is for a model.
fn too_large(fault: Error) -> Error {
    match fault.is(Code::WORKTREE_TOO_LARGE) {
        true => {
            Error { hint: "Add what needn't be copied to .gitignore, or work in the folder itself.".into(), ..fault }
        }
        false => fault,
    }
}
