//! Stands in for the linker of a shipped program: links it, has it recorded,
//! and links it again in the order of what ran.
//!
//! Rust starts it with the linker's own arguments; the environment says that
//! it is one and for which program.

use std::{
    env,
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
    process::Command,
};

use super::recording;
use crate::{
    failure::Failure,
    files, process,
    repository::{Measured, Repository},
};

/// True where Rust's own linker, `lld`, is the default: others take no order of functions.
pub(crate) const CAN_ORDER: bool = cfg!(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu"));

const PROGRAM: &str = "ARKI_DIST_LINKS";
/// Identical functions become one.
const FOLD: &str = "-Wl,--icf=all";
const STRIP: &str = "-Wl,--strip-all";
/// Silences warnings about functions in the recording that the app lacks, or that were folded away.
const NO_WARNINGS: &str = "-Wl,--no-warn-symbol-ordering";

/// Rust's option that names `this` program as the linker.
pub(super) fn argument(this: &Path) -> OsString {
    let mut argument = OsString::from("linker=");
    argument.push(this);
    argument
}

pub(super) fn hand_over(command: &mut Command, repository: &Repository, program: &str) {
    command.env(PROGRAM, program).env("ARKI_DIST_ROOT", &repository.root).env("ARKI_DIST_TARGET", &repository.target);
}

/// The program to be linked, where this process was started as a linker.
pub(crate) fn program() -> Option<String> {
    env::var(PROGRAM).ok()
}

pub(crate) fn run(program: &str, arguments: &[OsString]) -> Result<(), Failure> {
    let folder = |name: &str| env::var_os(name).map(PathBuf::from).ok_or_else(|| Failure::new(format!("no {name}")));
    let (root, target) = (folder("ARKI_DIST_ROOT")?, folder("ARKI_DIST_TARGET")?);
    let repository = Repository { root, target, measured: Measured::Dist };
    let order = repository.scratch().join("dist-order.txt");
    if program == super::PROGRAMS[0].name {
        link(arguments, &[FOLD])?;
        let called = recording::functions(&repository, &output(arguments)?)?;
        eprintln!("{} functions ran and are put first", called.len());
        files::write(&order, called.join("\n") + "\n")?;
    }
    let ordering = format!("-Wl,--symbol-ordering-file={}", order.display());
    link(arguments, &[FOLD, STRIP, NO_WARNINGS, &ordering])
}

fn link(arguments: &[OsString], further: &[&str]) -> Result<(), Failure> {
    process::capture(Command::new("cc").args(arguments).args(further)).map(|_| ())
}

/// The path behind `-o`.
fn output(arguments: &[OsString]) -> Result<PathBuf, Failure> {
    let position = arguments.iter().position(|argument| argument == OsStr::new("-o"));
    let path = position.and_then(|at| arguments.get(at + 1)).map(PathBuf::from);
    path.ok_or_else(|| Failure::new("the linker was not told what to write"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_output_is_read_off_the_linkers_arguments() {
        let arguments: Vec<OsString> = ["a.o", "-o", "target/dist/arki", "-lc"].map(OsString::from).into();
        assert_eq!(output(&arguments).ok(), Some(PathBuf::from("target/dist/arki")));
        assert!(output(&arguments[..2]).is_err());
    }
}
