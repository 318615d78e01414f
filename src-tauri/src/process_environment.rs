//! The environment that this process hands down to the webview's processes. Both functions change it, so they must be
//! called first thing, before any thread is started.

use arki_engine::{Directories, EnvironmentKeys};

/// Sets how WebKitGTK runs pages, where its defaults are slow or let memory grow. A value that the user has set stays.
pub(crate) fn tune_webkit() {
    #[cfg(target_os = "linux")]
    {
        // Its shared-memory renderer shows nothing or is slow without a GPU, and costs 70 MB more.
        if !std::path::Path::new("/dev/dri").exists() {
            set_default("WEBKIT_DISABLE_DMABUF_RENDERER", "1");
        }
        // By itself it lets a heap grow threefold before it collects, and collects only what is new: while an answer
        // streamed in, the page grew by half a MiB a second. With these, every second collection is of all.
        set_default("JSC_largeHeapSize", "8388608");
        set_default("JSC_heapGrowthMaxIncrease", "0.5");
    }
}

#[cfg(target_os = "linux")]
fn set_default(name: &str, value: &str) {
    if std::env::var_os(name).is_none() {
        // SAFETY: called first thing in `run`, while this is the only thread.
        #[allow(unsafe_code)]
        unsafe {
            std::env::set_var(name, value);
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
