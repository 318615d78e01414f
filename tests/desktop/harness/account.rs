//! What a program and all that it has started take of the machine, from the kernel's own account.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Times in `/proc` are told in hundredths of a second, on every Linux.
const TICKS_A_SECOND: f64 = 100.0;

pub(crate) struct Account {
    /// Processor time of all threads since they began.
    pub(crate) cpu: Duration,
    /// Memory, with what is shared counted in parts.
    pub(crate) pss_kib: u64,
}

impl Account {
    pub(crate) fn of(root: u32) -> Self {
        let family = family(root);
        let ticks: u64 = family.iter().filter_map(|id| ticks(*id)).sum();
        Self {
            cpu: Duration::from_secs_f64(ticks as f64 / TICKS_A_SECOND),
            pss_kib: family.iter().filter_map(|id| pss_kib(*id)).sum(),
        }
    }
}

/// Processor time of each thread, by its id and name; what is over is not in it.
pub(crate) struct Threads(HashMap<(u32, String), Duration>);

impl Threads {
    pub(crate) fn of(root: u32) -> Self {
        let tasks = family(root).into_iter().filter_map(|id| fs::read_dir(format!("/proc/{id}/task")).ok()).flatten();
        Self(tasks.flatten().filter_map(|task| thread(&task.path())).collect())
    }

    /// The busiest first, with what each has taken since; those that took nothing are left out.
    pub(crate) fn since(&self, earlier: &Self) -> Vec<(String, Duration)> {
        let took = self.0.iter().map(|(of, time)| {
            let before = earlier.0.get(of).copied().unwrap_or_default();
            (of.1.clone(), time.saturating_sub(before))
        });
        let mut took: Vec<_> = took.filter(|(_, time)| !time.is_zero()).collect();
        took.sort_by_key(|(_, time)| std::cmp::Reverse(*time));
        took
    }
}

/// The names of the threads that run before all others.
pub(crate) fn realtime_threads(root: u32) -> Vec<String> {
    /// `SCHED_FIFO` and `SCHED_RR`.
    const REALTIME: [&str; 2] = ["1", "2"];
    let tasks = family(root).into_iter().filter_map(|id| fs::read_dir(format!("/proc/{id}/task")).ok()).flatten();
    let realtime = |task: &fs::DirEntry| {
        let stat = fs::read_to_string(task.path().join("stat")).unwrap_or_default();
        fields(&stat).get(38).is_some_and(|policy| REALTIME.contains(policy))
    };
    let named = tasks.flatten().filter(realtime).map(|task| fs::read_to_string(task.path().join("comm")));
    named.flatten().map(|name| name.trim().to_owned()).collect()
}

fn thread(task: &Path) -> Option<((u32, String), Duration)> {
    let id = task.file_name()?.to_str()?.parse().ok()?;
    let name = fs::read_to_string(task.join("comm")).ok()?.trim().to_owned();
    let nanoseconds = fs::read_to_string(task.join("schedstat")).ok()?.split(' ').next()?.parse().ok()?;
    Some(((id, name), Duration::from_nanos(nanoseconds)))
}

/// When a process was begun, in milliseconds since 1970.
pub(crate) fn began_at(id: u32) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap();
    let after_boot = fields(&stat)[19].parse::<f64>().unwrap() / TICKS_A_SECOND;
    let up: f64 = fs::read_to_string("/proc/uptime").unwrap().split(' ').next().unwrap().parse().unwrap();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs_f64();
    (now - (up - after_boot)) * 1000.0
}

fn family(root: u32) -> Vec<u32> {
    let parents: Vec<(u32, u32)> = fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter_map(|id: u32| Some((id, parent(id)?)))
        .collect();
    let mut family = vec![root];
    let mut seen = 0;
    while seen < family.len() {
        let of = family[seen];
        family.extend(parents.iter().filter(|(_, parent)| *parent == of).map(|(id, _)| *id));
        seen += 1;
    }
    family
}

fn parent(id: u32) -> Option<u32> {
    fields(&fs::read_to_string(format!("/proc/{id}/stat")).ok()?).get(1)?.parse().ok()
}

fn ticks(id: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    let fields = fields(&stat);
    Some(fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?)
}

fn pss_kib(id: u32) -> Option<u64> {
    let rollup = fs::read_to_string(format!("/proc/{id}/smaps_rollup")).ok()?;
    rollup.lines().find_map(|line| line.strip_prefix("Pss:"))?.split_whitespace().next()?.parse().ok()
}

/// What follows the name, which may have spaces and brackets in it: state, parent, …
fn fields(stat: &str) -> Vec<&str> {
    stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect()
}
