//! The few git commands that Arki runs by itself, outside the sandbox. None of them runs a program that a repository
//! names: hooks, the file system monitor, fetching and maintenance are off, nothing is checked out and so nothing
//! filtered, only the repository's own configuration is read, and git itself is none that a command could have written. They are run before a sub-agent has worked in its
//! worktree, never after it: a worktree is removed without git.

use super::fitness;
use arki_disk::PrivateTempDir;
use arki_domain::{Code, Fault};
use arki_process::{
    CommandLimits, EnvironmentSpec, Meanwhile, Piped, PipedSpec, child_environment, inherited_environment, own_path,
    own_program, start_piped,
};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt};

const TIME_LIMIT: Duration = Duration::from_secs(60);
/// The longest output of git that is read, in bytes; it names files.
const MAX_OUTPUT_BYTES: u64 = 32 << 20;
/// The longest error output of git that is read, in bytes.
const MAX_TOLD_BYTES: u64 = 2 << 10;
/// The exit code for a program that is not there.
const NOT_FOUND: i32 = 127;
/// The mode of a submodule in the index.
const SUBMODULE: &str = "160000 ";

const SETTINGS: &[&str] = &[
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "protocol.allow=never",
    "submodule.recurse=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "worktree.useRelativePaths=false",
];
const VARIABLES: &[(&str, &str)] = &[
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", if cfg!(windows) { "NUL" } else { "/dev/null" }),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("LC_ALL", "C"),
    ("LD_LIBRARY_PATH", ""),
    ("LD_PRELOAD", ""),
];

/// Git for one repository, by its root.
pub(super) struct Git<'a> {
    root: &'a Path,
    /// The current folder of git: one that nobody else writes, so that no program is found there.
    directory: PathBuf,
    temp_dir: PrivateTempDir,
}

struct Answer {
    exit_code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl<'a> Git<'a> {
    pub(super) fn of(root: &'a Path, directory: &Path) -> Result<Self, Fault> {
        Ok(Self { root, directory: directory.to_owned(), temp_dir: PrivateTempDir::create()? })
    }

    /// # Errors
    /// `WORKTREE_UNAVAILABLE` where there is none, or no git.
    pub(super) async fn ensure_has_commit(&self) -> Result<(), Fault> {
        let answer = self.answer(self.in_repository(&["rev-parse", "--verify", "--quiet", "HEAD^{commit}"])).await?;
        match answer.exit_code {
            Some(0) => Ok(()),
            Some(1) => Err(fitness::no_commit()),
            _ => Err(failed(&answer)),
        }
    }

    /// The files that git tracks and those that it doesn't ignore, by their paths from the root.
    ///
    /// # Errors
    /// `WORKTREE_UNAVAILABLE` where there are submodules.
    pub(super) async fn files(&self) -> Result<BTreeSet<String>, Fault> {
        let tracked = self.done(self.in_repository(&["ls-files", "-z", "--stage"])).await?;
        let mut files = BTreeSet::new();
        for entry in tracked.split_terminator('\0') {
            if entry.starts_with(SUBMODULE) {
                return Err(fitness::submodules());
            }
            files.extend(entry.split_once('\t').map(|(_, path)| path.to_owned()));
        }
        let others = self.done(self.in_repository(&["ls-files", "-z", "--others", "--exclude-standard"])).await?;
        // What ends in a slash is a repository of its own.
        files.extend(others.split_terminator('\0').filter(|path| !path.ends_with('/')).map(str::to_owned));
        Ok(files)
    }

    /// Makes a worktree at `tree`, of the last commit, with an index and without files.
    pub(super) async fn add_worktree(&self, tree: &Path) -> Result<(), Fault> {
        let path = tree.display().to_string();
        self.done(self.in_repository(&["worktree", "add", "--quiet", "--detach", "--no-checkout", &path, "HEAD"]))
            .await?;
        let mut arguments = vec!["-C".to_owned(), path];
        arguments.extend(["read-tree", "HEAD"].map(str::to_owned));
        self.done(arguments).await.map(drop)
    }

    fn in_repository(&self, arguments: &[&str]) -> Vec<String> {
        let root = self.root.display();
        let mut all = vec![format!("--git-dir={root}/.git"), format!("--work-tree={root}")];
        // Paths are those of the current folder, where it is in the working tree.
        if arguments.first() == Some(&"ls-files") {
            all.extend(["-C".to_owned(), root.to_string()]);
        }
        all.extend(arguments.iter().map(|argument| (*argument).to_owned()));
        all
    }

    async fn done(&self, arguments: Vec<String>) -> Result<String, Fault> {
        let answer = self.answer(arguments).await?;
        if answer.exit_code == Some(0) { Ok(answer.stdout) } else { Err(failed(&answer)) }
    }

    async fn answer(&self, arguments: Vec<String>) -> Result<Answer, Fault> {
        let settings = SETTINGS.iter().flat_map(|setting| ["-c".to_owned(), (*setting).to_owned()]);
        let writable = [self.root, &self.directory, &std::env::temp_dir()];
        let Some(program) = own_program("git", &writable) else { return Err(fitness::no_git()) };
        let path = std::env::join_paths(own_path(&writable)).unwrap_or_default().to_string_lossy().into_owned();
        let extra: Vec<(String, String)> = [("PATH", path.as_str())]
            .iter()
            .chain(VARIABLES)
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        let environment = EnvironmentSpec { temp_dir: self.temp_dir.path(), sandbox: None };
        let spec = PipedSpec {
            name: "git".to_owned(),
            program: program.display().to_string(),
            arguments: settings.chain(arguments).collect(),
            directory: self.directory.clone(),
            environment: child_environment(inherited_environment(), &extra, environment),
            sandbox: None,
            limits: CommandLimits::default(),
            meanwhile: Meanwhile::new(|_| {}),
        };
        let Piped { stdin, stdout, stderr, process } = start_piped(spec).await?;
        drop(stdin);
        let read = tokio::time::timeout(TIME_LIMIT, async {
            tokio::join!(text(stdout, MAX_OUTPUT_BYTES), text(stderr, MAX_TOLD_BYTES))
        });
        let read = read.await;
        let end = process.stop().await;
        let Ok((stdout, stderr)) = read else { return Err(too_slow()) };
        match end.exit_code {
            Some(NOT_FOUND) => Err(fitness::no_git()),
            exit_code => Ok(Answer { exit_code, stdout: stdout?, stderr: stderr.unwrap_or_default() }),
        }
    }
}

/// # Errors
/// `WORKTREE_TOO_LARGE` where there is more.
async fn text(pipe: impl AsyncRead + Unpin, limit: u64) -> Result<String, Fault> {
    let mut bytes = Vec::new();
    let mut pipe = pipe.take(limit + 1);
    pipe.read_to_end(&mut bytes).await.map_err(Fault::internal)?;
    if bytes.len() as u64 > limit {
        return Err(Fault::new(
            Code::WORKTREE_TOO_LARGE,
            "Git says more than Arki reads.",
            "Delegate without `isolation`, or add what needn't be copied to .gitignore.",
        ));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn failed(answer: &Answer) -> Fault {
    Fault::new(
        Code::WORKTREE_FAILED,
        format!("Git could not make a worktree: {}", answer.stderr.trim()),
        "Look at what git says, or delegate without `isolation`.",
    )
}

fn too_slow() -> Fault {
    Fault::new(
        Code::WORKTREE_FAILED,
        format!("Git took longer than {} seconds.", TIME_LIMIT.as_secs()),
        "Delegate without `isolation`.",
    )
}
