//! `cargo xtask check-macos`: do the crates that speak to the system
//! compile there?
//!
//! The other crates have nothing that is macOS's own, and some of what they
//! depend on compiles C, for which Apple's compiler would be needed.

use crate::{
    failure::Failure,
    prerequisites::{self, Purpose},
    process,
    repository::Repository,
    steps::{self, Outcome, Step},
    windows,
};

const TARGET: &str = "aarch64-apple-darwin";
/// And with them those that they stand on.
const CRATES: &[&str] = &["arki-files", "arki-sandbox"];

const PLAN: &[Step] = &[
    Step {
        name: "Prerequisites",
        expected: "seconds; 1 to 3 min where packages are missing",
        action: |_| prerequisites::ensure(Purpose::CheckWindows),
    },
    Step { name: "Library", expected: "1 min", action: library },
    Step { name: "Check for macOS", expected: "2 min", action: check },
];

pub(crate) fn run(repository: &Repository, arguments: &[String]) -> Result<(), Failure> {
    if let Some(argument) = arguments.first() {
        return Err(Failure::unexpected("check-macos", argument));
    }
    steps::run(repository, "macOS check", PLAN)
}

fn library(repository: &Repository) -> Result<Outcome, Failure> {
    windows::library_for(TARGET, repository)
}

fn check(repository: &Repository) -> Result<Outcome, Failure> {
    let mut command = process::cargo(&repository.root);
    command.args(["check", "--locked", "--target", TARGET]);
    command.args(CRATES.iter().flat_map(|name| ["--package", name]));
    command.env("CARGO_TARGET_DIR", repository.target.join("macos-check"));
    if !windows::target_is_installed(TARGET) {
        windows::use_toolchain(repository, &mut command);
    }
    process::run(&mut command)?;
    Ok(Outcome::Done)
}
