use super::*;
use crate::database::files::beside;
use crate::tests::{Fixture, HandClock, approval_requested, called, completed, created, foreign, options, started};
use crate::{PinRecord, TrustRecord};
use arki_domain::{ApprovalId, Code, RunId};
use serde_json::json;
use std::fs::OpenOptions;
use std::io::{BufRead, Seek, SeekFrom, Write};
use tempfile::TempDir;

const PAGE_BYTES: u64 = 4096;
const SESSIONS: usize = 3;
const CALLS: usize = 60;
const EVENTS: u64 = (SESSIONS * (CALLS + 3)) as u64;
/// More than fit on one page.
const EVENTS_A_PAGE: u64 = 16;

fn id(n: usize) -> SessionId {
    SessionId::from(format!("session-{n}"))
}

/// A closed database with events short and long, contents, trust and an approval that waits.
async fn database() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("arki.db");
    let store = Store::open(&path, options()).unwrap();
    for n in 0..SESSIONS {
        let run = RunId::from(format!("run-{n}"));
        store.append(&id(n), vec![created("Tidy up", "/p"), started(&run, "go")]).await.unwrap();
    }
    for call in 0..CALLS {
        for n in 0..SESSIONS {
            let text = "word ".repeat(if call % 20 == 0 { 2000 } else { 20 });
            store
                .append(&id(n), vec![called(&RunId::from(format!("run-{n}")), json!({"n": call, "text": text}))])
                .await
                .unwrap();
        }
    }
    store.append(&id(0), vec![completed(&RunId::from("run-0"))]).await.unwrap();
    for n in 1..SESSIONS {
        let approval = ApprovalId::from(format!("approval-{n}"));
        store
            .append(&id(n), vec![approval_requested(&RunId::from(format!("run-{n}")), &approval, None)])
            .await
            .unwrap();
    }
    store.contents().put_blob(b"some content").await.unwrap();
    let pins = Vec::<PinRecord>::new();
    store.set_trust("/p", TrustRecord { trusted: true, pins, decided_at: 1 }).await.unwrap();
    store.set_meta("setting", "value").await.unwrap();
    store.close().unwrap();
    (folder, path)
}

fn overwrite(path: &Path, at: u64, bytes: &[u8]) {
    let mut file = OpenOptions::new().write(true).open(path).unwrap();
    file.seek(SeekFrom::Start(at)).unwrap();
    file.write_all(bytes).unwrap();
}

fn overwrite_page(path: &Path, number: u64) {
    overwrite(path, (number - 1) * PAGE_BYTES, &[0xa5; PAGE_BYTES as usize]);
}

fn root_of(path: &Path, name: &str) -> u64 {
    let sql = "SELECT rootpage FROM sqlite_schema WHERE name = ?1";
    foreign(path).query_row(sql, [name], |row| row.get::<_, i64>(0)).unwrap().cast_unsigned()
}

/// Salvages what was found to be damaged, and checks what holds however much is lost.
fn salvage_noted(path: &Path) -> (Store, Option<Salvaged>) {
    let before = std::fs::read(path).unwrap();
    damage_mark::note(path);
    let (store, salvaged) = open_or_salvage(path, options()).unwrap();
    if let Some(salvaged) = &salvaged {
        assert_eq!(std::fs::read(&salvaged.copy).unwrap(), before);
        let reports = store.reader().verifier().verify(None).unwrap();
        let events: u64 = reports.iter().map(|report| report.events).sum();
        assert_eq!(events, salvaged.recovered_events);
        let broken: Vec<_> = reports.into_iter().filter(|report| !report.ok).map(|report| report.session_id).collect();
        assert_eq!(broken, salvaged.sessions_broken);
    }
    let names =
        |folder: &Path| std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect::<Vec<_>>();
    let left = names(path.parent().unwrap());
    assert!(left.iter().all(|name| !name.to_string_lossy().ends_with("arki.db.salvage")), "{left:?}");
    (store, salvaged)
}

async fn assert_appendable(store: &Store, salvaged: &Salvaged) {
    for n in 0..SESSIONS {
        let appended = store.append(&id(n), vec![created("later", "/p")]).await;
        assert_eq!(appended.is_err(), salvaged.sessions_broken.contains(&id(n)), "{n}: {appended:?}");
    }
}

