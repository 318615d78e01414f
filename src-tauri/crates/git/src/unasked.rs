//! The environment of a git that nobody was asked about: it runs no program that a configuration names.
//!
//! Git hands what is configured by the environment on to the gits that it starts in submodules and nested repositories,
//! and there too it counts more than any file. Programs under a fixed name are switched off by that name. Filters, text
//! conversions, and diff and merge drivers have names of their own: so all configurations that git would read are read
//! first, those of nested repositories included, and each driver in them is replaced.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};

use crate::config_paths::{WorkingTree, each_file, included, user_configurations};
use crate::config_text::{ConfigEntry, entries};
use crate::foreign::foreign_repository;
use crate::index::gitlinks;

/// Repositories that are looked at, and drivers that are replaced, at most.
const MAX_REPOSITORIES: usize = 500;
const MAX_DRIVERS: usize = 1000;
/// Entries of folders that are looked at where an index can't be read.
const MAX_ENTRIES: usize = 50_000;

/// Values, and the settings that get them.
const SETTINGS: &[(&str, &[&str])] = &[
    ("", &["core.askPass", "credential.helper"]),
    ("/dev/null", &["core.hooksPath"]),
    ("0", &["gc.auto"]),
    ("cat", &["core.pager"]),
    ("false", &["core.alternateRefsCommand", "core.fsmonitor", "core.sshCommand"]),
    ("false", &["gpg.openpgp.program", "gpg.program", "gpg.ssh.program", "gpg.x509.program"]),
    ("false", &["log.showSignature", "maintenance.auto"]),
];
/// A bare repository that lies in a project is not used as the repository around a folder.
const NO_BARE_ONES: (&str, &str) = ("safe.bareRepository", "explicit");
/// Nothing is fetched, by whatever program.
const VARIABLES: &[(&str, &str)] = &[("GIT_ALLOW_PROTOCOL", "none"), ("GIT_NO_LAZY_FETCH", "1")];
/// The places where a git may look for the system's configuration, which depends on how it was built.
const SYSTEM: &[&str] = &["/etc/gitconfig", "/usr/local/etc/gitconfig", "/opt/homebrew/etc/gitconfig"];

/// Git stops where a diff driver has no command, so it gets this one. Its arguments are those of `GIT_EXTERNAL_DIFF`.
const PLAIN_DIFF: &str = r#"f() { diff -u --label "a/$1" --label "b/$1" "$2" "$5"; :; }; f"#;
/// The file as it is, and of a binary one whether it is another.
const PLAIN_TEXT: &str = r#"f() { if grep -Iq "" "$1"; then cat "$1"; else cksum <"$1"; fi; }; f"#;

/// Returns the variables for a git that works in the folder `root`; `None` where it can't be told which programs git
/// might run. Blocking: it reads indexes and configurations.
#[must_use]
pub fn unasked_environment(root: &Path) -> Option<Vec<(String, String)>> {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    let settings = SETTINGS.iter().flat_map(|(value, keys)| keys.iter().map(move |key| owned(&(*key, *value))));
    let mut settings: BTreeMap<String, String> = settings.collect();
    let mut variables: Vec<(String, String)> = VARIABLES.iter().map(owned).collect();
    let system = SYSTEM.iter().find(|file| Path::new(file).exists());
    let (name, value) = system.map_or(("GIT_CONFIG_NOSYSTEM", "1"), |file| ("GIT_CONFIG_SYSTEM", *file));
    variables.push(owned(&(name, value)));
    if !is_bare(root) {
        settings.extend([owned(&NO_BARE_ONES)]);
    }
    let of_user = user_configurations(std::env::home_dir().as_deref());
    let mut search =
        ProgramSearch { root, settings, files: BTreeSet::new(), trees: VecDeque::new(), seen: BTreeSet::new() };
    search.read_all(of_user.into_iter().chain(system.map(PathBuf::from)).collect(), None)?;
    search.trees.extend(root.ancestors().find(|above| above.join(".git").exists()).map(Path::to_owned));
    search.trees.extend(is_bare(root).then(|| root.to_owned()));
    while let Some(tree) = search.trees.pop_front() {
        search.look_at(&tree)?;
    }
    let settings = search.settings;
    variables.push(("GIT_CONFIG_COUNT".to_owned(), settings.len().to_string()));
    for (number, (key, value)) in settings.into_iter().enumerate() {
        variables.push((format!("GIT_CONFIG_KEY_{number}"), key));
        variables.push((format!("GIT_CONFIG_VALUE_{number}"), value));
    }
    Some(variables)
}

