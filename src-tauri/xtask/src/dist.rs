//! The programs as they are shipped: small, and laid out so that starting one
//! touches few pages of its file.
//!
//! The Cargo profile `dist` optimises everything in one piece, and what is not
//! hot for size. Then the linker folds identical functions and puts those
//! first that a recorded run of `arki` called (`recording`): scattered over
//! the whole file they would bring most of it into memory. To link a second
//! time without compiling everything again, `linker` stands in for the linker.

pub(crate) mod linker;
mod recording;

use std::env;

use crate::{
    failure::{Context, Failure},
    front_end,
    prerequisites::{self, Purpose},
    process,
    repository::Repository,
};

pub(crate) const PROFILE: &str = "dist";

pub(crate) struct Program {
    pub(crate) name: &'static str,
    package: &'static str,
}

/// `arki` first: the run that is recorded is its own, and the app's functions
/// are ordered by it too, as far as both have them.
pub(crate) const PROGRAMS: &[Program] =
    &[Program { name: "arki", package: "arki-cli" }, Program { name: "arki-desktop", package: "arki-desktop" }];

pub(crate) fn build(repository: &Repository) -> Result<(), Failure> {
    prerequisites::ensure(Purpose::Dist)?;
    front_end::install(repository)?;
    front_end::build(repository)?;
    for program in PROGRAMS {
        compile(repository, program)?;
    }
    Ok(())
}

fn compile(repository: &Repository, program: &Program) -> Result<(), Failure> {
    let mut command = process::cargo(&repository.root);
    command.args(["rustc", "--locked", "--profile", PROFILE, "--package", program.package, "--bin", program.name]);
    if linker::CAN_ORDER {
        let this = env::current_exe().context(|| "find this program".into())?;
        // The names of functions are needed until the last link, which removes them.
        command.args(["--", "-C", "strip=none", "-C"]).arg(linker::argument(&this));
        linker::hand_over(&mut command, repository, program.name);
    }
    process::run(&mut command)
}
