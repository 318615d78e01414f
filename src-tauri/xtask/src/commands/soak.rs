//! `cargo xtask soak`: the crash and fuzz tests in full. `cargo xtask test`
//! runs the same tests over a part of their cases.

use crate::{
    commands::test,
    failure::Failure,
    front_end,
    prerequisites::{self, Purpose},
    process,
    repository::Repository,
    steps::{self, Outcome, Step},
};

/// Tests that look at it take all of their cases.
const ALL_CASES: &str = "ARKI_SOAK";
/// The number of cases of a property that sets none itself; the usual number is 256.
const PROPERTY_CASES: &str = "5000";

const PLAN: &[Step] = &[
    Step {
        name: "Prerequisites",
        expected: "seconds; 1 to 3 min where packages are missing",
        action: |_| prerequisites::ensure(Purpose::Test),
    },
    Step { name: "UI packages", expected: "30 s", action: front_end::install },
    Step { name: "UI build", expected: "5 s", action: front_end::build },
    Step { name: "Programs", expected: "5 min", action: test::programs },
    Step { name: "Crashes and attacks", expected: "15 min", action: crashes_and_attacks },
    Step { name: "Lines and properties", expected: "45 min", action: properties },
];

pub(crate) fn run(repository: &Repository, arguments: &[String]) -> Result<(), Failure> {
    if let Some(argument) = arguments.first() {
        return Err(Failure::unexpected("soak", argument));
    }
    steps::run(repository, "Arki's long tests", PLAN)
}

fn crashes_and_attacks(repository: &Repository) -> Result<Outcome, Failure> {
    let mut tests = test::cargo_test(repository);
    tests.args(["--test", "acceptance", "--", "crash::", "effects_killed::", "attack_lines::"]);
    process::run(tests.env(ALL_CASES, "1"))?;
    Ok(Outcome::Done)
}

fn properties(repository: &Repository) -> Result<Outcome, Failure> {
    let mut tests = test::cargo_test(repository);
    tests.args(["--lib", "--no-fail-fast"]).env(ALL_CASES, "1").env("PROPTEST_CASES", PROPERTY_CASES);
    process::run(&mut tests)?;
    Ok(Outcome::Done)
}
