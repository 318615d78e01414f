//! The desktop shell: a window over the engine, and as little else as possible.
//!
//! This is the only crate that knows Tauri. Commands are thin delegates (`rpc`), what happens reaches the window as
//! frames (`rpc_frames`), and the windows are in `windows`. Everything that could also happen without a window
//! belongs into `arki-engine`.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic))]

mod arguments;
mod awake;
mod clipboard;
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
mod rpc;
mod rpc_configured;
mod rpc_context;
mod rpc_frames;
mod rpc_history;
mod rpc_keeping;
mod rpc_mcp;
mod rpc_memory;
mod rpc_observations;
mod rpc_pictures;
mod rpc_pipelines;
mod rpc_places;
mod rpc_runs;
mod rpc_sent;
mod rpc_settings;
mod rpc_windows;
mod spelling;
mod tray;
mod updates;
mod webkit_threads;
mod windows;

pub use desktop::run;
