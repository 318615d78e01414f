//! `cargo xtask test-servers`: what the tests of providers and of MCP talk to.

use crate::{failure::Failure, repository::Repository, steps::Outcome, test_servers};

pub(crate) fn run(repository: &Repository, arguments: &[String]) -> Result<(), Failure> {
    if let Some(argument) = arguments.first() {
        return Err(Failure::unexpected("test-servers", argument));
    }
    if let Outcome::Skipped(why) = test_servers::install(repository)? {
        println!("{why}");
    }
    Ok(())
}
