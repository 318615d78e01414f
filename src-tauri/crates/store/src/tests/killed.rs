//! What a killed program leaves of the three files is read without writing any of them.

use super::{Fixture, created, foreign, options};
use crate::database::files::beside;
use crate::{Store, StoreError};
use arki_domain::SessionId;
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Of a write-ahead log.
const LOG_HEADER_BYTES: usize = 32;

/// A database of two events, as a program leaves it that is killed with its log not copied into the file yet.
async fn killed() -> (TempDir, PathBuf) {
    let Fixture { store, path, .. } = &Fixture::new();
    store.append(&SessionId::from("s"), vec![created("t", "/p"), created("u", "/p")]).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("arki.db");
    for suffix in ["", "-wal", "-shm"] {
        std::fs::copy(beside(path, suffix), beside(&copy, suffix)).unwrap();
    }
    (folder, copy)
}

/// The same with everything in the file, and a log that was begun anew: its header is there, and no page yet.
async fn killed_as_the_log_began_anew() -> (TempDir, PathBuf) {
    let (folder, path) = killed().await;
    let log = std::fs::read(beside(&path, "-wal")).unwrap();
    let shared = std::fs::read(beside(&path, "-shm")).unwrap();
    Store::open(&path, options()).unwrap().close().unwrap();
    std::fs::write(beside(&path, "-wal"), &log[..LOG_HEADER_BYTES]).unwrap();
    std::fs::write(beside(&path, "-shm"), shared).unwrap();
    (folder, path)
}

fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let mut files: Vec<_> = entries
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), std::fs::read(entry.path()).unwrap()))
        .collect();
    files.sort();
    files
}

fn is_read_unchanged(folder: &TempDir, path: &Path, events: u64) {
    let before = contents(folder.path());
    let reports = Store::open_read_only(path).unwrap().verifier().verify(None).unwrap();
    assert_eq!((reports.len(), reports[0].ok, reports[0].events), (1, true, events));
    assert!(contents(folder.path()) == before, "something was written");
    // And whoever writes next finds all of it.
    Store::open(path, options()).unwrap().close().unwrap();
    assert_eq!(Store::open_read_only(path).unwrap().verifier().verify(None).unwrap()[0].events, events);
}

#[tokio::test]
async fn a_log_that_nobody_copied_back_is_read() {
    let (folder, path) = killed().await;
    is_read_unchanged(&folder, &path, 2);
}

#[tokio::test]
async fn a_log_of_which_only_the_header_is_there_is_read() {
    let (folder, path) = killed_as_the_log_began_anew().await;
    is_read_unchanged(&folder, &path, 2);
}

#[tokio::test]
async fn a_log_whose_header_never_reached_the_disk_is_read() {
    let (folder, path) = killed_as_the_log_began_anew().await;
    for header in [[0; 200], [0xa5; 200]] {
        std::fs::write(beside(&path, "-wal"), header).unwrap();
        std::fs::copy(&path, beside(&path, ".kept")).unwrap();
        let reports = Store::open_read_only(&path).unwrap().verifier().verify(None).unwrap();
        assert_eq!((reports[0].ok, reports[0].events), (true, 2));
    }
    std::fs::remove_file(beside(&path, ".kept")).unwrap();
    is_read_unchanged(&folder, &path, 2);
}

#[tokio::test]
async fn a_log_with_a_page_that_was_not_committed_is_read() {
    let (folder, path) = killed().await;
    let mut log = std::fs::read(beside(&path, "-wal")).unwrap();
    log.truncate(log.len() - 100);
    std::fs::write(beside(&path, "-wal"), log).unwrap();
    let before = contents(folder.path());
    assert!(Store::open_read_only(&path).unwrap().verifier().verify(None).unwrap().iter().all(|report| report.ok));
    assert!(contents(folder.path()) == before);
}

#[tokio::test]
async fn shared_memory_that_is_empty_short_or_nonsense_is_not_relied_on() {
    for shared in [Vec::new(), vec![0; 100], vec![0; 32 << 10], vec![0xa5; 32 << 10]] {
        let (folder, path) = killed().await;
        std::fs::write(beside(&path, "-shm"), shared).unwrap();
        is_read_unchanged(&folder, &path, 2);
    }
}

#[tokio::test]
async fn without_shared_memory_it_is_read_over_a_copy() {
    let (folder, path) = killed().await;
    std::fs::remove_file(beside(&path, "-shm")).unwrap();
    is_read_unchanged(&folder, &path, 2);
}

/// One program was killed in the middle of a commit, while another one is open that has nothing to do.
#[tokio::test]
async fn an_index_that_was_left_half_written_beside_a_program_that_is_open_is_read_over_a_copy() {
    let (_folder, path) = killed().await;
    let idle = Store::open(&path, options()).unwrap();
    idle.append(&SessionId::from("s"), vec![created("v", "/p")]).await.unwrap();
    // The second of the two headers that have to be the same.
    let shared = std::fs::OpenOptions::new().write(true).open(beside(&path, "-shm")).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&shared, &[0xa5; 16], 48 + 16).unwrap();
    // As another process sees it: the locks of this one's own connections do not show in it.
    let reports = in_another_process(&path);
    assert_eq!(reports, "ok 3");
    drop(idle);
}

/// Verifies in a process of its own: the test's binary, asked for one test.
#[allow(clippy::disallowed_methods, reason = "locks show only between processes")]
fn in_another_process(path: &Path) -> String {
    let test = "tests::killed::verified_for_another_process";
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args([test, "--exact", "--nocapture"])
        .env("ARKI_TEST_VERIFY", path)
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = printed.lines().find_map(|line| line.split_once("verified: ").map(|(_, said)| said.to_owned()));
    line.unwrap_or_else(|| panic!("{printed}{}", String::from_utf8_lossy(&output.stderr)))
}

#[test]
fn verified_for_another_process() {
    let Some(path) = std::env::var_os("ARKI_TEST_VERIFY") else { return };
    let said = match Store::open_read_only(Path::new(&path)).and_then(|reader| reader.verifier().verify(None)) {
        Ok(reports) if reports.iter().all(|report| report.ok) => format!("ok {}", reports[0].events),
        other => format!("{other:?}"),
    };
    println!("verified: {said}");
}

/// Of a first start that was killed there is nothing yet.
#[test]
fn a_database_without_its_tables_is_none_yet() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("arki.db");
    let connection = foreign(&path);
    connection.execute_batch("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL").unwrap();
    drop(connection);
    assert!(path.metadata().unwrap().len() > 0);
    assert_eq!(Store::open_read_only(&path).map(|_| ()).unwrap_err(), StoreError::Missing { path: path.clone() });
    Store::open(&path, options()).unwrap();
}

/// Pages are copied back while the database is read over a copy: the copy is of one moment.
#[tokio::test]
async fn a_copy_is_of_one_moment() {
    let (_folder, path) = killed().await;
    std::fs::remove_file(beside(&path, "-shm")).unwrap();
    let reader = Store::open_read_only(&path).unwrap();
    Connection::open(&path).unwrap().execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    assert_eq!(reader.verifier().verify(None).unwrap()[0].events, 2);
}
