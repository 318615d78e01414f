//! Diagnostics of the desktop app: files in the data directory, since nobody watches its standard error.

use arki_engine::Directories;
use tracing_subscriber::EnvFilter;

/// Old files beyond this number are removed.
const KEPT_FILES: usize = 7;

/// Starts logging; warnings and errors unless `ARKI_LOG` says otherwise. Without a writable folder there is no log.
pub(crate) fn start(directories: &Directories) {
    // Made here: the appender looks for old files in it first, and says aloud that it isn't there.
    let Some(logs) = directories.make_logs() else { return };
    let appender = tracing_appender::rolling::Builder::new()
        .rotation(tracing_appender::rolling::Rotation::DAILY)
        .filename_prefix("desktop")
        .filename_suffix("log")
        .max_log_files(KEPT_FILES)
        .build(logs);
    let Ok(appender) = appender else { return };
    let filter = EnvFilter::try_from_env("ARKI_LOG").unwrap_or_else(|_| EnvFilter::new("warn"));
    let _ = tracing_subscriber::fmt().with_env_filter(filter).with_ansi(false).with_writer(appender).try_init();
}
