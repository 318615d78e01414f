//! Looks at the project for what a line alone does not tell.

use arki_files::{
    Project, UnnamedReads, asks_own_repository, enters, folders_matching, is_own_folder, reads_below,
    reads_below_matching, reads_kept, reads_matching, reads_names, reads_place, reads_places, stays_inside,
    writes_output,
};
use arki_policy::WideRead;
use globset::GlobSet;

/// Finds out whether the files that a line reads hold a secret, or lie outside.
pub(crate) fn look(project: &Project, secrets: &GlobSet, read: &WideRead) -> UnnamedReads {
    let local = |path: &str| local(project, path);
    match read {
        WideRead::Below { folder, is_pattern: false, descent, endings } => {
            reads_below(project, folder, *descent, endings, secrets)
        }
        WideRead::Below { folder, is_pattern: true, descent, endings } => {
            reads_below_matching(project, &local(folder), *descent, endings, secrets)
        }
        WideRead::Matching(pattern) => reads_matching(project, &local(pattern), secrets),
        WideRead::Names { pattern, splits } => reads_names(project, &local(pattern), *splits),
        WideRead::Kept => reads_kept(project, secrets),
        WideRead::Place { path, is_pattern: false } => reads_place(project, path),
        WideRead::Place { path, is_pattern: true } => reads_places(project, &local(path)),
        WideRead::Folder(folder) => enters(project, folder),
        WideRead::Inside(path) => stays_inside(project, path),
        WideRead::Repository(folder) => asks_own_repository(project, folder),
        WideRead::OwnFolder(folder) => is_own_folder(project, folder),
        WideRead::Output(path) => writes_output(project, path),
        WideRead::FromEach { folders, read } => match folders_matching(project, &local(folders)) {
            Some(folders) => folders
                .iter()
                .map(|folder| look(project, secrets, &(**read).clone().from(folder)))
                .find(|read| *read != UnnamedReads::NoSecret)
                .unwrap_or(UnnamedReads::NoSecret),
            None => UnnamedReads::NotSeen,
        },
    }
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
