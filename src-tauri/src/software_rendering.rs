//! WebKitGTK without a GPU: its shared-memory renderer shows nothing or is slow there, and costs 70 MB more.

/// Chooses plain rendering where there is no graphics device. Must be called before any thread is started.
pub(crate) fn choose() {
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
