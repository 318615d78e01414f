//! When the machine itself stands still. A host may take all processors from a virtual machine at once for tens of
//! milliseconds, and whatever draws at that moment draws late. A thread on each processor, which runs before all others,
//! sleeps for two milliseconds again and again: where all of them wake late together, nothing has run.

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const SLEEP: Duration = Duration::from_millis(2);
/// A timer is late by less than that on a machine that runs.
const LATE_MS: f64 = 3.0;

/// From and to, in milliseconds since 1970.
type Span = (f64, f64);

pub(super) struct Watch {
    is_over: Arc<AtomicBool>,
    /// One for each processor, with when it woke late; none where the system gives no realtime priority.
    watchers: Vec<JoinHandle<Option<Vec<Span>>>>,
}

impl Watch {
    pub(super) fn begin() -> Self {
        let processors = sched_getaffinity(None).unwrap();
        let numbers = (0..CpuSet::MAX_CPU).filter(|number| processors.is_set(*number));
        let is_over = Arc::new(AtomicBool::new(false));
        let watch = |number| {
            let is_over = is_over.clone();
            thread::spawn(move || runs_before_all_others(number).then(|| late_until(&is_over)))
        };
        let watchers = numbers.map(watch).collect();
        Self { is_over, watchers }
    }

    /// The spans in which no processor ran; `None` where nobody may watch that closely.
    pub(super) fn end(self) -> Option<Vec<Span>> {
        self.is_over.store(true, Ordering::Relaxed);
        let late: Option<Vec<_>> = self.watchers.into_iter().map(|watcher| watcher.join().unwrap()).collect();
        late?
            .into_iter()
            .reduce(|all, one| all.iter().flat_map(|a| one.iter().filter_map(|b| common(*a, *b))).collect())
    }
}

/// Returns the part that two spans share.
fn common(a: Span, b: Span) -> Option<Span> {
    let (from, to) = (a.0.max(b.0), a.1.min(b.1));
    (from < to).then_some((from, to))
}

/// How many milliseconds of a span are in one of the others.
pub(super) fn within(span: Span, others: &[Span]) -> f64 {
    others.iter().filter_map(|other| common(span, *other)).fold(0.0, |sum, (from, to)| sum + to - from)
}

fn late_until(is_over: &AtomicBool) -> Vec<Span> {
    let mut late = Vec::new();
    while !is_over.load(Ordering::Relaxed) {
        let due = now_ms() + SLEEP.as_secs_f64() * 1e3;
        thread::sleep(SLEEP);
        let woke = now_ms();
        if woke > due + LATE_MS {
            late.push((due, woke));
        }
    }
    late
}

fn now_ms() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs_f64() * 1e3
}

#[expect(unsafe_code, reason = "rustix has no calls for the scheduler")]
fn runs_before_all_others(processor: usize) -> bool {
    let mut own = CpuSet::new();
    own.set(processor);
    let highest = libc::sched_param { sched_priority: 90 };
    // SAFETY: the call takes numbers and a pointer to what lives as long as it; zero is the thread itself.
    sched_setaffinity(None, &own).is_ok() && unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &highest) } == 0
}
