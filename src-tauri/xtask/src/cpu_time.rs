//! The processor time that a process or thread has had, by the kernel's own account, in nanoseconds: Linux only,
//! nothing elsewhere.

use std::{fs, time::Duration};

/// Sums the time of all threads that the process has now.
pub(crate) fn of_process(id: u32) -> Duration {
    let threads = fs::read_dir(format!("/proc/{id}/task")).into_iter().flatten().flatten();
    threads.map(|thread| of(&thread.path().join("schedstat").display().to_string())).sum()
}

pub(crate) fn of_this_thread() -> Duration {
    of("/proc/thread-self/schedstat")
}

fn of(path: &str) -> Duration {
    let told = fs::read_to_string(path).unwrap_or_default();
    told.split(' ').next().and_then(|nanoseconds| nanoseconds.parse().ok()).map_or(Duration::ZERO, Duration::from_nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn what_a_thread_did_is_told_of_it_and_its_process() {
        let mut sum = 0_u64;
        while of_this_thread() < Duration::from_millis(5) {
            sum = std::hint::black_box(sum.wrapping_add(1));
        }
        // Other tests' threads come and go meanwhile, this one stays.
        let own = of_this_thread();
        assert!(of_process(std::process::id()) >= own);
        assert_eq!(of_process(u32::MAX), Duration::ZERO);
    }
}
