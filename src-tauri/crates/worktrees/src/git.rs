//! The few git commands that Arki runs by itself, outside the sandbox. None of them runs a program that a repository
//! names: its environment is that of every git that nobody is asked about ([`arki_git::unasked_environment`]). Only the
//! repository's own configuration is read, and git itself is none that a command could have written.
//! None is run in a worktree once commands have worked there: what they left is read as objects, never as a
//! configuration.

pub(crate) mod fitness;

use arki_disk::PrivateTempDir;
use arki_domain::{Code, Error};
use arki_process::{
    CommandLimits, EnvironmentSpec, Meanwhile, Piped, PipedSpec, child_environment, inherited_environment, own_path,
    own_program, start_piped,
};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt};

const TIME_LIMIT: Duration = Duration::from_secs(60);
const LONG_TIME_LIMIT: Duration = Duration::from_secs(600);
/// The longest output of git that is read, in bytes; it names files.
const MAX_OUTPUT_BYTES: u64 = 32 << 20;
/// The longest error output of git that is read, in bytes.
const MAX_TOLD_BYTES: u64 = 2 << 10;
/// The exit code for a program that is not there.
const NOT_FOUND: i32 = 127;
/// The mode of a submodule in the index.
const SUBMODULE: &str = "160000 ";

const SETTINGS: &[&str] = &[
    "core.untrackedCache=false",
    "protocol.allow=never",
    "submodule.recurse=false",
    "worktree.useRelativePaths=false",
];
const VARIABLES: &[(&str, &str)] = &[
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", if cfg!(windows) { "NUL" } else { "/dev/null" }),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_DEFAULT_REF_FORMAT", "files"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("LC_ALL", "C"),
    ("LD_LIBRARY_PATH", ""),
    ("LD_PRELOAD", ""),
];

/// The words for what can be done without a worktree, where a sentence ends with them.
pub(crate) type Instead = &'static str;

pub(crate) const WITHOUT_ISOLATION: Instead = "delegate without `isolation`";
pub(crate) const IN_THE_FOLDER: Instead = "work in the folder itself";
pub(crate) const BY_HAND: Instead = "commit in a terminal";

/// Git for one repository, by its root.
pub(crate) struct Git {
    root: PathBuf,
    /// The current folder of git: one that nobody else writes, so that no program is found there.
    directory: PathBuf,
    /// Folders that commands may write to; neither git nor a program of its own is taken from them.
    writable: Vec<PathBuf>,
    time_limit: Duration,
    instead: Instead,
    temp_dir: PrivateTempDir,
}

