//! The changes of a command as they lie beside the log: a list, and the contents by their hashes.

use crate::outcome::ToolError;
use arki_domain::{Content, ContentKind, ContentStore, Error, sha256_hex};
use arki_files::{
    ChangeSet, CopyLimits, Effect, FileContent, FileFound, Project, close_to_writing, copy_files, follow_edits, paths,
    plan_effects,
};
use globset::GlobSet;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// A change as it lies beside the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct StoredEffect {
    pub(super) path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) before: Option<StoredState>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) after: Option<StoredState>,
    /// Somebody else changed it while the command ran.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) has_changed_outside: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct StoredState {
    /// SHA-256 hex of a file's bytes, or of where a link leads; absent of a folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) hash: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_link: bool,
    /// Unix permission bits of a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mode: Option<u32>,
}

impl StoredState {
    pub(super) fn of(found: &FileFound) -> Self {
        Self { hash: found.content.hash(), is_link: found.content.is_link(), mode: found.mode }
    }
}

/// Reads the lists.
pub(super) struct StoredEffects<'a> {
    pub(super) contents: &'a dyn ContentStore,
    pub(super) project: &'a Project,
}

impl StoredEffects<'_> {
    /// The changes with their contents, and the paths that somebody else changed while the command ran.
    pub(super) async fn effects(&self, list: &str) -> Result<(Vec<Effect>, BTreeSet<String>), Error> {
        let missing = || Error::internal("what a command changed is no longer stored");
        let list = self.contents.content(list).await?.ok_or_else(missing)?;
        let stored: Vec<StoredEffect> = serde_json::from_slice(&list).map_err(Error::internal)?;
        let mut effects = Vec::with_capacity(stored.len());
        for effect in &stored {
            let path = self.project.resolve(&effect.path).map_err(ToolError::from)?;
            let (before, after) = (self.state(effect.before.as_ref()).await?, self.state(effect.after.as_ref()).await?);
            effects.push(Effect { path, before, after });
        }
        let outside = stored.iter().filter(|effect| effect.has_changed_outside);
        Ok((effects, outside.map(|effect| effect.path.clone()).collect()))
    }

    async fn state(&self, stored: Option<&StoredState>) -> Result<Option<FileFound>, Error> {
        let Some(StoredState { hash, is_link, mode }) = stored else { return Ok(None) };
        let Some(hash) = hash else { return Ok(Some(FileFound { content: FileContent::Folder, mode: *mode })) };
        let missing = || Error::internal("a content that a command wrote is no longer stored");
        let bytes = self.contents.content(hash).await?.ok_or_else(missing)?;
        let content = if *is_link { FileContent::Link(bytes) } else { FileContent::File(bytes) };
        Ok(Some(FileFound { content, mode: *mode }))
    }
}

/// The list of a change, from which it can be made again once its files' contents are stored.
pub(super) fn listed(set: &ChangeSet) -> Result<Content, Error> {
    let stored: Vec<StoredEffect> = set
        .effects()
        .iter()
        .map(|effect| StoredEffect {
            path: effect.path.to_string(),
            before: effect.before.as_ref().map(StoredState::of),
            after: effect.after.as_ref().map(StoredState::of),
            has_changed_outside: false,
        })
        .collect();
    let bytes = serde_json::to_vec(&stored).map_err(Error::internal)?;
    Ok(Content { hash: sha256_hex(&bytes), bytes, kind: ContentKind::Plain })
}

/// Writes the project as it would be with all that a command changed into an empty folder, and closes that to writing.
/// Secret files, and what git ignores, are left out.
///
/// # Errors
/// `WORKTREE_TOO_LARGE`, and what reading and writing can fail with.
pub async fn write_changed_tree(
    contents: &dyn ContentStore,
    project: Arc<Project>,
    list: &str,
    secrets: GlobSet,
    into: &Path,
    limits: CopyLimits,
) -> Result<(), Error> {
    let (effects, _) = StoredEffects { contents, project: &project }.effects(list).await?;
    let into = into.to_owned();
    let writing = tokio::task::spawn_blocking(move || {
        let tree = Project::open(&into).map_err(ToolError::from)?;
        let found = paths(&project, &secrets, limits.files + 1);
        let names: Vec<String> = found.iter().filter(|path| !path.ends_with('/')).map(ToString::to_string).collect();
        copy_files(&project, &[&tree], &names, &secrets, limits).map_err(ToolError::from)?;
        let set = plan_effects(effects).map_err(ToolError::from)?;
        follow_edits(&set, &tree).and_then(|followed| followed.set.apply(&tree)).map_err(ToolError::from)?;
        close_to_writing(&into).map_err(Error::internal)
    });
    writing.await.map_err(Error::internal)?
}
