use super::*;
use crate::MAX_GROUP;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::mpsc;
use std::task::Poll;
use tokio::sync::oneshot;

/// A writer over a table of numbers, held up until `go`, so that what is queued meanwhile is one group.
struct Held {
    writer: Writer,
    go: mpsc::Sender<()>,
}

impl Held {
    fn new(setup: &str) -> Self {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(&format!("CREATE TABLE numbers (n INTEGER UNIQUE, t BLOB); {setup}")).unwrap();
        let writer = Writer::start(connection, PathBuf::from("x.db")).unwrap();
        let (go, held) = mpsc::channel::<()>();
        let (began, begun) = mpsc::channel();
        let gate = queue(&writer, move |_| {
            began.send(()).unwrap();
            held.recv().map_err(StoreError::internal)
        });
        drop(gate);
        begun.recv().unwrap();
        Self { writer, go }
    }

    fn insert(&self, n: i64, bytes: usize) -> oneshot::Receiver<Result<i64, StoreError>> {
        queue(&self.writer, move |connection| {
            connection.execute("INSERT INTO numbers VALUES (?1, zeroblob(?2))", (n, signed(bytes)))?;
            Ok(connection.last_insert_rowid())
        })
    }

    fn release(self) -> Writer {
        self.go.send(()).unwrap();
        self.writer
    }
}

fn signed(bytes: usize) -> i64 {
    i64::try_from(bytes).unwrap()
}

/// Queues as `WriteQueue::write` does, but without waiting for a place or an answer.
fn queue<T: Send + 'static>(
    writer: &Writer,
    work: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
) -> oneshot::Receiver<Result<T, StoreError>> {
    let (answer, answered) = oneshot::channel();
    let place = writer.queue.places.clone().try_acquire_owned().unwrap();
    let pending = Pending {
        work: Some(move |connection: &Connection, _: &mut Heads| work(connection)),
        done: None,
        durability: Durability::Normal,
        isolation: WriteIsolation::Savepoint,
        answer,
        place,
    };
    writer.queue.jobs.send(WriterJob::Write(Box::new(pending))).ok().unwrap();
    answered
}

#[test]
fn a_group_keeps_the_order_of_its_writes() {
    let held = Held::new("");
    let answers: Vec<_> = (0..MAX_GROUP as i64 * 2).map(|n| held.insert(n, 0)).collect();
    held.release().close().unwrap();
    let rowids: Vec<i64> = answers.into_iter().map(|answer| answer.blocking_recv().unwrap().unwrap()).collect();
    assert_eq!(rowids, (1..=MAX_GROUP as i64 * 2).collect::<Vec<_>>());
}

#[test]
fn a_failing_write_takes_only_itself_back() {
    let held = Held::new("");
    let answers = [1, 2, 1, 3].map(|n| held.insert(n, 0));
    let there = queue(&held.writer, |connection| {
        Ok(connection.query_row("SELECT sum(n) FROM numbers", [], |row| row.get::<_, i64>(0))?)
    });
    held.release().close().unwrap();
    let succeeded = answers.map(|answer| answer.blocking_recv().unwrap().is_ok());
    assert_eq!(succeeded, [true, true, false, true]);
    assert_eq!(there.blocking_recv().unwrap(), Ok(6));
}

#[test]
fn a_full_disk_fails_what_does_not_fit_and_nothing_after_it() {
    let held = Held::new("PRAGMA max_page_count = 8;");
    let answers = [held.insert(1, 0), held.insert(2, 1 << 20)];
    let writer = held.release();
    let results = answers.map(|answer| answer.blocking_recv().unwrap());
    assert_eq!(results[1], Err(StoreError::DiskFull { path: "x.db".into() }));
    let kept = queue(&writer, |connection| {
        Ok(connection.query_row("SELECT count(*) FROM numbers", [], |row| row.get::<_, u32>(0))?)
    });
    assert_eq!(kept.blocking_recv().unwrap(), Ok(u32::from(results[0].is_ok())));
    writer.close().unwrap();
}

#[test]
fn no_more_writes_wait_than_there_are_places() {
    let held = Held::new("");
    let free = held.writer.queue.places.available_permits();
    let answers: Vec<_> = (0..free as i64).map(|n| held.insert(n, 0)).collect();
    assert!(held.writer.queue.places.try_acquire().is_err());
    let writer = held.release();
    for answer in answers {
        answer.blocking_recv().unwrap().unwrap();
    }
    writer.close().unwrap();
}

#[test]
fn nothing_is_written_when_a_write_panics_and_those_who_wait_are_told() {
    let held = Held::new("");
    let panicking = queue(&held.writer, |_| -> Result<(), StoreError> { panic!("as the test wants") });
    let waiting = held.insert(1, 0);
    let writer = held.release();
    assert!(panicking.blocking_recv().is_err());
    assert!(waiting.blocking_recv().is_err());
    assert!(writer.close().is_err());
}

