//! Reports of crashes of Arki itself: files in the data directory, for the user to send or to remove. Nothing sends them.

use crate::Directories;
use arki_api::CrashReport;
use arki_disk::{create_private_dir, remove_private_file, write_private_file};
use arki_domain::Error;
use std::backtrace::Backtrace;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

const KEPT_REPORTS: usize = 5;
/// A longer report is cut to so many bytes.
const MAX_BYTES: usize = 64 * 1024;

/// Makes every later panic of this process leave a report, in addition to its usual effects.
pub fn keep_crash_reports(directories: &Directories, program: &'static str) {
    let folder = folder(directories);
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        before(panic);
        let system = format!("{} {}", std::env::consts::OS, std::env::consts::ARCH);
        let version = env!("CARGO_PKG_VERSION");
        let text = format!("{program} {version}, {system}\n{panic}\n\n{}", Backtrace::force_capture());
        keep(&folder, &text);
    }));
}

/// Returns the newest report.
///
/// # Errors
/// When it cannot be read.
pub fn newest_crash_report(directories: &Directories) -> Result<Option<CrashReport>, Error> {
    let Some((at, path)) = reports(&folder(directories)).pop() else { return Ok(None) };
    let text = std::fs::read(path).map_err(Error::internal)?;
    Ok(Some(CrashReport { at, text: String::from_utf8_lossy(&text).into_owned() }))
}

/// Removes the reports up to that time, in milliseconds since 1970: newer ones have not been seen.
///
/// # Errors
/// When one of them cannot be removed.
pub fn remove_crash_reports(directories: &Directories, until: i64) -> Result<(), Error> {
    for (_, path) in reports(&folder(directories)).iter().filter(|(at, _)| *at <= until) {
        remove_private_file(path)?;
    }
    Ok(())
}

fn folder(directories: &Directories) -> PathBuf {
    directories.data.join("crashes")
}

/// While a program crashes there is nobody to tell of what fails.
fn keep(folder: &Path, text: &str) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    let end = text.floor_char_boundary(MAX_BYTES);
    if create_private_dir(folder).is_err() {
        return;
    }
    let _ = write_private_file(&folder.join(format!("{now}.txt")), &text.as_bytes()[..end]);
    let all = reports(folder);
    for (_, path) in all.iter().take(all.len().saturating_sub(KEPT_REPORTS)) {
        let _ = remove_private_file(path);
    }
}

/// Lists the reports with their times in milliseconds since 1970, the newest last; other files are left alone.
fn reports(folder: &Path) -> Vec<(i64, PathBuf)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut all: Vec<(i64, PathBuf)> = entries
        .filter_map(|entry| {
            let path = entry.path();
            let at = path.file_name()?.to_str()?.strip_suffix(".txt")?.parse().ok()?;
            Some((at, path))
        })
        .collect();
    all.sort();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_report_is_shown_the_oldest_go_and_other_files_stay() {
        let home = tempfile::tempdir().unwrap();
        let directories = Directories { config: home.path().join("config"), data: home.path().join("data") };
        assert!(newest_crash_report(&directories).unwrap().is_none());
        let crashes = folder(&directories);
        keep(&crashes, "a crash");
        for at in 1..=KEPT_REPORTS {
            std::fs::write(crashes.join(format!("{at}.txt")), "older").unwrap();
        }
        std::fs::write(crashes.join("notes.txt"), "mine").unwrap();
        keep(&crashes, &"é".repeat(MAX_BYTES));
        let kept = reports(&crashes);
        assert_eq!(kept.len(), KEPT_REPORTS);
        let newest = newest_crash_report(&directories).unwrap().unwrap();
        assert_eq!(newest.text.len(), MAX_BYTES);
        remove_crash_reports(&directories, newest.at - 1).unwrap();
        assert_eq!(newest_crash_report(&directories).unwrap().unwrap().at, newest.at);
        remove_crash_reports(&directories, newest.at).unwrap();
        assert!(newest_crash_report(&directories).unwrap().is_none());
        assert!(crashes.join("notes.txt").exists());
    }
}
