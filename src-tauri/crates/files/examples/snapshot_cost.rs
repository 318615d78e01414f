//! What a snapshot costs: `cargo run --release -p arki-files --example snapshot_cost`. It makes a project of 5,000
//! files and 40 MB and looks at it cold (everything is read) and warm (nothing has changed), beside a bare loop that only
//! asks for every file's metadata. Each is the quickest of some rounds, since other programs disturb it.

#![allow(clippy::print_stdout, reason = "a measurement is for reading")]

use std::error::Error;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use arki_files::{CancellationToken, Project, Snapshot, SnapshotLimits, snapshot_changes, take_snapshot};
use globset::GlobSet;

const FOLDERS: usize = 200;
const FILES_A_FOLDER: usize = 25;
const BYTES_A_FILE: usize = 8 * 1024;
const ROUNDS: usize = 40;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let long_ago = SystemTime::now() - Duration::from_secs(3600);
    for number in 0..FOLDERS * FILES_A_FOLDER {
        let parent = folder.path().join(format!("src/package_{:03}/module", number / FILES_A_FOLDER));
        fs::create_dir_all(&parent)?;
        let path = parent.join(format!("file_{number:05}.rs"));
        let line = format!("let value_{number} = compute(\"something of the usual length\", {number});\n");
        fs::write(&path, line.repeat(BYTES_A_FILE / line.len()))?;
        File::options().write(true).open(&path)?.set_modified(long_ago)?;
    }
    let project = Project::open(folder.path())?;
    let (bare, _) = quickest(|| ask_metadata(folder.path()))?;
    let (cold, first) = quickest(|| look(&project, None))?;
    let (warm, second) = quickest(|| look(&project, Some(&first)))?;
    let stored = serde_json::to_vec(&first)?;
    let start = Instant::now();
    let changes = snapshot_changes(&first, &second).len();
    println!("files {} imaged {} bytes", first.imaged_files(), first.imaged_bytes());
    println!("bare {bare:?}  cold {cold:?}  warm {warm:?}  compare {:?} ({changes} changes)", start.elapsed());
    let start = Instant::now();
    let parsed: Snapshot = serde_json::from_slice(&stored)?;
    println!("stored {} bytes, parsed in {:?}, equal: {}", stored.len(), start.elapsed(), parsed == first);
    Ok(())
}

fn look(project: &Project, previous: Option<&Snapshot>) -> arki_files::Result<Snapshot> {
    let (limits, secrets) = (SnapshotLimits::default(), GlobSet::empty());
    take_snapshot(project, previous, &limits, &secrets, |_, _| {}, &CancellationToken::new())
}

fn ask_metadata(folder: &Path) -> io::Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        bytes += if entry.file_type()?.is_dir() { ask_metadata(&entry.path())? } else { entry.metadata()?.len() };
    }
    Ok(bytes)
}

fn quickest<T, E>(run: impl Fn() -> Result<T, E>) -> Result<(Duration, T), E> {
    let mut last = run()?;
    let mut quickest = Duration::MAX;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        last = run()?;
        quickest = quickest.min(start.elapsed());
    }
    Ok((quickest, last))
}