#[tokio::test]
async fn a_sound_database_is_opened_and_not_touched() {
    let (_folder, path) = database().await;
    let before = std::fs::read(&path).unwrap();
    assert_eq!(open_or_salvage(&path, options()).unwrap().1, None);
    assert_eq!(salvage_noted(&path).1, None);
    assert!(!damage_mark::is_noted(&path));
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[tokio::test]
async fn a_lost_header_costs_nothing() {
    let (_folder, path) = database().await;
    overwrite(&path, 0, &[0; 100]);
    let (store, salvaged) = open_or_salvage(&path, options()).unwrap();
    let salvaged = salvaged.unwrap();
    assert_eq!((salvaged.recovered_events, salvaged.lost_events), (EVENTS, 0));
    assert_eq!((salvaged.unproven_events, salvaged.lost_contents, salvaged.lost_settings), (0, 0, false));
    assert_eq!(salvaged.sessions_broken, []);
    let reader = store.reader();
    assert_eq!(reader.lists().pending_approvals(9).unwrap().len(), SESSIONS - 1);
    assert!(reader.trust("/p").unwrap().unwrap().trusted);
    assert_eq!(reader.meta("setting").unwrap().unwrap(), "value");
    assert_eq!(reader.contents().blob(&arki_domain::sha256_hex(b"some content")).unwrap().unwrap(), b"some content");
    assert_eq!(reader.lists().session(&id(0)).unwrap().unwrap().title, "Tidy up");
    assert_appendable(&store, &salvaged).await;
}

#[tokio::test]
async fn a_lost_first_page_costs_what_is_not_in_the_log() {
    let (_folder, path) = database().await;
    overwrite(&path, 0, &[0; PAGE_BYTES as usize]);
    let (store, salvaged) = open_or_salvage(&path, options()).unwrap();
    let salvaged = salvaged.unwrap();
    assert_eq!((salvaged.recovered_events, salvaged.lost_events), (EVENTS, 0));
    assert_eq!(store.reader().lists().session(&id(1)).unwrap().unwrap().title, "Tidy up");
    assert_eq!(
        store.reader().contents().blob(&arki_domain::sha256_hex(b"some content")).unwrap().unwrap(),
        b"some content"
    );
    // The user is asked again.
    assert_eq!(store.reader().trust("/p").unwrap(), None);
    assert_appendable(&store, &salvaged).await;
}

#[tokio::test]
async fn the_way_to_the_events_can_be_lost_and_they_are_found() {
    for table in ["events", "events_by_session"] {
        let (_folder, path) = database().await;
        let root = root_of(&path, table);
        overwrite_page(&path, root);
        let (store, salvaged) = salvage_noted(&path);
        let salvaged = salvaged.unwrap();
        assert_eq!((salvaged.recovered_events, salvaged.lost_events), (EVENTS, 0), "{table}");
        assert_appendable(&store, &salvaged).await;
    }
}

#[tokio::test]
async fn any_lost_page_costs_no_more_than_itself() {
    let (_folder, path) = database().await;
    let whole = std::fs::read(&path).unwrap();
    let pages = whole.len() as u64 / PAGE_BYTES;
    let mut salvaged_once = 0;
    for page in (2..=pages).step_by(5) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("arki.db");
        std::fs::write(&path, &whole).unwrap();
        overwrite_page(&path, page);
        let (store, salvaged) = salvage_noted(&path);
        let Some(salvaged) = salvaged else { continue };
        salvaged_once += 1;
        let events = salvaged.recovered_events;
        assert!(events + EVENTS_A_PAGE >= EVENTS, "page {page}: {salvaged:?}");
        assert_eq!(events + salvaged.lost_events, EVENTS, "page {page}: {salvaged:?}");
        let says_nothing = (salvaged.lost_events, salvaged.unproven_events) == (0, 0);
        assert_eq!(salvaged.sessions_broken.is_empty(), says_nothing, "page {page}: {salvaged:?}");
        assert_appendable(&store, &salvaged).await;
    }
    assert!(salvaged_once > 3, "{salvaged_once} of {pages}");
}

