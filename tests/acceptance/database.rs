//! A database that is locked, newer or damaged: one clear sentence, nothing changed, nothing lost.

use crate::harness::{Stage, payloads, text};
use arki_testkit::{Script, Turn};
use rusqlite::Connection;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

fn with_a_session() -> Stage {
    let stage = Stage::new(vec![Turn::text("ok")]);
    stage.exec(&["hello"]).exits(0);
    stage
}

fn hold(database: &PathBuf) -> Connection {
    let holder = Connection::open(database).unwrap();
    holder.execute_batch("BEGIN EXCLUSIVE").unwrap();
    holder
}

#[test]
fn a_database_that_another_program_holds_is_waited_for_and_then_named() {
    let stage = with_a_session();
    let before = stage.log();
    let holder = hold(&stage.database());
    let done = stage.exec(&["once more"]).exits(1);
    let shown = done.json_error();
    assert_eq!(shown.code, "DATABASE_LOCKED");
    assert!(shown.message.contains("arki.db"), "{shown:?}");
    drop(holder);
    assert_eq!(stage.log(), before);
    stage.exec(&["once more"]).exits(0);
    stage.verifies();
}

#[test]
fn a_lock_in_the_middle_of_a_run_loses_nothing_that_was_there() {
    let held: Arc<Mutex<Option<Connection>>> = Arc::default();
    let path: Arc<Mutex<PathBuf>> = Arc::default();
    let (holding, of) = (held.clone(), path.clone());
    let turn = Turn::computed(move |_| {
        *holding.lock().unwrap() = Some(hold(&of.lock().unwrap()));
        Turn::text("An answer that cannot be stored.")
    });
    let stage = Stage::of(Script::new(vec![turn, Turn::text("Now it can.")]).sequential());
    *path.lock().unwrap() = stage.database();
    let done = stage.exec(&["go"]).exits(1);
    assert_eq!(done.json_error().code, "DATABASE_LOCKED");
    held.lock().unwrap().take();
    stage.verifies();
    let session = text(&stage.sessions()[0]["sessionId"]);
    stage.arki(&["resume", &session]).exits(0);
    assert_eq!(payloads(&stage.log(), "run.completed")[0]["response"], "Now it can.");
}

#[test]
fn a_database_of_a_newer_arki_is_left_alone() {
    let stage = with_a_session();
    let database = Connection::open(stage.database()).unwrap();
    database.pragma_update(None, "user_version", 9999).unwrap();
    drop(database);
    let before = std::fs::read(stage.database()).unwrap();
    for args in [&["exec", "--json", "hello"][..], &["sessions", "list", "--json"], &["verify", "--json"]] {
        let done = stage.arki(args).exits(1);
        let shown = done.json_error();
        assert_eq!(shown.code, "DATABASE_NEWER", "{args:?}");
        assert!(shown.hint.contains("Update Arki"), "{shown:?}");
    }
    assert!(std::fs::read(stage.database()).unwrap() == before, "it was changed");
}

#[test]
fn a_file_that_is_no_database_is_left_alone() {
    let stage = with_a_session();
    let good = std::fs::read(stage.database()).unwrap();
    let garbage = b"this is no database at all\n".repeat(400);
    std::fs::write(stage.database(), &garbage).unwrap();
    for args in [&["exec", "--json", "hello"][..], &["sessions", "list", "--json"], &["verify", "--json"]] {
        let done = stage.arki(args).exits(1);
        let shown = done.json_error();
        assert_eq!(shown.code, "DATABASE_DAMAGED", "{args:?}");
        assert!(shown.message.contains("arki.db"), "{shown:?}");
    }
    assert!(std::fs::read(stage.database()).unwrap() == garbage, "it was changed");
    std::fs::write(stage.database(), good).unwrap();
    stage.verifies();
}

/// What is left of one that was cut off near its beginning, and what never was one.
#[test]
fn a_file_with_nothing_of_arkis_in_it_is_told_apart_from_a_damaged_database() {
    let good = std::fs::read(with_a_session().database()).unwrap();
    for content in [good[..50].to_vec(), vec![0; 50], b"not a database".to_vec()] {
        let stage = with_a_session();
        std::fs::write(stage.database(), &content).unwrap();
        for args in [&["exec", "--json", "hello"][..], &["sessions", "list", "--json"], &["verify", "--json"]] {
            let shown = stage.arki(args).exits(1).json_error();
            assert_eq!(shown.code, "DATABASE_DAMAGED", "{args:?}");
            assert!(shown.message.contains("damaged beyond recognition"), "{args:?}: {shown:?}");
            assert!(shown.hint.contains("move it away"), "{args:?}: {shown:?}");
        }
        assert!(std::fs::read(stage.database()).unwrap() == content, "it was changed");
        std::fs::rename(stage.database(), stage.database().with_file_name("old.db")).unwrap();
        stage.trust();
        stage.exec(&["a new start"]).exits(0);
        stage.verifies();
    }
}

#[test]
fn an_empty_file_is_begun_with() {
    let stage = with_a_session();
    std::fs::write(stage.database(), "").unwrap();
    assert_eq!(stage.arki(&["verify", "--json"]).exits(1).json_error().code, "FILE_NOT_FOUND");
    assert!(stage.sessions().is_empty());
    stage.trust();
    stage.exec(&["a new start"]).exits(0);
    stage.verifies();
}

