//! With the git that is installed, in folders of each test's own.

use super::*;
use arki_domain::Error;
use globset::GlobSet;
use std::fs;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

struct Home {
    worktrees: Arc<SessionWorktrees>,
    project: PathBuf,
    _folder: TempDir,
}

/// As the user or a command runs it, not as Arki does.
#[allow(clippy::disallowed_methods, reason = "a test plays the user")]
fn git(folder: &Path, line: &[&str]) -> String {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=me", "-c", "user.email=me@example.org"]).args(line).current_dir(folder);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    let done = command.output().unwrap();
    assert!(done.status.success(), "git {line:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap().trim().to_owned()
}

fn home() -> Home {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let project = folder.path().join("project");
    fs::create_dir_all(&project).unwrap();
    fs::create_dir_all(&data).unwrap();
    let project = project.canonicalize().unwrap();
    git(&project, &["init", "-q", "-b", "main"]);
    fs::write(project.join("a.txt"), "one\n").unwrap();
    fs::write(project.join(".gitignore"), "ignored\nRULES.md\n").unwrap();
    git(&project, &["add", "-A"]);
    git(&project, &["commit", "-qm", "first"]);
    Home { worktrees: Arc::new(SessionWorktrees::new(data.join("session-worktrees"))), project, _folder: folder }
}

impl Home {
    async fn make(&self, branch: &str) -> Result<PathBuf, Error> {
        let (project, branch) = (self.project.clone(), BranchName::parse(branch)?);
        let agreed = vec!["RULES.md".to_owned(), "/elsewhere".to_owned()];
        self.worktrees.make(NewSessionWorktree { project, branch, secrets: GlobSet::empty(), agreed, now: 1 }).await
    }

    fn head_of(&self, branch: &str) -> String {
        git(&self.project, &["rev-parse", branch])
    }
}

/// As a command in the worktree does it.
fn commit(folder: &Path, text: &str) -> String {
    fs::write(folder.join("a.txt"), text).unwrap();
    git(folder, &["add", "-A"]);
    git(folder, &["commit", "-qm", text]);
    git(folder, &["rev-parse", "HEAD"])
}

async fn code(work: impl Future<Output = Result<impl std::fmt::Debug, Error>>) -> String {
    work.await.unwrap_err().code.to_string()
}

#[tokio::test]
async fn a_worktree_has_the_projects_files_as_they_are_and_a_branch_of_its_own() {
    let home = home();
    for (path, text) in [
        ("a.txt", "one\nmore\n"),
        ("new.txt", "new\n"),
        ("ignored", "x"),
        (".env", "KEY=1\n"),
        ("RULES.md", "be kind\n"),
        ("scratch.log", "x"),
        (".arki/config.json", "{}"),
    ] {
        let file = home.project.join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    fs::write(home.project.join(".git/info/exclude"), "scratch.log\n").unwrap();
    fs::write(home.project.join(".git/hooks/post-checkout"), "#!/bin/sh\nexit 1\n").unwrap();
    git(&home.project, &["config", "user.email", "me@project.example"]);
    git(&home.project, &["config", "alias.x", "!false"]);
    let tree = home.make("feature/x").await.unwrap();
    assert_eq!(tree, home.project.with_file_name("project.worktrees").join("feature-x"));
    assert_eq!(fs::read_to_string(tree.join("a.txt")).unwrap(), "one\nmore\n");
    let is_there = |path: &str| tree.join(path).exists();
    assert!(
        is_there("new.txt") && is_there("RULES.md") && is_there(".arki/config.json"),
        "what is not committed, and what was agreed to"
    );
    assert!(!is_there("ignored") && !is_there(".env") && !is_there("scratch.log"));
    assert!(!is_there(".git/hooks"), "no hook comes along");
    assert_eq!(git(&tree, &["status", "--porcelain"]), "M a.txt\n?? new.txt", "the index is the last commit's");
    assert_eq!(git(&tree, &["symbolic-ref", "HEAD"]), "refs/heads/feature/x");
    assert_eq!(git(&tree, &["rev-parse", "HEAD"]), home.head_of("main"));
    let config = fs::read_to_string(tree.join(".git/config")).unwrap();
    assert!(config.contains("me@project.example") && !config.contains("alias"), "{config}");
    assert!(arki_git::is_harmless(&config), "{config}");
    assert_eq!(git(&home.project, &["branch", "--list"]), "* main", "the project is as it was");
    let listed = home.worktrees.list(Some(&home.project));
    assert_eq!((listed.len(), listed[0].branch.as_str(), listed[0].has_new_commits), (1, "feature/x", Some(false)));
}

#[cfg(unix)]
#[tokio::test]
async fn no_file_of_an_object_is_the_projects_too() {
    use std::os::unix::fs::MetadataExt;
    let home = home();
    let tree = home.make("x").await.unwrap();
    let mut seen = 0;
    for folder in fs::read_dir(tree.join(".git/objects")).unwrap().flatten() {
        for file in fs::read_dir(folder.path()).unwrap().flatten() {
            assert_eq!(file.metadata().unwrap().nlink(), 1, "{:?}", file.path());
            seen += 1;
        }
    }
    assert!(seen > 0);
}

#[tokio::test]
async fn commits_come_back_to_a_branch_that_only_moves_forward() {
    let home = home();
    let tree = home.make("x").await.unwrap();
    assert_eq!(code(home.worktrees.bring(&tree)).await, "WORKTREE_UNCHANGED");
    commit(&tree, "two");
    let two = commit(&tree, "three");
    assert_eq!(home.worktrees.list(None)[0].has_new_commits, Some(true));
    assert_eq!(home.worktrees.unsaved_commits(&tree).await.unwrap(), ["x"]);
    let brought = home.worktrees.bring(&tree).await.unwrap();
    assert_eq!((brought.branch.as_str(), brought.commits), ("x", 2));
    assert_eq!((home.head_of("x"), git(&home.project, &["symbolic-ref", "HEAD"])), (two, "refs/heads/main".to_owned()));
    assert!(!home.project.join(".git/FETCH_HEAD").exists());
    assert_eq!(home.worktrees.list(None)[0].has_new_commits, Some(false));
    assert!(home.worktrees.unsaved_commits(&tree).await.unwrap().is_empty());
    assert_eq!(code(home.worktrees.bring(&tree)).await, "WORKTREE_UNCHANGED");
    let three = commit(&tree, "four");
    assert_eq!(home.worktrees.bring(&tree).await.unwrap().commits, 1);
    assert_eq!(home.head_of("x"), three);
    // The project goes on with it, and so does the worktree.
    git(&home.project, &["checkout", "-q", "x"]);
    commit(&tree, "five");
    assert_eq!(code(home.worktrees.bring(&tree)).await, "BRANCH_CHECKED_OUT");
    let own = commit(&home.project, "mine");
    git(&home.project, &["checkout", "-q", "main"]);
    assert_eq!(code(home.worktrees.bring(&tree)).await, "WORKTREE_CONFLICT");
    assert_eq!(home.head_of("x"), own);
}

#[tokio::test]
async fn a_branch_that_was_brought_back_goes_on_in_a_new_worktree_with_its_own_files() {
    let home = home();
    let tree = home.make("x").await.unwrap();
    fs::write(tree.join("b.txt"), "b\n").unwrap();
    fs::write(tree.join(".env"), "KEY=1\n").unwrap();
    fs::write(tree.join(".gitattributes"), "*.txt filter=evil text eol=lf\n").unwrap();
    let two = commit(&tree, "two");
    home.worktrees.bring(&tree).await.unwrap();
    home.worktrees.remove(&tree).unwrap();
    // What lies in the project is of another branch.
    fs::write(home.project.join("a.txt"), "main goes on\n").unwrap();
    fs::write(home.project.join("untracked.txt"), "x").unwrap();
    fs::write(home.project.join("RULES.md"), "be kind\n").unwrap();
    let mark = home.project.with_file_name("mark");
    git(&home.project, &["config", "filter.evil.smudge", &format!("touch {}; cat", mark.display())]);

    assert_eq!(home.make("x").await.unwrap(), tree);
    assert_eq!(fs::read_to_string(tree.join("a.txt")).unwrap(), "two");
    assert_eq!(fs::read_to_string(tree.join("RULES.md")).unwrap(), "be kind\n", "what was agreed to comes along");
    assert!(tree.join("b.txt").exists() && !tree.join("untracked.txt").exists() && !tree.join(".env").exists());
    assert!(!mark.exists(), "no filter runs");
    assert_eq!(git(&tree, &["rev-parse", "HEAD"]), two);
    assert_eq!(git(&tree, &["symbolic-ref", "HEAD"]), "refs/heads/x");
    assert_eq!(git(&tree, &["status", "--porcelain"]), "D .env", "as where a worktree begins with a secret file");
    assert_eq!(code(home.worktrees.bring(&tree)).await, "WORKTREE_UNCHANGED");
    let three = commit(&tree, "three");
    assert_eq!(home.worktrees.bring(&tree).await.unwrap().commits, 1);
    assert_eq!(home.head_of("x"), three);
    assert_eq!(code(home.make("main")).await, "BRANCH_CHECKED_OUT");
}

#[tokio::test]
async fn a_branch_that_another_worktree_of_git_has_checked_out_stays() {
    let home = home();
    let tree = home.make("x").await.unwrap();
    commit(&tree, "two");
    git(&home.project, &["worktree", "add", "-q", "-b", "x", "../own"]);
    assert_eq!(code(home.worktrees.bring(&tree)).await, "BRANCH_CHECKED_OUT");
}

#[tokio::test]
async fn what_is_there_is_not_made_again_and_nothing_is_left_of_what_fails() {
    let home = home();
    home.make("a/b").await.unwrap();
    assert_eq!(code(home.make("a-b")).await, "WORKTREE_EXISTS", "it would have the same folder");
    let place = home.project.with_file_name("project.worktrees").join("large");
    fs::File::create(home.project.join("large.bin")).unwrap().set_len((1 << 30) + 1).unwrap();
    assert_eq!(code(home.make("large")).await, "FILE_TOO_LARGE");
    assert!(!place.exists() && home.worktrees.list(None).len() == 1);
    fs::remove_file(home.project.join("large.bin")).unwrap();
    home.make("large").await.unwrap();
}

#[tokio::test]
async fn a_repository_that_is_not_whole_gets_none() {
    let home = home();
    let objects = home.project.join(".git/objects/info");
    fs::create_dir_all(&objects).unwrap();
    fs::write(objects.join("alternates"), "/elsewhere\n").unwrap();
    assert_eq!(code(home.make("x")).await, "WORKTREE_UNAVAILABLE");
    fs::remove_file(objects.join("alternates")).unwrap();
    fs::write(home.project.join(".git/shallow"), "").unwrap();
    assert_eq!(code(home.make("x")).await, "WORKTREE_UNAVAILABLE");
    assert!(!home.project.with_file_name("project.worktrees").join("x").exists());
}

/// With the home, the worktree, and a program that leaves a mark.
#[cfg(unix)]
type Attack<'a> = &'a dyn Fn(&Home, &Path, &str);

/// Each is what a command in the worktree could do to have Arki's git run a program or read elsewhere.
#[cfg(unix)]
#[tokio::test]
async fn what_a_command_wrote_into_the_worktrees_repository_runs_nothing() {
    let mark = |home: &Home| home.project.with_file_name("mark");
    let attacks: [Attack<'_>; 5] = [
        &|_, tree, program| {
            let config = format!(
                "[uploadpack]\n\tpackObjectsHook = {program}\n[core]\n\tfsmonitor = {program}\n\tsshCommand = {program}\n\
                 \talternateRefsCommand = {program}\n\thooksPath = {}\n[extensions]\n\tpartialClone = evil\n\
                 [remote \"evil\"]\n\turl = ext::{program}\n\tpromisor = true\n\tuploadpack = {program}\n",
                tree.join("hooks").display()
            );
            let file = tree.join(".git/config");
            fs::write(&file, fs::read_to_string(&file).unwrap() + &config).unwrap();
        },
        &|_, tree, program| {
            for name in ["reference-transaction", "post-update", "pre-receive", "update"] {
                let hook = tree.join(".git/hooks").join(name);
                fs::create_dir_all(tree.join(".git/hooks")).unwrap();
                fs::copy(program, &hook).unwrap();
            }
        },
        &|_, tree, _| fs::write(tree.join(".git/HEAD"), "ref: refs/heads/elsewhere\n").unwrap(),
        // No repository at all for git itself: its objects and its branch are enough.
        &|_, tree, _| fs::remove_file(tree.join(".git/config")).unwrap(),
        &|_, tree, _| fs::write(tree.join(".git/shallow.lock"), "x").unwrap(),
    ];
    for (number, attack) in attacks.iter().enumerate() {
        let home = home();
        let tree = home.make("x").await.unwrap();
        let made = commit(&tree, "two");
        let program = home.project.with_file_name("evil");
        fs::write(&program, format!("#!/bin/sh\ntouch '{}'\n", mark(&home).display())).unwrap();
        fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        attack(&home, &tree, &program.display().to_string());
        home.worktrees.bring(&tree).await.unwrap_or_else(|fault| panic!("{number}: {fault:?}"));
        assert_eq!(home.head_of("x"), made, "{number}");
        assert!(!mark(&home).exists(), "{number}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_repository_that_leads_elsewhere_is_refused() {
    use std::os::unix::fs::symlink;
    let secret = |home: &Home| home.project.with_file_name("secret");
    let attacks: [Attack<'_>; 8] = [
        &|home, tree, _| {
            fs::remove_dir_all(tree.join(".git")).unwrap();
            symlink(secret(home).join(".git"), tree.join(".git")).unwrap();
        },
        &|home, tree, _| {
            fs::remove_dir_all(tree.join(".git")).unwrap();
            fs::write(tree.join(".git"), format!("gitdir: {}\n", secret(home).join(".git").display())).unwrap();
        },
        &|home, tree, _| {
            let info = tree.join(".git/objects/info");
            fs::create_dir_all(&info).unwrap();
            fs::write(info.join("alternates"), secret(home).join(".git/objects").display().to_string()).unwrap();
        },
        &|home, tree, _| {
            fs::remove_dir_all(tree.join(".git/objects")).unwrap();
            symlink(secret(home).join(".git/objects"), tree.join(".git/objects")).unwrap();
        },
        &|home, tree, _| {
            fs::remove_dir_all(tree.join(".git/objects/pack")).unwrap();
            symlink(secret(home).join(".git/objects/pack"), tree.join(".git/objects/pack")).unwrap();
        },
        &|home, tree, _| symlink(secret(home).join("a.txt"), tree.join(".git/objects/pack/x.pack")).unwrap(),
        &|home, tree, _| {
            fs::write(tree.join(".git/commondir"), secret(home).join(".git").display().to_string()).unwrap();
        },
        &|home, tree, _| {
            fs::remove_file(tree.join(".git/refs/heads/x")).unwrap();
            symlink(secret(home).join(".git/refs/heads/main"), tree.join(".git/refs/heads/x")).unwrap();
        },
    ];
    for (number, attack) in attacks.iter().enumerate() {
        let home = home();
        fs::create_dir(secret(&home)).unwrap();
        git(&secret(&home), &["init", "-q", "-b", "main"]);
        commit(&secret(&home), "of nobody's business");
        let tree = home.make("x").await.unwrap();
        commit(&tree, "two");
        attack(&home, &tree, "");
        assert_eq!(code(home.worktrees.bring(&tree)).await, "WORKTREE_UNAVAILABLE", "{number}");
        assert_eq!(code(home.worktrees.unsaved_commits(&tree)).await, "WORKTREE_UNAVAILABLE", "{number}");
        assert_eq!(git(&home.project, &["branch", "--list"]), "* main", "{number}");
    }
}

#[tokio::test]
async fn damaged_objects_are_not_taken() {
    let home = home();
    let tree = home.make("x").await.unwrap();
    let made = commit(&tree, "two");
    let object = tree.join(".git/objects").join(&made[..2]).join(&made[2..]);
    fs::remove_file(&object).unwrap();
    fs::write(&object, "no object").unwrap();
    assert_eq!(code(home.worktrees.bring(&tree)).await, "WORKTREE_FAILED");
    assert_eq!(git(&home.project, &["branch", "--list"]), "* main");
}

#[tokio::test]
async fn commits_on_other_branches_and_stashes_count_as_work() {
    let home = home();
    let tree = home.make("x").await.unwrap();
    git(&tree, &["checkout", "-q", "-b", "other"]);
    commit(&tree, "two");
    git(&tree, &["checkout", "-q", "x"]);
    fs::write(tree.join("a.txt"), "stashed").unwrap();
    git(&tree, &["stash", "-q"]);
    git(&tree, &["checkout", "-q", "--detach"]);
    commit(&tree, "three");
    assert_eq!(home.worktrees.unsaved_commits(&tree).await.unwrap(), ["HEAD", "other", "refs/stash"]);
}

#[cfg(unix)]
#[tokio::test]
async fn what_a_kill_left_of_one_is_removed_and_one_that_is_being_made_stays() {
    let home = home();
    let place = SessionWorktrees::place_of(&home.project, &BranchName::parse("x").unwrap()).unwrap();
    let half = |is_noted: bool| {
        let tree = arki_files::make_worktree_folder(&place).unwrap();
        fs::create_dir_all(tree.join(".git/objects")).unwrap();
        let (folder, project) = (tree, home.project.clone());
        let note = WorktreeNote {
            folder,
            project,
            branch: "x".to_owned(),
            base: "0".repeat(40),
            brought: None,
            created_at: 1,
            is_made: false,
            is_removed: false,
        };
        home.worktrees.notes.ensure_folder().unwrap();
        if is_noted {
            home.worktrees.notes.write(&note).unwrap();
        }
    };
    half(true);
    let held = home.worktrees.making(&place).unwrap();
    assert!(!home.worktrees.list(None)[0].is_whole && place.exists());
    let shown = place.display().to_string();
    assert!(home.worktrees.ensure_whole(&shown).unwrap_err().is(Code::WORKTREE_UNAVAILABLE));
    assert_eq!(code(home.make("x")).await, "WORKTREE_EXISTS");
    // The kill.
    drop(held);
    // A program that another test is just starting shares the lock until it runs.
    let is_removed = || home.worktrees.list(None).is_empty() && !place.exists();
    assert!((0..100).any(|_| is_removed() || {
        std::thread::sleep(Duration::from_millis(20));
        false
    }));
    half(true);
    assert!(home.worktrees.ensure_whole(&shown).unwrap_err().is(Code::WORKTREE_GONE));
    half(true);
    home.make("x").await.unwrap();
    assert!(home.worktrees.list(None)[0].is_whole);
    let left = fs::read_dir(home.worktrees.notes.folder()).unwrap().flatten();
    assert!(left.map(|entry| entry.path()).all(|path| path.extension().unwrap() == "json"));
    // Before it was noted.
    home.worktrees.remove(&place).unwrap();
    fs::create_dir_all(&place).unwrap();
    home.make("x").await.unwrap();
}

#[tokio::test]
async fn removing_follows_no_link_and_the_place_is_remembered() {
    let home = home();
    let tree = home.make("x").await.unwrap();
    std::os::unix::fs::symlink(&home.project, tree.join("link")).unwrap();
    home.worktrees.remove(&tree).unwrap();
    assert!(!tree.exists() && !tree.parent().unwrap().exists() && home.project.join("a.txt").exists());
    assert!(home.worktrees.list(None).is_empty());
    assert!(home.worktrees.find(&home.project, "x").unwrap_err().is(Code::WORKTREE_GONE));
    let was = home.worktrees.worktree_at(&tree.display().to_string()).unwrap();
    assert_eq!((was.project, was.branch.as_str()), (home.project.display().to_string(), "x"));
    // And again at the same place.
    assert_eq!(home.make("x").await.unwrap(), tree);
    // The whole folder may have become a link.
    fs::remove_dir_all(&tree).unwrap();
    std::os::unix::fs::symlink(&home.project, &tree).unwrap();
    home.worktrees.remove(&tree).unwrap();
    assert!(home.project.join("a.txt").exists() && tree.symlink_metadata().is_err());
}
