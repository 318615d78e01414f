//! `cargo xtask check-windows`: does everything that ships compile there, and
//! does what is Windows' own work, as far as Wine can tell?
//!
//! On Windows that is a plain check. Elsewhere it needs Windows' standard
//! library, which comes from rustup where the user added the target, or else,
//! on Debian, from Debian's own Rust sources.

use std::process::Command;

use crate::{
    failure::Failure,
    front_end,
    prerequisites::{self, Purpose},
    process,
    repository::Repository,
    steps::{self, Outcome, Step},
    windows::{self, TARGET},
    wine,
};

const PLAN: &[Step] = &[
    Step {
        name: "Prerequisites",
        expected: "seconds; 1 to 3 min where packages are missing",
        action: |_| prerequisites::ensure(Purpose::CheckWindows),
    },
    Step { name: "UI packages", expected: "30 s", action: front_end::install },
    Step { name: "UI build", expected: "5 s", action: front_end::build },
    Step { name: "Windows library", expected: "1 min", action: library },
    Step { name: "Check for Windows", expected: "5 min", action: check },
    Step { name: "Tests under Wine", expected: "4 min", action: test },
];

/// The crates that speak to the system, and what they are made of.
const TESTED: &[&str] =
    &["arki-domain", "arki-edit", "arki-disk", "arki-git", "arki-files", "arki-process", "arki-sandbox"];

pub(crate) fn run(repository: &Repository, arguments: &[String]) -> Result<(), Failure> {
    if let Some(argument) = arguments.first() {
        return Err(Failure::unexpected("check-windows", argument));
    }
    steps::run(repository, "Windows check", PLAN)
}

fn library(repository: &Repository) -> Result<Outcome, Failure> {
    if cfg!(windows) {
        return Ok(Outcome::Skipped("this is Windows: its library is here".into()));
    }
    windows::library_for(TARGET, repository)
}

fn check(repository: &Repository) -> Result<Outcome, Failure> {
    let mut command = process::cargo(&repository.root);
    command.args(["check", "--workspace", "--locked"]);
    if !cfg!(windows) {
        build_from_here(repository, &mut command);
    }
    process::run(&mut command)?;
    Ok(Outcome::Done)
}

fn build_from_here(repository: &Repository, command: &mut Command) {
    // A folder apart: build scripts compiled by another compiler would
    // otherwise take turns with the usual ones.
    command.args(["--target", TARGET]).env("CARGO_TARGET_DIR", repository.target.join("windows-check/build"));
    if !windows::target_is_installed(TARGET) {
        windows::use_toolchain(repository, command);
    }
}

/// Tests the crates that speak to the system, and those that they are made of.
fn test(repository: &Repository) -> Result<Outcome, Failure> {
    let mut command = process::cargo(&repository.root);
    command.args(["test", "--locked", "--lib"]).args(TESTED.iter().flat_map(|name| ["--package", name]));
    if cfg!(windows) {
        process::run(&mut command)?;
        return Ok(Outcome::Done);
    }
    if !prerequisites::wish_for(&prerequisites::WINE) {
        return Ok(Outcome::Skipped("Wine can't be had here".into()));
    }
    if !wine::starts(repository)? {
        return Ok(Outcome::Skipped("Wine does not start here".into()));
    }
    build_from_here(repository, &mut command);
    wine::run_tests_with(repository, &mut command)?;
    process::run(&mut command)?;
    Ok(Outcome::Done)
}
