//! Brings a worktree's commits back to the project.
//!
//! Commands have worked in the worktree, so its git directory is as untrusted as any file: git isn't run in it, and its
//! configuration, hooks and other files are never read. Arki reads the branch's commit off its file, makes an empty
//! repository of its own in its data that borrows the worktree's objects, and has git fetch from that. So what comes over
//! are objects that git checks, and one branch that only moves forward.

use super::{SessionWorktrees, WorktreeNote, own_refs};
use crate::blocking::blocking;
use crate::git::{Git, GitOutput, IN_THE_FOLDER, behind, fitness};
use arki_api::BroughtBranch;
use arki_disk::{PrivateTempDir, create_private_dir, write_private_file};
use arki_domain::{Code, Error};
use arki_git::Head;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Settings of the lender. Files in which the borrowed objects are described are not read: they needn't be true.
const OF_THE_LENDER: &[(&str, &str)] = &[
    ("core.commitGraph", "false"),
    ("core.multiPackIndex", "false"),
    ("pack.useBitmaps", "false"),
    ("pack.readReverseIndex", "false"),
];
const OF_THE_FETCH: &[&str] = &[
    "protocol.file.allow=always",
    "fetch.fsckObjects=true",
    "fetch.bundleURI=",
    "core.alternateRefsCommand=true",
    "core.logAllRefUpdates=true",
];
const FETCH: &[&str] = &[
    "fetch",
    "--no-tags",
    "--no-prune",
    "--no-recurse-submodules",
    "--no-auto-maintenance",
    "--no-write-fetch-head",
    "--no-write-commit-graph",
];

impl SessionWorktrees {
    /// Brings the commits of a worktree's branch to the branch of the same name in its project, which is made or moves
    /// forward.
    ///
    /// # Errors
    /// `WORKTREE_GONE`, `WORKTREE_UNCHANGED`, `BRANCH_CHECKED_OUT`, `WORKTREE_CONFLICT` where the branch in the project has
    /// other commits, `WORKTREE_UNAVAILABLE`, `WORKTREE_FAILED`. The project is as before then.
    pub async fn bring(self: &Arc<Self>, folder: &Path) -> Result<BroughtBranch, Error> {
        let folder = folder.to_owned();
        let (note, commit) = blocking(self, move |worktrees| worktrees.to_bring(&folder)).await?;
        let git = self.git_of(&note)?;
        let reference = format!("refs/heads/{}", note.branch);
        let before = git.commit(&reference).await?;
        if before.as_ref() == Some(&commit) {
            return Err(unchanged(&note));
        }
        let lender = Lender::of(&git, &note, &commit).await?;
        let place = lender.folder.display().to_string();
        // A longer match of the project's configuration can't lead elsewhere: there is none.
        let mut arguments = vec!["-c".to_owned(), format!("url.{place}.insteadOf={place}")];
        arguments.extend(OF_THE_FETCH.iter().flat_map(|setting| ["-c", setting]).map(str::to_owned));
        let refspec = format!("{reference}:{reference}");
        let fetch: Vec<&str> = FETCH.iter().copied().chain(["--", &place, &refspec]).collect();
        arguments.extend(git.in_repository(&fetch));
        let answer = git.answer(arguments).await?;
        if answer.exit_code != Some(0) {
            return Err(not_brought(&git, &note, &answer));
        }
        let since = format!("{}..{commit}", before.as_ref().unwrap_or(&note.base));
        let counted = git.done(git.in_repository(&["rev-list", "--count", &since])).await?;
        let (branch, project) = (note.branch.clone(), note.project.display().to_string());
        let noted =
            blocking(self, move |worktrees| worktrees.notes.write(&WorktreeNote { brought: Some(commit), ..note }));
        noted.await?;
        Ok(BroughtBranch { branch, project, commits: counted.trim().parse().unwrap_or_default() })
    }

    /// Returns the commit that is to come, as far as files tell.
    fn to_bring(&self, folder: &Path) -> Result<(WorktreeNote, String), Error> {
        let note = self.note(folder)?;
        if !note.is_made {
            return Err(super::gone(&note.branch));
        }
        fitness::ensure_fit(&note.project, IN_THE_FOLDER)?;
        if arki_git::head(&note.project) == Some(Head::Branch(note.branch.clone())) {
            return Err(checked_out(&note));
        }
        let commit = own_refs(&note.folder)?.remove(&format!("refs/heads/{}", note.branch));
        match commit {
            Some(commit) if commit != note.base => Ok((note, commit)),
            Some(_) => Err(unchanged(&note)),
            None => Err(Error::new(
                Code::WORKTREE_UNAVAILABLE,
                format!("The branch {} isn't in the worktree any more.", note.branch),
                "Create it there again, with the commits to bring back.",
            )),
        }
    }
}

/// A repository of Arki's own, with nothing in it but one branch; its objects are the worktree's.
struct Lender {
    folder: PathBuf,
    /// The private folder, removed together with its owner.
    _room: PrivateTempDir,
}

impl Lender {
    async fn of(git: &Git, note: &WorktreeNote, commit: &str) -> Result<Self, Error> {
        let room = PrivateTempDir::create()?;
        let folder = room.path().join("lender.git");
        let format = git.done(git.in_repository(&["rev-parse", "--show-object-format"])).await?;
        let place = folder.display().to_string();
        let format = format!("--object-format={}", format.trim());
        git.done(["init", "--quiet", "--bare", "--template=", &format, "--", &place].map(str::to_owned).to_vec())
            .await?;
        let inside = |command: &[&str]| git.done(behind(vec![format!("--git-dir={place}")], command));
        for (key, value) in OF_THE_LENDER {
            inside(&["config", "--local", key, value]).await?;
        }
        create_private_dir(&folder.join("objects/info"))?;
        let objects = format!("{}\n", note.folder.join(".git/objects").display());
        write_private_file(&folder.join("objects/info/alternates"), objects.as_bytes())?;
        inside(&["update-ref", &format!("refs/heads/{}", note.branch), commit]).await?;
        Ok(Self { folder, _room: room })
    }
}

fn not_brought(git: &Git, note: &WorktreeNote, answer: &GitOutput) -> Error {
    if answer.stderr.contains("refusing to fetch into branch") {
        return checked_out(note);
    }
    if answer.stderr.contains("non-fast-forward") {
        return Error::new(
            Code::WORKTREE_CONFLICT,
            format!("The branch {} in the project has commits that the worktree doesn't have.", note.branch),
            format!(
                "In the worktree, run `git fetch origin` and `git merge origin/{}` or `git rebase origin/{}`, then bring it \
                 again.",
                note.branch, note.branch
            ),
        );
    }
    git.failed(answer)
}

fn checked_out(note: &WorktreeNote) -> Error {
    let hint = "Check out another branch there, bring the commits, and check it out again.";
    Error::new(Code::BRANCH_CHECKED_OUT, format!("The branch {} is checked out in the project.", note.branch), hint)
}

fn unchanged(note: &WorktreeNote) -> Error {
    let message = format!("The branch {} has no commit that the project doesn't have.", note.branch);
    Error::new(Code::WORKTREE_UNCHANGED, message, format!("Commit on {} in the worktree first.", note.branch))
}
