//! `cargo xtask lint`: what can be said without running a test.

use crate::{
    commands::codegen,
    failure::Failure,
    front_end,
    prerequisites::{self, Purpose},
    process,
    repository::Repository,
    steps::{self, Outcome, Step},
};

const CHECKS: &[Step] = &[
    PREREQUISITES,
    UI_PACKAGES,
    Step { name: "Formatting", expected: "2 s", action: formatting },
    Step { name: "UI lint and types", expected: "5 s", action: front_end::lint },
    UI_BUILD,
    Step { name: "Clippy", expected: "4 min", action: clippy },
    Step { name: "Generated files", expected: "3 min", action: codegen::export_and_check },
];

const REPAIRS: &[Step] = &[
    PREREQUISITES,
    UI_PACKAGES,
    Step { name: "Generated files", expected: "3 min", action: codegen::write },
    Step { name: "UI repairs", expected: "2 s", action: repair_ui },
    UI_BUILD,
    Step { name: "Clippy repairs", expected: "4 min", action: repair_rust },
    Step { name: "Formatting repairs", expected: "2 s", action: format },
];

const PREREQUISITES: Step = Step {
    name: "Prerequisites",
    expected: "seconds; 1 to 3 min where packages are missing",
    action: |_| prerequisites::ensure(Purpose::Build),
};
const UI_PACKAGES: Step = Step { name: "UI packages", expected: "30 s", action: front_end::install };
// The desktop program contains the built interface, so Clippy needs it too.
const UI_BUILD: Step = Step { name: "UI build", expected: "5 s", action: front_end::build };

pub(crate) fn run(repository: &Repository, arguments: &[String]) -> Result<(), Failure> {
    match arguments {
        [] => steps::run(repository, "Lint", CHECKS),
        [fix] if fix == "--fix" => {
            steps::run(repository, "Lint, repairing", REPAIRS)?;
            steps::run(repository, "Lint", CHECKS)
        }
        [argument, ..] => Err(Failure::unexpected("lint", argument)),
    }
}

pub(crate) fn formatting(repository: &Repository) -> Result<Outcome, Failure> {
    require(repository, "fmt", "rustfmt")?;
    process::run(process::cargo(&repository.root).args(["fmt", "--all", "--check"]))
        .map_err(|failure| failure.hint("`cargo xtask lint --fix` formats"))?;
    Ok(Outcome::Done)
}

pub(crate) fn clippy(repository: &Repository) -> Result<Outcome, Failure> {
    require(repository, "clippy", "clippy")?;
    let mut runs: Vec<&[&str]> = vec![&["--all-targets"]];
    // No default test run includes the tests of the window, of providers and
    // of MCP, and so `--all-targets` leaves them out as well.
    if repository.has_window_tests() {
        runs.push(&["--test=desktop", "--test=providers", "--test=mcp"]);
    }
    for targets in runs {
        let mut clippy = process::cargo(&repository.root);
        clippy.args(["clippy", "--workspace", "--locked"]).args(targets).args(["--", "-D", "warnings"]);
        process::run(&mut clippy)?;
    }
    Ok(Outcome::Done)
}

/// A minimal Rust installation comes without the two checkers.
fn require(repository: &Repository, command: &str, component: &str) -> Result<(), Failure> {
    if process::succeeds(process::cargo(&repository.root).args([command, "--version"])) {
        return Ok(());
    }
    Err(Failure::new(format!("`cargo {command}` is not installed")).hint(format!("`rustup component add {component}`")))
}

fn format(repository: &Repository) -> Result<Outcome, Failure> {
    process::run(process::cargo(&repository.root).args(["fmt", "--all"]))?;
    Ok(Outcome::Done)
}

fn repair_ui(repository: &Repository) -> Result<Outcome, Failure> {
    process::run(process::npm(&repository.root).args(["exec", "-w", "ui", "--", "biome", "check", "--write", "."]))?;
    Ok(Outcome::Done)
}

fn repair_rust(repository: &Repository) -> Result<Outcome, Failure> {
    // The work tree is being edited: that is when repairs are wanted.
    let arguments = ["clippy", "--workspace", "--all-targets", "--locked", "--fix", "--allow-dirty", "--allow-staged"];
    process::run(process::cargo(&repository.root).args(arguments))?;
    Ok(Outcome::Done)
}
