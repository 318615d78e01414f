//! The path jail under attack: while files are read, listed, searched, imaged, written and deleted thousands of times,
//! somebody swaps the folders and files that are named for links that lead out, or to what is protected. Nothing
//! outside is ever told of or changed. That a swap really came in between is counted.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use globset::GlobSet;
use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::*;
use arki_domain::ShellRuns;
use arki_edit::TextEdit;

/// Rounds in which each operation is tried on each name. Those that write wait for the disk.
const READING_ROUNDS: usize = 300;
const WRITING_ROUNDS: usize = 60;
/// In the contents and names of all that lies outside.
const MARK: &str = "OUTSIDE";

struct World {
    folder: tempfile::TempDir,
    project: Project,
    before: BTreeMap<PathBuf, (u32, Vec<u8>)>,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in ["outside/deep", "project/.git/hooks", "project/code/deep", "project/hooks"] {
            fs::create_dir_all(path(name)).unwrap();
        }
        for name in ["outside/a.txt", "outside/.env", "outside/OUTSIDE.txt", "outside/deep/a.txt", "outside/hook"] {
            fs::write(path(name), format!("{MARK} TOKEN_SECRET={MARK}\n")).unwrap();
        }
        // What somebody else's rules leave out is part of the answer.
        fs::write(path("outside/.gitignore"), "a.txt\n").unwrap();
        fs::write(path("outside/AGENTS.md"), MARK).unwrap();
        fs::write(path("project/.git/hooks/pre-commit"), "mine").unwrap();
        for name in ["project/code/a.txt", "project/code/deep/a.txt", "project/a.txt"] {
            fs::write(path(name), "inside\n").unwrap();
        }
        // Each is exchanged with its neighbour, in one system call.
        symlink("../outside", path("project/code-other")).unwrap();
        symlink("../outside/a.txt", path("project/a-other.txt")).unwrap();
        symlink(".git/hooks", path("project/hooks-other")).unwrap();
        let project = Project::open(&path("project")).unwrap();
        let mut world = Self { project, before: BTreeMap::new(), folder };
        world.before = world.untouchable();
        world
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn untouchable(&self) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
        let mut state = BTreeMap::new();
        record(&self.path("outside"), &mut state);
        record(&self.path("project/.git"), &mut state);
        state
    }

    fn swap(&self, one: &str, other: &str) {
        let (one, other) = (self.path(one), self.path(other));
        renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).unwrap();
    }

    /// Does `work` for all rounds while everything is swapped, over and over, and goes on until it has seen enough.
    fn under_attack(&self, rounds: usize, mut work: impl FnMut(usize) -> bool + Send) {
        let is_over = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                for pause in PAUSES.iter().cycle().take_while(|_| !is_over.load(Ordering::Relaxed)) {
                    self.swap("project/code", "project/code-other");
                    self.swap("project/a.txt", "project/a-other.txt");
                    self.swap("project/hooks", "project/hooks-other");
                    thread::sleep(Duration::from_micros(*pause));
                }
            });
            // Ends the swapping also where the work fails.
            let ended = scope.spawn(move || {
                (0..rounds * MOST_ROUNDS).take_while(|round| !work(*round) || *round < rounds).for_each(drop);
            });
            let ended = ended.join();
            is_over.store(true, Ordering::Relaxed);
            if let Err(panic) = ended {
                std::panic::resume_unwind(panic);
            }
        });
        assert_eq!(self.untouchable(), self.before);
    }

    fn at(&self, path: &str) -> ProjectPath {
        self.project.resolve(path).unwrap()
    }
}

fn record(path: &Path, state: &mut BTreeMap<PathBuf, (u32, Vec<u8>)>) {
    use std::os::unix::fs::MetadataExt;
    let found = path.symlink_metadata().unwrap();
    let content = if found.is_file() { fs::read(path).unwrap() } else { Vec::new() };
    state.insert(path.to_owned(), (found.mode(), content));
    if found.is_dir() {
        fs::read_dir(path).unwrap().for_each(|entry| record(&entry.unwrap().path(), state));
    }
}

fn inside(told: &impl std::fmt::Debug) {
    let told = format!("{told:?}");
    assert!(!told.contains(MARK), "{told}");
}

/// The number of times it was done, and of those it was not.
#[derive(Debug, Default)]
struct Tally {
    done: usize,
    refused: usize,
}

impl Tally {
    fn count<T>(&mut self, result: Result<T>) -> Option<T> {
        match &result {
            Ok(_) => self.done += 1,
            Err(_) => self.refused += 1,
        }
        result.ok()
    }

    /// The swap came before the use as well as after it.
    fn has_both(&self) -> bool {
        self.done > 0 && self.refused > 0
    }

    fn saw_both(&self) {
        assert!(self.has_both(), "{self:?}");
    }
}

/// Times the rounds asked for, on a machine where one outcome is rare.
const MOST_ROUNDS: usize = 100;
/// Microseconds between two swaps: some hit every step of what goes on, and some let it come to its
/// end. An odd number, so that each comes both ways round.
const PAUSES: [u64; 7] = [0, 0, 0, 20, 0, 200, 3000];
const NAMES: &[&str] = &["code/a.txt", "code-other/a.txt", "a.txt", "a-other.txt", "code/deep/a.txt"];

