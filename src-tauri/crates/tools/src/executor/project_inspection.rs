//! Looks at the project for what a line alone does not tell.

use arki_files::{
    Project, UnnamedReads, asks_own_repository, enters, is_own_folder, is_secret, reads_below, reads_place,
    reads_places, stays_inside,
};
use arki_policy::WideRead;
use globset::GlobSet;

/// Finds out whether the files that a line reads hold a secret, or lie outside. Where a sandbox hides the project's
/// secret files, what isn't named holds none.
pub(crate) fn look(project: &Project, secrets: &GlobSet, are_hidden: bool, read: &WideRead) -> UnnamedReads {
    let unnamed = || if are_hidden { UnnamedReads::NoSecret } else { UnnamedReads::NotSeen };
    match read {
        WideRead::Unnamed => unnamed(),
        WideRead::Below(folder) => reads_below(project, folder).unwrap_or_else(unnamed),
        WideRead::Kept if are_hidden => shown_by_git(project, secrets),
        WideRead::Kept => UnnamedReads::NotSeen,
        WideRead::Place { path, is_pattern: false } => reads_place(project, path),
        WideRead::Place { path, is_pattern: true } => reads_places(project, &local(project, path)),
        WideRead::Folder(folder) => enters(project, folder),
        WideRead::Inside(path) => stays_inside(project, path),
        WideRead::Repository(folder) => asks_own_repository(project, folder),
        WideRead::OwnFolder(folder) => is_own_folder(project, folder),
    }
}

/// Returns the secret that git can show to a command that can't open secret files: one that its index names.
fn shown_by_git(project: &Project, secrets: &GlobSet) -> UnnamedReads {
    let Some(kept) = arki_git::kept_names(project.root()) else { return UnnamedReads::NotSeen };
    let mut kept = kept.iter().filter_map(|name| project.resolve(name).ok());
    let secret = kept.find(|path| is_secret(path, secrets));
    secret.map_or(UnnamedReads::NoSecret, |path| UnnamedReads::Secret(path.to_string()))
}

/// A pattern as seen from the project's folder, without the ways into it by its whole name.
fn local(project: &Project, pattern: &str) -> String {
    let within =
        project.root().to_str().and_then(|root| pattern.strip_prefix(root)).and_then(|rest| rest.strip_prefix('/'));
    match (within, pattern.strip_prefix("~/")) {
        (Some(within), _) => within.trim_start_matches('/').to_owned(),
        (None, Some(rest)) => match std::env::home_dir().as_deref().and_then(|home| home.to_str()) {
            Some(home) => format!("{home}/{rest}"),
            None => pattern.to_owned(),
        },
        (None, None) => pattern.to_owned(),
    }
}

#[cfg(test)]
mod tests;
