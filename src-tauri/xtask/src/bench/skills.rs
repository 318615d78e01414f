//! `bench skills`: how long it takes to find 1,000 skills, half of them the
//! user's own and half a trusted project's, beside only reading their files.

use std::collections::BTreeMap;

use crate::{failure::Failure, process, repository::Repository};

pub(crate) fn measure(repository: &Repository) -> Result<(), Failure> {
    let run = ["run", "--release", "--locked", "--quiet", "--package", "arki-engine", "--example", "skill_discovery"];
    let text = process::capture(process::cargo(&repository.root).args(run))?;
    let figures: BTreeMap<&str, f64> = text
        .lines()
        .filter_map(|line| line.split_once('='))
        .filter_map(|(name, value)| Some((name, value.parse().ok()?)))
        .collect();
    let of = |name: &str| figures.get(name).copied().unwrap_or_default();
    if of("skills") == 0.0 {
        return Err(Failure::new("the measurement said nothing"));
    }
    println!("{} skills, 10 times, the fastest counts", of("skills"));
    println!("{:<28}{:>10.1} ms", "open the folder, find them", of("discovery"));
    println!("{:<28}{:>10.1} ms", "read their files", of("reading"));
    Ok(())
}
