//! An index over real folders: what is found, what an update reads, and what bad input does to it.

use super::*;
use crate::rows::known_files;
use arki_domain::Code;
use arki_files::{CancellationToken, Project};
use arki_redaction::Redactor;
use globset::{Glob, GlobSet, GlobSetBuilder};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tempfile::TempDir;

struct Stage {
    project: TempDir,
    data: TempDir,
    is_trusted: Arc<AtomicBool>,
    indexes: Arc<ProjectIndexes>,
    redactor: Redactor,
}

impl Stage {
    fn new() -> Self {
        Self::limited(IndexLimits::default())
    }

    fn limited(limits: IndexLimits) -> Self {
        let (project, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let is_trusted = Arc::new(AtomicBool::new(true));
        let trust = is_trusted.clone();
        let indexes =
            ProjectIndexes::new(data.path().join("retrieval"), limits, move |_| trust.load(Ordering::Relaxed));
        Self { project, data, is_trusted, indexes: Arc::new(indexes), redactor: Redactor::default() }
    }

    fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn at(&self, path: &str) -> PathBuf {
        self.project.path().join(path)
    }

    fn root(&self) -> PathBuf {
        self.project.path().canonicalize().unwrap()
    }

    fn index(&self) -> ProjectIndex {
        let project = Arc::new(Project::open(self.project.path()).unwrap());
        ProjectIndex::new(self.indexes.clone(), self.root().display().to_string(), project, self.redactor.clone())
    }

    fn place(&self) -> PathBuf {
        self.indexes.place(&self.root().display().to_string(), &self.root())
    }

    fn find_without(&self, question: &str, left_out: &GlobSet) -> FoundContext {
        let query = ContextQuery { question, max_files: 10, left_out, cancel: &CancellationToken::new() };
        self.index().find(&query).unwrap()
    }

    fn find(&self, question: &str) -> FoundContext {
        self.find_without(question, &GlobSet::empty())
    }

    /// The files that are found, each once.
    fn files(&self, question: &str) -> Vec<String> {
        let mut files: Vec<String> = self.find(question).passages.into_iter().map(|passage| passage.path).collect();
        files.dedup();
        files
    }

    /// The id of a file's row, which is another one after the file was indexed anew.
    fn id(&self, path: &str) -> Option<i64> {
        let connection = database::open_to_read(&self.place()).unwrap().unwrap();
        known_files(&connection).unwrap().get(path).map(|file| file.id)
    }

    /// Makes a file look as if it had been written long ago, so that its stamp proves something.
    fn age(&self, path: &str) {
        let file = fs::File::options().write(true).open(self.at(path)).unwrap();
        file.set_modified(std::time::SystemTime::now() - Duration::from_secs(3600)).unwrap();
    }
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn globs(glob: &str) -> GlobSet {
    GlobSetBuilder::new().add(Glob::new(glob).unwrap()).build().unwrap()
}

#[test]
fn the_file_that_speaks_of_it_is_found_with_its_lines() {
    let stage = Stage::new();
    stage.write(
        "src/lease.rs",
        format!("{}pub fn release_lease(session: &str) {{\n    drop(session)\n}}\n", "\n".repeat(60)),
    );
    stage.write("src/other.rs", "fn draw(window: u32) {}\n");
    stage.write("README.md", "Sessions have a lease.\n");
    let found = stage.find("Where is the lease of a session released?");
    let best = &found.passages[0];
    assert_eq!((best.path.as_str(), best.first_line, best.last_line), ("src/lease.rs", 41, 63));
    assert_eq!(best.excerpt[0], (61, "pub fn release_lease(session: &str) {".to_owned()));
    assert_eq!(stage.files("lease"), ["src/lease.rs", "README.md"]);
    assert_eq!(found.notes, [""; 0]);
}

#[test]
fn names_and_paths_count_more_than_text_and_identifiers_are_found_by_their_parts() {
    let stage = Stage::new();
    stage.write("a.rs", "// here it is about a parser\n");
    stage.write("b.rs", "// here it is about\nstruct Parser;\n");
    stage.write("parser.txt", "here it is about something\n");
    assert_eq!(stage.files("parser"), ["parser.txt", "b.rs", "a.rs"]);
    stage.write("c.js", "function loadHTTPConfig() {}\n");
    for question in ["load config", "loadHTTPConfig", "load_http_config", "http"] {
        assert_eq!(stage.files(question), ["c.js"], "{question}");
    }
}

#[test]
fn ten_files_are_shown_though_one_fits_everywhere() {
    let stage = Stage::new();
    stage.write("long.txt", "the lease\n".repeat(4000));
    for number in 0..12 {
        stage.write(&format!("short{number}.txt"), "a lease\n");
    }
    let found = stage.find("lease").passages;
    let mut files: Vec<&str> = found.iter().map(|passage| passage.path.as_str()).collect();
    files.dedup();
    assert!(files.len() == 10 && found.len() <= 11, "{files:?}");
}

#[test]
fn only_what_changed_is_read_again() {
    let stage = Stage::new();
    for path in ["a.rs", "b.rs", "c.rs", "e.rs"] {
        stage.write(path, format!("fn of_{path}() {{ apple }}\n"));
        stage.age(path);
    }
    stage.write(".gitignore", "ignored.rs\n");
    stage.write("ignored.rs", "apple\n");
    assert_eq!(stage.files("apple"), ["a.rs", "b.rs", "c.rs", "e.rs"]);
    let before = ["a.rs", "e.rs"].map(|path| stage.id(path));
    stage.write("a.rs", "fn other() { cherry }\n");
    fs::remove_file(stage.at("b.rs")).unwrap();
    fs::rename(stage.at("c.rs"), stage.at("d.rs")).unwrap();
    assert_eq!((stage.files("apple"), stage.files("cherry")), (owned(&["d.rs", "e.rs"]), owned(&["a.rs"])));
    assert!(stage.id("a.rs") != before[0] && stage.id("b.rs").is_none() && stage.id("c.rs").is_none());
    assert_eq!(stage.id("e.rs"), before[1]);
}

#[test]
fn a_touched_file_keeps_its_row_and_one_of_the_same_size_and_time_is_noticed() {
    let stage = Stage::new();
    stage.write("a.rs", "apple\n");
    stage.age("a.rs");
    assert_eq!(stage.files("apple"), ["a.rs"]);
    let (id, time) = (stage.id("a.rs"), fs::metadata(stage.at("a.rs")).unwrap().modified().unwrap());
    fs::File::options().write(true).open(stage.at("a.rs")).unwrap().set_modified(std::time::SystemTime::now()).unwrap();
    stage.find("apple");
    assert_eq!(stage.id("a.rs"), id, "its content is the same");
    stage.write("a.rs", "grape\n");
    fs::File::options().write(true).open(stage.at("a.rs")).unwrap().set_modified(time).unwrap();
    assert_eq!((stage.files("apple").len(), stage.files("grape").len()), (0, 1));
}

#[test]
fn secret_and_denied_files_are_not_in_it_and_secrets_in_text_do_not_come_out() {
    let stage = Stage::new();
    stage.write(".env", "PASSWORD=correcthorsebattery\n");
    stage.write("private/a.md", "the hidden harbour\n");
    let key = format!("sk-ant-api03-{}", "Ab3dEf7hIj".repeat(8));
    stage.write("a.rs", format!("// the harbour\nlet key = \"{key}\";\n"));
    let denied = globs("private/**");
    let found = stage.find_without("harbour key", &denied);
    assert_eq!(found.passages.iter().map(|passage| passage.path.as_str()).collect::<Vec<_>>(), ["a.rs"]);
    assert!(!format!("{found:?}").contains("Ab3dEf7hIj"), "{found:?}");
    assert_eq!(found.notes, ["Files not in the index: 2 secret or denied."]);
    assert!(stage.find_without("Ab3dEf7hIj correcthorsebattery", &denied).passages.is_empty());
    let bytes = fs::read(database::path(&stage.place())).unwrap();
    let wal = fs::read(stage.place().join("index.db-wal")).unwrap_or_default();
    for secret in ["correcthorsebattery", "ab3def7hij"] {
        let is_in = |bytes: &[u8]| bytes.windows(secret.len()).any(|part| part.eq_ignore_ascii_case(secret.as_bytes()));
        assert!(!is_in(&bytes) && !is_in(&wal), "{secret}");
    }
    assert!(stage.files("harbour").contains(&"private/a.md".to_owned()), "allowed to another");
    assert!(stage.find_without("hidden", &denied).passages.is_empty(), "and still not to this one");
}

#[cfg(unix)]
#[test]
fn bad_input_is_left_out_and_told() {
    let stage = Stage::new();
    stage.write("good.txt", "the apple\n");
    stage.write("latin.txt", b"an \xe4pple and an apple of another encoding, with more words behind it\n");
    stage.write("bin.txt", b"apple\0");
    stage.write("min.js", "apple;".repeat(2000));
    fs::File::create(stage.at("sparse.txt")).unwrap().set_len(1 << 30).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, stage.at("pipe.txt"), rustix::fs::Mode::RWXU).unwrap();
    std::os::unix::fs::symlink(".", stage.at("loop")).unwrap();
    std::os::unix::fs::symlink("good.txt", stage.at("link.txt")).unwrap();
    let found = stage.find("apple");
    let files: Vec<&str> = found.passages.iter().map(|passage| passage.path.as_str()).collect();
    assert_eq!(files, ["good.txt", "latin.txt"]);
    assert_eq!(found.notes, ["Files not in the index: 1 over 1 MiB, 1 binary, 1 generated."]);
}

#[test]
fn a_file_that_never_rests_is_indexed_once_it_does() {
    let stage = Stage::new();
    stage.write("still.txt", "apple\n");
    stage.write("busy.txt", "apple\n");
    let (is_over, path) = (AtomicBool::new(false), stage.at("busy.txt"));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut text = "apple\n".to_owned();
            while !is_over.load(Ordering::Relaxed) {
                text.push_str("more\n");
                fs::write(&path, &text).unwrap();
            }
        });
        for _ in 0..5 {
            assert!(stage.files("apple").contains(&"still.txt".to_owned()));
        }
        is_over.store(true, Ordering::Relaxed);
    });
    fs::write(&path, "cherry\n").unwrap();
    assert_eq!(stage.files("cherry"), ["busy.txt"]);
}

