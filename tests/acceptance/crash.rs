//! A run survives the death of its program at any moment.
//!
//! A real `arki exec` of thirty steps is killed with SIGKILL when it has printed its first event, its second, … its last,
//! and at moments in between, also while it goes on after a crash; each time on a stage of its own. `cargo xtask soak`
//! takes every event and 200 moments, `cargo xtask test` a part of them. The moments and where the part begins follow
//! from a seed: `ARKI_CRASH_SEED=N` chooses others, and a failure says which it was. These tests take turns, so that they
//! hold up no others.
#![cfg(unix)]

use crate::crash_compaction;
use crate::crash_drive::{Course, Kill};
use crate::crash_script::{STEPS, stage};
use crate::harness::Stage;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// In full, and in a test run.
const RANDOM_MOMENTS: [usize; 2] = [200, 30];
const ASKING_MOMENTS: [usize; 2] = [20, 5];
const COMPACTION_MOMENTS: [usize; 2] = [50, 14];
/// A test run takes one event of so many.
const EVENTS_TO_ONE: usize = 5;
/// Steps of the run that stops at approvals: each takes a process of its own.
const ASKING_STEPS: usize = 6;

static TURN: Mutex<()> = Mutex::new(());

/// A way through the script that no crash disturbed: every other is held against it.
struct Undisturbed {
    stage: fn() -> Stage,
    approve: &'static str,
    files: BTreeMap<String, String>,
    /// How many events each process printed.
    printed: Vec<usize>,
    /// The numbers of the events that compacted the conversation.
    compactions: Vec<usize>,
    duration: Duration,
}

impl Undisturbed {
    fn new(stage: fn() -> Stage, approve: &'static str) -> Self {
        let mut course = Course::new(stage(), approve);
        let started = Instant::now();
        course.run(&[]);
        let duration = started.elapsed();
        let files = course.files();
        course.is_as_undisturbed(&files);
        let log = course.log();
        let numbered = log.iter().zip(1..).filter(|(event, _)| event["type"] == "context.compacted");
        let compactions = numbered.map(|(_, number)| number).collect();
        Self { stage, approve, files, printed: course.printed, compactions, duration }
    }

    fn is_the_outcome_of(&self, kills: &[Kill]) {
        let mut course = Course::new((self.stage)(), self.approve);
        course.run(kills);
        course.is_as_undisturbed(&self.files);
        if !self.compactions.is_empty() {
            crash_compaction::nothing_is_compacted_twice(&course.log());
        }
    }

    /// Each case on a stage of its own, on as many threads as there are processors.
    fn is_the_outcome_of_each(&self, cases: &[Vec<Kill>]) {
        let next = AtomicUsize::new(0);
        let failed = Mutex::new(Vec::new());
        let work = || {
            while let Some(kills) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                if catch_unwind(AssertUnwindSafe(|| self.is_the_outcome_of(kills))).is_err() {
                    failed.lock().unwrap().push(kills);
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
                scope.spawn(work);
            }
        });
        let failed = failed.into_inner().unwrap();
        assert!(failed.is_empty(), "{} of {} cases, seed {}: {failed:?}", failed.len(), cases.len(), seed());
    }
}

/// Whether all cases are taken, as `cargo xtask soak` asks.
fn is_full() -> bool {
    std::env::var_os("ARKI_SOAK").is_some()
}

fn of_moments([full, part]: [usize; 2]) -> usize {
    if is_full() { full } else { part }
}

/// The last one is always among them.
fn is_taken(event: usize, events: usize) -> bool {
    let first = usize::try_from(seed()).unwrap_or_default();
    is_full() || event == events || (event + first).is_multiple_of(EVENTS_TO_ONE)
}

fn seed() -> u64 {
    std::env::var("ARKI_CRASH_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1)
}

/// `SplitMix64`: what comes after a seed is always the same.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }

    fn moment(&mut self, within: Duration) -> Kill {
        Kill::After(Duration::from_micros(self.below(u64::try_from(within.as_micros()).unwrap())))
    }
}

#[test]
fn a_run_killed_at_any_event_ends_as_if_nothing_had_happened() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let whole = Undisturbed::new(|| stage(STEPS), "all");
    assert!(whole.printed[0] > 5 * STEPS, "{:?}", whole.printed);
    let events = whole.printed[0];
    let taken = (1..=events).filter(|event| is_taken(*event, events));
    let cases: Vec<_> = taken.map(|event| vec![Kill::AtEvent(event)]).collect();
    whole.is_the_outcome_of_each(&cases);
}

#[test]
fn a_run_killed_at_any_moment_and_again_while_it_goes_on_ends_as_if_nothing_had_happened() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let whole = Undisturbed::new(|| stage(STEPS), "all");
    let mut random = Random(seed());
    let mut once_or_twice = |case| (0..=case % 2).map(|_| random.moment(whole.duration)).collect();
    let cases: Vec<_> = (0..of_moments(RANDOM_MOMENTS)).map(&mut once_or_twice).collect();
    whole.is_the_outcome_of_each(&cases);
}

/// The programs that go on after a decision are killed like the one that asked for it.
#[test]
fn a_run_with_approvals_killed_at_any_event_and_moment_ends_as_if_nothing_had_happened() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let whole = Undisturbed::new(|| stage(ASKING_STEPS), "ask");
    let processes = whole.printed.len();
    assert!(processes > 4, "{:?}", whole.printed);
    let in_process = |process: usize, kill| [vec![Kill::Never; process], vec![kill]].concat();
    let at_events = whole.printed.iter().enumerate();
    let mut cases: Vec<_> = at_events
        .flat_map(|(process, printed)| {
            let taken = (1..=*printed).filter(move |event| is_taken(*event, *printed));
            taken.map(move |event| in_process(process, Kill::AtEvent(event)))
        })
        .collect();
    let mut random = Random(seed());
    let within = whole.duration / u32::try_from(processes).unwrap();
    cases.extend((0..of_moments(ASKING_MOMENTS)).map(|case| in_process(case % processes, random.moment(within))));
    whole.is_the_outcome_of_each(&cases);
}

/// From three events before a compaction, among them the request for its summary, to two after it.
#[test]
fn a_run_killed_around_its_compactions_ends_as_if_nothing_had_happened() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let whole = Undisturbed::new(crash_compaction::stage, "all");
    assert!(whole.compactions.len() > 3, "{:?}", whole.compactions);
    let around = whole.compactions.iter().flat_map(|at| at - 3..=at + 2);
    let at_events: Vec<usize> = around.filter(|event| *event <= whole.printed[0]).collect();
    let moments = of_moments(COMPACTION_MOMENTS);
    let every = at_events.len().div_ceil(moments / 2);
    let mut cases: Vec<_> = at_events.iter().step_by(every).map(|event| vec![Kill::AtEvent(*event)]).collect();
    let mut random = Random(seed());
    let twice = |random: &mut Random| (0..2).map(|_| random.moment(whole.duration)).collect();
    cases.extend((cases.len()..moments).map(|_| twice(&mut random)));
    whole.is_the_outcome_of_each(&cases);
}
