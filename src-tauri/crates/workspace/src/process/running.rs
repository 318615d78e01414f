//! The commands that run now, so that they can be shown and stopped one by one.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use tokio_util::sync::CancellationToken;

use super::CommandSpec;
use super::watch::Members;

/// A command of this process, as it is at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunningCommand {
    /// Never used again.
    pub id: u64,
    /// Of the first process; a sandbox knows it by another number.
    pub pid: u32,
    pub command_line: String,
    pub directory: PathBuf,
    pub started_at: SystemTime,
    /// What it takes; `None` where the system does not tell.
    pub load: Option<Load>,
    /// Its ports are reached by itself alone.
    pub own_network: bool,
}

/// Of a command with all that it started.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Load {
    pub processes: usize,
    pub memory_bytes: u64,
    pub cpu: Duration,
    /// TCP ports that are listened on, in order.
    pub ports: Vec<u16>,
}

#[derive(Debug, Clone)]
struct Entry {
    pid: u32,
    command_line: String,
    directory: PathBuf,
    started_at: SystemTime,
    own_network: bool,
    stop: CancellationToken,
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "nobody tells them there"))]
    members: Members,
}

static RUNNING: Mutex<BTreeMap<u64, Entry>> = Mutex::new(BTreeMap::new());

/// All commands of this process, the oldest first. Looks through the system's processes.
pub fn running_commands() -> Vec<RunningCommand> {
    let entries = running().clone();
    let of = |(id, entry): (u64, Entry)| RunningCommand {
        id,
        pid: entry.pid,
        load: load(&entry),
        command_line: entry.command_line,
        directory: entry.directory,
        started_at: entry.started_at,
        own_network: entry.own_network,
    };
    entries.into_iter().map(of).collect()
}

/// Stops a command as if its run were cancelled, with everything it started. Whether it ran.
pub fn stop_command(id: u64) -> bool {
    let entry = running().get(&id).cloned();
    entry.is_some_and(|entry| {
        entry.stop.cancel();
        true
    })
}

/// Listed as long as it is held.
pub(super) struct Listed(u64);

impl Listed {
    /// The token is cancelled when somebody stops it.
    pub(super) fn new(spec: &CommandSpec<'_>, pid: u32, stop: &CancellationToken, members: Members) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        let entry = Entry {
            pid,
            command_line: spec.command_line.clone(),
            directory: spec.directory.clone(),
            started_at: SystemTime::now(),
            own_network: spec.sandbox.is_some_and(crate::sandbox::Sandbox::has_own_network),
            stop: stop.clone(),
            members,
        };
        running().insert(id, entry);
        Self(id)
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        running().remove(&self.0);
    }
}

fn running() -> MutexGuard<'static, BTreeMap<u64, Entry>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(target_os = "linux")]
fn load(entry: &Entry) -> Option<Load> {
    let known = entry.members.lock().unwrap_or_else(PoisonError::into_inner).clone();
    super::proc_table::load_of(entry.pid, &known)
}

#[cfg(not(target_os = "linux"))]
fn load(_: &Entry) -> Option<Load> {
    None
}