#[test]
fn limits_hold_and_are_told() {
    let few = Stage::limited(IndexLimits { max_files: 2, ..IndexLimits::default() });
    let little = Stage::limited(IndexLimits { max_total_bytes: 12, ..IndexLimits::default() });
    for stage in [&few, &little] {
        for path in ["a.txt", "b.txt", "c.txt"] {
            stage.write(path, "apple\n");
        }
        assert_eq!(stage.files("apple"), ["a.txt", "b.txt"]);
    }
    assert_eq!(few.find("apple").notes, ["The folder has more files than an index holds; the last ones aren't in it."]);
    assert_eq!(little.find("apple").notes, ["Files not in the index: 1 over the limit for all text."]);
}

#[test]
fn who_lacks_patience_gets_what_is_there_and_is_told() {
    let stage = Stage::limited(IndexLimits { patience: Duration::ZERO, ..IndexLimits::default() });
    for number in 0..2000 {
        stage.write(&format!("{number}.txt"), "an apple of many\n".repeat(40));
    }
    let found = stage.find("apple");
    assert!(found.notes[0].contains("use search_files"), "{:?}", found.notes);
    let is_complete = || stage.find("apple").notes.is_empty() && stage.files("apple").len() == 10;
    let is_soon = (0..2000).any(|_| {
        std::thread::sleep(Duration::from_millis(5));
        is_complete()
    });
    assert!(is_soon, "it goes on in the background");
}

