//! `bench secrets`: how fast secrets are found and replaced, beside a plain
//! search for one word. Runs an example of `arki-domain`.

use std::process::Command;

use crate::{failure::Failure, process, repository::Repository};

pub(crate) fn measure(repository: &Repository) -> Result<(), Failure> {
    let build = ["build", "--release", "--locked", "--package", "arki-redaction", "--example", "redaction_speed"];
    process::run(process::cargo(&repository.root).args(build))?;
    process::run(&mut Command::new(repository.binary("release", "examples/redaction_speed")))
}
