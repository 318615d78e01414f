//! `cargo xtask providers-table`: the table of `docs/providers.md`, from a run
//! of the tests that it tells of. `cargo xtask test` fails where it is stale.

use crate::{commands::test, failure::Failure, process, repository::Repository, test_servers};

pub(crate) fn run(repository: &Repository, arguments: &[String]) -> Result<(), Failure> {
    if let Some(argument) = arguments.first() {
        return Err(Failure::unexpected("providers-table", argument));
    }
    test_servers::install(repository)?;
    let mut tests = test::cargo_test(repository);
    tests.args(["--package", "arki-tests", "--test", "providers", "conformance"]);
    process::run(tests.env("ARKI_WRITE_TABLES", "1"))
}