#[test]
fn a_cancelled_question_ends_at_once() {
    let stage = Stage::new();
    stage.write("a.txt", "apple\n");
    let cancel = CancellationToken::new();
    cancel.cancel();
    let lock = {
        fs::create_dir_all(stage.place()).unwrap();
        arki_disk::FolderLock::take(&stage.place()).unwrap()
    };
    let query = ContextQuery { question: "apple", max_files: 10, left_out: &GlobSet::empty(), cancel: &cancel };
    assert!(stage.index().find(&query).unwrap_err().is(Code::CANCELLED));
    drop(lock);
}

#[test]
fn a_damaged_index_is_made_anew() {
    let stage = Stage::new();
    for number in 0..50 {
        stage.write(&format!("{number}.txt"), format!("apple number{number} {}\n", "word ".repeat(number)));
    }
    let damage: [&dyn Fn(&Path); 4] = [
        &|file| fs::write(file, "this is no database").unwrap(),
        &|file| fs::write(file, "").unwrap(),
        &|file| {
            let mut bytes = fs::read(file).unwrap();
            let (begin, end) = (bytes.len() / 4, bytes.len());
            bytes[begin..end].fill(0xa5);
            fs::write(file, bytes).unwrap();
        },
        &|file| {
            let bytes = fs::read(file).unwrap();
            fs::write(file, &bytes[..bytes.len() / 2]).unwrap();
        },
    ];
    for (number, damage) in damage.iter().enumerate() {
        assert_eq!(stage.files("number7")[0], "7.txt", "before damage {number}");
        for name in ["index.db-wal", "index.db-shm"] {
            let _ = fs::remove_file(stage.place().join(name));
        }
        damage(&database::path(&stage.place()));
        assert_eq!(stage.files("number7")[0], "7.txt", "after damage {number}");
    }
}

