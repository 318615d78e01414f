//! Opening the last page of sessions of different lengths.

use crate::{open_store, pairs, runtime, turns};
use arki_domain::{EventDraft, RunId, SessionCreated, SessionId};
use std::path::Path;
use std::time::Instant;

const LENGTHS: [usize; 3] = [1_000, 10_000, 100_000];
/// The page that a window opens with.
const PAGE: usize = 200;
const ROUNDS: usize = 101;
/// Events stored together while filling.
const BATCH: usize = 1_000;

fn session(length: usize) -> SessionId {
    SessionId::from(format!("00000000-0000-7000-8000-{length:012}"))
}

pub(crate) fn fill(file: &Path) {
    let (store, runtime) = (open_store(file), runtime());
    for length in LENGTHS {
        let (session, run) = (session(length), RunId::new());
        let created = SessionCreated {
            title: format!("{length} events"),
            project: "/tmp/project".to_owned(),
            agent: "arki".to_owned(),
            parent_session: None,
            worktree: None,
        };
        let mut drafts = vec![EventDraft::of_session(created)];
        drafts.extend((0..).flat_map(|number| turns::turn(&run, number)).flatten().take(length - 1));
        for batch in drafts.chunks(BATCH) {
            runtime.block_on(store.append(&session, batch.to_vec())).unwrap();
        }
    }
    store.close().unwrap();
}

/// Microseconds, each the median over rounds that go through all the lengths.
pub(crate) fn measure(file: &Path) {
    let store = open_store(file);
    let mut times: Vec<Vec<f64>> = vec![Vec::new(); LENGTHS.len()];
    for _ in 0..ROUNDS {
        for (length, times) in LENGTHS.iter().zip(&mut times) {
            let started = Instant::now();
            let page = store.reader().log().page(&session(*length), None, PAGE).unwrap();
            times.push(started.elapsed().as_secs_f64() * 1e6);
            assert_eq!((page.events.len(), page.events[PAGE - 1].seq), (PAGE, *length as u64));
        }
    }
    for (length, times) in LENGTHS.iter().zip(times) {
        println!("open_{length}_us {:.1}", pairs::median(times));
    }
}