#[test]
fn a_damaged_database_is_kept_aside_and_what_can_be_read_of_it_goes_on() {
    let good = std::fs::read(with_a_session().database()).unwrap();
    let mut torn = good.clone();
    torn.truncate(good.len() / 3);
    let mut headless = good.clone();
    headless[..4096].fill(0x5a);
    for (what, bytes) in [("torn", torn), ("headless", headless)] {
        let stage = with_a_session();
        std::fs::write(stage.database(), &bytes).unwrap();
        let verified = stage.arki(&["verify", "--json"]).exits(1);
        assert_eq!(verified.json_error().code, "DATABASE_DAMAGED", "{what}");
        assert!(std::fs::read(stage.database()).unwrap() == bytes, "{what}: verifying changed it");

        // Damage that shows only when something is read is noted, and salvaged by the next start.
        let list = || stage.arki(&["sessions", "list", "--json"]);
        let first = list();
        let told = if first.code == Some(0) { first } else { list().exits(0) };
        assert!(told.stderr.contains("The database was damaged."), "{what}: {}", told.stderr);
        let folder = stage.database().parent().unwrap().to_owned();
        let is_copy = |path: &std::path::Path| path.to_string_lossy().contains("arki.db.damaged-");
        let copies: Vec<_> = std::fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| is_copy(path))
            .collect();
        assert!(copies.iter().any(|copy| std::fs::read(copy).unwrap() == bytes), "{what}: {copies:?}");
        stage.exec(&["a new start"]).exits(0);
    }
}

/// SQLite reads only the pages it needs, so that not every command comes across the damage.
#[test]
fn damage_anywhere_in_the_log_is_found_by_verifying() {
    let stage = with_a_session();
    let good = std::fs::read(stage.database()).unwrap();
    let holder = Connection::open(stage.database()).unwrap();
    let root: i64 =
        holder.query_row("SELECT rootpage FROM sqlite_master WHERE name = 'events'", [], |row| row.get(0)).unwrap();
    let page: i64 = holder.query_row("PRAGMA page_size", [], |row| row.get(0)).unwrap();
    drop(holder);
    let mut scribbled = good.clone();
    let (root, page) = (usize::try_from(root).unwrap(), usize::try_from(page).unwrap());
    scribbled[(root - 1) * page..root * page].fill(0x5a);
    std::fs::write(stage.database(), &scribbled).unwrap();
    assert_eq!(stage.arki(&["verify", "--json"]).exits(1).json_error().code, "DATABASE_DAMAGED");
    let done = stage.exec(&["--continue", "go on"]).exits(1);
    assert_eq!(done.json_error().code, "DATABASE_DAMAGED");
    std::fs::write(stage.database(), good).unwrap();
    stage.verifies();
}

#[test]
fn a_data_folder_that_cannot_be_used_is_named() {
    let mut stage = Stage::new(vec![Turn::text("ok")]);
    let file = stage.write("a-file", "x");
    stage.home.env.insert("ARKI_DATA_DIR".to_owned(), file.join("below").display().to_string());
    let shown = stage.exec(&["hello"]).exits(1).json_error();
    assert!(shown.message.contains("a-file") && shown.message.contains("is a file, not a folder"), "{shown:?}");
}

#[test]
fn the_doctor_checks_the_rest_where_the_database_cannot_be_opened() {
    let whole = with_a_session();
    let names = |checks: &[Value]| checks.iter().map(|check| text(&check["name"])).collect::<Vec<_>>();
    let every_check = names(&whole.arki(&["doctor", "--json"]).lines());
    let newer = with_a_session();
    Connection::open(newer.database()).unwrap().pragma_update(None, "user_version", 9999).unwrap();
    let garbage = with_a_session();
    std::fs::write(garbage.database(), b"this is no database at all\n".repeat(400)).unwrap();
    let mut no_folder = with_a_session();
    let file = no_folder.write("a-file", "x");
    no_folder.home.env.insert("ARKI_DATA_DIR".to_owned(), file.join("below").display().to_string());
    for (stage, said) in [(newer, "newer Arki"), (garbage, "not an Arki database"), (no_folder, "a-file")] {
        let done = stage.arki(&["doctor", "--json"]).exits(1);
        let checks = done.lines();
        assert_eq!(names(&checks), every_check, "{said}");
        let failed: Vec<&Value> = checks.iter().filter(|check| check["state"] == "failed").collect();
        let [database] = failed[..] else { panic!("{said}: {failed:?}") };
        assert_eq!(database["name"], "database", "{said}");
        assert!(text(&database["detail"]).contains(said) && !text(&database["hint"]).is_empty(), "{database}");
        let people = stage.arki(&["doctor"]).exits(1);
        assert_eq!((people.stdout.lines().count(), people.stderr.as_str()), (every_check.len(), ""), "{said}");
    }
}

#[test]
fn without_a_database_there_is_nothing_to_verify() {
    let stage = Stage::untrusted(Script::new(Vec::new()), &json!({}));
    let done = stage.arki(&["verify", "--json"]).exits(1);
    assert_eq!(done.json_error().code, "FILE_NOT_FOUND");
    assert!(!stage.database().exists());
}

#[test]
fn a_folder_of_arkis_that_is_a_file_is_named_with_its_variable() {
    for variable in ["ARKI_DATA_DIR", "ARKI_CONFIG_DIR"] {
        let mut stage = with_a_session();
        let file = stage.write("a-file", "x");
        stage.home.env.insert(variable.into(), file.display().to_string());
        for args in [&["exec", "hello"][..], &["sessions", "list"], &["config", "show"], &["verify"]] {
            let shown = stage.arki(args).fails(2, "CONFIG_INVALID");
            assert!(shown.message.contains("a-file is a file"), "{args:?}: {shown:?}");
            assert!(shown.hint.contains(variable), "{args:?}: {shown:?}");
        }
    }
}