#[tokio::test]
async fn a_session_with_a_gap_is_shown_and_not_gone_on_with() {
    let (_folder, path) = database().await;
    // A leaf from the middle of the events: those of all sessions take turns on it.
    let middle = foreign(&path)
        .query_row("SELECT rootpage FROM sqlite_schema WHERE name = 'events'", [], |row| row.get::<_, i64>(0))
        .unwrap();
    let whole = std::fs::read(&path).unwrap();
    let leaf = (middle.cast_unsigned() + 1..whole.len() as u64 / PAGE_BYTES)
        .filter(|page| whole[usize::try_from((page - 1) * PAGE_BYTES).unwrap()] == 0x0d)
        .nth(20)
        .unwrap();
    overwrite_page(&path, leaf);
    let (store, salvaged) = salvage_noted(&path);
    let salvaged = salvaged.unwrap();
    assert!(salvaged.lost_events > 0 && !salvaged.sessions_broken.is_empty(), "{salvaged:?}");
    assert_eq!(salvaged.recovered_events + salvaged.lost_events, EVENTS);
    let broken = &salvaged.sessions_broken[0];
    assert_eq!(store.reader().lists().session(broken).unwrap().unwrap().title, "Tidy up");
    let error = store.append(broken, vec![created("later", "/p")]).await.unwrap_err();
    assert_eq!(error.code(), Code::SESSION_READ_ONLY);
}

#[tokio::test]
async fn a_file_that_was_cut_off_gives_what_is_left_of_it() {
    let mut before = EVENTS;
    for tenths in [9, 7, 6] {
        let (_folder, path) = database().await;
        let length = path.metadata().unwrap().len() * tenths / 10;
        OpenOptions::new().write(true).open(&path).unwrap().set_len(length).unwrap();
        let (store, salvaged) = open_or_salvage(&path, options()).unwrap();
        let salvaged = salvaged.unwrap();
        let events = salvaged.recovered_events;
        assert!(0 < events && events < before, "{tenths}: {salvaged:?}");
        before = events;
        assert_appendable(&store, &salvaged).await;
    }
}

#[tokio::test]
async fn a_file_that_lacks_less_than_a_page_is_damaged_and_not_written_to() {
    for missing in [1, 1000] {
        let (_folder, path) = database().await;
        let length = path.metadata().unwrap().len() - missing;
        OpenOptions::new().write(true).open(&path).unwrap().set_len(length).unwrap();
        let cut = std::fs::read(&path).unwrap();
        let error = Store::open_read_only(&path).map(|_| ()).unwrap_err();
        assert_eq!(error.code(), Code::DATABASE_DAMAGED, "{error}");
        assert!(error.to_string().contains(&format!("{missing} bytes are missing")), "{error}");
        let (store, salvaged) = open_or_salvage(&path, options()).unwrap();
        let salvaged = salvaged.unwrap();
        assert_eq!(std::fs::read(&salvaged.copy).unwrap(), cut);
        assert_eq!(salvaged.recovered_events + salvaged.lost_events, EVENTS, "{salvaged:?}");
        assert_appendable(&store, &salvaged).await;
    }
}

#[tokio::test]
async fn a_salvage_that_finds_nothing_says_that_all_is_lost() {
    let (_folder, path) = database().await;
    let length = path.metadata().unwrap().len();
    // The words of the layout are left, and nothing of what it describes.
    for page in 2..=length / PAGE_BYTES {
        overwrite_page(&path, page);
    }
    let (_store, salvaged) = salvage_noted(&path);
    let salvaged = salvaged.unwrap();
    assert_eq!((salvaged.recovered_events, salvaged.lost_events, salvaged.lost_uncounted), (0, 0, true));
    let words = salvaged.words();
    assert!(words.contains("its sessions are lost, and Arki can't tell how many"), "{words}");
}

/// The row of a running session lags behind its log, and does not remember the last events.
#[tokio::test]
async fn the_last_events_of_a_session_at_work_are_counted_when_they_are_lost() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("arki.db");
    let store = Store::open(&path, options()).unwrap();
    let run = RunId::from("run");
    store.append(&id(0), vec![created("Tidy up", "/p"), started(&run, "go")]).await.unwrap();
    for n in 0..20 {
        store.append(&id(0), vec![called(&run, json!({"n": n, "text": "word ".repeat(100)}))]).await.unwrap();
    }
    store.close().unwrap();
    let remembered: i64 = foreign(&path).query_row("SELECT last_seq FROM sessions", [], |row| row.get(0)).unwrap();
    assert!(remembered < 20, "{remembered}");
    let last_leaf: i64 = foreign(&path)
        .query_row("SELECT max(pageno) FROM dbstat WHERE name = 'events' AND pagetype = 'leaf'", [], |row| row.get(0))
        .unwrap();
    overwrite_page(&path, last_leaf.cast_unsigned());
    let (store, salvaged) = salvage_noted(&path);
    let salvaged = salvaged.unwrap();
    assert!(salvaged.lost_events > 0, "{salvaged:?}");
    assert_eq!(salvaged.recovered_events + salvaged.lost_events, 22);
    assert_eq!(salvaged.sessions_broken, [id(0)]);
    let error = store.append(&id(0), vec![created("later", "/p")]).await.unwrap_err();
    assert_eq!(error.code(), Code::SESSION_READ_ONLY);
}

