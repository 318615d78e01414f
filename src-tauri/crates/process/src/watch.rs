//! Looking after running commands: what all processes of each take together, and those that left its session.
//!
//! Nothing of the kernel's does it for a plain user: limits of memory are counted by process, and control groups are
//! another's to hand out. So one thread looks through `/proc` while commands run, with the highest priority it may have,
//! and kills at once what takes too much, with its whole group. Between two looks a fork bomb grows as fast as the
//! processor allows; so the looks are dense where the machine's processes become more, and a limit of the kernel's
//! (`thread_limit`) is the last bound. That does not hold for root, whose thread gets the priority instead.
//!
//! A process that detached itself (`setsid`, two forks) has no parent or session to be known by. It is still known where
//! a sandbox can tell whose it is, or was seen before it lost its parent.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, PidfdFlags, Signal, getpid, kill_process_group, pidfd_open, pidfd_send_signal};
use tokio::sync::watch;

use super::limits::{CommandLimits, Overrun};
use super::orphan_guard;
use super::platform::Running;
use super::proc_table::{self, ProcEntry};
use crate::confinement::ConfinedStart;

/// Asking how many processes there are takes a microsecond.
const GLANCE_EVERY: Duration = Duration::from_millis(25);
/// Looking through them takes milliseconds.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// The share of a command's limit by which the machine's processes and threads may grow before an early check.
const SOONER_AT: usize = 4;
/// Threads that a command may have for each process.
const THREADS_A_PROCESS: usize = 4;
const HIGHEST_PRIORITY: i32 = -20;

/// Process numbers with the moment of their start, which together never come again.
pub(super) type Members = Arc<Mutex<BTreeMap<i32, u64>>>;

/// A command is looked after as long as this is held, which must not be longer than its number is its own.
pub(super) struct Watch(Arc<WatchedCommand>);

struct WatchedCommand {
    root: Pid,
    sandbox: Option<Arc<dyn ConfinedStart>>,
    limits: CommandLimits,
    /// All that were seen the last time.
    members: Members,
    /// Groups besides the command's own that die with this program; `None` once nobody looks after it any more.
    guarded: Mutex<Option<BTreeSet<i32>>>,
    overran: watch::Sender<Option<Overrun>>,
}

static WATCHED: Mutex<Vec<Arc<WatchedCommand>>> = Mutex::new(Vec::new());
static HAS_MORE: Condvar = Condvar::new();

impl Watch {
    pub(super) fn of(running: &Running, limits: CommandLimits) -> Self {
        let watched = Arc::new(WatchedCommand {
            root: running.group.pid,
            sandbox: running.group.sandbox.clone(),
            limits,
            members: Members::default(),
            guarded: Mutex::new(Some(BTreeSet::new())),
            overran: watch::Sender::new(None),
        });
        locked(&WATCHED).push(watched.clone());
        start_watching();
        HAS_MORE.notify_one();
        Self(watched)
    }

    pub(super) fn members(&self) -> Members {
        self.0.members.clone()
    }

    /// The limit that the command was killed at.
    pub(super) fn exceeded(&self) -> Option<Overrun> {
        *self.0.overran.borrow()
    }

    /// Ends when a limit is exceeded. Safe to cancel and to await again.
    pub(super) async fn overran(&self) -> Overrun {
        let mut overran = self.0.overran.subscribe();
        match overran.wait_for(Option::is_some).await.ok().and_then(|limit| *limit) {
            Some(limit) => limit,
            None => std::future::pending().await,
        }
    }

