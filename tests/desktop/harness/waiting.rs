//! Waiting with an end: nothing in these tests hangs.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::thread;
use std::time::{Duration, Instant};

/// Longer than anything that a test waits for, on a slow machine that does other things too.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A frame: what the window shows does not change faster.
pub(crate) const INTERVAL: Duration = Duration::from_millis(16);

/// Asks again and again, because nobody tells; the answer, once there is one.
#[track_caller]
pub(crate) fn wait_for<T>(what: &str, ask: impl FnMut() -> Option<T>) -> T {
    answered(ask).unwrap_or_else(|| panic!("waited in vain: {what}"))
}

#[track_caller]
pub(crate) fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    wait_for(what, || condition().then_some(()));
}

/// Waits until the condition holds; false where it did not in time.
pub(crate) fn in_time(mut condition: impl FnMut() -> bool) -> bool {
    answered(|| condition().then_some(())).is_some()
}

fn answered<T>(mut ask: impl FnMut() -> Option<T>) -> Option<T> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let answer = ask();
        if answer.is_some() || Instant::now() > deadline {
            return answer;
        }
        thread::sleep(INTERVAL);
    }
}

/// A port that nobody listens at now.
pub(crate) fn free_address() -> SocketAddr {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap()
}
