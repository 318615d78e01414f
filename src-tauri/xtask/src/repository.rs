//! The repository's root and the build folder.

use std::{env, path::PathBuf};

use crate::{commands, dist, failure::Failure, process};

#[derive(Clone)]
pub(crate) struct Repository {
    pub(crate) root: PathBuf,
    pub(crate) target: PathBuf,
    pub(crate) measured: Measured,
}

/// The build of the programs that the benches measure.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Measured {
    /// Quick to build.
    Release,
    /// The build of `cargo xtask dist`.
    Dist,
    /// The build that tests run: its milliseconds say nothing, but what grows in it grows in the others.
    Debug,
}

impl Repository {
    pub(crate) fn locate() -> Self {
        // The variable is set by `cargo run`; the constant serves a binary
        // that was started by hand.
        let package =
            env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
        let root = package.ancestors().nth(2).map_or(package.clone(), PathBuf::from);
        let target = match env::var_os("CARGO_TARGET_DIR").map(PathBuf::from) {
            Some(given) if given.is_absolute() => given,
            Some(given) => env::current_dir().unwrap_or_else(|_| root.clone()).join(given),
            None => root.join("target"),
        };
        Self { root, target, measured: Measured::Release }
    }

    /// Builds a program as it is to be measured; its path.
    pub(crate) fn built(&self, package: &str, program: &str) -> Result<PathBuf, Failure> {
        match self.measured {
            Measured::Release => {
                let build = ["build", "--release", "--locked", "--package", package, "--bin", program];
                process::run(process::cargo(&self.root).args(build))?;
                Ok(self.binary("release", program))
            }
            Measured::Debug => {
                let build = ["build", "--locked", "--workspace", "--bin", program];
                process::run(process::cargo(&self.root).args(build))?;
                Ok(self.binary("debug", program))
            }
            Measured::Dist => {
                commands::dist::build(self)?;
                Ok(self.binary(dist::PROFILE, program))
            }
        }
    }

    /// Scratch files and stamps of these commands, apart from Cargo's own.
    pub(crate) fn scratch(&self) -> PathBuf {
        self.target.join("xtask")
    }

    /// They are the target `desktop` of the workspace member `tests`.
    pub(crate) fn has_window_tests(&self) -> bool {
        self.root.join("tests/Cargo.toml").exists()
    }

    pub(crate) fn binary(&self, profile: &str, name: &str) -> PathBuf {
        self.target.join(profile).join(format!("{name}{}", env::consts::EXE_SUFFIX))
    }
}
