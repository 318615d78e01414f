//! `bench context`: how long the next request of a conversation of 10,000
//! messages takes to assemble. Runs an example of `arki-llm`.

use std::process::Command;

use crate::{failure::Failure, process, repository::Repository};

pub(crate) fn measure(repository: &Repository) -> Result<(), Failure> {
    let build = ["build", "--release", "--locked", "--package", "arki-llm", "--example", "request_speed"];
    process::run(process::cargo(&repository.root).args(build))?;
    process::run(&mut Command::new(repository.binary("release", "examples/request_speed")))
}
