//! The real app in a real window, used as people use it: through the names that assistive technology sees.
//!
//! Each test has a display, a D-Bus session with a keychain, a home and a scripted model of its own; WebKitWebDriver
//! starts the app that `ARKI_DESKTOP_BIN` names, else the one that Cargo built beside this test. Pictures of the main
//! stages are left in `target/desktop-screenshots`, and one of each test that failed.
//!
//! `cargo test -p arki-tests --test desktop` runs them; the app and `arki` must be built before.

#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "tests fail by panicking and start programs"
)]

mod harness;
mod scenes;

mod accessibility;
mod asking;
mod bad_input;
mod bench;
mod browser;
mod commands;
mod context;
mod delegating;
mod effects;
mod elicitations;
mod failures;
mod finding;
mod first_minutes;
mod folders;
mod inbox;
mod keyboard;
mod large_review;
mod links;
mod main_job;
mod mcp_servers;
mod narrow;
mod no_display;
mod one_review;
mod past;
mod pictures;
mod pipelines;
mod plan;
mod providers;
mod reading;
mod readme_picture;
mod replay;
mod result;
mod review_files;
mod review_mode;
mod right_to_left;
mod session_settings;
mod settings;
mod several;
mod spelling;
mod stale_preview;
mod stopping;
mod threads;
mod transcript;
mod tray;
mod untrusted;
mod updates;
mod usage;
mod waterfall;
mod widths;
mod windows;
mod worktrees;
mod zooming;
