//! `cargo xtask test`: everything that must pass, cheapest first.
//!
//! Every Cargo call selects the whole workspace and narrows by target, never
//! by package: with `-p` the dependencies' features would differ and most of
//! them would be compiled a second time.

use std::{env, num::NonZero, process::Command, thread};

use crate::{
    commands::{codegen, lint},
    failure::Failure,
    files, front_end,
    prerequisites::{self, Purpose},
    process,
    repository::Repository,
    steps::{self, Outcome, Step},
    test_servers,
};

/// By which a test program knows how many tests run at once.
const THREADS: &str = "RUST_TEST_THREADS";

/// Most of the Rust tests wait for the programs that they start.
const THREADS_A_CORE: usize = 2;

const PLAN: &[Step] = &[
    Step {
        name: "Prerequisites",
        expected: "seconds; 1 to 3 min where packages are missing",
        action: |_| prerequisites::ensure(Purpose::Test),
    },
    Step { name: "UI packages", expected: "30 s", action: front_end::install },
    Step { name: "Formatting", expected: "2 s", action: lint::formatting },
    Step { name: "UI lint and types", expected: "5 s", action: front_end::lint },
    Step { name: "UI tests", expected: "20 s", action: front_end::test },
    Step { name: "UI build", expected: "5 s", action: front_end::build },
    Step { name: "Clippy", expected: "4 min", action: lint::clippy },
    Step { name: "Programs", expected: "5 min", action: programs },
    Step { name: "Test servers", expected: "1 min", action: test_servers::install },
    Step { name: "Rust tests", expected: "5 min", action: rust_tests },
    Step { name: "Generated files", expected: "2 s", action: codegen::check },
    Step { name: "Provider tests", expected: "1 min", action: provider_tests },
    Step { name: "MCP tests", expected: "2 min", action: mcp_tests },
    Step { name: "Editor tests", expected: "1 min", action: editor_tests },
    Step { name: "Window tests", expected: "1 min", action: window_tests },
];

pub(crate) fn run(repository: &Repository, arguments: &[String]) -> Result<(), Failure> {
    if let Some(argument) = arguments.first() {
        return Err(Failure::unexpected("test", argument));
    }
    steps::run(repository, "Arki's tests", PLAN)
}

/// Black-box tests start these, and `cargo test` alone would not build them.
pub(crate) fn programs(repository: &Repository) -> Result<Outcome, Failure> {
    process::run(process::cargo(&repository.root).args(["build", "--workspace", "--bins", "--locked"]))?;
    Ok(Outcome::Done)
}

fn rust_tests(repository: &Repository) -> Result<Outcome, Failure> {
    // These tests export the interface's types as well: a type that is gone
    // must not linger from an earlier run.
    files::remove_folder(&codegen::exported(repository))?;
    let passed_over = repository.root.join("target/passed-over-tests");
    let _ = std::fs::remove_file(&passed_over);
    let mut tests = cargo_test(repository);
    if env::var_os(THREADS).is_none() {
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        tests.env(THREADS, (cores * THREADS_A_CORE).to_string());
    }
    process::run(tests.arg("--no-fail-fast").env("ARKI_PASSED_OVER", &passed_over))?;
    let lines = std::fs::read_to_string(&passed_over).unwrap_or_default();
    if !lines.is_empty() {
        println!("{} tests were passed over, by what they need:\n{lines}", lines.lines().count());
    }
    Ok(Outcome::Done)
}

fn window_tests(repository: &Repository) -> Result<Outcome, Failure> {
    if !repository.has_window_tests() {
        return Ok(Outcome::Skipped("there are no window tests yet".into()));
    }
    if !cfg!(target_os = "linux") {
        return Ok(Outcome::Skipped(
            "a real window is driven on Linux only: elsewhere the webview has no driver".into(),
        ));
    }
    process::run(cargo_test(repository).args(["--test", "desktop"]))?;
    Ok(Outcome::Done)
}

pub(crate) fn provider_tests(repository: &Repository) -> Result<Outcome, Failure> {
    process::run(cargo_test(repository).args(["--test", "providers"]))?;
    Ok(Outcome::Done)
}

/// With Arki's client of the conformance suite, which the Rust tests before have built.
fn mcp_tests(repository: &Repository) -> Result<Outcome, Failure> {
    process::run(cargo_test(repository).args(["--test", "mcp"]))?;
    Ok(Outcome::Done)
}

fn editor_tests(repository: &Repository) -> Result<Outcome, Failure> {
    process::run(cargo_test(repository).args(["--test", "editors"]))?;
    Ok(Outcome::Done)
}

pub(crate) fn cargo_test(repository: &Repository) -> Command {
    let mut command = process::cargo(&repository.root);
    command
        .args(["test", "--workspace", "--locked"])
        .env("ARKI_BIN", repository.binary("debug", "arki"))
        .env("ARKI_DESKTOP_BIN", repository.binary("debug", "arki-desktop"));
    codegen::export_into(&mut command, &codegen::exported(repository));
    command
}
