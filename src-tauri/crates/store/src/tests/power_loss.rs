//! After a power cut: what was on the disk for certain is still there, and what is left of the rest is a whole log.
//!
//! A cut loses what was written and not yet synced, in any part: the log's end is missing, or full of zeros, or a page in
//! it never came. The files are copied as a cut would leave them, and opened as after any start.

use super::{Fixture, approval_requested, approval_resolved, called, completed, created, options, parsed, started};
use crate::Store;
use arki_domain::{ApprovalId, EventDraft, RunId, SessionId};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Of the write-ahead log, see SQLite's file format.
const HEADER: usize = 32;
const FRAME: usize = 24 + 4096;

/// The files as the disk had them, and how far the log was for certain when so many events had been promised.
struct Disk {
    database: Vec<u8>,
    log: Vec<u8>,
    index: Vec<u8>,
    hashes: Vec<String>,
    promised: Vec<(usize, usize)>,
    /// The length of the log before the first event.
    empty: usize,
}

impl Disk {
    /// Of a run with a command and an approval, copied while it is open.
    async fn of_a_run(session: &SessionId) -> Self {
        let fixture = Fixture::new();
        let log = beside(&fixture.path, "-wal");
        let length = || std::fs::metadata(&log).unwrap().len() as usize;
        let empty = length();
        let (mut hashes, mut promised) = (Vec::new(), vec![(0, 0)]);
        for drafts in a_run() {
            let holds_intent = EventDraft::hold_intent(&drafts);
            let events = fixture.append(session, drafts).await;
            hashes.extend(events.iter().map(|event| event.hash.clone()));
            if holds_intent {
                promised.push((length(), hashes.len()));
            }
        }
        let read = |path: &Path| std::fs::read(path).unwrap();
        let index = beside(&fixture.path, "-shm");
        Self { database: read(&fixture.path), log: read(&log), index: read(&index), hashes, promised, empty }
    }

    /// Opens what is left when the log reads so; nothing that was promised before its byte `certain` is missing.
    async fn is_whole_with(&self, session: &SessionId, log: &[u8], certain: usize) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("arki.db");
        std::fs::write(&path, &self.database).unwrap();
        std::fs::write(beside(&path, "-wal"), log).unwrap();
        // What the disk has of the index is of no use, and SQLite must see that.
        if certain.is_multiple_of(2) {
            std::fs::write(beside(&path, "-shm"), &self.index).unwrap();
        }
        let store = Store::open(&path, options()).unwrap();
        let left = store.reader().log().page(session, None, 100).unwrap().events;
        let left: Vec<&String> = left.iter().map(|event| &event.hash).collect();
        assert_eq!(left, self.hashes.iter().take(left.len()).collect::<Vec<_>>(), "certain: {certain}");
        let promised = self.promised.iter().rev().find(|(length, _)| *length <= certain).unwrap().1;
        assert!(left.len() >= promised, "{} of {promised} events are left at byte {certain}", left.len());
        assert!(store.reader().verifier().verify(None).unwrap().iter().all(|report| report.ok), "certain: {certain}");
        let next = store.append(session, vec![created("goes on", "/p")]).await.unwrap();
        assert_eq!(next[0].seq as usize, left.len() + 1);
    }

    /// Of every frame of the run its beginning, and a place in its head and in its page; of the layout's before it few.
    fn places(&self) -> impl Iterator<Item = usize> {
        let length = self.log.len();
        let first = (self.empty - HEADER) / FRAME;
        let frames = (first..length.saturating_sub(HEADER) / FRAME).map(|frame| HEADER + frame * FRAME);
        let inside = frames.flat_map(|start| [start, start + 23, start + 2049]);
        [0, 1, HEADER, self.empty / 2].into_iter().chain(inside).chain([length - 1, length])
    }
}

fn a_run() -> Vec<Vec<EventDraft>> {
    let (run, approval) = (RunId::new(), ApprovalId::new());
    let asked = json!({"turn": 1, "provider": "p", "model": "m", "requestHash": "00", "messageCount": 1});
    let result = json!({"callId": "c1", "toolId": "run_command", "result": "ok", "isError": false, "durationMs": 1,
        "truncated": false});
    let permitted = json!({"callId": "c1", "decision": "allow", "rule": "r", "reason": "", "risk": "low"});
    vec![
        vec![created("t", "/p"), started(&run, "hi")],
        vec![parsed(&run, "engine.request", &asked)],
        vec![called(&run, json!({"command": "x".repeat(3000)}))],
        vec![approval_requested(&run, &approval, None)],
        vec![approval_resolved(&run, &approval, "approve")],
        vec![parsed(&run, "policy.decided", &permitted)],
        vec![parsed(&run, "tool.result", &result)],
        vec![parsed(&run, "engine.request", &asked)],
        vec![completed(&run)],
    ]
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    PathBuf::from(format!("{}{suffix}", path.display()))
}

#[tokio::test]
async fn a_log_that_ends_at_any_place_keeps_what_was_promised_before_it() {
    let session = SessionId::from("s");
    let disk = Disk::of_a_run(&session).await;
    assert!(disk.promised.len() > 4 && disk.promised.windows(2).all(|pair| pair[0].0 < pair[1].0));
    for place in disk.places() {
        disk.is_whole_with(&session, &disk.log[..place], place).await;
    }
}

#[tokio::test]
async fn a_log_whose_end_is_zeros_keeps_what_was_promised_before_it() {
    let session = SessionId::from("s");
    let disk = Disk::of_a_run(&session).await;
    for place in disk.places() {
        let mut log = disk.log.clone();
        log[place..].fill(0);
        disk.is_whole_with(&session, &log, place).await;
    }
}

#[tokio::test]
async fn a_log_with_a_page_that_never_came_keeps_what_was_promised_before_it() {
    let session = SessionId::from("s");
    let disk = Disk::of_a_run(&session).await;
    for place in disk.places() {
        let mut log = disk.log.clone();
        let end = log.len().min(place + FRAME);
        log[place..end].fill(0);
        disk.is_whole_with(&session, &log, place).await;
    }
}