#[tokio::test]
async fn lost_contents_and_settings_are_told_too() {
    let (_folder, path) = database().await;
    let (root, content) = (root_of(&path, "trust"), root_of(&path, "blobs"));
    overwrite_page(&path, root);
    overwrite_page(&path, content);
    let (_, salvaged) = salvage_noted(&path);
    let salvaged = salvaged.unwrap();
    assert_eq!((salvaged.lost_events, salvaged.lost_contents, salvaged.lost_settings), (0, 1, true));
    let words = salvaged.words();
    assert!(words.contains("1 stored item (") && words.contains("Trust decisions"), "{words}");
    assert!(words.contains("none seem to be lost") && !words.contains("0 sessions"), "{words}");
}

#[tokio::test]
async fn what_was_only_in_the_log_beside_the_file_is_kept() {
    let fixture = Fixture::new();
    fixture.append(&id(0), vec![created("Tidy up", "/p"), created("more", "/p")]).await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("arki.db");
    for suffix in ["", "-wal"] {
        std::fs::copy(beside(&fixture.path, suffix), beside(&path, suffix)).unwrap();
    }
    overwrite_page(&path, 2);
    let (store, _) = salvage_noted(&path);
    let report = store.reader().verifier().verify(Some(&id(0))).unwrap().remove(0);
    assert_eq!((report.ok, report.events), (true, 2));
}

#[tokio::test]
async fn reading_that_comes_upon_damage_has_it_salvaged_at_the_next_start() {
    let (_folder, path) = database().await;
    let root = root_of(&path, "events");
    overwrite_page(&path, root);
    let (store, salvaged) = open_or_salvage(&path, options()).unwrap();
    assert_eq!(salvaged, None);
    assert_eq!(store.reader().log().page(&id(0), None, 9).unwrap_err().code(), Code::DATABASE_DAMAGED);
    drop(store);
    let (store, salvaged) = open_or_salvage(&path, options()).unwrap();
    assert_eq!(salvaged.unwrap().recovered_events, EVENTS);
    drop(store);
    assert_eq!(open_or_salvage(&path, options()).unwrap().1, None);
}

#[tokio::test]
async fn writing_that_comes_upon_damage_leaves_a_mark_too() {
    let (_folder, path) = database().await;
    let root = root_of(&path, "sessions");
    overwrite_page(&path, root);
    let store = Store::open(&path, options()).unwrap();
    assert_eq!(store.append(&id(0), vec![created("t", "/p")]).await.unwrap_err().code(), Code::DATABASE_DAMAGED);
    assert!(damage_mark::is_noted(&path));
}

#[tokio::test]
async fn a_removed_session_does_not_come_back() {
    let (_folder, path) = database().await;
    foreign(&path)
        .execute_batch(
            "INSERT INTO session_removals VALUES ('session-1'); DELETE FROM events WHERE session_id = 'session-1'; \
             DELETE FROM sessions WHERE session_id = 'session-1'; DELETE FROM session_removals;",
        )
        .unwrap();
    let root = root_of(&path, "events");
    overwrite_page(&path, root);
    let (store, salvaged) = salvage_noted(&path);
    assert!(salvaged.is_some());
    let sessions = store.reader().lists().sessions(9, 0).unwrap();
    assert!(sessions.iter().all(|session| session.session_id != id(1)), "{sessions:?}");
}

#[tokio::test]
async fn what_was_tampered_with_is_neither_dropped_nor_repaired() {
    let (_folder, path) = database().await;
    foreign(&path)
        .execute_batch("DROP TRIGGER events_are_never_updated; UPDATE events SET ts = ts + 1 WHERE seq = 9 AND session_id = 'session-1'")
        .unwrap();
    overwrite(&path, 0, &[0; 100]);
    let (store, salvaged) = open_or_salvage(&path, options()).unwrap();
    let salvaged = salvaged.unwrap();
    assert_eq!((salvaged.recovered_events, salvaged.lost_events), (EVENTS, 0));
    assert_eq!((salvaged.unproven_events, salvaged.sessions_broken), (1, vec![id(1)]));
    assert_eq!(store.reader().verifier().verify(Some(&id(1))).unwrap()[0].first_broken_seq, Some(9));
}

