//! What of a home that is hidden commands still have to see: the toolchains that are in it, and what git goes by.
//!
//! A line that only reads was found to name nothing at home but sources of toolchains (`public_places`). Its sandbox hides
//! the rest, so that a mistake about the line shows nothing of the user's either.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::git_config_paths::WorkingTree;
use crate::public_places::public_folders;

/// Version managers as a whole, and configuration of programs that read, below the home.
const NEEDED: &[&str] = &[
    ".asdf",
    ".config/bat",
    ".config/fd",
    ".config/git/attributes",
    ".config/git/config",
    ".config/git/ignore",
    ".config/mise",
    ".config/ripgrep",
    ".gitconfig",
    ".gitignore",
    ".gitignore_global",
    ".jenv",
    ".jq",
    ".local/share/mise",
    ".nodenv",
    ".pyenv",
    ".rbenv",
    ".ripgreprc",
    ".rustup",
    ".sdkman",
    ".terminfo",
    ".tool-versions",
    ".volta",
];
/// Holds programs, beside what is nobody's business.
const LOCAL: &str = ".local";
/// Repositories that lend their objects.
const ALTERNATES: &str = "objects/info/alternates";
const OBJECTS: &str = "objects";
const MAX_ALTERNATES_BYTES: u64 = 64 << 10;

/// Files and folders of `home`, of those that are there, for commands in `project`.
pub fn needed_at_home(home: &Path, project: &Path) -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let programs = std::env::split_paths(&path).map(|folder| whole_of(&folder, home));
    let needed =
        NEEDED.iter().map(|name| home.join(name)).chain(programs).chain(public_folders()).chain(of_git(project));
    let is_part = |place: &PathBuf| place.starts_with(home) && place != home && place.exists();
    let mut places: Vec<PathBuf> = needed.filter(is_part).collect();
    places.sort();
    places.dedup();
    places
}

/// Programs in `X/bin` need what is beside them in `X`.
fn whole_of(folder: &Path, home: &Path) -> PathBuf {
    let is_its_own = |above: &&Path| *above != home && above.file_name() != Some(OsStr::new(LOCAL));
    folder.parent().filter(is_its_own).unwrap_or(folder).to_owned()
}

/// Of a worktree or a shared clone, which lie elsewhere.
fn of_git(project: &Path) -> Vec<PathBuf> {
    let Some(tree) = WorkingTree::at(project) else { return Vec::new() };
    let alternates = tree.common().join(ALTERNATES);
    let is_short = alternates.metadata().is_ok_and(|found| found.is_file() && found.len() <= MAX_ALTERNATES_BYTES);
    let named = if is_short { fs::read_to_string(&alternates).unwrap_or_default() } else { String::new() };
    let lent = named.lines().map(PathBuf::from).filter(|place| place.ends_with(OBJECTS));
    // The project names them: a folder that is no repository stays hidden.
    let is_git = |folder: &PathBuf| folder.join(OBJECTS).is_dir() || folder.join("commondir").is_file();
    [tree.common(), tree.git].into_iter().filter(is_git).chain(lent).collect()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn programs_are_seen_with_what_they_need_and_nothing_else() {
        let home = Path::new("/home/u");
        for (folder, whole) in [
            ("/home/u/.cargo/bin", "/home/u/.cargo"),
            ("/home/u/.local/bin", "/home/u/.local/bin"),
            ("/home/u/bin", "/home/u/bin"),
            ("/home/u/.nvm/versions/node/v20/bin", "/home/u/.nvm/versions/node/v20"),
        ] {
            assert_eq!(whole_of(Path::new(folder), home), Path::new(whole));
        }
    }

    #[test]
    fn a_worktree_has_its_repository_and_one_that_borrows_its_lender() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().canonicalize().unwrap();
        for (path, text) in [
            ("main/.git/worktrees/w/commondir", "../..\n".to_owned()),
            ("main/.git/objects/info/alternates", format!("{}\n", home.join("lender/objects").display())),
            ("lender/objects/x", String::new()),
            ("w/.git", format!("gitdir: {}\n", home.join("main/.git/worktrees/w").display())),
            (".gitconfig", String::new()),
            ("diary", String::new()),
        ] {
            fs::create_dir_all(home.join(path).parent().unwrap()).unwrap();
            fs::write(home.join(path), text).unwrap();
        }
        let expected = [".gitconfig", "lender/objects", "main/.git", "main/.git/worktrees/w"];
        assert_eq!(needed_at_home(&home, &home.join("w")), expected.map(|path| home.join(path)));
    }
}
