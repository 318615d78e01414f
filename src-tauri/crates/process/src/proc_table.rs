//! Reads the running processes from `/proc`. What ends while it is read is left out.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::time::Duration;

use rustix::process::Pid;

use super::running::Load;

const LISTENING: &str = "0A";

pub(super) struct ProcEntry {
    pub(super) number: i32,
    pub(super) parent: i32,
    pub(super) group: i32,
    pub(super) session: i32,
    /// Ticks since the machine's start.
    pub(super) started: u64,
    ticks: u64,
    pages: u64,
}

/// The processes of a session, which only their own `setsid` takes them out of.
pub(super) fn of_session(session: Pid) -> Vec<Pid> {
    let session = session.as_raw_nonzero().get();
    let members = all().into_iter().filter(|process| process.session == session);
    members.filter_map(|process| Pid::from_raw(process.number)).collect()
}

/// Returns the load of a process and all that it and they started, also in sessions of their own; `known` are members
/// that may have lost their parent.
pub(super) fn load_of(pid: u32, known: &BTreeMap<i32, u64>) -> Option<Load> {
    let root = i32::try_from(pid).ok()?;
    let mut members = all();
    let family = family(root, &still_there(known, &members), &members);
    members.retain(|process| family.contains(&process.number));
    let ticks_a_second = rustix::param::clock_ticks_per_second();
    let page = rustix::param::page_size() as u64;
    let ticks: u64 = members.iter().map(|process| process.ticks).sum();
    Some(Load {
        processes: members.len(),
        memory_bytes: members.iter().map(|process| process.pages * page).sum(),
        cpu: Duration::from_millis(ticks * 1000 / ticks_a_second.max(1)),
        ports: listening(&members),
    })
}

/// Returns those that are still the same processes.
pub(super) fn still_there(known: &BTreeMap<i32, u64>, all: &[ProcEntry]) -> Vec<i32> {
    let is_same = |process: &&ProcEntry| known.get(&process.number) == Some(&process.started);
    all.iter().filter(is_same).map(|process| process.number).collect()
}

/// The numbers of a process and of all that it and `others` started.
pub(super) fn family(root: i32, others: &[i32], all: &[ProcEntry]) -> BTreeSet<i32> {
    let mut numbers = BTreeSet::from([root]);
    numbers.extend(others);
    loop {
        let is_new = |process: &&ProcEntry| {
            !numbers.contains(&process.number) && (numbers.contains(&process.parent) || process.session == root)
        };
        let found: Vec<i32> = all.iter().filter(is_new).map(|process| process.number).collect();
        if found.is_empty() {
            return numbers;
        }
        numbers.extend(found);
    }
}

pub(super) fn all() -> Vec<ProcEntry> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| read(entry.file_name().to_str()?.parse().ok()?)).collect()
}

pub(super) fn read(number: i32) -> Option<ProcEntry> {
    let stat = fs::read_to_string(format!("/proc/{number}/stat")).ok()?;
    // After the name, which may itself contain anything: state, parent, group, session, …
    let fields: Vec<&str> = stat.rsplit_once(") ")?.1.split(' ').collect();
    let field = |index: usize| fields.get(index)?.parse::<u64>().ok();
    Some(ProcEntry {
        number,
        parent: fields.get(1)?.parse().ok()?,
        group: fields.get(2)?.parse().ok()?,
        session: fields.get(3)?.parse().ok()?,
        started: field(19)?,
        ticks: field(11)? + field(12)?,
        pages: field(21)?,
    })
}

/// The memory that a process shares with nobody's files, in bytes.
pub(super) fn own_memory(number: i32) -> u64 {
    let pages = fs::read_to_string(format!("/proc/{number}/statm")).unwrap_or_default();
    // Size, resident, and how much of that is of files or shared on purpose.
    let fields: Vec<u64> = pages.split(' ').map_while(|field| field.parse().ok()).collect();
    let own = fields.get(1).zip(fields.get(2)).map_or(0, |(resident, shared)| resident.saturating_sub(*shared));
    own * rustix::param::page_size() as u64
}

