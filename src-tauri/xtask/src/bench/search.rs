//! `bench search`: searching the sources of all crates that cargo keeps on this machine, beside ripgrep in the same run.

use std::{env, path::PathBuf, process::Command};

use super::edit;
use crate::{failure::Failure, process, repository::Repository};

/// The target for each: at most this many times as long as ripgrep.
const WANTED: f64 = 1.3;

const PATTERNS: [(&str, &str); 3] =
    [("nowhere", "a word that is nowhere"), ("word", "a word"), ("expression", "an expression")];

pub(crate) fn measure(repository: &Repository) -> Result<(), Failure> {
    if process::find_program("rg").is_none() {
        return Err(Failure::new("`rg` is not on the PATH").hint("install the package `ripgrep`"));
    }
    let tree = sources()?;
    let build = ["build", "--release", "--locked", "--package", "arki-files", "--example", "search_speed"];
    process::run(process::cargo(&repository.root).args(build))?;
    let printed = process::capture(Command::new(repository.binary("release", "examples/search_speed")).arg(&tree))?;
    let figures = edit::parsed(&printed);
    let figure = |name: &str| figures.get(name).copied().unwrap_or(f64::NAN);
    println!("\nSearching cargo's sources; medians of alternating rounds");
    for (name, words) in PATTERNS {
        let (ours, theirs) = (figure(&format!("{name}_arki")), figure(&format!("{name}_rg")));
        let (milliseconds, ratio) = (ours / 1000.0, ours / theirs);
        println!("  {words:<30} {milliseconds:>8.0} ms  rg {:>8.0} ms {ratio:>6.2}", theirs / 1000.0);
    }
    println!("  wanted: at most {WANTED}");
    let json: Vec<String> = figures.iter().map(|(name, micros)| format!("\"{name}_us\":{micros}")).collect();
    println!(r#"{{"bench":"search",{}}}"#, json.join(","));
    Ok(())
}

/// Several hundred MiB that nobody here wrote, on every machine that has built Arki.
pub(super) fn sources() -> Result<PathBuf, Failure> {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from).or_else(|| Some(env::home_dir()?.join(".cargo")));
    let sources = home.map(|home| home.join("registry/src")).filter(|sources| sources.is_dir());
    sources.ok_or_else(|| Failure::new("cargo keeps no sources here").hint("build Arki once; set CARGO_HOME"))
}
