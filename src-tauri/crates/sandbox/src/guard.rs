//! While commands run in a project: what was there before them, the looks at what they leave, and the journal.
//!
//! Commands that run at the same time share what was there before the first of them, so that none takes for old what
//! another has just made; so do those of other processes. What they leave is looked for when one ends; and while only
//! such run as may go on for hours, in the background, every few seconds. In the foreground somebody waits for the end,
//! and a test may well make a repository with a hook and remove it again.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::SandboxSpec;
use super::journal::{self, Abandoned, Journal};
use super::leavings::{Before, Held, Reached, Settling};
use super::listings::Listings;
use super::put_back::RestoreMoment;
use super::sensitive::{self, Sensitive};
use arki_process::{Findings, Meanwhile};

/// The interval of checks whether a look is due; the first is at once.
const TICK: Duration = Duration::from_millis(500);
/// The interval between two looks while commands run.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// A look takes milliseconds; where it takes more, it is made so much more seldom.
const LOOK_SHARE: u32 = 200;
/// Sentences told while commands run. What comes then is told by nobody, and still taken away.
const MAX_TOLD: usize = 200;

/// Held while a command runs; looks again when it is dropped, at the latest.
#[derive(Debug)]
pub(crate) struct Guard {
    /// The project it runs in, and its number there; `None` for what can't write it.
    running: Option<(Arc<WatchedProject>, u64)>,
    git: Sensitive,
    /// The notes on what commands of a killed process left.
    found: Vec<String>,
    listings: Arc<Mutex<Listings>>,
    is_done: bool,
}

impl Guard {
    /// Blocks for as long as it takes to look through the project.
    pub(super) fn begin(
        spec: &SandboxSpec,
        held: Held,
        writes_hooks: bool,
        listings: Arc<Mutex<Listings>>,
        meanwhile: Option<Meanwhile>,
        hides_secrets: bool,
    ) -> io::Result<Self> {
        let root = spec.project_root.canonicalize()?;
        let watched = WatchedProject::of(&root, held, spec);
        let found = settle_before(spec, &root, &listings);
        let elsewhere = spec.writable_roots().into_iter().filter(|place| *place != root).collect();
        let reached = Reached { held, writes_hooks, elsewhere };
        let git =
            if hides_secrets { sensitive::find_secrets(&root, &listings) } else { sensitive::find(&root, &listings) };
        let number = watched.add(GuardedCommand { reached, listings: listings.clone(), meanwhile }, &git)?;
        Ok(Self { running: Some((watched, number)), git, found, listings, is_done: false })
    }

    /// Makes the guard for a command that can't write the project: it leaves nothing behind, so only what others left
    /// is settled.
    pub(super) fn of_reading(spec: &SandboxSpec, listings: Arc<Mutex<Listings>>) -> io::Result<Self> {
        let root = spec.project_root.canonicalize()?;
        let found = settle_before(spec, &root, &listings);
        let git = sensitive::find(&root, &listings);
        Ok(Self { running: None, git, found, listings, is_done: false })
    }

    /// Returns the git directories from before the command.
    pub(crate) fn git(&self) -> &Sensitive {
        &self.git
    }

    /// Ends the guard and returns its findings. Blocks as [`Guard::begin`] does, longer where there is very much.
    pub(crate) fn finish(mut self) -> Findings {
        self.do_finish()
    }

    fn do_finish(&mut self) -> Findings {
        self.is_done = true;
        let mut settled = match &self.running {
            Some((watched, number)) => watched.end(*number, &self.listings),
            None => Findings::default(),
        };
        settled.notes.splice(..0, std::mem::take(&mut self.found));
        settled
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if !self.is_done {
            let notes = self.do_finish().into_notes();
            if !notes.is_empty() {
                tracing::warn!(?notes, "a command that nobody waited for left something behind");
            }
        }
    }
}

fn settle_before(spec: &SandboxSpec, root: &Path, listings: &Mutex<Listings>) -> Vec<String> {
    let settle = |journals: &PathBuf| settle_abandoned(root, journals, spec.trash.as_deref(), listings);
    spec.journals.as_ref().map(settle).unwrap_or_default()
}

/// Cleans up after commands whose Arki was killed: what they left is removed or restored, but for what changed later.
/// `root` is canonical.
pub(super) fn settle_abandoned(
    root: &Path,
    journals: &Path,
    trash: Option<&Path>,
    listings: &Mutex<Listings>,
) -> Vec<String> {
    let mut notes = Vec::new();
    for abandoned in Abandoned::all(journals, root) {
        if let Some(before) = &abandoned.before {
            let settling = Settling { moment: RestoreMoment::AtTheEnd, trash, listings, ended: abandoned.ended };
            notes.extend(before.settle(&abandoned.reached, &settling).into_notes());
        }
        abandoned.remove();
    }
    notes
}

/// A project that commands run in, or ran.
#[derive(Debug)]
struct WatchedProject {
    root: PathBuf,
    /// Two sandboxes that hold different things know different things.
    puts_back: bool,
    trash: Option<PathBuf>,
    journals: Option<PathBuf>,
    journal_path: Option<PathBuf>,
    now: Mutex<Now>,
}