#[tokio::test]
async fn a_file_that_has_nothing_of_arkis_is_refused_and_left_as_it_is() {
    let (_folder, good) = database().await;
    let beginning = std::fs::read(good).unwrap()[..50].to_owned();
    for content in ["garbage ".repeat(1000).into_bytes(), b"garbage".to_vec(), vec![0; 50], beginning] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("arki.db");
        std::fs::write(&path, &content).unwrap();
        let error = open_or_salvage(&path, options()).map(|_| ()).unwrap_err();
        assert_eq!(error, StoreError::NotArkis { path: path.clone() });
        assert_eq!(std::fs::read(&path).unwrap(), content);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}

#[tokio::test]
async fn the_log_of_a_file_that_became_empty_is_not_thrown_away() {
    let fixture = Fixture::new();
    fixture.append(&id(0), vec![created("Tidy up", "/p"), created("more", "/p")]).await;
    for length in [0, 50] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("arki.db");
        let log = |path: &Path| beside(path, "-wal");
        std::fs::copy(log(&fixture.path), log(&path)).unwrap();
        std::fs::write(&path, &std::fs::read(&fixture.path).unwrap()[..length]).unwrap();
        let (store, salvaged) = open_or_salvage(&path, options()).unwrap();
        // With the beginning of the file SQLite goes by the log itself.
        assert_eq!(salvaged.is_none(), length > 0);
        if let Some(salvaged) = salvaged {
            assert_eq!((salvaged.recovered_events, salvaged.lost_events), (2, 0));
            assert_eq!(std::fs::read(log(&salvaged.copy)).unwrap(), std::fs::read(log(&fixture.path)).unwrap());
        }
        let report = store.reader().verifier().verify(Some(&id(0))).unwrap().remove(0);
        assert_eq!((report.ok, report.events), (true, 2));
    }
}

#[tokio::test]
async fn of_two_processes_that_find_the_damage_one_salvages() {
    let (folder, path) = database().await;
    overwrite(&path, 0, &[0; 100]);
    let salvaged: Vec<_> = std::thread::scope(|scope| {
        let open = || {
            let clock = Arc::new(HandClock::new());
            let options = StoreOptions { clock, redactor: arki_redaction::Redactor::default() };
            let (store, salvaged) = open_or_salvage(&path, options).unwrap();
            assert_eq!(store.reader().log().last_seq(&id(0)).unwrap(), EVENTS / SESSIONS as u64);
            salvaged
        };
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(open)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(salvaged.iter().flatten().count(), 1);
    let copies = std::fs::read_dir(folder.path())
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().contains(".damaged-"));
    assert_eq!(copies.count(), 1);
}

#[cfg(unix)]
#[tokio::test]
async fn the_copy_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let (_folder, path) = database().await;
    overwrite(&path, 0, &[0; 100]);
    let (_store, salvaged) = open_or_salvage(&path, options()).unwrap();
    for file in [&salvaged.unwrap().copy, &path] {
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
}

/// Runs itself a second time, as the process that has the database open.
#[cfg(unix)]
#[tokio::test]
async fn a_database_that_another_process_has_open_is_left_to_it() {
    const HELD: &str = "ARKI_TEST_HELD_DATABASE";
    const NAME: &str = "salvage::tests::a_database_that_another_process_has_open_is_left_to_it";
    if let Some(held) = std::env::var_os(HELD) {
        let _store = Store::open(Path::new(&held), options()).unwrap();
        println!("\nopen");
        std::io::stdin().read_line(&mut String::new()).unwrap();
        return;
    }
    let (_folder, path) = database().await;
    #[allow(clippy::disallowed_methods, reason = "locks show only between processes")]
    let mut holder = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", NAME, "--nocapture"])
        .env(HELD, &path)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = std::io::BufReader::new(holder.stdout.take().unwrap()).lines();
    assert!(said.any(|line| line.unwrap() == "open"));
    overwrite(&path, 0, &[0; 100]);
    let refused = open_or_salvage(&path, options()).map(|_| ()).unwrap_err();
    assert_eq!(refused, StoreError::Locked { path: path.clone() });
    drop(holder.stdin.take());
    holder.wait().unwrap();
    assert!(open_or_salvage(&path, options()).unwrap().1.is_some());
}