#[test]
fn what_is_read_listed_found_searched_and_imaged_is_never_outside() {
    let world = World::new();
    let project = &world.project;
    let (none, token) = (GlobSet::empty(), CancellationToken::new());
    let query = SearchQuery {
        pattern: "inside|OUTSIDE".to_owned(),
        shown_pattern: "inside|OUTSIDE".to_owned(),
        glob: None,
        case_sensitive: true,
        include_ignored: true,
        context: 2,
        max_results: 100,
        max_bytes: 10_000,
        secrets: GlobSet::empty(),
    };
    let everything = FindQuery { glob: "*", include_ignored: true, secrets: &none, max: 100 };
    let levels = ListQuery { depth: 3, max_entries: 100, include_ignored: true };
    let mut reads = Tally::default();
    world.under_attack(READING_ROUNDS, |_| {
        for name in NAMES {
            let path = world.at(name);
            inside(&reads.count(project.read(&path, 1000)).map(|file| String::from_utf8(file.bytes)));
            inside(&read_lines(project, &path, 1, 10, 1000).ok());
        }
        for folder in [".", "code", "code-other"] {
            inside(&list(project, &world.at(folder), levels).ok().map(|listing| listing.entries));
        }
        inside(&find(project, &everything, &token).unwrap());
        inside(&search(project, &query, &arki_redaction::Redactor::default(), &token).unwrap());
        let mut kept = Vec::new();
        let keep = |_: &str, bytes: &[u8]| kept.push(String::from_utf8(bytes.to_vec()).unwrap());
        let snapshot = take_snapshot(project, None, &SnapshotLimits::default(), &none, keep, &token).unwrap();
        inside(&(snapshot.files, kept));
        inside(&EnvFiles::default().changed(project));
        inside(
            &scan(project.root(), Readers { imports: |_, _| Vec::new(), runs: |_| ShellRuns::default() })
                .unwrap()
                .pins
                .iter()
                .map(|pin| pin.path.clone())
                .collect::<Vec<_>>(),
        );
        look_through_texts(project, |text| {
            inside(&text);
            std::ops::ControlFlow::Continue(())
        });
        reads.has_both()
    });
    reads.saw_both();
}

#[test]
fn what_is_written_edited_moved_and_deleted_is_never_outside() {
    let world = World::new();
    let project = &world.project;
    let (mut writes, mut edits, mut deletions, mut restorations) = <(Tally, Tally, Tally, Tally)>::default();
    world.under_attack(WRITING_ROUNDS, |round| {
        for name in NAMES {
            let path = world.at(name);
            let text = format!("inside {round}\n");
            writes.count(plan_write(project, &path, &text).and_then(|change| change.apply(project)));
            let edit = TextEdit { old_text: text.clone(), new_text: "inside\n".into(), replace_all: false };
            edits.count(plan_edit(project, &path, &[edit]).and_then(|change| change.apply(project)));
            let restoration = Restoration {
                path: path.clone(),
                wanted: Some(text.into_bytes().into()),
                expected_now: project.read(&path, 1000).ok().map(|file| file.bytes.into()),
                permissions: arki_domain::Permissions::default(),
            };
            restorations.count(apply_restorations(project, vec![restoration]));
            let _ = remove_unfinished(project, &path);
        }
        let new = world.at("code/new/folder/file.txt");
        writes.count(plan_write(project, &new, "inside\n").and_then(|change| change.apply(project)));
        deletions.count(plan_delete(project, &new).and_then(|change| change.apply(project)));
        let patch = "*** Begin Patch\n*** Add File: code/patched.txt\n+inside\n*** End Patch\n";
        let _ = plan_patch(project, patch).and_then(|change| change.apply(project));
        let patched = world.at("code/patched.txt");
        deletions.count(plan_delete(project, &patched).and_then(|change| change.apply(project)));
        [&writes, &edits, &deletions, &restorations].iter().all(|tally| tally.has_both())
    });
    writes.saw_both();
    edits.saw_both();
    deletions.saw_both();
    restorations.saw_both();
}

/// What may be written is judged by where a path leads; then it must not lead elsewhere.
#[test]
fn what_is_judged_as_an_ordinary_file_is_never_a_protected_one() {
    let world = World::new();
    let project = &world.project;
    let mut writes = Tally::default();
    world.under_attack(READING_ROUNDS, |round| {
        for name in ["hooks/pre-commit", "hooks-other/pre-commit", "hooks/deep/new"] {
            let path = world.at(name);
            if project.is_protected(&path) {
                continue;
            }
            let text = format!("not yours {round}");
            writes.count(plan_write(project, &path, &text).and_then(|change| change.apply(project)));
            let _ = plan_delete(project, &path).and_then(|change| change.apply(project));
        }
        writes.has_both()
    });
    writes.saw_both();
}

#[test]
fn what_git_may_take_for_a_repository_is_part_of_git() {
    let folder = tempfile::tempdir().unwrap();
    for file in [".git/config", "bare.git/HEAD", "bare.git/hooks/x", "src/a.rs", "included"] {
        std::fs::create_dir_all(folder.path().join(file).parent().unwrap()).unwrap();
        std::fs::write(folder.path().join(file), "[include]\npath = ../included\n").unwrap();
    }
    let project = Project::open(folder.path()).unwrap();
    let is_part = |path: &str| project.is_part_of_git(&project.resolve(path).unwrap());
    for path in ["g/HEAD", "g/head", "bare.git/config", "bare.git/hooks/new", "bare.git/deep/er", "included"] {
        assert!(is_part(path), "{path}");
    }
    for path in ["src/a.rs", "src/HEAD.md", "g/config", "other/included"] {
        assert!(!is_part(path), "{path}");
    }
}
