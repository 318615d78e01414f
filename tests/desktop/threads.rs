//! The priorities of the window's threads: one that runs before all others can keep the whole window from drawing.
//! It sees something only where the system gives such a priority, as it does to root.

use crate::harness::account::realtime_threads;
use crate::harness::{Stage, wait_until};
use arki_testkit::Script;
use std::thread::sleep;
use std::time::Duration;

/// Later than the app's last look at a page that has just come.
const LOOKED: Duration = Duration::from_secs(3);

#[test]
fn no_thread_of_the_window_runs_before_all_others() {
    let stage = Stage::trusted(Script::new(Vec::new()));
    let window = stage.open();
    window.element("textbox", "Message");
    sleep(LOOKED);
    assert_eq!(realtime_threads(stage.app()), [""; 0]);

    // Another page has threads of its own.
    let before = stage.pages();
    stage.kill_pages();
    wait_until("another page", || stage.pages().iter().any(|page| !before.contains(page)));
    sleep(LOOKED);
    assert_eq!(realtime_threads(stage.app()), [""; 0]);
    stage.close_windows();
    stage.app_ends();
}
