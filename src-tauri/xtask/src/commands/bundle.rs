//! `cargo xtask bundle`: installers for the system it runs on.

use crate::{
    failure::Failure,
    front_end,
    prerequisites::{self, Purpose},
    process,
    repository::Repository,
};

pub(crate) fn run(repository: &Repository, arguments: &[String]) -> Result<(), Failure> {
    if let Some(argument) = arguments.first() {
        return Err(Failure::unexpected("bundle", argument));
    }
    prerequisites::ensure(Purpose::Build)?;
    front_end::install(repository)?;
    let mut command = process::npm(&repository.root);
    command.args(["run", "tauri", "build", "--"]);
    if cfg!(target_os = "linux") {
        // An AppImage needs tools that are downloaded while bundling; these
        // two are made from what is in the repository.
        command.args(["--bundles", "deb,rpm"]);
    }
    process::run(&mut command)?;
    println!("\nThe installers are in {}", repository.target.join("release/bundle").display());
    Ok(())
}