pub(crate) struct GitOutput {
    pub(crate) exit_code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Git {
    pub(crate) fn of(root: &Path, directory: &Path, instead: Instead) -> Result<Self, Error> {
        let writable = vec![root.to_owned(), directory.to_owned(), arki_disk::temp_folder()];
        let (root, directory) = (root.to_owned(), directory.to_owned());
        Ok(Self { root, directory, writable, time_limit: TIME_LIMIT, instead, temp_dir: PrivateTempDir::create()? })
    }

    /// The same for work that goes through all of a repository, beside a folder in which commands work too.
    pub(crate) fn patient(self, beside: &Path) -> Self {
        let mut writable = self.writable;
        writable.push(beside.to_owned());
        Self { writable, time_limit: LONG_TIME_LIMIT, ..self }
    }

    /// Returns the last commit.
    ///
    /// # Errors
    /// `WORKTREE_UNAVAILABLE` where there is none, or no git.
    pub(crate) async fn last_commit(&self) -> Result<String, Error> {
        self.commit("HEAD").await?.ok_or_else(|| fitness::no_commit(self.instead))
    }

    /// Returns the commit that a name means here; `None` where it means none.
    pub(crate) async fn commit(&self, name: &str) -> Result<Option<String>, Error> {
        let name = format!("{name}^{{commit}}");
        let answer = self.answer(self.in_repository(&["rev-parse", "--verify", "--quiet", &name])).await?;
        match answer.exit_code {
            Some(0) => Ok(Some(answer.stdout.trim().to_owned())),
            Some(1) => Ok(None),
            _ => Err(self.failed(&answer)),
        }
    }

    /// The files that git tracks and those that it doesn't ignore, by their paths from the root.
    ///
    /// # Errors
    /// `WORKTREE_UNAVAILABLE` where there are submodules.
    pub(crate) async fn files(&self) -> Result<BTreeSet<String>, Error> {
        let tracked = self.done(self.in_repository(&["ls-files", "-z", "--stage"])).await?;
        let mut files = BTreeSet::new();
        for entry in tracked.split_terminator('\0') {
            if entry.starts_with(SUBMODULE) {
                return Err(fitness::submodules(self.instead));
            }
            files.extend(entry.split_once('\t').map(|(_, path)| path.to_owned()));
        }
        let others = self.done(self.in_repository(&["ls-files", "-z", "--others", "--exclude-standard"])).await?;
        // What ends in a slash is a repository of its own.
        files.extend(others.split_terminator('\0').filter(|path| !path.ends_with('/')).map(str::to_owned));
        Ok(files)
    }

    /// The files of a commit, by their paths from the root, and the bytes of all of them together.
    ///
    /// # Errors
    /// `WORKTREE_UNAVAILABLE` where there are submodules.
    pub(crate) async fn files_of(&self, commit: &str) -> Result<(BTreeSet<String>, u64), Error> {
        let listed = self.done(self.in_repository(&["ls-tree", "-r", "-z", "--long", "--full-tree", commit])).await?;
        let (mut files, mut bytes) = (BTreeSet::new(), 0_u64);
        // Mode, kind, hash and size, and after a tab the path.
        for entry in listed.split_terminator('\0') {
            if entry.starts_with(SUBMODULE) {
                return Err(fitness::submodules(self.instead));
            }
            let Some((about, path)) = entry.split_once('\t') else { continue };
            let size = about.split_whitespace().next_back().and_then(|size| size.parse().ok());
            bytes = bytes.saturating_add(size.unwrap_or(0));
            files.insert(path.to_owned());
        }
        Ok((files, bytes))
    }

    /// Makes a worktree at `tree`, of the last commit, with an index and without files.
    pub(crate) async fn add_worktree(&self, tree: &Path) -> Result<(), Error> {
        let path = tree.display().to_string();
        self.done(self.in_repository(&["worktree", "add", "--quiet", "--detach", "--no-checkout", &path, "HEAD"]))
            .await?;
        self.done(behind(vec!["-C".to_owned(), path], &["read-tree", "HEAD"])).await.map(drop)
    }

    pub(crate) fn in_repository(&self, arguments: &[&str]) -> Vec<String> {
        let root = self.root.display();
        let mut all = vec![format!("--git-dir={root}/.git"), format!("--work-tree={root}")];
        // Paths are those of the current folder, where it is in the working tree.
        if arguments.first().is_some_and(|command| ["ls-files", "check-attr"].contains(command)) {
            all.extend(["-C".to_owned(), root.to_string()]);
        }
        behind(all, arguments)
    }

    /// # Errors
    /// `WORKTREE_FAILED` where git says that it did not succeed.
    pub(crate) async fn done(&self, arguments: Vec<String>) -> Result<String, Error> {
        let answer = self.answer(arguments).await?;
        if answer.exit_code == Some(0) { Ok(answer.stdout) } else { Err(self.failed(&answer)) }
    }

    pub(crate) async fn answer(&self, arguments: Vec<String>) -> Result<GitOutput, Error> {
        let (exit_code, stdout, stderr) = self.run(arguments, &[]).await?;
        Ok(GitOutput { exit_code, stdout: String::from_utf8_lossy(&stdout).into_owned(), stderr })
    }

    /// The exit code, the output and the error output; `variables` are set besides its own.
    pub(crate) async fn run(
        &self,
        arguments: Vec<String>,
        variables: &[(&str, String)],
    ) -> Result<(Option<i32>, Vec<u8>, String), Error> {
        let settings = SETTINGS.iter().flat_map(|setting| ["-c".to_owned(), (*setting).to_owned()]);
        let writable: Vec<&Path> = self.writable.iter().map(PathBuf::as_path).collect();
        let Some(program) = own_program("git", &writable) else { return Err(fitness::no_git(self.instead)) };
        let path = std::env::join_paths(own_path(&writable)).unwrap_or_default().to_string_lossy().into_owned();
        // What is fetched comes from the same disk, and is allowed call by call.
        let of_git = arki_git::unasked_environment(&self.root).ok_or_else(|| fitness::unclear(self.instead))?;
        let of_git = of_git.into_iter().filter(|(name, _)| name != "GIT_ALLOW_PROTOCOL");
        let own = [("PATH", path.as_str())];
        let own = own.iter().chain(VARIABLES).map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let besides = variables.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
        let extra: Vec<(String, String)> = of_git.chain(own).chain(besides).collect();
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
        let read = tokio::time::timeout(self.time_limit, async {
            tokio::join!(all(stdout, MAX_OUTPUT_BYTES), all(stderr, MAX_TOLD_BYTES))
        });
        let read = read.await;
        let end = process.stop().await;
        let Ok((stdout, stderr)) = read else { return Err(self.too_slow()) };
        let Some(stdout) = stdout? else { return Err(self.too_much()) };
        match end.exit_code {
            Some(NOT_FOUND) => Err(fitness::no_git(self.instead)),
            exit_code => {
                let told = stderr.ok().flatten().unwrap_or_default();
                Ok((exit_code, stdout, String::from_utf8_lossy(&told).into_owned()))
            }
        }
    }

    /// The folder that git writes its own files to, which goes with this.
    pub(crate) fn temp_dir(&self) -> &Path {
        self.temp_dir.path()
    }

    pub(crate) fn failed(&self, answer: &GitOutput) -> Error {
        let hint = format!("Fix what git reports, or {}.", self.instead);
        Error::new(Code::WORKTREE_FAILED, format!("Git failed: {}", answer.stderr.trim()), hint)
    }

    fn too_slow(&self) -> Error {
        let hint = format!("Try again, or {}.", self.instead);
        Error::new(Code::WORKTREE_FAILED, format!("Git took longer than {} seconds.", self.time_limit.as_secs()), hint)
    }

    fn too_much(&self) -> Error {
        let hint = format!("Add what needn't be copied to .gitignore, or {}.", self.instead);
        Error::new(Code::WORKTREE_TOO_LARGE, "Git's output is too long for Arki to read.", hint)
    }
}

/// A command behind options that say where git works.
pub(crate) fn behind(mut options: Vec<String>, command: &[&str]) -> Vec<String> {
    options.extend(command.iter().map(|argument| (*argument).to_owned()));
    options
}

/// `None` where there is more.
async fn all(pipe: impl AsyncRead + Unpin, limit: u64) -> Result<Option<Vec<u8>>, Error> {
    let mut bytes = Vec::new();
    let mut pipe = pipe.take(limit + 1);
    pipe.read_to_end(&mut bytes).await.map_err(Error::internal)?;
    Ok((bytes.len() as u64 <= limit).then_some(bytes))
}
