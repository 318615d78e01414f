//! `bench window`: the built app in a real window under Xvfb, beside an empty
//! Tauri window: how evenly it draws while an answer streams in, what that
//! takes, and how long the window takes to show something.
//!
//! The measuring itself is a part of the window's tests (`tests/desktop/bench`),
//! which have a display, a driver and a scripted model.

use crate::{commands::test, dist, failure::Failure, front_end, prerequisites, process, repository::Repository};

const KNOWN: &str = "`start`, `large`, `markdown`, `code`, `table`, `paragraph`, or nothing for all; `--debug` measures \
                     the debug build, `--dist` the programs as they are shipped";

pub(crate) fn measure(repository: &Repository, arguments: &[String]) -> Result<(), Failure> {
    if !cfg!(target_os = "linux") {
        return Err(Failure::new("a real window is driven on Linux only"));
    }
    let (flags, names): (Vec<&String>, Vec<&String>) = arguments.iter().partition(|word| word.starts_with("--"));
    let profile = match flags.as_slice() {
        [] => "release",
        [flag] if *flag == "--debug" => "debug",
        [flag] if *flag == "--dist" => dist::PROFILE,
        [flag, ..] => return Err(Failure::unexpected("bench window", flag).hint(KNOWN)),
    };
    if let [_, more, ..] = names.as_slice() {
        return Err(Failure::unexpected("bench window", more).hint(KNOWN));
    }
    prerequisites::ensure(prerequisites::Purpose::Test)?;
    front_end::install(repository)?;
    front_end::build(repository)?;
    build(repository, profile)?;
    let mut measuring = test::cargo_test(repository);
    measuring
        .args(["--test", "desktop", "--", "bench::window", "--exact", "--nocapture"])
        .env("ARKI_BIN", repository.binary(profile, "arki"))
        .env("ARKI_DESKTOP_BIN", repository.binary(profile, "arki-desktop"))
        .env("ARKI_EMPTY_WINDOW_BIN", repository.binary(profile, "examples/empty_window"))
        .env("ARKI_BENCH_WINDOW", names.first().map_or("", |name| name.as_str()));
    process::run(&mut measuring)
}

fn build(repository: &Repository, profile: &str) -> Result<(), Failure> {
    let mut command = process::cargo(&repository.root);
    command.args(["build", "--locked", "--example", "empty_window"]);
    if profile == dist::PROFILE {
        dist::build(repository)?;
        return process::run(command.args(["--package", "arki-desktop", "--profile", profile]));
    }
    // The whole workspace, so that dependencies have the features that other builds give them.
    command.args(["--workspace", "--bin", "arki", "--bin", "arki-desktop"]);
    process::run(if profile == "debug" { &mut command } else { command.arg("--release") })
}