#[test]
fn an_index_goes_with_the_trust_and_with_its_folder() {
    let stage = Stage::new();
    stage.write("a.txt", "apple\n");
    stage.files("apple");
    assert!(stage.place().join("index.db").exists());
    stage.is_trusted.store(false, Ordering::Relaxed);
    stage.indexes.remove(&stage.root().display().to_string());
    assert!(!stage.place().exists());
    assert!(stage.find("apple").notes[0].contains("Only trusted folders"));
    assert!(!stage.place().exists(), "and it does not come again");
}

#[test]
fn indexes_of_folders_that_are_gone_are_tidied_away() {
    let stage = Stage::new();
    stage.write("a.txt", "apple\n");
    let gone = stage.data.path().join("retrieval/0123/4567");
    fs::create_dir_all(&gone).unwrap();
    fs::write(gone.with_extension("folder"), "/no/such/folder").unwrap();
    stage.files("apple");
    let is_gone = (0..1000).any(|_| {
        std::thread::sleep(Duration::from_millis(5));
        !gone.parent().unwrap().exists()
    });
    assert!(is_gone && stage.place().exists());
}

#[test]
fn two_that_share_an_index_answer_alike() {
    let stage = Stage::new();
    for number in 0..200 {
        stage.write(&format!("{number}.txt"), format!("apple number{number}\n"));
    }
    let other = ProjectIndexes::new(stage.data.path().join("retrieval"), IndexLimits::default(), |_| true);
    let other = Stage { indexes: Arc::new(other), ..Stage::new() };
    let project = Arc::new(Project::open(stage.project.path()).unwrap());
    let root = stage.root().display().to_string();
    std::thread::scope(|scope| {
        for indexes in [&stage.indexes, &other.indexes] {
            for number in 0..4 {
                let index = ProjectIndex::new(indexes.clone(), root.clone(), project.clone(), Redactor::default());
                scope.spawn(move || {
                    let question = format!("number{number}");
                    let (left_out, cancel) = (GlobSet::empty(), CancellationToken::new());
                    let query =
                        ContextQuery { question: &question, max_files: 10, left_out: &left_out, cancel: &cancel };
                    let found = index.find(&query).unwrap();
                    assert_eq!(found.passages[0].path, format!("{number}.txt"), "{found:?}");
                });
            }
        }
    });
}
