//! `bench edit`: the preview of a one-line change in a file of 50,000 lines, by edit and by patch, beside reading the file
//! and comparing it whole.

use std::{collections::BTreeMap, process::Command};

use crate::{failure::Failure, process, repository::Repository};

/// The target for the first edit, in milliseconds.
const WANTED_MS: f64 = 20.0;

const WAYS: [(&str, &str); 5] = [
    ("edit_exact", "edit_file, found exactly"),
    ("patch", "apply_patch, found exactly"),
    ("edit_indentation", "edit_file, but for indentation"),
    ("edit_look_alikes", "edit_file, but for characters that look alike"),
    ("baseline", "reading the file and comparing it whole"),
];

pub(crate) fn measure(repository: &Repository) -> Result<(), Failure> {
    let build = ["build", "--release", "--locked", "--package", "arki-files", "--example", "edit_speed"];
    process::run(process::cargo(&repository.root).args(build))?;
    let printed = process::capture(&mut Command::new(repository.binary("release", "examples/edit_speed")))?;
    let figures = parsed(&printed);
    let figure = |name: &str| figures.get(name).copied().unwrap_or(f64::NAN);
    println!("\nPreview of a one-line change in a file of 50,000 lines; medians of alternating rounds");
    for (name, words) in WAYS {
        let ratio = figure(name) / figure("baseline");
        println!("  {words:<48} {:>7.1} ms {ratio:>6.2}", figure(name) / 1000.0);
    }
    println!("  wanted of the first: under {WANTED_MS} ms");
    let json: Vec<String> = figures.iter().map(|(name, micros)| format!("\"{name}_us\":{micros}")).collect();
    println!(r#"{{"bench":"edit",{}}}"#, json.join(","));
    Ok(())
}

/// One `name microseconds` a line.
pub(super) fn parsed(printed: &str) -> BTreeMap<&str, f64> {
    let line = |line| -> Option<(&str, f64)> {
        let (name, value) = str::split_once(line, ' ')?;
        Some((name, value.parse().ok()?))
    };
    printed.lines().filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_off_the_examples_lines() {
        assert_eq!(parsed("patch 12\nnot a figure\n"), BTreeMap::from([("patch", 12.0)]));
    }
}
