//! A process of its own: what happens at a panic is the same for all threads.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking, and this one does so on purpose")]

use arki_engine::{Directories, keep_crash_reports, newest_crash_report};

#[test]
fn a_panic_of_any_thread_leaves_a_report() {
    let home = tempfile::tempdir().unwrap();
    let directories = Directories { config: home.path().join("config"), data: home.path().join("data") };
    keep_crash_reports(&directories, "arki-test");
    assert!(!directories.data.exists());
    assert!(std::thread::spawn(|| panic!("it broke on purpose")).join().is_err());
    let report = newest_crash_report(&directories).unwrap().unwrap().text;
    assert!(report.starts_with(concat!("arki-test ", env!("CARGO_PKG_VERSION"))), "{report}");
    assert!(report.contains("it broke on purpose"), "{report}");
    assert!(report.contains("crash_reports.rs"), "{report}");
}
