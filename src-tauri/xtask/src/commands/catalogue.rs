//! `cargo xtask catalogue`: the models, windows and prices that Arki knows,
//! made from a public package. The version and its checksum stand here, so
//! the same file comes out until somebody changes them; a newer version is
//! taken by changing both and looking at the difference.

use std::{path::Path, process::Command};

use crate::{failure::Failure, files, process, repository::Repository};

const PACKAGE: &str = "@earendil-works/pi-ai";
const VERSION: &str = "1.5.2";
/// The hash of the package's archive.
const SHA256: &str = "d5715efa834c23bfdf10a042b49df4ee169cc99000bf16d7998fab2d533b45f8";

/// The folder of the models' data in the package.
const DATA: &str = "package/dist/providers/data";
const MADE: &str = "src-tauri/crates/llm/data/catalogue.json";

const PRINT_SHA256: &str = "const { createHash } = require('node:crypto'); \
    const { readFileSync } = require('node:fs'); \
    console.log(createHash('sha256').update(readFileSync(process.argv[1])).digest('hex'))";

pub(crate) fn run(repository: &Repository, arguments: &[String]) -> Result<(), Failure> {
    if let Some(argument) = arguments.first() {
        return Err(Failure::unexpected("catalogue", argument));
    }
    let folder = repository.scratch().join("catalogue");
    files::remove_folder(&folder)?;
    files::create_folder(&folder)?;
    fetch(&folder)?;
    let made = make(repository, &folder.join(DATA))?;
    let path = repository.root.join(MADE);
    let changed = !path.exists() || files::read(&path)? != made.as_bytes();
    if changed {
        files::write(&path, &made)?;
    }
    println!("{} {MADE}, {} KiB", if changed { "wrote" } else { "up to date:" }, made.len() / 1024);
    Ok(())
}

/// Downloads the package's archive and unpacks it; nothing of it is run.
fn fetch(folder: &Path) -> Result<(), Failure> {
    let mut pack = process::npm(folder);
    pack.args(["pack", "--silent", "--ignore-scripts", &format!("{PACKAGE}@{VERSION}")]);
    let archive = process::capture(&mut pack)?.trim().to_owned();
    let mut hash = Command::new("node");
    hash.current_dir(folder).args(["-e", PRINT_SHA256, &archive]);
    check(process::capture(&mut hash)?.trim())?;
    process::capture(Command::new("tar").current_dir(folder).args(["-xzf", &archive]))?;
    Ok(())
}

fn check(found: &str) -> Result<(), Failure> {
    if found == SHA256 {
        return Ok(());
    }
    Err(Failure::new(format!("{PACKAGE} {VERSION} has the SHA-256 {found}, not {SHA256}"))
        .hint("something changed what was downloaded; for a new version, set VERSION and SHA256 together"))
}

/// The conversion belongs to `arki-llm`, which reads what it makes.
fn make(repository: &Repository, data: &Path) -> Result<String, Failure> {
    let mut command = process::cargo(&repository.root);
    command.args(["run", "--locked", "--quiet", "--package", "arki-llm", "--example", "catalogue", "--"]);
    process::capture(command.arg(data).arg(format!("{PACKAGE} {VERSION}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_archive_is_refused_and_named() {
        assert!(check(SHA256).is_ok());
        let failure = check("00ff").unwrap_err().to_string();
        assert!(failure.contains("00ff") && failure.contains(SHA256), "{failure}");
    }
}
