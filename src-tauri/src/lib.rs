//! The desktop shell: a window over the engine, and as little else as possible.
//!
//! This is the only crate that knows Tauri. `arki-commands` answers the window's commands, with what a desktop has around
//! a window (`commands`), and the windows are in `windows`. Everything that could also happen without a window belongs
//! into `arki-engine`.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic))]

mod arguments;
mod awake;
mod clipboard;
mod commands;
mod desktop;
mod desktop_state;
mod desktop_words;
mod display;
mod drops;
mod log_files;
#[cfg_attr(windows, allow(dead_code, reason = "the webview offers that by itself there"))]
mod lost_pages;
mod menu_bar;
mod notices;
mod process_environment;
mod spelling;
mod tray;
mod updates;
mod webkit_threads;
mod windows;

pub use desktop::run;
