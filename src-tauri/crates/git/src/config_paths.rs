//! Further paths in a git configuration: files that it includes, and folders that git runs hooks from. Whoever writes
//! one of them configures git.
//!
//! Read more generously than git reads it: what git would not include does no harm here.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};

use crate::config_text::{ConfigEntry, entries};

/// Bytes of a configuration that are read for what it names.
const MAX_CONFIGURATION_BYTES: u64 = 1 << 20;
/// Files that one configuration includes, and those that these do.
const MAX_INCLUDED: usize = 100;
/// The folder in which husky keeps what git runs, which runs what is beside it.
const OF_HUSKY: &str = "_";
/// The names under which git runs a file as a hook.
const HOOKS: &str = "applypatch-msg commit-msg fsmonitor-watchman p4-changelist p4-post-changelist p4-pre-submit \
    p4-prepare-changelist post-applypatch post-checkout post-commit post-index-change post-merge post-receive \
    post-rewrite post-update pre-applypatch pre-auto-gc pre-commit pre-merge-commit pre-push pre-rebase pre-receive \
    prepare-commit-msg proc-receive push-to-checkout reference-transaction sendemail-validate update";

/// A working tree, and the git directory that it is of. Absolute.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct WorkingTree {
    pub root: PathBuf,
    pub git: PathBuf,
}

impl WorkingTree {
    /// Returns the git directory of the folder `root`, where there is one; what its `.git` says is followed.
    pub fn at(root: &Path) -> Option<Self> {
        let git = root.join(".git");
        let git = match short_text(&git) {
            Some(text) => plain_path(&root.join(text.strip_prefix("gitdir:")?.trim())),
            None if git.is_dir() => git,
            None => return None,
        };
        Some(Self { root: root.to_owned(), git })
    }

    /// The git directory that holds what all working trees of a repository share.
    pub fn common(&self) -> PathBuf {
        match short_text(&self.git.join("commondir")) {
            Some(text) => plain_path(&self.git.join(text.trim())),
            None => self.git.clone(),
        }
    }

    pub(crate) fn configurations(&self) -> [PathBuf; 3] {
        let common = self.common();
        [common.join("config"), common.join("config.worktree"), self.git.join("config.worktree")]
    }
}

/// Files and folders below `root` that git runs as hooks in these working trees, besides those in git directories, whether
/// they are there or not. What the user's own configuration says counts for each.
pub fn hooks_below(root: &Path, trees: &[WorkingTree]) -> BTreeSet<PathBuf> {
    let home = std::env::home_dir();
    let of_user: Vec<PathBuf> = user_configurations(home.as_deref()).iter().flat_map(|file| hooks_of(file)).collect();
    let mut found = BTreeSet::new();
    for tree in trees {
        let of_tree = tree.configurations();
        let folders = of_tree.iter().flat_map(|file| hooks_of(file)).chain(of_user.iter().cloned());
        for folder in folders.map(|folder| plain_path(&tree.root.join(folder))) {
            let real = folder.canonicalize().unwrap_or_else(|_| folder.clone());
            found.extend([folder, real].iter().flat_map(|folder| places_in(root, folder)));
        }
    }
    let is_in_git = |place: &PathBuf| trees.iter().any(|tree| place.starts_with(&tree.git));
    found.retain(|place| !is_in_git(place));
    found
}

/// The whole folder, for a hook may run what lies beside it; only the hooks where the folder holds the project itself.
fn places_in(root: &Path, folder: &Path) -> Vec<PathBuf> {
    let folder = match folder.parent() {
        Some(parent) if folder.ends_with(OF_HUSKY) => parent,
        _ => folder,
    };
    match folder.strip_prefix(root) {
        Ok(below) if below.as_os_str().is_empty() => HOOKS.split(' ').map(|name| root.join(name)).collect(),
        Ok(_) => vec![folder.to_owned()],
        Err(_) => Vec::new(),
    }
}

