//! The journal of a project's state before commands could change it, kept in Arki's data for as long as they run:
//! should this process be killed, the next one looks for what they left (`leavings`).
//!
//! One file for each project that a process runs commands in. Its first line is a [`Before`], each that follows is what
//! one more command could reach, and the last, after a death, is the word of who ends the commands then
//! (`orphan_guard`). The file is locked by its owner, so that no process number has to be trusted; a command begins when
//! its line is written, so that a line that breaks off is of one that never did. Nothing is synced to the disk: a killed
//! process needs none of it, and a power cut may take the file with it.
//!
//! *Whose a change is.* The owner touches the file every few seconds. What changed in the project later than that, and
//! a little, is not the commands': they ended with their owner. It is left, and named.

use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use arki_domain::sha256_hex;

use super::ended::EndedAt;
use super::leavings::{Before, Reached};
use super::listings::tells_of_changes;
use arki_disk::{create_private_dir, is_same};
use arki_process::{ENDED, note_end_in};

/// The length of a journal's name, a hash of the project's path; no two projects share one.
const NAME_CHARS: usize = 16;
const EXTENSION: &str = "journal";
/// A journal names at most some thousand small files, and those of Arki's folder.
const MAX_BYTES: u64 = 256 << 20;
/// The interval at which its owner touches it.
const HEARTBEAT: Duration = Duration::from_secs(2);
/// The time after the last touch by which its commands are gone for certain, even if it was held up.
const SURELY_DEAD: Duration = Duration::from_secs(10);
/// The time after the note of their end; a killed command finishes its current system call.
const LAST_BREATH: Duration = Duration::from_secs(1);
/// Attempts to make a file that nobody else takes for a dead one's, and how long that one may take to see that it is not.
const ATTEMPTS: usize = 200;
const PAUSE: Duration = Duration::from_millis(5);

/// The journal of commands that run in this process; removed when dropped.
#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    file: File,
    /// Lines that are in it.
    reached: BTreeSet<Vec<u8>>,
    touched: Instant,
}

impl Journal {
    /// The same for a project each time in this process, which is the only one to use it.
    pub(super) fn path(folder: &Path, root: &Path) -> PathBuf {
        let since_epoch = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let unique = format!("{}-{}-{}", name_of(root), std::process::id(), since_epoch.as_nanos());
        folder.join(unique).with_extension(EXTENSION)
    }

    /// `None` where files can't be locked: nobody could tell whether the owner lives.
    pub(super) fn begin(path: &Path, before: &Before) -> io::Result<Option<Self>> {
        create_private_dir(folder_of(path)).map_err(io::Error::other)?;
        let mut line = serde_json::to_vec(before)?;
        line.push(b'\n');
        for _ in 0..ATTEMPTS {
            let file = match File::options().append(true).create_new(true).mode(0o600).open(path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    thread::sleep(PAUSE);
                    continue;
                }
                file => file?,
            };
            match file.try_lock() {
                Ok(()) if is_same(&file, path) => {
                    let (reached, touched) = (BTreeSet::new(), Instant::now());
                    let mut journal = Self { path: path.to_owned(), file, reached, touched };
                    journal.file.write_all(&line)?;
                    note_end_in(path);
                    return Ok(Some(journal));
                }
                // Between its making and its locking somebody removed it.
                Ok(()) | Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(_)) => {
                    fs::remove_file(path)?;
                    return Ok(None);
                }
            }
        }
        Err(io::ErrorKind::ResourceBusy.into())
    }

    /// Adds an entry, before the command begins.
    pub(super) fn add(&mut self, reached: &Reached) -> io::Result<()> {
        let mut line = serde_json::to_vec(reached)?;
        line.push(b'\n');
        if !self.reached.contains(&line) {
            self.file.write_all(&line)?;
            self.reached.insert(line);
        }
        Ok(())
    }

    /// Says that its owner lives, if it is time to. Safe to call more often.
    pub(super) fn beat(&mut self) {
        if self.touched.elapsed() < HEARTBEAT {
            return;
        }
        self.touched = Instant::now();
        if let Err(error) = self.file.set_modified(SystemTime::now()) {
            tracing::debug!(%error, "a journal was not touched");
        }
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        remove_journal(&self.path);
    }
}

fn remove_journal(path: &Path) {
    if let Err(error) = fs::remove_file(path) {
        tracing::warn!(%error, "a journal was not removed");
    }
}

