//! `bench policy`: how long the policy takes to decide on a command, over the
//! labelled ones of `tests/fixtures/commands`, beside splitting them into words.

use std::collections::BTreeMap;

use crate::{failure::Failure, process, repository::Repository};

pub(crate) fn measure(repository: &Repository) -> Result<(), Failure> {
    let build = ["build", "--release", "--locked", "--package", "arki-policy", "--example", "policy_speed"];
    process::run(process::cargo(&repository.root).args(build))?;
    let folder = repository.root.join("tests/fixtures/commands");
    let run =
        ["run", "--release", "--locked", "--quiet", "--package", "arki-policy", "--example", "policy_speed", "--"];
    let text = process::capture(process::cargo(&repository.root).args(run).arg(folder))?;
    let figures: BTreeMap<&str, f64> = text
        .lines()
        .filter_map(|line| line.split_once('='))
        .filter_map(|(name, value)| Some((name, value.parse().ok()?)))
        .collect();
    let of = |name: &str| figures.get(name).copied().unwrap_or_default();
    if of("lines") == 0.0 {
        return Err(Failure::new("the measurement said nothing"));
    }
    println!("{} labelled commands, each 20 times, the fastest counts", of("lines"));
    println!("{:<28}{:>12}{:>12}{:>12}", "", "median", "99 %", "slowest");
    for (label, name) in [("decide", "decide"), ("split into words", "split")] {
        let columns = ["median", "p99", "max"].map(|part| format!("{:.1} µs", of(&format!("{name}_{part}"))));
        println!("{label:<28}{:>12}{:>12}{:>12}", columns[0], columns[1], columns[2]);
    }
    Ok(())
}
