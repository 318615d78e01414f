//! The project that `cargo xtask run` opens, with a configuration and data of
//! its own, so that trying Arki out touches nothing of the user's.
//!
//! What is there is kept: whoever has played with it goes on where they were.
//! Deleting one of the folders makes a fresh one.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    failure::{Context, Failure},
    files, process,
    repository::Repository,
};

const FILES: &[(&str, &str)] = &[
    ("README.md", include_str!("../../crates/engine/sample/README.md")),
    ("NOTES.md", include_str!("../../crates/engine/sample/NOTES.md")),
    ("plants.csv", include_str!("../../crates/engine/sample/plants.csv")),
    ("windowsill.py", include_str!("../../crates/engine/sample/windowsill.py")),
];

/// The embedded model answers from a script: no key, no network.
const CONFIGURATION: &str = r#"{
  "agents": { "arki": { "model": "demo/demo" } },
  "providers": { "demo": { "kind": "demo" } }
}
"#;

pub(crate) struct Demo {
    project: PathBuf,
    configuration: PathBuf,
    data: PathBuf,
}

impl Demo {
    pub(crate) fn apply<'a>(&self, app: &'a mut Command) -> &'a mut Command {
        app.env("ARKI_CONFIG_DIR", &self.configuration).env("ARKI_DATA_DIR", &self.data).arg(&self.project)
    }
}

pub(crate) fn prepare(repository: &Repository) -> Result<Demo, Failure> {
    let demo = Demo {
        project: repository.target.join("demo-project"),
        configuration: repository.target.join("demo-config"),
        data: repository.target.join("demo-data"),
    };
    if !demo.project.exists() {
        for (name, content) in FILES {
            files::write(&demo.project.join(name), content)?;
        }
        make_repository(&demo.project);
    }
    if !demo.configuration.join("config.json").exists() {
        files::write(&demo.configuration.join("config.json"), CONFIGURATION)?;
    }
    for folder in [&demo.configuration, &demo.data] {
        files::create_folder(folder)?;
        own_only(folder)?;
    }
    println!("The demo project is {}", demo.project.display());
    Ok(demo)
}

/// A repository of its own where Git is installed: inside the build folder it
/// would otherwise count as an ignored part of Arki's. The demo works without.
fn make_repository(project: &Path) {
    let author = ["-c", "user.name=Windowsill", "-c", "user.email=demo@arki.invalid"];
    let commit = ["commit", "--quiet", "--no-gpg-sign", "--message", "Plan the watering"];
    let steps: [&[&str]; 3] = [&["init", "--quiet"], &["add", "."], &commit];
    for step in steps {
        let mut git = Command::new("git");
        git.current_dir(project).args(author).args(step);
        if !process::succeeds(&mut git) {
            return;
        }
    }
}

#[cfg(unix)]
fn own_only(folder: &Path) -> Result<(), Failure> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).context(|| format!("restrict {}", folder.display()))
}

#[cfg(not(unix))]
fn own_only(folder: &Path) -> Result<(), Failure> {
    fs::metadata(folder).map(drop).context(|| format!("look at {}", folder.display()))
}
