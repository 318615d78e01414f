//! How long the preview of a one-line change in a file of 50,000 lines takes: `cargo xtask bench edit`. Prints a figure a
//! line: medians of alternating rounds, in microseconds. The baseline reads the file, replaces the line in the text and
//! compares both whole with `similar`.

#![allow(clippy::print_stdout, reason = "a measurement is for reading")]

use std::error::Error;
use std::fs;
use std::hint::black_box;
use std::time::{Duration, Instant};

use arki_edit::TextEdit;
use arki_files::{Project, ProjectPath, plan_edit, plan_patch};
use similar::TextDiff;

const LINES: usize = 50_000;
const CHANGED: usize = 31_415;
const ROUNDS: usize = 41;
/// Thrown away: they fill the page cache.
const WARM_UP: usize = 3;

type Outcome = Result<(), Box<dyn Error>>;
type Way<'a> = (&'a str, Box<dyn Fn() -> Outcome + 'a>);

fn main() -> Outcome {
    let folder = tempfile::tempdir()?;
    let line =
        |number: usize| format!("    let value_{number} = compute(\"something of the usual length\", {number});\n");
    let text: String = (0..LINES).map(line).collect();
    let file = folder.path().join("a.rs");
    fs::write(&file, &text)?;
    let project = Project::open(folder.path())?;
    let path = project.resolve("a.rs")?;
    let (old, new) = (line(CHANGED), format!("    let value_{CHANGED} = 0;\n"));
    let curled = old.replace('"', "\u{201d}");
    let patch = |old: &str| {
        let (before, after) = (line(CHANGED - 1), line(CHANGED + 1));
        format!("*** Begin Patch\n*** Update File: a.rs\n@@\n {before}-{old}+{new} {after}*** End Patch\n")
    };
    let exact_patch = patch(&old);
    let block = |first: &str| format!("{first}{}", line(CHANGED + 1));
    let ways: Vec<Way<'_>> = vec![
        ("edit_exact", Box::new(|| preview(&project, &path, &old, &new))),
        ("edit_indentation", Box::new(|| preview(&project, &path, &dedent(&block(&old)), &dedent(&block(&new))))),
        ("edit_look_alikes", Box::new(|| preview(&project, &path, &curled, &new))),
        (
            "patch",
            Box::new(|| {
                black_box(plan_patch(&project, &exact_patch)?.preview());
                Ok(())
            }),
        ),
        (
            "baseline",
            Box::new(|| {
                let before = fs::read_to_string(&file)?;
                let after = before.replacen(&old, &new, 1);
                let diff = TextDiff::from_lines(&before, &after);
                black_box(diff.unified_diff().context_radius(3).to_string());
                Ok(())
            }),
        ),
    ];
    let mut times = vec![Vec::new(); ways.len()];
    for round in 0..WARM_UP + ROUNDS {
        for ((_, way), times) in ways.iter().zip(&mut times) {
            let started = Instant::now();
            way()?;
            if round >= WARM_UP {
                times.push(started.elapsed());
            }
        }
    }
    for ((name, _), times) in ways.iter().zip(times) {
        println!("{name} {}", median(times).as_micros());
    }
    Ok(())
}

fn preview(project: &Project, path: &ProjectPath, old: &str, new: &str) -> Outcome {
    let edit = TextEdit { old_text: old.to_owned(), new_text: new.to_owned(), replace_all: false };
    let preview = plan_edit(project, path, &[edit])?.preview();
    if preview.hunks.len() != 1 {
        return Err(format!("{} hunks instead of one", preview.hunks.len()).into());
    }
    black_box(preview);
    Ok(())
}

fn dedent(text: &str) -> String {
    text.lines().map(|line| format!("{}\n", line.trim_start())).collect()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}
