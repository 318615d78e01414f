//! Appended events a second, beside the bare loop.

use crate::bare::{Bare, End};
use crate::pairs::compare;
use crate::{open_store, runtime, turns};
use arki_domain::{EventDraft, RunId, SessionId};
use arki_store::Store;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;

const PAIRS: usize = 15;
/// Turns of one measurement: whole rounds of the mix.
const TURNS: usize = 30;
/// Single events of one measurement: enough for several checkpoints.
const SINGLES: usize = 2000;
/// Events of a session that are appended in one go.
const BATCH: usize = 64;
const BATCHED_TURNS: usize = 10 * TURNS;
/// Sessions that append at the same time, and what each of them appends in one measurement.
const SESSIONS: usize = 64;
const EVENTS_EACH: usize = 50;

type Transactions = Vec<Vec<EventDraft>>;

/// `only`: the measurement of that name.
pub(crate) fn measure(folder: &Path, only: Option<&str>) {
    let run = RunId::new();
    let sides = Sides { runtime: runtime(), folder, only, run: run.clone() };
    let mix: Transactions = (0..TURNS).flat_map(|number| turns::turn(&run, number)).collect();
    let normal: Transactions = (0..SINGLES).map(|number| vec![turns::small(&run, number)]).collect();
    sides.one_session("turns", &mix);
    sides.one_session("normal", &normal);
    let many: Transactions = (0..BATCHED_TURNS).flat_map(|number| turns::turn(&run, number)).collect();
    sides.one_session("batch", &batches(&many.concat()));
    sides.one_session("batch_normal", &batches(&normal.concat()));
    let of_one: Vec<EventDraft> = (0..EVENTS_EACH).map(|number| turns::small(&run, number)).collect();
    sides.many_sessions("group_normal", &of_one);
    let of_one: Vec<EventDraft> =
        (0..EVENTS_EACH).flat_map(|n| turns::turn(&run, n)).flatten().take(EVENTS_EACH).collect();
    sides.many_sessions("group", &of_one);
}

fn batches(events: &[EventDraft]) -> Transactions {
    events.chunks_exact(BATCH).map(<[EventDraft]>::to_vec).collect()
}

struct Sides<'a> {
    runtime: Runtime,
    folder: &'a Path,
    only: Option<&'a str>,
    run: RunId,
}

impl Sides<'_> {
    fn open(&self, name: &str) -> (Arc<Store>, Bare) {
        let store = open_store(&self.folder.join(format!("{name}.db")));
        (Arc::new(store), Bare::open(&self.folder.join(format!("{name}-bare.db"))))
    }

    /// What is appended belongs to a run.
    fn start(&self, store: &Store, session: &SessionId) {
        self.runtime.block_on(store.append(session, turns::beginning(&self.run))).unwrap();
    }

    /// One transaction after the other, each waited for.
    fn one_session(&self, name: &str, transactions: &Transactions) {
        if self.only.is_some_and(|only| only != name) {
            return;
        }
        let (store, mut bare) = self.open(name);
        let events = transactions.iter().map(Vec::len).sum();
        let (session, mut end) = (SessionId::new(), End::of(SessionId::new()));
        self.start(&store, &session);
        let ours = || {
            let work = transactions.clone();
            self.runtime.block_on(async {
                let started = Instant::now();
                for drafts in work {
                    store.append(&session, drafts).await.unwrap();
                }
                started.elapsed()
            })
        };
        let theirs = || {
            let started = Instant::now();
            for drafts in transactions {
                bare.begin(EventDraft::hold_intent(drafts));
                drafts.iter().for_each(|draft| bare.insert(&mut end, draft));
                bare.commit();
            }
            started.elapsed()
        };
        compare(PAIRS, events, ours, theirs).print(name);
    }

    /// All sessions append at once, each its events one after the other; the loop commits one event of each together.
    fn many_sessions(&self, name: &str, drafts: &[EventDraft]) {
        if self.only.is_some_and(|only| only != name) {
            return;
        }
        let (store, mut bare) = self.open(name);
        let sessions: Vec<SessionId> = (0..SESSIONS).map(|_| SessionId::new()).collect();
        sessions.iter().for_each(|session| self.start(&store, session));
        let work = staggered(drafts);
        let mut ends: Vec<End> = (0..SESSIONS).map(|_| End::of(SessionId::new())).collect();
        let ours = || self.append_at_once(&store, &sessions, &work);
        let theirs = || {
            let started = Instant::now();
            for event in 0..drafts.len() {
                let group: Vec<&EventDraft> = work.iter().map(|drafts| &drafts[event]).collect();
                bare.begin(group.iter().any(|draft| EventDraft::hold_intent(std::slice::from_ref(*draft))));
                ends.iter_mut().zip(group).for_each(|(end, draft)| bare.insert(end, draft));
                bare.commit();
            }
            started.elapsed()
        };
        compare(PAIRS, SESSIONS * drafts.len(), ours, theirs).print(name);
    }

    fn append_at_once(&self, store: &Arc<Store>, sessions: &[SessionId], work: &[Vec<EventDraft>]) -> Duration {
        let work: Vec<_> = sessions
            .iter()
            .zip(work)
            .map(|(session, drafts)| (session.clone(), store.clone(), drafts.clone()))
            .collect();
        self.runtime.block_on(async {
            let started = Instant::now();
            let tasks: Vec<_> = work
                .into_iter()
                .map(|(session, store, drafts)| {
                    tokio::spawn(async move {
                        for draft in drafts {
                            store.append(&session, vec![draft]).await.unwrap();
                        }
                    })
                })
                .collect();
            for task in tasks {
                task.await.unwrap();
            }
            started.elapsed()
        })
    }
}

/// The same events for each session, begun at another one: sessions do not march in step.
fn staggered(drafts: &[EventDraft]) -> Vec<Vec<EventDraft>> {
    let from = |session: usize| drafts.iter().cycle().skip(session).take(drafts.len()).cloned().collect();
    (0..SESSIONS).map(from).collect()
}
