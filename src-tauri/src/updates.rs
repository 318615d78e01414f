//! Updates of the app: looked for when the user wants it, downloaded when the user says so, and installed only where the
//! release's key has signed them.
//!
//! A build knows one server and one key, both given when it is made, or none: then it looks for nothing.

use arki_api::UpdateState;
use arki_domain::{Code, Error};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tauri::utils::platform::bundle_type;
use tauri::{AppHandle, Runtime, Url};
use tauri_plugin_updater::{Error as UpdaterError, Update, UpdaterExt};

/// The address of the list of releases, and the public key (Base64 of minisign's), at the time this is built.
const SERVER: Option<&str> = option_env!("ARKI_UPDATE_URL");
const KEY: Option<&str> = option_env!("ARKI_UPDATE_SIGNER");
/// A package has some 20 MB.
const PATIENCE: Duration = Duration::from_mins(15);
/// The limit for the release notes that are shown.
const MAX_NOTES_CHARS: usize = 4_000;

/// The update that was found last.
#[derive(Default)]
pub(crate) struct Found(Mutex<Option<Update>>);

/// The source of updates: the server, and the key that signs them.
struct Source {
    server: String,
    key: String,
}

/// Returns the source of updates; none if this wasn't installed by a package. A build for development takes it from its
/// environment, for tests; one for users never does.
fn source() -> Option<Source> {
    #[cfg(debug_assertions)]
    if let (Ok(server), Ok(key)) = (std::env::var("ARKI_UPDATE_URL"), std::env::var("ARKI_UPDATE_SIGNER")) {
        return Some(Source { server, key });
    }
    // Elsewhere nobody knows which file would be replaced: `APPIMAGE` may be that of another program, such as the
    // editor whose terminal started this.
    bundle_type()?;
    let given = |value: Option<&'static str>| value.filter(|value| !value.is_empty()).map(str::to_owned);
    Some(Source { server: given(SERVER)?, key: given(KEY)? })
}

/// Asks the server whether there is a newer version.
pub(crate) async fn look<R: Runtime>(app: &AppHandle<R>, found: &Found) -> Result<UpdateState, Error> {
    let Some(source) = source() else { return Ok(UpdateState::NotOffered) };
    let server = Url::parse(&source.server).map_err(|error| failed(&error))?;
    let builder = app.updater_builder().pubkey(source.key).timeout(PATIENCE);
    let updater = builder.endpoints(vec![server]).and_then(|builder| builder.build()).map_err(|error| fault(&error))?;
    let update = updater.check().await.map_err(|error| fault(&error))?;
    let state = update.as_ref().map_or(UpdateState::UpToDate, |update| UpdateState::Available {
        version: update.version.clone(),
        notes: update.body.as_deref().map(|notes| notes.chars().take(MAX_NOTES_CHARS).collect()),
    });
    *found.0.lock().unwrap_or_else(PoisonError::into_inner) = update;
    Ok(state)
}

/// Downloads the update that was found, sees that it is signed, and puts it in the place of this version. It is used from
/// the next start; on Windows the installer starts the app anew.
pub(crate) async fn install(found: &Found, version: &str) -> Result<(), Error> {
    let update = found.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let Some(update) = update.filter(|update| update.version == version) else {
        let message = format!("The update to {version} is no longer known.");
        return Err(Error::new(Code::UPDATE_FAILED, message, "Look for updates again."));
    };
    update.download_and_install(|_, _| {}, || {}).await.map_err(|error| fault(&error))?;
    tracing::info!(version, "an update was installed");
    Ok(())
}

fn fault(error: &UpdaterError) -> Error {
    match error {
        UpdaterError::Minisign(_)
        | UpdaterError::Base64(_)
        | UpdaterError::SignatureUtf8(_)
        | UpdaterError::SignedVersionMismatch { .. }
        | UpdaterError::MissingSignedVersion => Error::new(
            Code::UPDATE_NOT_SIGNED,
            "The update isn't signed as Arki's releases are, so nothing was installed.",
            "Somebody may have tampered with it. Look at the project's page before you install anything by hand.",
        ),
        UpdaterError::AuthenticationFailed => Error::new(
            Code::UPDATE_FAILED,
            "The system did not allow the update to be installed.",
            "Try again and enter your password, or install it with the system's package manager.",
        ),
        error => failed(error),
    }
}

fn failed(error: &dyn std::fmt::Display) -> Error {
    tracing::warn!(%error, "an update");
    let message = format!("Updating failed: {error}.");
    Error::new(Code::UPDATE_FAILED, message, "Arki works as before. Try again later.")
}
