//! How long it takes to find the skills of a folder and read their first lines, beside only reading the files: the numbers
//! behind `cargo xtask bench skills`. Prints one `name=value` a line, in milliseconds.

#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "its output is its result, and it makes its folder"
)]

use arki_domain::Error;
use arki_engine::{Directories, Engine, EngineOptions, EnvironmentKeys};
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

const SKILLS: usize = 1000;
/// The fastest counts, since what else the machine does only adds.
const ROUNDS: usize = 10;
const SKILLS_BELOW: &str = ".claude/skills";

#[tokio::main]
async fn main() -> Result<(), Error> {
    let home = tempfile::tempdir().map_err(Error::internal)?;
    let (project, own) = (home.path().join("project"), home.path().join("config"));
    written(&project.join(SKILLS_BELOW), SKILLS / 2).map_err(Error::internal)?;
    written(&own.join("skills"), SKILLS / 2).map_err(Error::internal)?;
    let directories = Directories { config: own.clone(), data: home.path().join("data") };
    let environment_keys = EnvironmentKeys::default();
    let engine = Engine::open(EngineOptions { directories, ephemeral: true, environment_keys })?;
    engine.folder_trust().trust(&project, Vec::new()).await?;
    let found = engine.projects().guides(&project)?.guides.skills.len();
    let discovery = fastest(|| drop(black_box(engine.projects().guides(&project))));
    let reading = fastest(|| {
        for folder in [project.join(SKILLS_BELOW), own.join("skills")] {
            (0..SKILLS / 2).for_each(|n| drop(black_box(std::fs::read(file(&folder, n)))));
        }
    });
    println!("skills={found}\ndiscovery={discovery}\nreading={reading}");
    Ok(())
}

fn written(folder: &Path, count: usize) -> std::io::Result<()> {
    for n in 0..count {
        let path = file(folder, n);
        std::fs::create_dir_all(path.parent().unwrap_or(folder))?;
        let name = path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned();
        let head =
            format!("---\nname: {name}\ndescription: Does the work number {n} well.\nkeywords: [work{n}]\n---\n");
        std::fs::write(path, head + &"Do it step by step, and look at what came of it.\n".repeat(60))?;
    }
    Ok(())
}

/// Names of the two folders differ, so that none hides another.
fn file(folder: &Path, n: usize) -> std::path::PathBuf {
    let whose = if folder.ends_with(SKILLS_BELOW) { "project" } else { "own" };
    folder.join(format!("{whose}-{n}/SKILL.md"))
}

fn fastest(mut work: impl FnMut()) -> f64 {
    let once = |_| {
        let started = Instant::now();
        work();
        started.elapsed().as_secs_f64() * 1000.0
    };
    (0..ROUNDS).map(once).fold(f64::INFINITY, f64::min)
}
