//! What `/proc` tells of running processes. What ends while it is read is left out.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::time::Duration;

use rustix::process::Pid;

use super::running::Load;

const LISTENING: &str = "0A";

struct Process {
    number: i32,
    parent: i32,
    session: i32,
    ticks: u64,
    pages: u64,
}

/// The processes of a session, which only their own `setsid` takes them out of.
pub(super) fn of_session(session: Pid) -> Vec<Pid> {
    let session = session.as_raw_nonzero().get();
    let members = all().into_iter().filter(|process| process.session == session);
    members.filter_map(|process| Pid::from_raw(process.number)).collect()
}

/// Of a process and all that it and they started, also in sessions of their own.
pub(super) fn load_of(pid: u32) -> Option<Load> {
    let root = i32::try_from(pid).ok()?;
    let members = family(root, all());
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

fn family(root: i32, all: Vec<Process>) -> Vec<Process> {
    let mut numbers = BTreeSet::from([root]);
    loop {
        let is_new = |process: &&Process| {
            !numbers.contains(&process.number) && (numbers.contains(&process.parent) || process.session == root)
        };
        let found: Vec<i32> = all.iter().filter(is_new).map(|process| process.number).collect();
        if found.is_empty() {
            break;
        }
        numbers.extend(found);
    }
    all.into_iter().filter(|process| numbers.contains(&process.number)).collect()
}

fn all() -> Vec<Process> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| read(entry.file_name().to_str()?.parse().ok()?)).collect()
}

fn read(number: i32) -> Option<Process> {
    let stat = fs::read_to_string(format!("/proc/{number}/stat")).ok()?;
    // After the name, which may itself contain anything: state, parent, group, session, …
    let fields: Vec<&str> = stat.rsplit_once(") ")?.1.split(' ').collect();
    let field = |index: usize| fields.get(index)?.parse::<u64>().ok();
    Some(Process {
        number,
        parent: fields.get(1)?.parse().ok()?,
        session: fields.get(3)?.parse().ok()?,
        ticks: field(11)? + field(12)?,
        pages: field(21)?,
    })
}

/// Each process is asked for the listeners of its own network, of which its descriptors tell which are its.
fn listening(members: &[Process]) -> Vec<u16> {
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

/// Of a link such as `socket:[123]`.
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
        let process = |number, parent, session| Process { number, parent, session, ticks: 0, pages: 0 };
        let all = vec![process(1, 0, 1), process(5, 1, 5), process(6, 5, 6), process(7, 6, 6), process(8, 1, 5)];
        let numbers: Vec<i32> = family(5, all).iter().map(|process| process.number).collect();
        assert_eq!(numbers, [5, 6, 7, 8]);
    }
}