/// The folders of hooks that a file and what it includes name, as they are written.
fn hooks_of(file: &Path) -> Vec<PathBuf> {
    let mut hooks = Vec::new();
    each_file(file.to_owned(), &mut BTreeSet::new(), |text, folder| {
        let named = named(text, folder, std::env::home_dir().as_deref());
        hooks.extend(named.hooks);
        named.included
    });
    hooks
}

/// Shows the text and the folder of a configuration, and of each that it includes, but for those seen before. Returns
/// whether all of them could be read.
pub(crate) fn each_file(
    file: PathBuf,
    seen: &mut BTreeSet<PathBuf>,
    mut look: impl FnMut(&str, &Path) -> Vec<PathBuf>,
) -> bool {
    let (mut queue, mut left, mut is_whole) = (vec![file], MAX_INCLUDED, true);
    while let Some(file) = queue.pop() {
        if !seen.insert(file.clone()) {
            continue;
        }
        match short_text(&file).filter(|_| left > 0) {
            Some(text) => queue.extend(look(&text, file.parent().unwrap_or(&file))),
            None => is_whole &= !file.exists(),
        }
        left = left.saturating_sub(1);
    }
    is_whole
}

/// Returns where git looks for what holds in every repository.
#[must_use]
pub fn user_configurations(home: Option<&Path>) -> Vec<PathBuf> {
    let named = |variable: &str| std::env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
    let own = named("XDG_CONFIG_HOME").or_else(|| Some(home?.join(".config")));
    let files = [
        named("GIT_CONFIG_SYSTEM").or_else(|| Some("/etc/gitconfig".into())),
        named("GIT_CONFIG_GLOBAL"),
        own.map(|own| own.join("git/config")),
        home.map(|home| home.join(".gitconfig")),
    ];
    files.into_iter().flatten().collect()
}