#[test]
fn a_group_is_as_durable_as_its_strictest_write_asks() {
    let synchronous =
        |connection: &Connection| Ok(connection.query_row("PRAGMA synchronous", [], |row| row.get::<_, i64>(0))?);
    let writer = Writer::start(Connection::open_in_memory().unwrap(), PathBuf::new()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let seen = [Durability::Full, Durability::Normal, Durability::Full]
        .map(|durability| runtime.block_on(writer.queue().write(durability, synchronous)).unwrap());
    assert_eq!(seen, [2, 1, 2]);
    writer.close().unwrap();
}

/// Held up as well, but among others without a savepoint.
fn share(held: &Held, fails_after_writing: bool) -> oneshot::Receiver<Result<(), StoreError>> {
    let (answer, answered) = oneshot::channel();
    let work = move |connection: &Connection, _: &mut Heads| {
        if fails_after_writing {
            connection.execute("INSERT INTO numbers (n) VALUES (7)", [])?;
        }
        Err(StoreError::internal("as the test wants"))
    };
    let pending = Pending {
        work: Some(work),
        done: None,
        durability: Durability::Normal,
        isolation: WriteIsolation::Shared,
        answer,
        place: held.writer.queue.places.clone().try_acquire_owned().unwrap(),
    };
    held.writer.queue.jobs.send(WriterJob::Write(Box::new(pending))).ok().unwrap();
    answered
}

#[test]
fn without_a_savepoint_only_a_failure_that_wrote_something_takes_its_group_with_it() {
    for fails_after_writing in [false, true] {
        let held = Held::new("");
        let one = held.insert(1, 0);
        let failing = share(&held, fails_after_writing);
        let other = held.insert(2, 0);
        held.release().close().unwrap();
        assert!(failing.blocking_recv().unwrap().is_err());
        let stand = [one, other].map(|answer| answer.blocking_recv().unwrap().is_ok());
        assert_eq!(stand, [!fails_after_writing; 2]);
    }
}

#[test]
fn an_append_that_finds_nobody_before_it_is_done_on_the_callers_thread() {
    let writer = Writer::start(Connection::open_in_memory().unwrap(), PathBuf::new()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let thread = |_: &Connection, _: &mut Heads| Ok(std::thread::current().id());
    let ran = [Durability::Normal, Durability::Full]
        .map(|durability| runtime.block_on(writer.queue().append(durability, WriteIsolation::Shared, thread)).unwrap());
    assert_eq!(ran[0], std::thread::current().id());
    assert_ne!(ran[1], ran[0], "a commit that waits for the disk must not hold up the caller's other work");
    writer.close().unwrap();
}

#[test]
fn an_append_that_would_have_to_wait_for_another_process_waits_on_the_writers_thread() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.db");
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let writer = Writer::start(Connection::open(&path).unwrap(), path.clone()).unwrap();
    let thread = |_: &Connection, _: &mut Heads| Ok(std::thread::current().id());
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let ran = runtime.block_on(async {
        let mut append = pin!(writer.queue().append(Durability::Normal, WriteIsolation::Shared, thread));
        let first = poll_fn(|context| Poll::Ready(append.as_mut().poll(context))).await;
        assert!(first.is_pending());
        other.execute_batch("COMMIT").unwrap();
        append.await.unwrap()
    });
    assert_ne!(ran, std::thread::current().id());
    writer.close().unwrap();
}

#[test]
fn an_append_that_is_alone_only_until_its_neighbours_are_back_waits_for_them() {
    let held = Held::new("");
    let together = [held.insert(1, 0), held.insert(2, 0)];
    let writer = held.release();
    together.into_iter().for_each(|answer| assert!(answer.blocking_recv().unwrap().is_ok()));
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let thread = |_: &Connection, _: &mut Heads| Ok(std::thread::current().id());
    let append =
        || runtime.block_on(writer.queue().append(Durability::Normal, WriteIsolation::Shared, thread)).unwrap();
    assert_ne!(append(), std::thread::current().id());
    // The thread notes that nobody came along before it answers.
    assert_eq!(append(), std::thread::current().id());
    writer.close().unwrap();
}

#[test]
fn the_log_is_copied_later_where_writes_share_a_transaction() {
    let held = Held::new("");
    let pages = |connection: &Connection| {
        Ok(connection.query_row("PRAGMA wal_autocheckpoint", [], |row| row.get::<_, u32>(0))?)
    };
    let together = [queue(&held.writer, pages), queue(&held.writer, pages)];
    let writer = held.release();
    assert_eq!(together.map(|pages| pages.blocking_recv().unwrap()), [Ok(4000), Ok(4000)]);
    // The next transaction still expects others; the one after it does not.
    queue(&writer, |_| Ok(())).blocking_recv().unwrap().unwrap();
    assert_eq!(queue(&writer, pages).blocking_recv().unwrap(), Ok(1000));
    writer.close().unwrap();
}
