//! `cargo xtask`: builds, runs, tests and measures Arki.
//!
//! Standard library only, because this crate is compiled before anything else
//! can start. It orders other tools about and prints; it knows nothing of
//! Arki's insides. One command lives in one file under `commands/`.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a developer command prints and starts other programs"
)]

mod bench;
mod commands;
mod cpu_time;
mod demo_project;
mod dist;
mod failure;
mod files;
mod front_end;
mod http_client;
mod prerequisites;
mod process;
mod repository;
mod steps;
mod test_servers;
mod windows;
mod wine;

use std::process::ExitCode;

use crate::{failure::Failure, repository::Repository};

fn main() -> ExitCode {
    match command() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("\n{failure}");
            ExitCode::FAILURE
        }
    }
}

fn command() -> Result<(), Failure> {
    if let Some(program) = dist::linker::program() {
        return dist::linker::run(&program, &std::env::args_os().skip(1).collect::<Vec<_>>());
    }
    dispatch(&std::env::args().skip(1).collect::<Vec<_>>())
}

fn dispatch(arguments: &[String]) -> Result<(), Failure> {
    let (command, rest) = match arguments.split_first() {
        Some((command, rest)) => (command.as_str(), rest),
        None => ("help", arguments),
    };
    if rest.iter().any(|argument| argument == "--help" || argument == "-h") {
        return commands::help::print();
    }
    let repository = Repository::locate();
    match command {
        "help" | "--help" | "-h" => commands::help::print(),
        "run" => commands::run::run(&repository, rest),
        "test" => commands::test::run(&repository, rest),
        "soak" => commands::soak::run(&repository, rest),
        "lint" => commands::lint::run(&repository, rest),
        "codegen" => commands::codegen::run(&repository, rest),
        "catalogue" => commands::catalogue::run(&repository, rest),
        "test-servers" => commands::test_servers::run(&repository, rest),
        "providers-table" => commands::providers_table::run(&repository, rest),
        "check-macos" => commands::check_macos::run(&repository, rest),
        "check-windows" => commands::check_windows::run(&repository, rest),
        "bench" => commands::bench::run(&repository, rest),
        "dist" => commands::dist::run(&repository, rest),
        "update-list" => commands::update_list::run(&repository, rest),
        "bundle" => commands::bundle::run(&repository, rest),
        unknown => Err(Failure::new(format!("there is no command `{unknown}`")).hint("`cargo xtask help` lists them")),
    }
}
