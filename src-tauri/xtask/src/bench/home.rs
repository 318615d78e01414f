//! A configuration, data and project of a measurement's own, and the release
//! build of `arki` to start on them.

use std::{
    env, fs,
    path::PathBuf,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use super::script::quoted;
use crate::{
    failure::{Context, Failure},
    files, process,
    repository::Repository,
};

/// No run of a measurement takes this long unless something hangs.
const LONGEST_RUN: Duration = Duration::from_secs(900);

pub(crate) struct Home {
    arki: PathBuf,
    root: PathBuf,
    project: PathBuf,
}

impl Home {
    /// Builds `arki`, lays fresh folders outside of any repository, and trusts the project.
    pub(crate) fn prepare(repository: &Repository, name: &str, base_url: &str) -> Result<Self, Failure> {
        Self::lay(name, base_url, repository.built("arki-cli", "arki")?)
    }

    /// Does the same as `prepare` for a program that is already built.
    pub(super) fn lay(name: &str, base_url: &str, arki: PathBuf) -> Result<Self, Failure> {
        let project = root_of(name).join("project");
        let home = Self::around(name, base_url, arki, project)?;
        files::create_folder(&home.project.join("src"))?;
        Ok(home)
    }

    /// Does the same for a project that is there.
    pub(super) fn around(name: &str, base_url: &str, arki: PathBuf, project: PathBuf) -> Result<Self, Failure> {
        let root = root_of(name);
        files::remove_folder(&root)?;
        for folder in [&root.join("config"), &root.join("data"), &project] {
            files::create_folder(folder)?;
        }
        let home = Self { arki, root, project };
        files::write(&home.root.join("config/config.json"), configuration(base_url))?;
        process::capture(home.arki().arg("trust"))?;
        Ok(home)
    }

    pub(crate) fn write(&self, name: &str, content: &str) -> Result<(), Failure> {
        files::write(&self.project().join(name), content)
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.project.clone()
    }

    /// The path of a file of the measurement's own.
    pub(super) fn scratch(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.root.join("data/arki.db")
    }

    pub(crate) fn arki(&self) -> Command {
        let mut command = Command::new(&self.arki);
        command
            .arg("-C")
            .arg(&self.project)
            .env("ARKI_CONFIG_DIR", self.root.join("config"))
            .env("ARKI_DATA_DIR", self.root.join("data"))
            .env("HOME", &self.root)
            .env("MOCK_KEY", "key-of-the-measurement")
            .env("NO_COLOR", "1")
            .env_remove("ARKI_LOG")
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        command
    }

    /// Waits for the end, calling `watch` with the process's id now and then.
    pub(crate) fn finish(&self, mut child: Child, mut watch: impl FnMut(u32)) -> Result<(), Failure> {
        let deadline = Instant::now() + LONGEST_RUN;
        loop {
            watch(child.id());
            let ended = child.try_wait().context(|| "wait for arki".into())?;
            match ended {
                Some(status) if status.success() => return Ok(()),
                Some(status) => return Err(self.failed(&format!("{status}"))),
                None if Instant::now() > deadline => {
                    let _ = child.kill();
                    let _ = child.wait();
                    return Err(self.failed("it hung and was ended"));
                }
                None => thread::sleep(Duration::from_millis(5)),
            }
        }
    }

    /// Creates the file for a measured run's diagnostics, which are shown if it fails.
    pub(crate) fn log(&self) -> Result<Stdio, Failure> {
        let path = self.root.join("stderr.log");
        Ok(fs::File::create(&path).context(|| format!("write {}", path.display()))?.into())
    }

    pub(crate) fn failed(&self, how: &str) -> Failure {
        let log = fs::read_to_string(self.root.join("stderr.log")).unwrap_or_default();
        Failure::new(format!("the measured `arki` failed ({how}):\n{}", log.trim_end()))
    }
}

fn root_of(name: &str) -> PathBuf {
    env::temp_dir().join(format!("arki-bench-{name}"))
}

fn configuration(base_url: &str) -> String {
    format!(
        r#"{{
  "agents": {{ "arki": {{ "model": "mock/mock" }} }},
  "providers": {{ "mock": {{
    "kind": "custom", "baseUrl": {}, "apiKeyEnv": "MOCK_KEY",
    "models": {{ "mock": {{ "contextWindow": 200000 }} }}
  }} }}
}}
"#,
        quoted(base_url)
    )
}