/// Returns the text of a plain file that is no longer than a configuration may be.
pub(crate) fn short_text(file: &Path) -> Option<String> {
    let is_short = file.metadata().is_ok_and(|found| found.is_file() && found.len() <= MAX_CONFIGURATION_BYTES);
    let mut bytes = Vec::new();
    let reading = is_short.then(|| File::open(file))?.ok()?;
    reading.take(MAX_CONFIGURATION_BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns the included files as git finds them from the folder that the configuration is in.
pub fn included(text: &str, folder: &Path) -> Vec<PathBuf> {
    named(text, folder, std::env::home_dir().as_deref()).included
}

#[derive(Debug, Default, PartialEq, Eq)]
struct NamedPaths {
    included: Vec<PathBuf>,
    /// Relative ones are below the working tree.
    hooks: Vec<PathBuf>,
}

fn named(text: &str, folder: &Path, home: Option<&Path>) -> NamedPaths {
    let mut found = NamedPaths::default();
    for ConfigEntry { section, about, key, value } in entries(text) {
        let Some(path) = expanded(&value, home) else { continue };
        match (section.as_str(), key.as_str()) {
            ("include" | "includeif", "path") => found.included.push(plain_path(&folder.join(path))),
            ("core", "hookspath") if about.is_empty() => found.hooks.push(path),
            _ => {}
        }
    }
    found
}

/// `None` where it says nothing, or something that is known to git alone.
fn expanded(value: &str, home: Option<&Path>) -> Option<PathBuf> {
    match value.strip_prefix("~/") {
        Some(below) => Some(home?.join(below)),
        None => (!value.is_empty() && !value.starts_with(['~', '%'])).then(|| value.into()),
    }
}

/// Returns the path without `.` and `..`.
#[must_use]
pub fn plain_path(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn check(text: &str, included: &[&str], hooks: &[&str]) {
        let paths = |paths: &[&str]| paths.iter().map(PathBuf::from).collect();
        let expected = NamedPaths { included: paths(included), hooks: paths(hooks) };
        assert_eq!(named(text, Path::new("/project/.git"), Some(Path::new("/home/j"))), expected, "{text}");
    }

    #[test]
    fn includes_are_found_however_they_are_written() {
        check("[include]\n\tpath = ../.gitconfig\n", &["/project/.gitconfig"], &[]);
        check("[Include] PATH=\"./more\"", &["/project/.git/more"], &[]);
        check("[includeIf \"gitdir:/a[b]/\"]\n path = /etc/x\n[core]\n path = no", &["/etc/x"], &[]);
        check("[include]\n path = a\n path = ../b # words", &["/project/.git/a", "/project/b"], &[]);
        check("[include]\n path = \"a # b\"\n path = ~/c", &["/project/.git/a # b", "/home/j/c"], &[]);
    }

    #[test]
    fn what_says_nothing_is_none() {
        check("[include]\n path = ~other/x\n path =\n other = x\n[user]\n path = y\n hooksPath = z", &[], &[]);
    }

    #[test]
    fn hooks_are_found_however_they_are_written() {
        check("[core]\n\thooksPath = .husky\n", &[], &[".husky"]);
        check("[Core] HOOKSPATH=\"a b\" ; words", &[], &["a b"]);
        check(
            "[core]\n hookspath = ~/h\n bare = false\n hooksPath = tools/\\\n  hooks",
            &[],
            &["/home/j/h", "tools/  hooks"],
        );
        check("[core \"x\"]\n hooksPath = no", &[], &[]);
    }

    struct Project(tempfile::TempDir);

    impl Project {
        fn new(files: &[(&str, &str)]) -> Self {
            let project = Self(tempfile::tempdir().unwrap());
            for (path, text) in files {
                fs::create_dir_all(project.root().join(path).parent().unwrap()).unwrap();
                fs::write(project.root().join(path), text).unwrap();
            }
            project
        }

        fn root(&self) -> PathBuf {
            self.0.path().canonicalize().unwrap()
        }

        fn check(&self, trees: &[&str], hooks: &[&str]) {
            let trees: Vec<_> =
                trees.iter().map(|tree| WorkingTree::at(&plain_path(&self.root().join(tree))).unwrap()).collect();
            let hooks: Vec<PathBuf> = hooks.iter().map(|path| self.root().join(path)).collect();
            assert_eq!(hooks_below(&self.root(), &trees).into_iter().collect::<Vec<_>>(), hooks);
        }
    }

    #[test]
    fn a_folder_of_hooks_is_below_each_working_tree() {
        let project = Project::new(&[
            (".git/config", "[core]\n hooksPath = tools/hooks\n[include]\n path = more\n"),
            (".git/more", "[core]\n hooksPath = .husky/_\n"),
            (".git/worktrees/w/commondir", "../..\n"),
            (".git/worktrees/w/config.worktree", "[core]\n hooksPath = own\n"),
            ("w/.git", "gitdir: ../.git/worktrees/w\n"),
        ]);
        project.check(&[""], &[".husky", "tools/hooks"]);
        project.check(&["w"], &["w/.husky", "w/own", "w/tools/hooks"]);
    }

    #[test]
    fn what_is_elsewhere_or_in_the_git_directory_is_left_out() {
        let text = "[core]\n hooksPath = ../x\n hooksPath = .git/my-hooks\n hooksPath = /usr/share/hooks\n";
        Project::new(&[(".git/config", text)]).check(&[""], &[]);
    }

    #[test]
    fn the_project_itself_is_not_a_folder_of_hooks() {
        let project = Project::new(&[(".git/config", "[core]\n hooksPath = .\n")]);
        let hooks: Vec<&str> = HOOKS.split(' ').collect();
        project.check(&[""], &hooks);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_one_and_so_is_where_it_leads() {
        let project = Project::new(&[(".git/config", "[core]\n hooksPath = hooks\n"), ("tools/git/pre-push", "")]);
        std::os::unix::fs::symlink("tools/git", project.root().join("hooks")).unwrap();
        project.check(&[""], &["hooks", "tools/git"]);
    }
}
