//! The rules of git and of `.ignore` files: each folder's are read through its handle as the walk enters it.
//!
//! As ripgrep has it without asking for a repository: `.ignore` before `.gitignore` before a repository's `info/exclude`
//! before the user's own, and of each kind the deepest folder that says anything.

use std::io::Read;
use std::path::Path;

use cap_std::fs::{Dir, OpenOptions};
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder, Glob};

use crate::project::{Project, ProjectPath};
use arki_disk::EntryKind;
use arki_disk::{never_wait, open_folder};

const IGNORE: &str = ".ignore";
const GITIGNORE: &str = ".gitignore";
const EXCLUDE: &str = ".git/info/exclude";
/// A longer file's rest has no rules.
const MAX_RULE_BYTES: u64 = 1 << 20;

pub(super) struct Ignoring {
    /// The outermost folder first.
    folders: Vec<IgnoreRules>,
    of_user: Gitignore,
}

struct IgnoreRules {
    ignore: Gitignore,
    gitignore: Gitignore,
    exclude: Gitignore,
}

impl Ignoring {
    /// Returns the rules from above the folder where a walk starts: the user's, those above the project, and those in
    /// it.
    pub(super) fn above(project: &Project, start: &ProjectPath) -> Self {
        let (of_user, _) = GitignoreBuilder::new(project.root()).build_global();
        let mut folders: Vec<IgnoreRules> = project.root().ancestors().skip(1).map(IgnoreRules::outside).collect();
        folders.reverse();
        let mut ignoring = Self { folders, of_user };
        if !start.is_root() {
            ignoring.enter_way_to(project, start);
        }
        ignoring
    }

    fn enter_way_to(&mut self, project: &Project, start: &ProjectPath) {
        let (mut folder, mut path) = (project.dir().try_clone().ok(), project.root().to_owned());
        for name in start.as_str().split('/') {
            let Some(open) = folder else { return };
            self.enter(&open, &path, |name| open.symlink_metadata(name).is_ok());
            folder = open_folder(&open, name).ok();
            path.push(name);
        }
    }

    /// `has` tells what is in the folder.
    pub(super) fn enter(&mut self, folder: &Dir, path: &Path, has: impl Fn(&str) -> bool) {
        let rules =
            |name: &str, is_there: bool| if is_there { rules_in(folder, path, name) } else { Gitignore::empty() };
        self.folders.push(IgnoreRules {
            ignore: rules(IGNORE, has(IGNORE)),
            gitignore: rules(GITIGNORE, has(GITIGNORE)),
            exclude: rules(EXCLUDE, has(".git")),
        });
    }

    pub(super) fn leave(&mut self) {
        self.folders.pop();
    }

    /// The same without `.ignore` files, which git doesn't know.
    pub(super) fn is_ignored_by_git(&self, path: &Path, kind: EntryKind) -> bool {
        self.by_git(path, kind).is_ignore()
    }

    pub(super) fn is_ignored(&self, path: &Path, kind: EntryKind) -> bool {
        self.nearest(path, kind, |rules| &rules.ignore).or(self.by_git(path, kind)).is_ignore()
    }

    fn by_git(&self, path: &Path, kind: EntryKind) -> Match<&Glob> {
        let in_folders =
            self.nearest(path, kind, |rules| &rules.gitignore).or(self.nearest(path, kind, |rules| &rules.exclude));
        in_folders.or(self.of_user.matched(path, kind == EntryKind::Folder))
    }

    /// The match in the innermost folder that has one.
    fn nearest(&self, path: &Path, kind: EntryKind, of: fn(&IgnoreRules) -> &Gitignore) -> Match<&Glob> {
        let is_folder = kind == EntryKind::Folder;
        let in_folders = self.folders.iter().rev().map(|rules| of(rules).matched(path, is_folder));
        in_folders.fold(Match::None, Match::or)
    }
}

impl IgnoreRules {
    /// Reads the rules of a folder above the project. They are the owner's as much as the project's.
    fn outside(folder: &Path) -> Self {
        let rules = |name: &str| {
            let mut builder = GitignoreBuilder::new(folder);
            let _ = builder.add(folder.join(name));
            builder.build().unwrap_or_else(|_| Gitignore::empty())
        };
        Self { ignore: rules(IGNORE), gitignore: rules(GITIGNORE), exclude: rules(EXCLUDE) }
    }
}

/// A line that is no rule is passed over, and so is a file that can't be read.
fn rules_in(folder: &Dir, path: &Path, name: &str) -> Gitignore {
    let mut builder = GitignoreBuilder::new(path);
    let text = text_of(folder, name).unwrap_or_default();
    for line in text.trim_start_matches('\u{feff}').lines() {
        let _ = builder.add_line(None, line);
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

fn text_of(folder: &Dir, name: &str) -> Option<String> {
    let mut options = OpenOptions::new();
    options.read(true);
    never_wait(&mut options);
    let file = folder.open_with(name, &options).ok()?;
    let mut bytes = Vec::new();
    let is_file = file.metadata().ok()?.is_file();
    is_file.then(|| file.take(MAX_RULE_BYTES).read_to_end(&mut bytes).ok()).flatten()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
