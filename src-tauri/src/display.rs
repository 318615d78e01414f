//! Checks for a display before anything is opened: without one GTK ends the process by a panic.

/// Returns the message for the user if no window can be shown.
#[cfg(target_os = "linux")]
pub(crate) fn missing() -> Option<String> {
    if gtk::init().is_ok() {
        return None;
    }
    let named = ["WAYLAND_DISPLAY", "DISPLAY"].map(|name| (name, std::env::var_os(name).unwrap_or_default()));
    let named = named.iter().filter(|(_, value)| !value.is_empty());
    let named: Vec<String> = named.map(|(name, value)| format!("{name}={}", value.to_string_lossy())).collect();
    Some(words(&named))
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn missing() -> Option<String> {
    None
}

#[cfg(target_os = "linux")]
fn words(named: &[String]) -> String {
    let why = match named {
        [] => "neither DISPLAY nor WAYLAND_DISPLAY is set".to_owned(),
        named => format!("nobody answers at {}", arki_engine::one_line(&named.join(" or "))),
    };
    format!("No display: {why}; use `arki` in a terminal instead.")
}