/// Returns the state of the project that another living process has noted: what its commands have made since was not
/// there before.
pub(super) fn of_another(folder: &Path, root: &Path) -> Option<Before> {
    let is_locked =
        |path: &PathBuf| open(path).is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)));
    of_project(folder, root).filter(is_locked).find_map(|path| read(&open(&path).ok()?, root)?.before)
}

/// A journal whose owner is gone. Locked, so that nobody else settles it too.
pub(super) struct Abandoned {
    path: PathBuf,
    _lock: File,
    /// Nothing where no command had begun.
    pub(super) before: Option<Before>,
    pub(super) reached: Reached,
    pub(super) ended: Option<EndedAt>,
}

impl Abandoned {
    pub(super) fn all(folder: &Path, root: &Path) -> Vec<Self> {
        of_project(folder, root).filter_map(|path| Self::lock(path, root)).collect()
    }

    fn lock(path: PathBuf, root: &Path) -> Option<Self> {
        let file = open(&path).ok()?;
        file.try_lock().ok()?;
        if !is_same(&file, &path) {
            return None;
        }
        let JournalNotes { before, reached, is_ended } = read(&file, root)?;
        let before = before.filter(|_| !reached.is_empty());
        let ended = ended(&file, folder_of(&path), is_ended);
        Some(Self { path, _lock: file, before, reached: Reached::by_all(&reached), ended })
    }

    /// Once its leavings are dealt with.
    pub(super) fn remove(self) {
        remove_journal(&self.path);
    }
}

/// Opens the file for writing as well, since some network file systems require it for a lock.
fn open(path: &Path) -> io::Result<File> {
    File::options().read(true).append(true).open(path)
}

#[derive(Default)]
struct JournalNotes {
    before: Option<Before>,
    reached: Vec<Reached>,
    is_ended: bool,
}

/// `None` where it can't be read, or is another project's. What breaks off is nothing.
fn read(file: &File, root: &Path) -> Option<JournalNotes> {
    let mut text = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut text).ok()?;
    let mut lines = text.split(|byte| *byte == b'\n');
    let Some(before) = lines.next().and_then(|line| serde_json::from_slice::<Before>(line).ok()) else {
        return Some(JournalNotes::default());
    };
    if before.root != root {
        return None;
    }
    let mut noted = JournalNotes { before: Some(before), ..JournalNotes::default() };
    for line in lines {
        noted.is_ended |= line == ENDED.as_bytes();
        noted.reached.extend(serde_json::from_slice::<Reached>(line).ok());
    }
    Some(noted)
}

/// `None` where it is not known: all that changed may be the commands'.
fn ended(file: &File, folder: &Path, is_ended: bool) -> Option<EndedAt> {
    let touched = file.metadata().and_then(|found| found.modified()).ok().filter(|_| tells_of_changes(folder))?;
    if is_ended {
        return touched.checked_add(LAST_BREATH).map(EndedAt);
    }
    // The machine may have stopped long after the last touch, if the owner was held up, but not after it was started.
    touched.checked_add(SURELY_DEAD).map(|dead| EndedAt(started().map_or(dead, |started| dead.max(started))))
}

/// The machine.
#[cfg(target_os = "linux")]
fn started() -> Option<SystemTime> {
    let stat = fs::read_to_string("/proc/stat").ok()?;
    let seconds = stat.lines().find_map(|line| line.strip_prefix("btime "))?.trim().parse().ok()?;
    SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds))
}

#[cfg(not(target_os = "linux"))]
fn started() -> Option<SystemTime> {
    None
}

fn of_project(folder: &Path, root: &Path) -> impl Iterator<Item = PathBuf> {
    let name = name_of(root);
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.filter(move |path| {
        path.extension().is_some_and(|extension| extension == EXTENSION)
            && path.file_name().is_some_and(|named| named.to_string_lossy().starts_with(&name))
    })
}

fn name_of(root: &Path) -> String {
    use std::os::unix::ffi::OsStrExt;
    sha256_hex(root.as_os_str().as_bytes()).chars().take(NAME_CHARS).collect()
}

