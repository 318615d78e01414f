//! The signals that end a command which serves.

use arki_domain::Error;

/// Ends when the user or the system asks for it, from when this returns.
#[cfg(unix)]
pub(crate) fn asked_to_end() -> Result<impl Future<Output = ()> + Send, Error> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupted = signal(SignalKind::interrupt()).map_err(Error::internal)?;
    let mut terminated = signal(SignalKind::terminate()).map_err(Error::internal)?;
    Ok(async move {
        tokio::select! {
            _ = interrupted.recv() => {}
            _ = terminated.recv() => {}
        }
    })
}

#[cfg(not(unix))]
pub(crate) fn asked_to_end() -> Result<impl Future<Output = ()> + Send, Error> {
    Ok(async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    })
}
