//! Checks that a sandbox confines: a command in a world of its own tries to get out of it.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use super::super::{Network, ProjectAccess, SandboxSpec};

const SCRIPT: &str = include_str!("probe.sh");
/// The script's output where everything is as it should be.
const ALL_WELL: &str = "done\n";
const SHELL: &str = "/bin/sh";
const PATH: &str = "/usr/bin:/bin:/usr/sbin:/sbin";

/// Files, somebody who listens, and a process, which are gone when it is dropped.
pub(in super::super) struct ProbeWorld {
    root: PathBuf,
    tcp: TcpListener,
    process: Child,
    _unix: UnixListener,
    _folder: TempDir,
}

impl ProbeWorld {
    #[allow(clippy::disallowed_methods, reason = "what the probe tries to reach")]
    pub(in super::super) fn new() -> io::Result<Self> {
        let folder = tempfile::tempdir()?;
        let root = folder.path().canonicalize()?;
        for name in ["project/.git/hooks", "project/.git/refs", "project/.arki", "temp", "hidden", "outside"] {
            fs::create_dir_all(root.join(name))?;
        }
        for name in ["project/.git/config", "project/.arki/config.json", "hidden/secret", "outside/file"] {
            fs::write(root.join(name), "before\n")?;
        }
        let quiet = || Stdio::null();
        let process = Command::new("sleep").arg("60").stdin(quiet()).stdout(quiet()).stderr(quiet()).spawn()?;
        Ok(Self {
            tcp: TcpListener::bind("127.0.0.1:0")?,
            _unix: UnixListener::bind(root.join("outside/socket"))?,
            process,
            root,
            _folder: folder,
        })
    }

    pub(in super::super) fn spec(&self) -> SandboxSpec {
        SandboxSpec {
            project_root: self.project(),
            project: ProjectAccess::Writable,
            temp_dir: self.root.join("temp"),
            hidden: vec![self.root.join("hidden")],
            shown: Vec::new(),
            also_writable: Vec::new(),
            network: Network::None,
            secrets: None,
            trash: None,
            journals: None,
        }
    }

    pub(in super::super) fn project(&self) -> PathBuf {
        self.root.join("project")
    }

    /// The program that tries to get out, to be started in the sandbox.
    pub(in super::super) fn command() -> [&'static str; 3] {
        [SHELL, "-c", SCRIPT]
    }

    /// Returns what is not as it should be, in the script's words; `None` where all is well.
    #[allow(clippy::disallowed_methods, reason = "the probe is no command of anybody's")]
    pub(in super::super) fn try_to_leave(
        &self,
        program: &Path,
        arguments: &[impl AsRef<OsStr>],
    ) -> io::Result<Option<String>> {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(self.project()).stdin(Stdio::null()).env_clear().envs(self.environment()?);
        let ran = command.output()?;
        let said = String::from_utf8_lossy(&ran.stdout).into_owned();
        if said == ALL_WELL {
            return Ok(None);
        }
        let words = said.strip_suffix(ALL_WELL).map(str::to_owned);
        Ok(Some(words.unwrap_or_else(|| format!("{said}{}", String::from_utf8_lossy(&ran.stderr)))))
    }

    fn environment(&self) -> io::Result<Vec<(&'static str, String)>> {
        let path = |name: &str| self.root.join(name).to_string_lossy().into_owned();
        Ok(vec![
            ("PATH", PATH.to_owned()),
            ("W", path("")),
            ("TMPDIR", path("temp")),
            ("SOCKET", path("outside/socket")),
            ("PORT", self.tcp.local_addr()?.port().to_string()),
            ("PID", self.process.id().to_string()),
        ])
    }
}

impl Drop for ProbeWorld {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So that a probe which finds nothing can't be one that tries nothing.
    #[test]
    fn without_a_sandbox_every_attempt_goes_through() {
        let world = ProbeWorld::new().unwrap();
        let [program, arguments @ ..] = ProbeWorld::command();
        let said = world.try_to_leave(Path::new(program), &arguments).unwrap().unwrap();
        let attempts: Vec<&str> = SCRIPT.lines().filter(|line| line.starts_with("must_not '")).collect();
        assert!(attempts.len() > 15);
        for attempt in &attempts {
            let words = attempt.rsplit('\'').nth(1).unwrap();
            assert!(said.lines().any(|line| line == words), "{words}: {said}");
        }
        assert_eq!(said.lines().count(), attempts.len(), "{said}");
    }

    #[test]
    fn what_does_not_start_is_no_sandbox() {
        let world = ProbeWorld::new().unwrap();
        let said = world.try_to_leave(Path::new("/bin/sh"), &["-c", "echo no such rule >&2; exit 65"]).unwrap();
        assert_eq!(said.as_deref(), Some("no such rule\n"));
        assert!(world.try_to_leave(Path::new("/no/such/program"), &[""; 0]).is_err());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn in_a_sandbox_that_is_known_to_confine_none_does() {
        use crate::{GitAccess, Sandbox};
        let world = ProbeWorld::new().unwrap();
        let Ok(sandbox) = Sandbox::bubblewrap(&world.spec()) else { return };
        let sandbox = sandbox.with_git(GitAccess::Writable);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let environment = world.environment().unwrap().into_iter().map(|(name, value)| (name.to_owned(), value));
        let spec = arki_process::CommandSpec {
            command_line: SCRIPT.to_owned(),
            directory: world.project(),
            environment: environment.collect(),
            sandbox: Some(&sandbox),
            terminal: false,
            time_limit: std::time::Duration::from_secs(60),
            limits: arki_process::CommandLimits::default(),
            max_output_bytes: 10_000,
            meanwhile: None,
        };
        let outcome =
            runtime.block_on(arki_process::run(spec, |_| {}, tokio_util::sync::CancellationToken::new())).unwrap();
        // There any folder may be made in `.git`.
        assert_eq!(outcome.output.replace("Any folder can be made in .git.\n", ""), ALL_WELL);
    }
}