fn folder_of(path: &Path) -> &Path {
    path.parent().unwrap_or(path)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::super::leavings::Held;
    use super::super::sensitive;
    use super::*;
    use std::sync::Mutex;

    struct World {
        folder: tempfile::TempDir,
        path: PathBuf,
    }

    impl World {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            fs::create_dir_all(folder.path().join("project/.git/hooks")).unwrap();
            fs::write(folder.path().join("project/.git/config"), [0xff, b'x']).unwrap();
            let mut world = Self { folder, path: PathBuf::new() };
            world.path = Journal::path(&world.journals(), &world.root());
            world
        }

        fn root(&self) -> PathBuf {
            self.folder.path().join("project").canonicalize().unwrap()
        }

        fn journals(&self) -> PathBuf {
            self.folder.path().join("journals")
        }

        fn begun(&self) -> Journal {
            let git = sensitive::find(&self.root(), &Mutex::default());
            let before = Before::look(&self.root(), git, Held::Nothing).unwrap();
            Journal::begin(&self.path, &before).unwrap().unwrap()
        }

        /// Leaves the journal as a killed owner does.
        fn killed(&self, held: &[Held]) {
            let _ = fs::remove_file(&self.path);
            let mut journal = self.begun();
            for held in held {
                journal.add(&Reached { held: *held, writes_hooks: false, elsewhere: vec!["/tmp".into()] }).unwrap();
            }
            let text = fs::read(&self.path).unwrap();
            drop(journal);
            fs::write(&self.path, text).unwrap();
        }

        fn abandoned(&self) -> Vec<Abandoned> {
            Abandoned::all(&self.journals(), &self.root())
        }
    }

    #[test]
    fn a_journal_is_abandoned_when_its_owner_is_gone_and_only_once() {
        let world = World::new();
        let journal = world.begun();
        assert!(world.abandoned().is_empty());
        assert!(of_another(&world.journals(), &world.root()).is_some());
        drop(journal);
        assert!(world.abandoned().is_empty() && of_another(&world.journals(), &world.root()).is_none());
        world.killed(&[Held::Everything, Held::Nothing]);
        let mut abandoned = world.abandoned();
        assert_eq!((abandoned.len(), abandoned[0].reached.held), (1, Held::Nothing));
        assert!(abandoned[0].before.is_some());
        // Whoever has it settles it alone.
        assert!(world.abandoned().is_empty());
        abandoned.remove(0).remove();
        assert!(!world.path.exists());
    }

    #[test]
    fn where_no_command_had_begun_nothing_is_settled() {
        let world = World::new();
        world.killed(&[]);
        assert!(world.abandoned().iter().all(|abandoned| abandoned.before.is_none()));
        world.killed(&[Held::Nothing]);
        let text = fs::read(&world.path).unwrap();
        for end in 0..text.len() - 2 {
            fs::write(&world.path, &text[..end]).unwrap();
            assert!(world.abandoned().iter().all(|abandoned| abandoned.before.is_none()), "{end}");
        }
    }

    #[test]
    fn a_journal_that_another_takes_for_a_dead_ones_is_begun_again() {
        let world = World::new();
        fs::create_dir_all(world.journals()).unwrap();
        fs::write(&world.path, "").unwrap();
        let taken = world.abandoned();
        assert_eq!(taken.len(), 1);
        let remove = || taken.into_iter().for_each(Abandoned::remove);
        let journal = thread::scope(|scope| {
            let begins = scope.spawn(|| world.begun());
            remove();
            begins.join().unwrap()
        });
        assert!(world.path.exists() && world.abandoned().is_empty());
        drop(journal);
    }

    #[test]
    fn another_projects_is_not_touched() {
        let world = World::new();
        world.killed(&[Held::Nothing]);
        let other = World::new();
        fs::create_dir_all(other.journals()).unwrap();
        let name = Journal::path(&other.journals(), &other.root());
        fs::copy(&world.path, &name).unwrap();
        assert!(other.abandoned().is_empty() && name.exists());
    }

    #[test]
    fn by_the_word_of_their_end_or_the_last_touch_it_is_known_when_commands_were_gone() {
        let world = World::new();
        world.killed(&[Held::Everything]);
        let touched = SystemTime::now() - Duration::from_secs(60);
        let file = File::options().append(true).open(&world.path).unwrap();
        let ends = || world.abandoned()[0].ended.unwrap().0;
        file.set_modified(touched).unwrap();
        assert_eq!(ends(), started().unwrap().max(touched + SURELY_DEAD));
        (&file).write_all(b"{\"held\": \nended\n").unwrap();
        file.set_modified(touched).unwrap();
        assert_eq!(ends(), touched + LAST_BREATH);
    }
}
