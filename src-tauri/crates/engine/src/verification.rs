//! Proving the logs of a data directory, which no engine has to be open for.

use crate::accounts::keys::anchor_key;
use crate::{Directories, session_names};
use arki_domain::Error;
use arki_store::{ContentsReport, Store, VerifyReport};

/// The scope of `verify`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VerifyScope {
    Log,
    /// And the contents beside it: images of files, prompts, large diffs.
    LogAndContents,
}

/// The result of `verify`.
#[derive(Debug)]
pub struct Verified {
    pub sessions: Vec<VerifyReport>,
    /// `None` where they were not looked at.
    pub contents: Option<ContentsReport>,
}

/// Proves the hash chain of one session, or of all, without changing anything in the data directory.
///
/// # Errors
/// When the database is missing or cannot be read; a broken chain is in the reports.
pub async fn verify(directories: &Directories, session: Option<&str>, scope: VerifyScope) -> Result<Verified, Error> {
    directories.ensure_are_folders()?;
    let (database, name) = (directories.database(), session.map(str::to_owned));
    let opened = tokio::task::spawn_blocking(move || {
        let reader = Store::open_read_only(&database)?;
        let session = name.map(|name| session_names::session(&reader, &name)).transpose()?;
        let has_anchors = reader.verifier().has_anchors()?;
        Ok::<_, Error>((reader, session, has_anchors))
    });
    let (reader, session, has_anchors) = opened.await.map_err(Error::internal)??;
    // The keychain is only asked where there is something to check with its key.
    let key = match has_anchors {
        true => anchor_key().await.ok().flatten(),
        false => None,
    };
    let verified = tokio::task::spawn_blocking(move || {
        let sessions = reader.verifier().verify_anchored(session.as_ref(), key.as_deref())?;
        let contents = match scope {
            VerifyScope::Log => None,
            VerifyScope::LogAndContents => Some(reader.verifier().verify_contents(session.as_ref())?),
        };
        Ok(Verified { sessions, contents })
    });
    verified.await.map_err(Error::internal)?
}
