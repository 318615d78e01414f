use super::{Fixture, created, foreign, options};
use crate::database::connection::Location;
use crate::{Store, StoreError};
use arki_domain::{Code, Error, SessionId};
use std::path::Path;

fn opened(path: &Path) -> Result<(), StoreError> {
    Store::open(path, options()).map(|_| ())
}

/// The files of a folder with their contents.
fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), std::fs::read(entry.path()).unwrap()))
        .collect();
    files.sort();
    files
}

async fn with_one_session() -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("arki.db");
    let store = Store::open(&path, options()).unwrap();
    store.append(&SessionId::from("s"), vec![created("t", "/p")]).await.unwrap();
    store.close().unwrap();
    (folder, path)
}

#[cfg(unix)]
#[tokio::test]
async fn the_database_and_its_folder_are_their_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data/arki");
    let store = Store::open(&data.join("arki.db"), options()).unwrap();
    store.append(&SessionId::new(), vec![created("t", "/p")]).await.unwrap();
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&data), mode(data.parent().unwrap())), (0o700, 0o700));
    for name in ["arki.db", "arki.db-wal", "arki.db-shm"] {
        assert_eq!(mode(&data.join(name)), 0o600, "{name}");
    }
}

#[cfg(unix)]
#[test]
fn a_database_that_others_could_read_is_withdrawn_from_them() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("arki.db");
    std::fs::write(&path, "").unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    opened(&path).unwrap();
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
}

#[tokio::test]
async fn closing_leaves_one_file_and_what_it_holds() {
    let (folder, path) = with_one_session().await;
    assert_eq!(contents(folder.path()).len(), 1);
    let store = Store::open(&path, options()).unwrap();
    assert_eq!(store.reader().lists().sessions(10, 0).unwrap().len(), 1);
}

#[tokio::test]
async fn closing_empties_the_write_ahead_log_also_beside_another_program_that_reads() {
    let (folder, path) = with_one_session().await;
    let reading = Store::open(&path, options()).unwrap();
    let store = Store::open(&path, options()).unwrap();
    store.append(&SessionId::from("s"), vec![created("u", "/p")]).await.unwrap();
    assert_eq!(reading.reader().lists().sessions(10, 0).unwrap().len(), 1);
    let log = folder.path().join("arki.db-wal");
    assert!(log.metadata().unwrap().len() > 0);
    store.close().unwrap();
    assert_eq!(log.metadata().unwrap().len(), 0);
    assert_eq!(reading.reader().log().last_seq(&SessionId::from("s")).unwrap(), 2);
    reading.close().unwrap();
    assert_eq!(contents(folder.path()).len(), 1);
}

#[tokio::test]
async fn a_database_that_was_copied_while_it_was_open_is_read() {
    let Fixture { store, path, .. } = &Fixture::new();
    store.append(&SessionId::from("s"), vec![created("t", "/p"), created("u", "/p")]).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("arki.db");
    for suffix in ["", "-wal"] {
        let named = |path: &Path| format!("{}{suffix}", path.display());
        std::fs::copy(named(path), named(&copy)).unwrap();
    }
    let before = contents(folder.path());
    let reports = Store::open_read_only(&copy).unwrap().verifier().verify(None).unwrap();
    assert_eq!((reports[0].ok, reports[0].events), (true, 2));
    assert_eq!(contents(folder.path()), before);
}

#[tokio::test]
async fn a_closed_store_says_so() {
    let Fixture { store, .. } = &Fixture::new();
    store.close().unwrap();
    store.close().unwrap();
    assert_eq!(store.append(&SessionId::new(), vec![created("t", "/p")]).await.unwrap_err(), StoreError::Closed);
    assert_eq!(store.reader().lists().sessions(1, 0), Err(StoreError::Closed));
}

#[test]
fn a_database_that_another_program_holds_is_locked() {
    let fixture = Fixture::new();
    drop(fixture.store);
    let holder = foreign(&fixture.path);
    holder.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; DELETE FROM meta; COMMIT").unwrap();
    let error = Store::open_at(Location::file(&fixture.path).impatient(), options()).map(|_| ()).unwrap_err();
    assert_eq!(error, StoreError::Locked { path: fixture.path.clone() });
    drop(holder);
    opened(&fixture.path).unwrap();
}