fn is_bare(folder: &Path) -> bool {
    ["HEAD", "objects", "refs"].iter().all(|name| folder.join(name).exists())
}

struct ProgramSearch<'a> {
    root: &'a Path,
    settings: BTreeMap<String, String>,
    /// The configurations that were read.
    files: BTreeSet<PathBuf>,
    /// Working trees to be looked at.
    trees: VecDeque<PathBuf>,
    seen: BTreeSet<PathBuf>,
}

impl ProgramSearch<'_> {
    fn look_at(&mut self, root: &Path) -> Option<()> {
        let real = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        if !self.seen.insert(real) {
            return Some(());
        }
        if self.seen.len() > MAX_REPOSITORIES {
            return None;
        }
        let bare = || is_bare(root).then(|| WorkingTree { root: root.to_owned(), git: root.to_owned() });
        // What is no repository to git has nothing that it reads.
        let Some(tree) = WorkingTree::at(root).or_else(bare) else { return Some(()) };
        // The root's own is asked about by itself.
        let is_nested = tree.root != self.root && tree.root.starts_with(self.root);
        if is_nested && foreign_repository(self.root, &tree.root).is_some() {
            return None;
        }
        let elsewhere = self.read_all(tree.configurations().to_vec(), Some(&tree.git))?;
        for folder in elsewhere.iter().chain([&tree.root]) {
            let nested = match gitlinks(&tree.git) {
                Some(names) => names.iter().map(|name| folder.join(name)).collect(),
                None => with_git(folder)?,
            };
            self.trees.extend(nested);
        }
        Some(())
    }

    /// Returns the working trees that the configurations name, of the git directory `git`.
    fn read_all(&mut self, files: Vec<PathBuf>, git: Option<&Path>) -> Option<Vec<PathBuf>> {
        let (mut is_whole, mut trees) = (true, Vec::new());
        for file in files {
            let is_read = each_file(file, &mut self.files, |text, folder| {
                for entry in entries(text) {
                    is_whole &= replace(&entry, &mut self.settings);
                    match (entry.section.as_str(), entry.key.as_str(), git) {
                        ("core", "worktree", Some(git)) => trees.push(git.join(&entry.value)),
                        // `~other/` and `%(prefix)/` are known to git alone.
                        ("include" | "includeif", "path", _) => {
                            is_whole &= entry.value.starts_with("~/") || !entry.value.starts_with(['~', '%']);
                        }
                        _ => {}
                    }
                }
                included(text, folder)
            });
            is_whole &= is_read;
        }
        (is_whole && self.settings.len() <= MAX_DRIVERS).then_some(trees)
    }
}

/// Replaces a program that is configured under a name of its own. Returns whether the name can be told again.
fn replace(entry: &ConfigEntry, settings: &mut BTreeMap<String, String>) -> bool {
    let ConfigEntry { section, about, key, .. } = entry;
    let harmless = match (section.as_str(), key.as_str()) {
        ("filter", "clean" | "smudge" | "process") => "",
        ("filter", "required") | ("diff", "cachetextconv") | ("merge", "driver") => "false",
        ("diff", "textconv") => PLAIN_TEXT,
        ("diff", "command" | "external") => PLAIN_DIFF,
        _ => return true,
    };
    let name = if key == "external" { format!("{section}.{key}") } else { format!("{section}.{about}.{key}") };
    settings.insert(name, harmless.to_owned());
    !about.contains(char::REPLACEMENT_CHARACTER)
}

/// Returns the folders below with a `.git`; `None` where there is too much to look at.
fn with_git(root: &Path) -> Option<Vec<PathBuf>> {
    let (mut found, mut folders, mut left) = (Vec::new(), vec![root.to_owned()], MAX_ENTRIES);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            left = left.checked_sub(1)?;
            if entry.file_name() == ".git" {
                found.push(folder.clone());
            } else if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(entry.path());
            }
        }
    }
    Some(found)
}

#[cfg(all(test, unix))]
mod tests;
