//! One user's configuration, data and project, apart from everything else on the machine.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;
use tempfile::TempDir;

/// The key that the scripted provider is called with: it must turn up nowhere else.
pub const MOCK_KEY: &str = "sk-mock-SECRET-0123456789abcdef";

/// No program under test may take longer.
const PATIENCE: Duration = Duration::from_secs(120);

/// Deleted when dropped.
pub struct TestHome {
    root: TempDir,
    /// For every program started here, besides the inherited environment.
    pub env: BTreeMap<String, String>,
}

/// A program that has ended.
#[derive(Debug, Clone)]
pub struct Finished {
    /// `None` when it was ended by a signal.
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl TestHome {
    /// A home whose model `mock/mock` is the server at `model_url`, with `config` over the whole configuration's top level.
    ///
    /// # Errors
    /// When the folders cannot be made.
    pub fn new(model_url: &str, config: &Value) -> io::Result<Self> {
        let root = TempDir::with_prefix("arki-")?;
        let path = |name: &str| root.path().join(name).to_string_lossy().into_owned();
        let env = [
            ("ARKI_CONFIG_DIR", path("config")),
            ("ARKI_DATA_DIR", path("data")),
            ("HOME", root.path().to_string_lossy().into_owned()),
            ("MOCK_KEY", MOCK_KEY.to_owned()),
            ("NO_COLOR", "1".to_owned()),
        ];
        let home = Self { env: env.map(|(name, value)| (name.to_owned(), value)).into(), root };
        for folder in [home.config_dir(), home.data_dir(), home.project_dir()] {
            std::fs::create_dir(folder)?;
        }
        std::fs::write(home.config_dir().join("config.json"), settings(model_url, config).to_string())?;
        Ok(home)
    }

    #[must_use]
    pub fn config_dir(&self) -> PathBuf {
        self.root.path().join("config")
    }

    #[must_use]
    pub fn data_dir(&self) -> PathBuf {
        self.root.path().join("data")
    }

    #[must_use]
    pub fn project_dir(&self) -> PathBuf {
        self.root.path().join("project")
    }

    /// Writes a file of the project, folders included.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> io::Result<PathBuf> {
        let path = self.project_dir().join(name);
        std::fs::create_dir_all(path.parent().unwrap_or(&path))?;
        std::fs::write(&path, content)?;
        Ok(path)
    }

    /// Runs `program -C PROJECT args...` to its end, with nothing on standard input.
    ///
    /// # Errors
    /// When it cannot be started, or takes longer than two minutes (then it is ended).
    pub fn run_arki(&self, program: &Path, args: &[impl AsRef<OsStr>]) -> io::Result<Finished> {
        finish(self.command(program).args(args).spawn()?)
    }

    /// Runs Arki like [`TestHome::run_arki`], and leaves it running with piped output.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn spawn_arki(&self, program: &Path, args: &[impl AsRef<OsStr>]) -> io::Result<Child> {
        self.command(program).args(args).spawn()
    }

    #[allow(clippy::disallowed_methods, reason = "the program under test is started by the test")]
    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.arg("-C").arg(self.project_dir()).envs(&self.env);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        crate::with_default_signals(&mut command);
        command
    }
}

fn settings(model_url: &str, config: &Value) -> Value {
    let models = json!({"mock": {"contextWindow": 200_000}});
    let provider = json!({"kind": "custom", "baseUrl": model_url, "apiKeyEnv": "MOCK_KEY", "models": models});
    let mut settings = json!({"agents": {"arki": {"model": "mock/mock"}}, "providers": {"mock": provider}});
    for (key, value) in config.as_object().into_iter().flatten() {
        settings[key] = value.clone();
    }
    settings
}

fn finish(mut child: Child) -> io::Result<Finished> {
    let stdout = read_aside(child.stdout.take());
    let stderr = read_aside(child.stderr.take());
    let (Ok(stdout), Ok(stderr)) = (stdout.recv_timeout(PATIENCE), stderr.recv_timeout(PATIENCE)) else {
        child.kill()?;
        child.wait()?;
        return Err(io::Error::new(io::ErrorKind::TimedOut, "the program did not end"));
    };
    Ok(Finished { code: child.wait()?.code(), stdout, stderr })
}

fn read_aside(pipe: Option<impl Read + Send + 'static>) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // What could be read is what there is.
        let _ = pipe.map(|mut pipe| pipe.read_to_end(&mut bytes));
        let _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    receiver
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_home_has_a_configuration_a_project_and_goes_away() {
        let home = TestHome::new("http://127.0.0.1:9/v1", &json!({"limits": {"maxTurns": 3}})).unwrap();
        let text = std::fs::read_to_string(home.config_dir().join("config.json")).unwrap();
        let config: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(config["limits"]["maxTurns"], 3);
        assert_eq!(config["providers"]["mock"]["baseUrl"], "http://127.0.0.1:9/v1");
        let file = home.write("src/a.txt", "a").unwrap();
        drop(home);
        assert!(!file.exists());
    }

    #[cfg(unix)]
    #[test]
    fn a_program_runs_in_the_home_and_is_captured() {
        let home = TestHome::new("http://127.0.0.1:9/v1", &Value::Null).unwrap();
        let done = home.run_arki(Path::new("/bin/echo"), &["hello"]).unwrap();
        assert_eq!(done.code, Some(0));
        assert_eq!(done.stdout.trim(), format!("-C {} hello", home.project_dir().display()));
    }
}
