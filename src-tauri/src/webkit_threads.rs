//! WebKitGTK gives a realtime priority to threads that pass messages between its processes, where the system lets it. Its
//! allocator waits for a lock by `sched_yield`, which lets nobody of a lower priority run: where the lock's holder had been
//! running on the same processor, the window stood still until the system moved the holder to another one, for 55 to 155 ms
//! (seen with `perf` in WebKitGTK 2.50). So these threads get the ordinary priority back.

/// The page's process asks for the priority once its page is visible, and again when it has been out of sight.
#[cfg(target_os = "linux")]
const AFTER: std::time::Duration = std::time::Duration::from_secs(1);

/// Calms the threads of all pages, now and once a page that has just come, or come back, has asked.
#[cfg(target_os = "linux")]
pub(crate) fn calm_soon() {
    tauri::async_runtime::spawn(async {
        calm();
        tokio::time::sleep(AFTER).await;
        calm();
    });
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn calm_soon() {}

#[cfg(target_os = "linux")]
fn calm() {
    let own = std::process::id().to_string();
    for process in webkit_children().into_iter().chain([own]) {
        let threads = std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
        threads.filter_map(|thread| thread.file_name().to_str()?.parse().ok()).for_each(make_ordinary);
    }
}

/// The webview's processes. What else this process has started keeps its priorities.
#[cfg(target_os = "linux")]
fn webkit_children() -> Vec<String> {
    let is_webkit =
        |id: &String| std::fs::read_to_string(format!("/proc/{id}/comm")).is_ok_and(|name| name.starts_with("WebKit"));
    let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let children = threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok());
    children.flat_map(|ids| ids.split_whitespace().map(str::to_owned).collect::<Vec<_>>()).filter(is_webkit).collect()
}

#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "rustix has no calls for the scheduler")]
fn make_ordinary(thread: libc::pid_t) {
    let ordinary = libc::sched_param { sched_priority: 0 };
    // SAFETY: both calls take numbers and a pointer to what lives as long as the call; a thread that has ended is an error.
    unsafe {
        let policy = libc::sched_getscheduler(thread) & !libc::SCHED_RESET_ON_FORK;
        if policy == libc::SCHED_RR {
            // The flag was set with the priority, and only root may take it away.
            libc::sched_setscheduler(thread, libc::SCHED_OTHER | libc::SCHED_RESET_ON_FORK, &ordinary);
        }
    }
}