    /// Ends what left the command's group. The group itself is the caller's to end, before.
    pub(super) async fn end_rest(self) {
        if let Some(sandbox) = &self.0.sandbox {
            sandbox.end_all().await;
        }
        let members = std::mem::take(&mut *locked(&self.0.members));
        let own = self.0.root.as_raw_nonzero().get();
        for (number, started) in members.into_iter().filter(|(number, _)| *number != own) {
            kill_if_the_same(number, started);
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        locked(&WATCHED).retain(|watched| !Arc::ptr_eq(watched, &self.0));
        let guarded = locked(&self.0.guarded).take();
        guarded.iter().flatten().filter_map(|group| Pid::from_raw(*group)).for_each(orphan_guard::forget);
    }
}

fn start_watching() {
    static STARTED: Mutex<bool> = Mutex::new(false);
    let mut started = locked(&STARTED);
    if !*started {
        *started = thread::Builder::new().name("arki-watch".to_owned()).spawn(watch_all).is_ok();
    }
}

fn watch_all() {
    // Root may; for everybody else the kernel's limit holds.
    let _ = rustix::process::setpriority_process(None, HIGHEST_PRIORITY);
    let (mut looked, mut there_were) = (Instant::now(), threads_of_machine());
    loop {
        let (watched, have_waited) = all_watched();
        if have_waited {
            // Most commands have ended by then.
            (looked, there_were) = (Instant::now(), threads_of_machine());
        }
        let soon = watched.iter().map(|watched| watched.limits.max_processes / SOONER_AT).min().unwrap_or(0);
        if looked.elapsed() >= LOOK_EVERY || threads_of_machine() > there_were + soon {
            let all = proc_table::all();
            watched.iter().for_each(|watched| watched.look(&all));
            (looked, there_were) = (Instant::now(), threads_of_machine());
        }
        drop(watched);
        thread::sleep(GLANCE_EVERY);
    }
}

/// Waits where there are none, and says whether it did.
fn all_watched() -> (Vec<Arc<WatchedCommand>>, bool) {
    let watched = locked(&WATCHED);
    let have_to_wait = watched.is_empty();
    let watched = HAS_MORE.wait_while(watched, |watched| watched.is_empty());
    (watched.unwrap_or_else(PoisonError::into_inner).clone(), have_to_wait)
}

/// Returns the value for `ulimit -u`: the kernel counts all processes and threads of the user, in a sandbox with users
/// of its own only those in it.
pub(super) fn thread_limit(limits: &CommandLimits) -> usize {
    threads_of_machine() + limits.max_processes.saturating_mul(THREADS_A_PROCESS)
}

fn threads_of_machine() -> usize {
    usize::from(rustix::system::sysinfo().procs)
}

impl WatchedCommand {
    fn look(&self, all: &[ProcEntry]) {
        let mut guarded = locked(&self.guarded);
        let Some(guarded) = guarded.as_mut() else { return };
        let known = proc_table::still_there(&locked(&self.members), all);
        let mut family = proc_table::family(self.root.as_raw_nonzero().get(), &known, all);
        if !self.end_if_over(&family) {
            let detached = self.detached(&family, all);
            if !detached.is_empty() {
                family = proc_table::family(self.root.as_raw_nonzero().get(), &[known, detached].concat(), all);
                self.end_if_over(&family);
            }
        }
        let members = || all.iter().filter(|process| family.contains(&process.number));
        *locked(&self.members) = members().map(|process| (process.number, process.started)).collect();
        self.guard(members().map(|process| process.group).collect(), guarded);
    }

    /// The group at once; the rest is left to whoever is told of it.
    fn end_if_over(&self, family: &BTreeSet<i32>) -> bool {
        let over = self.over(family);
        if over.is_some() {
            // Before its end can be seen.
            self.overran.send_replace(over);
            let _ = kill_process_group(self.root, Signal::KILL);
        }
        over.is_some()
    }

    fn over(&self, family: &BTreeSet<i32>) -> Option<Overrun> {
        let CommandLimits { max_processes, max_memory_bytes, .. } = self.limits;
        if family.len() > max_processes {
            return Some(Overrun::Processes(max_processes));
        }
        let own: u64 = family.iter().map(|number| proc_table::own_memory(*number)).sum();
        // What several have in common is counted once.
        let shared = family.iter().map(|number| proc_table::shared_memory(*number)).max().unwrap_or_default();
        let memory = own + shared;
        (memory > max_memory_bytes).then_some(Overrun::MemoryBytes(max_memory_bytes))
    }

    /// Returns what began after the command and is its own all the same.
    fn detached(&self, family: &BTreeSet<i32>, all: &[ProcEntry]) -> Vec<i32> {
        let (root, us) = (self.root.as_raw_nonzero().get(), getpid().as_raw_nonzero().get());
        let began = all.iter().find(|process| process.number == root).map_or(u64::MAX, |process| process.started);
        let is_candidate = |process: &&ProcEntry| {
            process.started >= began && process.number != us && !family.contains(&process.number)
        };
        let candidates: Vec<i32> = all.iter().filter(is_candidate).map(|process| process.number).collect();
        match &self.sandbox {
            Some(sandbox) if !candidates.is_empty() => sandbox.own(candidates),
            _ => Vec::new(),
        }
    }

    /// Guards the processes that left the command's group: they are not killed with it should this program die.
    fn guard(&self, mut groups: BTreeSet<i32>, guarded: &mut BTreeSet<i32>) {
        groups.remove(&self.root.as_raw_nonzero().get());
        if self.sandbox.as_ref().is_some_and(|sandbox| sandbox.is_wrapping()) {
            groups.clear();
        }
        groups.difference(guarded).filter_map(|group| Pid::from_raw(*group)).for_each(orphan_guard::watch);
        guarded.difference(&groups).filter_map(|group| Pid::from_raw(*group)).for_each(orphan_guard::forget);
        *guarded = groups;
    }
}

/// The number may be another's by now; once the descriptor is open, it means one process for good.
fn kill_if_the_same(number: i32, started: u64) {
    let Some(pid) = Pid::from_raw(number) else { return };
    let Ok(descriptor) = pidfd_open(pid, PidfdFlags::empty()) else { return };
    if proc_table::read(number).is_some_and(|process| process.started == started) {
        let _ = pidfd_send_signal(descriptor, Signal::KILL);
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