/// The memory that processes share on purpose, in bytes, as far as a process has touched it: `mmap`, `memfd`, `/dev/shm`.
pub(super) fn shared_memory(number: i32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{number}/status")).unwrap_or_default();
    let kibibytes = status.lines().find_map(|line| line.strip_prefix("RssShmem:")?.trim().strip_suffix(" kB"));
    kibibytes.and_then(|number| number.parse::<u64>().ok()).map_or(0, |number| number << 10)
}

/// Each process is asked for the listeners of its own network, of which its descriptors tell which are its.
fn listening(members: &[ProcEntry]) -> Vec<u16> {
    let mut networks: BTreeMap<u64, BTreeMap<u64, u16>> = BTreeMap::new();
    let mut ports = BTreeSet::new();
    for process in members {
        let folder = format!("/proc/{}", process.number);
        let sockets = sockets_of(&folder);
        if sockets.is_empty() {
            continue;
        }
        let Some(network) = inode_of(&format!("{folder}/ns/net")) else { continue };
        let listeners = networks.entry(network).or_insert_with(|| listeners_seen_by(&folder));
        ports.extend(sockets.iter().filter_map(|socket| listeners.get(socket)));
    }
    ports.into_iter().collect()
}

fn sockets_of(folder: &str) -> Vec<u64> {
    let descriptors = fs::read_dir(format!("{folder}/fd")).into_iter().flatten().flatten();
    descriptors.filter_map(|descriptor| inode_of(descriptor.path().to_str()?)).collect()
}

/// Returns the inode in a link such as `socket:[123]`.
fn inode_of(link: &str) -> Option<u64> {
    let target = fs::read_link(link).ok()?;
    let (kind, rest) = target.to_str()?.split_once(":[")?;
    if kind != "socket" && kind != "net" {
        return None;
    }
    rest.trim_end_matches(']').parse().ok()
}

fn listeners_seen_by(folder: &str) -> BTreeMap<u64, u16> {
    let tables = ["tcp", "tcp6"].map(|name| fs::read_to_string(format!("{folder}/net/{name}")).unwrap_or_default());
    tables.iter().flat_map(|table| table.lines().skip(1)).filter_map(listener).collect()
}

/// Inode and port of a line: number, local address, other address, state, … the tenth is the inode.
fn listener(line: &str) -> Option<(u64, u16)> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let (_, port) = fields.get(1)?.rsplit_once(':')?;
    if *fields.get(3)? != LISTENING {
        return None;
    }
    Some((fields.get(9)?.parse().ok()?, u16::from_str_radix(port, 16).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_table_only_listeners_are_taken() {
        let line = "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000 0 41337 1 0 100";
        assert_eq!(listener(line), Some((41337, 8080)));
        assert_eq!(listener(&line.replace(" 0A ", " 01 ")), None);
        assert_eq!(listener("  sl  local_address rem_address   st"), None);
    }

    #[test]
    fn a_family_holds_together_across_sessions() {
        let process = |number, parent, session| {
            let started = u64::try_from(number).unwrap() * 10;
            ProcEntry { number, parent, group: session, session, started, ticks: 0, pages: 0 }
        };
        let all = [process(1, 0, 1), process(5, 1, 5), process(6, 5, 6), process(7, 6, 6), process(8, 1, 5)];
        let detached = [process(9, 1, 9), process(10, 9, 10), process(11, 1, 11)];
        let all: Vec<ProcEntry> = all.into_iter().chain(detached).collect();
        let numbers = |others: &[i32]| family(5, others, &all).into_iter().collect::<Vec<i32>>();
        assert_eq!(numbers(&[]), [5, 6, 7, 8]);
        assert_eq!(numbers(&[9]), [5, 6, 7, 8, 9, 10]);
        assert_eq!(still_there(&BTreeMap::from([(9, 90), (11, 7), (12, 120)]), &all), [9]);
    }
}
