//! What this process hands down to the webview's processes through its environment. Both functions change it, so they
//! must be called first thing, before any thread is started.

use arki_engine::{Directories, EnvironmentKeys};

/// WebKitGTK without a GPU: its shared-memory renderer shows nothing or is slow there, and costs 70 MB more. Chooses
/// plain rendering where there is no graphics device.
pub(crate) fn choose_rendering() {
    #[cfg(target_os = "linux")]
    {
        const SWITCH: &str = "WEBKIT_DISABLE_DMABUF_RENDERER";
        let has_gpu = std::path::Path::new("/dev/dri").exists();
        if !has_gpu && std::env::var_os(SWITCH).is_none() {
            // SAFETY: called first thing in `run`, while this is the only thread.
            #[allow(unsafe_code)]
            unsafe {
                std::env::set_var(SWITCH, "1");
            }
        }
    }
}

/// Takes every variable that is configured as a key, or looks like one, out of the environment: the processes that render
/// what a model says inherit it.
pub(crate) fn take_keys() -> EnvironmentKeys {
    let mut keys = EnvironmentKeys::default();
    let configured =
        Directories::from_environment().map(|dirs| EnvironmentKeys::configured_names(&dirs)).unwrap_or_default();
    let names: Vec<String> = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok()).collect();
    let is_key = |name: &&String| configured.contains(name) || EnvironmentKeys::looks_like_a_key(name);
    for name in names.iter().filter(is_key) {
        if let Ok(value) = std::env::var(name) {
            keys.keep(name, value);
        }
        // SAFETY: called first thing in `run`, while this is the only thread.
        #[allow(unsafe_code)]
        unsafe {
            std::env::remove_var(name);
        }
    }
    keys
}
