//! What `/proc` tells of running processes.

use std::fs;

use rustix::process::Pid;

/// The processes of a session, which only their own `setsid` takes them out of.
pub(super) fn of_session(session: Pid) -> Vec<Pid> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    numbers
        .filter(|number| session_of(*number) == Some(session.as_raw_nonzero().get()))
        .filter_map(Pid::from_raw)
        .collect()
}

fn session_of(number: i32) -> Option<i32> {
    let stat = fs::read_to_string(format!("/proc/{number}/stat")).ok()?;
    fields(&stat)?.nth(3)?.parse().ok()
}

/// Those after the name, which may itself contain anything: state, parent, group, session, …
fn fields(stat: &str) -> Option<impl Iterator<Item = &str>> {
    Some(stat.rsplit_once(") ")?.1.split(' '))
}
