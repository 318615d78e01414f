//! Measures a change of many files from a command's effects to the disk: `cargo run --release --example landing_speed -- 20000`.
#![allow(clippy::print_stdout)]

use arki_files::{Effect, FileFound, HunkSelection, Project, follow_edits, plan_effects, plan_landing};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let count: usize = std::env::args().nth(1).unwrap_or_default().parse().unwrap_or(20_000);
    let folder = tempfile::tempdir()?;
    let project = Project::open(folder.path())?;
    let text = |at: usize, word: &str| -> String {
        (0..40).map(|line| format!("{} {line}\n", if line == 20 { word } else { "same" }) + &at.to_string()).collect()
    };
    let found = |text: String| Some(FileFound { content: text.into_bytes().into(), mode: Some(0o644) });
    let mut effects = Vec::new();
    for at in 0..count {
        let path = format!("dir{}/file{at}.txt", at % 200);
        std::fs::create_dir_all(folder.path().join(&path).parent().ok_or("no parent")?)?;
        std::fs::write(folder.path().join(&path), text(at, "old"))?;
        effects.push(Effect {
            path: project.resolve(&path)?,
            before: found(text(at, "old")),
            after: found(text(at, "new")),
        });
    }
    let mut started = Instant::now();
    let mut told = |what: &str| {
        println!("{what}: {:?}", started.elapsed());
        started = Instant::now();
    };
    let set = plan_effects(effects)?;
    told("planned");
    let preview = set.preview();
    told("shown");
    let followed = follow_edits(&set, &project)?;
    told("followed");
    let planned = plan_landing(&followed.set, &HunkSelection::all(&preview), &project)?;
    told("placed");
    planned.set.apply(&project)?;
    told("applied");
    Ok(())
}