#[tokio::test]
async fn a_write_that_another_program_holds_up_fails_and_the_next_succeeds() {
    let Fixture { path, .. } = &Fixture::new();
    let store = Store::open_at(Location::file(path).impatient(), options()).unwrap();
    let holder = foreign(path);
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    let session = SessionId::new();
    let append = || store.append(&session, vec![created("t", "/p")]);
    assert_eq!(append().await.unwrap_err(), StoreError::Locked { path: path.clone() });
    holder.execute_batch("ROLLBACK").unwrap();
    append().await.unwrap();
}

#[tokio::test]
async fn a_newer_database_is_refused_and_left_as_it_is() {
    let (folder, path) = with_one_session().await;
    foreign(&path).pragma_update(None, "user_version", 99).unwrap();
    let before = contents(folder.path());
    for error in [opened(&path).unwrap_err(), Store::open_read_only(&path).map(|_| ()).unwrap_err()] {
        assert_eq!(error, StoreError::Newer { path: path.clone(), found: 99, known: crate::database::schema::VERSION });
    }
    assert_eq!(contents(folder.path()), before);
}

#[test]
fn a_file_that_is_no_database_is_damaged_and_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("arki.db");
    std::fs::write(&path, "garbage ".repeat(1000)).unwrap();
    let before = contents(folder.path());
    let error = opened(&path).unwrap_err();
    assert!(matches!(&error, StoreError::Damaged { path: at, .. } if *at == path), "{error:?}");
    assert_eq!(Store::open_read_only(&path).map(|_| ()).unwrap_err(), StoreError::NotArkis { path: path.clone() });
    assert_eq!(contents(folder.path()), before);
}

/// Its version may be anything.
#[test]
fn another_programs_database_is_left_as_it_is() {
    for version in [0, 1, crate::database::schema::VERSION] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("arki.db");
        let other = foreign(&path);
        other.execute_batch("CREATE TABLE places (name TEXT); INSERT INTO places VALUES ('here')").unwrap();
        other.pragma_update(None, "user_version", version).unwrap();
        other.close().unwrap();
        let before = contents(folder.path());
        let refused = StoreError::NotArkis { path: path.clone() };
        assert_eq!(opened(&path).unwrap_err(), refused, "version {version}");
        assert_eq!(crate::open_or_salvage(&path, options()).map(|_| ()).unwrap_err(), refused, "version {version}");
        assert_eq!(Store::open_read_only(&path).map(|_| ()).unwrap_err(), refused, "version {version}");
        assert_eq!(contents(folder.path()), before, "version {version}");
    }
}

#[test]
fn an_empty_file_is_a_database_without_anything() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("arki.db");
    std::fs::write(&path, "").unwrap();
    assert_eq!(Store::open_read_only(&path).map(|_| ()).unwrap_err(), StoreError::Missing { path: path.clone() });
    opened(&path).unwrap();
    assert!(Store::open_read_only(&path).unwrap().verifier().verify(None).unwrap().is_empty());
}

#[tokio::test]
async fn a_database_that_was_cut_off_is_damaged() {
    let (_folder, path) = with_one_session().await;
    let whole = path.metadata().unwrap().len();
    for length in [whole - 4096, whole / 2, 5000, 100] {
        std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(length).unwrap();
        let error = opened(&path).unwrap_err();
        assert_eq!(error.code(), Code::DATABASE_DAMAGED, "at {length}: {error}");
    }
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("file"), "").unwrap();
    let path = folder.path().join("file/arki.db");
    let error = opened(&path).unwrap_err();
    assert_eq!(error.code(), Code::IO_FAILED);
    assert!(error.to_string().contains(&path.display().to_string()), "{error}");
}

/// The superuser may write anywhere, so that this shows only the mapping when run as one.
#[cfg(unix)]
#[test]
fn a_folder_that_may_not_be_written_is_a_matter_of_permission() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o500)).unwrap();
    let error = match std::fs::write(folder.path().join("probe"), "") {
        Ok(()) => StoreError::from(std::io::Error::from(std::io::ErrorKind::PermissionDenied)),
        Err(_) => opened(&folder.path().join("arki.db")).unwrap_err(),
    };
    assert_eq!(error.code(), Code::PERMISSION_DENIED);
}

#[tokio::test]
async fn reading_only_finds_the_log_and_leaves_no_trace() {
    let (folder, path) = with_one_session().await;
    let before = contents(folder.path());
    let reports = Store::open_read_only(&path).unwrap().verifier().verify(None).unwrap();
    assert_eq!((reports.len(), reports[0].ok, reports[0].events), (1, true, 1));
    assert_eq!(contents(folder.path()), before);
}