/// While commands run; else empty.
#[derive(Debug, Default)]
struct Now {
    before: Option<Before>,
    journal: Option<Journal>,
    running: BTreeMap<u64, GuardedCommand>,
    next_number: u64,
    /// Since there was nothing of theirs, one of them could: what it changed is not put back when another ends.
    writes_hooks: bool,
    next_look: Option<Instant>,
    /// While they run.
    told: usize,
    /// The findings of the last look.
    last: Vec<String>,
}

#[derive(Debug)]
struct GuardedCommand {
    reached: Reached,
    listings: Arc<Mutex<Listings>>,
    meanwhile: Option<Meanwhile>,
}

/// The watches of every project in which commands were run.
static WATCHED: Mutex<Vec<Arc<WatchedProject>>> = Mutex::new(Vec::new());
/// Commands that run now.
static RUNNING: Mutex<usize> = Mutex::new(0);
static SOME_RUN: Condvar = Condvar::new();

impl WatchedProject {
    fn of(root: &Path, held: Held, spec: &SandboxSpec) -> Arc<Self> {
        let puts_back = held == Held::Nothing;
        let mut all = locked(&WATCHED);
        let is_it = |watched: &&Arc<Self>| {
            watched.root == root && watched.puts_back == puts_back && watched.journals == spec.journals
        };
        if let Some(watched) = all.iter().find(is_it) {
            return watched.clone();
        }
        let watched = Arc::new(Self {
            root: root.to_owned(),
            puts_back,
            trash: spec.trash.clone(),
            journals: spec.journals.clone(),
            journal_path: spec.journals.as_deref().map(|folder| Journal::path(folder, root)),
            now: Mutex::default(),
        });
        all.push(watched.clone());
        watched
    }

    /// `git` is what there is now.
    fn add(&self, running: GuardedCommand, git: &Sensitive) -> io::Result<u64> {
        let mut now = locked(&self.now);
        if now.running.is_empty() {
            *now = Now::default();
            let before = self.before(git, running.reached.held)?;
            let journal = self.journal_path.as_deref().map(|path| Journal::begin(path, &before)).transpose()?;
            (now.before, now.journal) = (Some(before), journal.flatten());
        }
        if let Some(journal) = &mut now.journal {
            journal.add(&running.reached)?;
        }
        now.writes_hooks |= running.reached.writes_hooks;
        let number = now.next_number;
        now.next_number += 1;
        now.running.insert(number, running);
        drop(now);
        note_that_some_run();
        Ok(number)
    }

    fn before(&self, git: &Sensitive, held: Held) -> io::Result<Before> {
        let noted = self.journals.as_deref().and_then(|journals| journal::of_another(journals, &self.root));
        match noted.filter(|before| before.suits(held)) {
            Some(before) => Ok(before),
            None => Before::look(&self.root, git.clone(), held),
        }
    }

    fn end(&self, number: u64, listings: &Mutex<Listings>) -> Findings {
        let mut now = locked(&self.now);
        let settled = now.settle(self.trash.as_deref(), listings, RestoreMoment::AtTheEnd);
        now.running.remove(&number);
        if now.running.is_empty() {
            *now = Now::default();
        }
        drop(now);
        *locked(&RUNNING) -= 1;
        settled
    }

    /// Says that this process lives, and looks where it is time to.
    fn tick(&self) {
        let mut now = locked(&self.now);
        if let Some(journal) = &mut now.journal {
            journal.beat();
        }
        let is_due = now.next_look.is_none_or(|next| next <= Instant::now());
        if !is_due || now.running.values().any(|running| running.meanwhile.is_none()) {
            return;
        }
        let Some(listings) = now.running.values().next().map(|running| running.listings.clone()) else { return };
        let began = Instant::now();
        let notes = now.settle(self.trash.as_deref(), &listings, RestoreMoment::WhileTheyRun).into_notes();
        let pause = (began.elapsed() * LOOK_SHARE).max(LOOK_EVERY);
        now.next_look = Some(Instant::now() + pause);
        let news: Vec<String> = notes.iter().filter(|note| !now.last.contains(note)).cloned().collect();
        now.last = notes;
        if news.is_empty() || now.told >= MAX_TOLD {
            return;
        }
        now.told += news.len();
        let listeners: Vec<Meanwhile> = now.running.values().filter_map(|running| running.meanwhile.clone()).collect();
        drop(now);
        listeners.iter().for_each(|meanwhile| meanwhile.tell(news.clone()));
    }
}

impl Now {
    fn settle(&self, trash: Option<&Path>, listings: &Mutex<Listings>, moment: RestoreMoment) -> Findings {
        let Some(before) = &self.before else { return Findings::default() };
        let mut reached = Reached::by_all(self.running.values().map(|running| &running.reached));
        reached.writes_hooks |= self.writes_hooks;
        before.settle(&reached, &Settling { moment, trash, listings, ended: None })
    }
}

fn note_that_some_run() {
    static STARTED: Mutex<bool> = Mutex::new(false);
    let mut started = locked(&STARTED);
    if !*started {
        *started = thread::Builder::new().name("arki-guard".to_owned()).spawn(tick_for_ever).is_ok();
    }
    *locked(&RUNNING) += 1;
    SOME_RUN.notify_one();
}

fn tick_for_ever() {
    loop {
        let running = SOME_RUN.wait_while(locked(&RUNNING), |running| *running == 0);
        drop(running.unwrap_or_else(PoisonError::into_inner));
        thread::sleep(TICK);
        let all = locked(&WATCHED).clone();
        all.iter().for_each(|watched| watched.tick());
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
