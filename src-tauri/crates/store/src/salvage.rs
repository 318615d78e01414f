//! A database that is damaged at SQLite's own level: what can still be read goes into a new one, the damaged one stays.
//!
//! Looking for damage takes as long as the database is large, so that it is done only when there is a reason: opening
//! failed with it, or reading did and left a mark ([`damage_mark`]). What was tampered with is no damage, and stays as
//! it is: this restores what SQLite can't read, never a chain. A session with a gap is kept, shown, and read-only.
//!
//! `damaged_files` has the files, `leaves` reads rows that no table leads to, `recovery` puts them together.

mod damaged_files;
mod leaves;
mod recovery;

use crate::database::connection::{self, Location};
use crate::database::damage_mark;
use crate::database::files::told_apart;
use crate::reader::StoreReader;
use crate::{Store, StoreError, StoreOptions};
use arki_domain::{Clock, SessionId, SystemClock, plural};
use damaged_files::Scratch;
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The result of salvaging a damaged database.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Salvaged {
    /// The damaged file as it was; its write-ahead log, if it had one, lies beside it.
    pub copy: PathBuf,
    pub recovered_events: u64,
    /// The number of recovered events that no longer match their hash.
    pub unproven_events: u64,
    /// The number of lost events, as far as anything still names or numbers them.
    pub lost_events: u64,
    /// Set when the record of how much there was could not be read to its end: more may be lost.
    pub lost_uncounted: bool,
    /// Snapshots of files, prompts and the like that were still listed, and could not be read.
    pub lost_contents: u64,
    /// Set when decisions about trust, or settings, may be missing: the user is asked again.
    pub lost_settings: bool,
    /// The sessions with a gap; they can be read but not continued.
    pub sessions_broken: Vec<SessionId>,
}

impl Salvaged {
    /// Returns what happened, for people.
    #[must_use]
    pub fn words(&self) -> String {
        let mut words = format!("The database was damaged. {}", self.words_for_events());
        match self.sessions_broken.len() {
            0 => {}
            1 => words += " 1 session has a gap and is read-only.",
            broken => words += &format!(" {broken} sessions have a gap and are read-only."),
        }
        if self.unproven_events > 0 {
            words += &format!(" {} of the recovered events fail verification.", self.unproven_events);
        }
        if self.lost_contents > 0 {
            let (contents, are) =
                (plural(self.lost_contents, "stored item"), if self.lost_contents == 1 { "is" } else { "are" });
            words += &format!(" {contents} (file snapshots, prompts) {are} lost.");
        }
        if self.lost_settings {
            words += " Trust decisions may be lost too; Arki will ask again.";
        }
        format!("{words} The damaged file is kept as {}.", self.copy.display())
    }

    fn words_for_events(&self) -> String {
        let recovered = match self.recovered_events {
            1 => "1 event was recovered".to_owned(),
            events => format!("{events} events were recovered"),
        };
        match (self.recovered_events, self.lost_events, self.lost_uncounted) {
            (0, 0, true) => {
                "None of its log can be read: its sessions are lost, and Arki can't tell how many.".to_owned()
            }
            (_, 0, true) => format!("{recovered}; others may be lost."),
            (_, 0, false) => format!("{recovered}; none seem to be lost."),
            (_, lost, _) => format!("{recovered}, and at least {lost} {} lost.", if lost == 1 { "is" } else { "are" }),
        }
    }
}

/// Opens the store like [`Store::open`], but copies a damaged database aside, as `arki.db.damaged-<milliseconds>`, and
/// puts in its place what can be read of it.
///
/// # Errors
/// Those of [`Store::open`]; `NotArkis` for a file that has nothing of Arki's, `Locked` also while another process has
/// the damaged file open, since what it writes there would be lost.
pub fn open_or_salvage(path: &Path, options: StoreOptions) -> Result<(Store, Option<Salvaged>), StoreError> {
    if !damage_mark::is_noted(path) {
        match Store::open(path, options.clone()).map_err(|error| told_apart(path, error)) {
            Err(StoreError::Damaged { .. }) => {}
            opened => return opened.map(|store| (store, None)),
        }
    }
    let salvaged = salvage(path).map_err(|error| error.located(path))?;
    Ok((Store::open(path, options)?, salvaged))
}

/// `None` when there is nothing to do, perhaps because another process has just done it.
fn salvage(path: &Path) -> Result<Option<Salvaged>, StoreError> {
    let _alone = damaged_files::lock(path)?;
    let salvaged = match check(path).map_err(|error| told_apart(path, error)) {
        Ok(()) => None,
        Err(StoreError::Damaged { .. }) => {
            damaged_files::ensure_unused(path)?;
            Some(rescue(path)?)
        }
        Err(error) => return Err(error),
    };
    damage_mark::forget(path)?;
    Ok(salvaged)
}

fn check(path: &Path) -> Result<(), StoreError> {
    let database = Location::file(path).open_writer()?;
    let found: String = database.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    connection::close(database)?;
    if found == "ok" { Ok(()) } else { Err(StoreError::damaged(found)) }
}

fn rescue(path: &Path) -> Result<Salvaged, StoreError> {
    tracing::warn!(path = %path.display(), "the database is damaged; reading what can be read");
    let copy = damaged_files::set_aside(path, SystemClock.now_ms())?;
    let scratch = Scratch::of(path)?;
    let mut fresh = Location::file(&scratch.fresh).open_writer()?;
    let mut salvaged = recovery::recover(&scratch, &mut fresh)?;
    salvaged.copy = copy;
    salvaged.sessions_broken = close_broken(&scratch.fresh, &fresh)?;
    connection::close(fresh)?;
    scratch.put_in_place(path)?;
    Ok(salvaged)
}

/// Nothing can be appended to a log whose end is not the one that its session remembers; without a hash it is none.
fn close_broken(path: &Path, fresh: &Connection) -> Result<Vec<SessionId>, StoreError> {
    let reader = StoreReader::new(Location::file(path), Arc::new(SystemClock), Arc::new(|_| false));
    let reports = reader.verifier().verify(None)?;
    let broken: Vec<_> = reports.into_iter().filter(|report| !report.ok).map(|report| report.session_id).collect();
    for session in &broken {
        fresh.execute("UPDATE sessions SET last_hash = '' WHERE session_id = ?1", [session.as_str()])?;
    }
    reader.close();
    Ok(broken)
}

#[cfg(test)]
mod tests;
