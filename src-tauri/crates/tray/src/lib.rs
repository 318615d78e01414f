//! Nothing but a dependency: it turns on Tauri's tray on macOS and Windows.
//!
//! On Linux that feature would load a C library at run time, and panic where there is none (decision 0045). The desktop
//! app can't turn it on itself: Tauri's bundler reads the app's own manifest, takes a feature of any system for one of
//! this, and would have the Linux packages depend on that library.