#[tokio::test]
async fn reading_only_sees_what_a_running_program_has_not_copied_back_yet() {
    let Fixture { store, path, _folder: folder, .. } = &Fixture::new();
    store.append(&SessionId::new(), vec![created("t", "/p"), created("u", "/p")]).await.unwrap();
    let before = contents(folder.path());
    let reader = Store::open_read_only(path).unwrap();
    assert_eq!(reader.verifier().verify(None).unwrap()[0].events, 2);
    drop(reader);
    let names = |files: &[(String, Vec<u8>)]| files.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&contents(folder.path())), names(&before));
}

#[tokio::test]
async fn reading_only_notices_a_program_that_starts_meanwhile() {
    let (_folder, path) = with_one_session().await;
    let reader = Store::open_read_only(&path).unwrap();
    let store = Store::open(&path, options()).unwrap();
    store.append(&SessionId::from("s"), vec![created("u", "/p")]).await.unwrap();
    drop(store);
    let reports = reader.verifier().verify(None).unwrap();
    assert_eq!((reports[0].ok, reports[0].events), (true, 2));
}

#[test]
fn reading_only_creates_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data/arki.db");
    let error = Store::open_read_only(&path).map(|_| ()).unwrap_err();
    assert_eq!(error, StoreError::Missing { path });
    assert!(contents(folder.path()).is_empty());
}

#[tokio::test]
async fn where_nothing_can_be_written_reading_works_and_writing_says_why() {
    let (folder, path) = with_one_session().await;
    let reason = StoreError::NotPermitted { path: path.clone(), detail: "read-only".to_owned() };
    for (path, sessions) in [(path, 1), (folder.path().join("not/there/arki.db"), 0)] {
        let before = contents(folder.path());
        let store = Store::open_unwritable(&path, options(), reason.clone()).unwrap();
        assert_eq!(store.reader().verifier().verify(None).unwrap().len(), sessions);
        assert_eq!(store.set_meta("key", "value").await.unwrap_err(), reason);
        assert_eq!(store.unwritable(), Some(&reason));
        drop(store);
        assert_eq!(contents(folder.path()), before);
    }
}

/// It may hold sessions: to show none would be wrong.
#[test]
fn a_database_that_cannot_be_looked_for_is_not_taken_for_an_empty_one() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("file"), "").unwrap();
    let reason = StoreError::internal("no");
    assert!(Store::open_unwritable(&folder.path().join("file/arki.db"), options(), reason).is_err());
}

#[tokio::test]
async fn a_path_may_hold_the_characters_of_an_address() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("50%25 of #1?mode=memory.db");
    opened(&path).unwrap();
    assert!(Store::open_read_only(&path).unwrap().verifier().verify(None).unwrap().is_empty());
}

#[test]
fn a_fault_carries_code_message_and_hint() {
    let fault = Error::from(StoreError::Locked { path: "/data/arki.db".into() });
    assert!(fault.is(Code::DATABASE_LOCKED));
    assert_eq!(fault.message, "Can't use the database at /data/arki.db: another program has locked it.");
    assert_eq!(fault.hint, "Close the other program, or wait and try again.");
}

#[cfg(unix)]
#[tokio::test]
async fn a_database_that_was_removed_or_replaced_takes_nothing_more() {
    let taken_away: [fn(&Path); 3] = [
        |path| std::fs::remove_dir_all(path.parent().unwrap()).unwrap(),
        |path| std::fs::remove_file(path).unwrap(),
        |path| std::fs::rename(path, path.with_file_name("other.db")).and_then(|()| std::fs::write(path, "")).unwrap(),
    ];
    for take_away in taken_away {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data/arki.db");
        let store = Store::open(&path, options()).unwrap();
        let session = SessionId::from("s");
        store.append(&session, vec![created("t", "/p")]).await.unwrap();
        take_away(&path);
        let gone = StoreError::Gone { path };
        assert_eq!(store.append(&session, vec![created("t", "/p")]).await.unwrap_err(), gone);
        assert_eq!(store.set_meta("key", "value").await.unwrap_err(), gone);
        assert!(gone.code() == Code::IO_FAILED && !gone.hint().is_empty());
    }
}
