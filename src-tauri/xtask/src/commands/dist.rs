//! `cargo xtask dist`: builds the programs as they are shipped and prints their paths.
//!
//! Standard output has one path a line, relative to the repository, and
//! nothing else: whoever packs the programs reads it. So the build itself is
//! done by a second process of this command, whose standard output is our
//! standard error.

use std::{
    env, io,
    process::{Command, Stdio},
};

use crate::{
    dist,
    failure::{Context, Failure},
    process,
    repository::Repository,
};

/// The argument of the second process.
const BUILD_ONLY: &str = "--build-only";

pub(crate) fn run(repository: &Repository, arguments: &[String]) -> Result<(), Failure> {
    match arguments {
        [] => {
            build(repository)?;
            for program in dist::PROGRAMS {
                let path = repository.binary(dist::PROFILE, program.name);
                println!("{}", path.strip_prefix(&repository.root).unwrap_or(&path).display());
            }
            Ok(())
        }
        [argument] if argument == BUILD_ONLY => dist::build(repository),
        [argument, ..] => Err(Failure::unexpected("dist", argument)),
    }
}

/// Builds with everything that is printed on standard error.
pub(crate) fn build(repository: &Repository) -> Result<(), Failure> {
    let this = env::current_exe().context(|| "find this program".into())?;
    let mut command = Command::new(this);
    command.args(["dist", BUILD_ONLY]).current_dir(&repository.root).stdout(Stdio::from(io::stderr()));
    if process::status(&mut command)?.success() {
        return Ok(());
    }
    Err(Failure::new("the programs could not be built").hint("what failed stands above"))
}
