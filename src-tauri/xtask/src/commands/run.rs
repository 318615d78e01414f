//! `cargo xtask run`: from a fresh clone to the open window.

use std::{path::PathBuf, process::Command};

use crate::{
    demo_project,
    failure::{Context, Failure},
    front_end,
    prerequisites::{self, Purpose},
    process,
    repository::Repository,
};

pub(crate) fn run(repository: &Repository, arguments: &[String]) -> Result<(), Failure> {
    // Cargo hands everything on, the separating `--` included.
    let folder = match arguments {
        [] => None,
        [separator] if separator == "--" => None,
        [separator, folder] if separator == "--" => Some(folder),
        [folder] if !folder.starts_with('-') => Some(folder),
        [.., argument] => return Err(Failure::unexpected("run", argument)),
    };
    // Before minutes of building, not after.
    let folder = folder.map(|folder| existing(folder)).transpose()?;
    println!("The first time this builds everything, about five minutes; later it takes seconds.");
    prerequisites::ensure(Purpose::Build)?;
    front_end::install(repository)?;
    front_end::build(repository)?;
    let build = ["build", "--workspace", "--bin", "arki-desktop", "--locked"];
    process::run(process::cargo(&repository.root).args(build))?;
    let mut app = Command::new(repository.binary("debug", "arki-desktop"));
    match folder {
        Some(folder) => app.arg(folder),
        None => demo_project::prepare(repository)?.apply(&mut app),
    };
    process::run(&mut app)
}

fn existing(folder: &str) -> Result<PathBuf, Failure> {
    let path = std::path::absolute(folder).context(|| format!("open {folder}"))?;
    if path.is_dir() { Ok(path) } else { Err(Failure::new(format!("{folder} is not a folder"))) }
}
