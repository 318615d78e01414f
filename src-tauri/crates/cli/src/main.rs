//! `arki`: the engine without a window.
//!
//! Thin over `arki-engine`: this crate knows arguments, a terminal and exit codes, and nothing else. One command a
//! file, or a few that go together, under `commands/`. What is for programs goes to standard output, what is for people
//! beside it to standard error, and no error reaches anybody as a panic or a bare system error.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic))]

mod activity;
mod arguments;
mod command_output;
mod commands;
mod exit;
mod follow;
mod json_fault;
mod output;
mod progress;
mod regular_file;
mod review;
mod standard_input;
mod style_tags;
mod usage_errors;

use exit::Exit;
use output::Printer;
use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some(code) = arki_engine::launch_if_asked() {
        return code;
    }
    report_panics_in_words();
    if let Ok(directories) = arki_engine::Directories::from_environment() {
        arki_engine::keep_crash_reports(&directories, "arki");
    }
    arki_engine::raise_open_files();
    arki_engine::choose_temp_folder();
    arki_engine::protect_this_process();
    let given: Vec<_> = std::env::args_os().collect();
    let arguments = match usage_errors::parse(&given) {
        Ok(arguments) => arguments,
        Err(error) => return usage_errors::report(&error, &given).into(),
    };
    arguments.color.write_global();
    start_log(arguments.log.as_deref());
    let output = Printer::new(arguments.json).showing(arguments.show_output);
    let runtime = match arguments.command {
        // Answers many at once.
        commands::CliCommand::Serve(_) | commands::CliCommand::Acp => {
            tokio::runtime::Builder::new_multi_thread().enable_all().build()
        }
        _ => tokio::runtime::Builder::new_current_thread().enable_all().build(),
    };
    let exit = match runtime {
        Ok(runtime) => {
            let exit = runtime.block_on(commands::run(arguments, &output));
            // A read that is still under way must not hold the exit up.
            runtime.shutdown_background();
            exit
        }
        Err(error) => Err(arki_domain::Error::internal(error)),
    };
    let lost = output.lost().map_or(Ok(()), Err);
    exit.and_then(|exit| lost.map(|()| exit))
        .unwrap_or_else(|fault| {
            output.fault(&fault);
            Exit::of_fault(&fault)
        })
        .into()
}

/// Diagnostics on standard error, only where asked for: starting the machinery costs time.
fn start_log(level: Option<&str>) {
    let Some(level) = level else { return };
    let filter = tracing_subscriber::EnvFilter::try_new(level).unwrap_or_else(|_| "info".into());
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
}

/// Should anything panic, people get the same two lines as for any other error.
fn report_panics_in_words() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(|place| format!(" ({}:{})", place.file(), place.line())).unwrap_or_default();
        Printer::new(false).fault(&arki_domain::Error::internal(format_args!("a part of Arki crashed{place}")));
    }));
}
