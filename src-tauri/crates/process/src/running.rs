//! The commands that run now, and the programs that are spoken to over pipes, so that they can be shown and stopped one
//! by one.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use tokio_util::sync::CancellationToken;

use super::watch::Members;

/// A command of this process, as it is at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunningCommand {
    /// Never used again.
    pub id: u64,
    /// The process ID of the first process; a sandbox knows it by another number.
    pub pid: u32,
    pub command_line: String,
    /// The name of a program that is spoken to; `None` for a plain command.
    pub name: Option<String>,
    pub directory: PathBuf,
    pub started_at: SystemTime,
    /// The load of the command; `None` where the system does not tell.
    pub load: Option<Load>,
    /// Its ports are reached by itself alone.
    pub own_network: bool,
}

/// The load of a command with all that it started.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Load {
    pub processes: usize,
    pub memory_bytes: u64,
    pub cpu: Duration,
    /// TCP ports that are listened on, in order.
    pub ports: Vec<u16>,
}

/// The entry of a running command.
#[derive(Debug, Clone)]
pub(super) struct CommandListing {
    pub(super) pid: u32,
    pub(super) command_line: String,
    pub(super) name: Option<String>,
    pub(super) directory: PathBuf,
    pub(super) own_network: bool,
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "nobody tells them there"))]
    pub(super) members: Members,
}

#[derive(Debug, Clone)]
struct RunningEntry {
    listing: CommandListing,
    started_at: SystemTime,
    stop: CancellationToken,
}

static RUNNING: Mutex<BTreeMap<u64, RunningEntry>> = Mutex::new(BTreeMap::new());

/// All commands of this process, and programs that are spoken to, the oldest first. Looks through the system's processes.
pub fn running_commands() -> Vec<RunningCommand> {
    let entries = running().clone();
    let of = |(id, entry): (u64, RunningEntry)| RunningCommand {
        id,
        pid: entry.listing.pid,
        load: load(&entry.listing),
        command_line: entry.listing.command_line,
        name: entry.listing.name,
        directory: entry.listing.directory,
        started_at: entry.started_at,
        own_network: entry.listing.own_network,
    };
    entries.into_iter().map(of).collect()
}

/// Stops a command as if its run were cancelled, a program as if nobody spoke to it any more, with everything it started.
/// Whether it ran.
pub fn stop_command(id: u64) -> bool {
    let entry = running().get(&id).cloned();
    entry.is_some_and(|entry| {
        entry.stop.cancel();
        true
    })
}

/// Listed as long as it is held.
pub(super) struct ListedCommand(u64);

impl ListedCommand {
    /// The token is cancelled when somebody stops it.
    pub(super) fn new(listing: CommandListing, stop: &CancellationToken) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        let entry = RunningEntry { listing, started_at: SystemTime::now(), stop: stop.clone() };
        running().insert(id, entry);
        Self(id)
    }
}

impl Drop for ListedCommand {
    fn drop(&mut self) {
        running().remove(&self.0);
    }
}

fn running() -> MutexGuard<'static, BTreeMap<u64, RunningEntry>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(target_os = "linux")]
fn load(listing: &CommandListing) -> Option<Load> {
    let known = listing.members.lock().unwrap_or_else(PoisonError::into_inner).clone();
    super::proc_table::load_of(listing.pid, &known)
}

#[cfg(not(target_os = "linux"))]
fn load(_: &CommandListing) -> Option<Load> {
    None
}
