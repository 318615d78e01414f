//! `arki-desktop [DIR]`: the window, on DIR if given.

#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

/// Decision 0025.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    arki_desktop_lib::run()
}
