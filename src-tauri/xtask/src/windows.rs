//! A Rust compiler with the sources of its standard library, for a Debian
//! where rustup's libraries for other systems are not to be had.
//!
//! Debian packages a recent compiler for its browsers together with the
//! library's sources. The packages are unpacked into the build folder, never
//! installed, and Cargo builds the other system's library from them.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    failure::{Context, Failure},
    files, process,
    repository::Repository,
    steps::Outcome,
};

pub(crate) const TARGET: &str = "x86_64-pc-windows-gnu";

/// The compiler, the sources, and what the compiler itself is linked with.
const PACKAGES: [&str; 2] = ["rustc-web", "rust-web-src"];
const LIBRARIES: [&str; 9] = [
    "libstd-rust-web",
    "libllvm",
    // LLVM's own, which a small installation may lack.
    "libbsd0",
    "libedit2",
    "libicu",
    "libmd0",
    "libtinfo",
    "libxml2",
    "libz3",
];

/// Sees to it that a system's standard library is here, or can be built.
pub(crate) fn library_for(target: &str, repository: &Repository) -> Result<Outcome, Failure> {
    if target_is_installed(target) {
        return Ok(Outcome::Skipped(format!("{target} is installed")));
    }
    if process::find_program("apt-get").is_none() {
        return Err(Failure::new(format!("the standard library of {target} is not on this machine"))
            .hint(format!("`rustup target add {target}`, then start again")));
    }
    unpack_toolchain(repository)
}

pub(crate) fn target_is_installed(target: &str) -> bool {
    let mut rustc = Command::new("rustc");
    process::capture(rustc.args(["--print", "target-libdir", "--target", target]))
        .is_ok_and(|folder| Path::new(folder.trim()).is_dir())
}

fn unpack_toolchain(repository: &Repository) -> Result<Outcome, Failure> {
    let home = home(repository);
    let stamp = home.join("packages.stamp");
    if stamp.exists() && rustc(&home).exists() {
        return Ok(Outcome::Skipped("unpacked already".into()));
    }
    let packages = packages()?;
    println!("Downloads about 150 MB and unpacks it below {}", home.display());
    files::remove_folder(&home)?;
    let downloads = home.join("downloads");
    files::create_folder(&downloads)?;
    process::run(Command::new("apt-get").current_dir(&downloads).arg("download").args(&packages))?;
    for archive in archives(&downloads)? {
        process::run(Command::new("dpkg").arg("-x").arg(&archive).arg(&home))?;
    }
    files::remove_folder(&downloads)?;
    files::write(&stamp, packages.join("\n"))?;
    Ok(Outcome::Done)
}

/// Makes a Cargo command use that compiler and build the standard library.
pub(crate) fn use_toolchain(repository: &Repository, command: &mut Command) {
    let home = home(repository);
    let libraries = home.join(format!("usr/lib/{}-linux-gnu", env::consts::ARCH));
    command
        .args(["-Zbuild-std=std,panic_abort"])
        .env("RUSTC", rustc(&home))
        .env("LD_LIBRARY_PATH", libraries)
        // Building the standard library is not a stable feature; the switch
        // lets a stable compiler do it. Nothing of Arki uses another one.
        .env("RUSTC_BOOTSTRAP", "1");
}

/// The packages' versions are in their names (`libllvm22`), so they are read
/// from the dependencies instead of being written down here.
fn packages() -> Result<Vec<String>, Failure> {
    let mut query = Command::new("apt-cache");
    query.args(["depends", "--recurse", "--no-recommends", "--no-suggests", "--no-conflicts"]);
    query.args(["--no-breaks", "--no-replaces", "--no-enhances", "rustc-web"]);
    let dependencies = process::capture(&mut query).unwrap_or_default();
    let mut packages = select(&dependencies);
    if packages.is_empty() {
        return Err(Failure::new("this system's package lists do not know `rustc-web`")
            .hint(format!("on Debian run `apt-get update`; elsewhere `rustup target add {TARGET}` does the same")));
    }
    packages.extend(PACKAGES.map(str::to_owned));
    Ok(packages)
}

/// Top-level names in `apt-cache depends` stand at the line's beginning.
fn select(dependencies: &str) -> Vec<String> {
    dependencies
        .lines()
        .filter(|line| LIBRARIES.iter().any(|name| line.starts_with(name)))
        .map(|line| line.trim().to_owned())
        .collect()
}

fn archives(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let entries = fs::read_dir(folder).context(|| format!("list {}", folder.display()))?;
    let mut archives: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    archives.retain(|path| path.extension().is_some_and(|extension| extension == "deb"));
    archives.sort();
    Ok(archives)
}

fn home(repository: &Repository) -> PathBuf {
    repository.target.join("windows-check/toolchain")
}

fn rustc(home: &Path) -> PathBuf {
    home.join("usr/bin/rustc")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_compilers_own_libraries_are_selected() {
        let dependencies = "rustc-web\n  Depends: libc6\n  Depends: libllvm22\nlibc6\nlibllvm22\n\
                            \u{20} Depends: libstdc++6\nlibstd-rust-web-1.96\nlibstd-rust-web-dev\n";
        let expected = ["libllvm22", "libstd-rust-web-1.96", "libstd-rust-web-dev"];
        assert_eq!(select(dependencies), expected);
    }
}
