//! Walking a project as its owner sees it: what git ignores is left out, hidden files are not, `.git` is.
//!
//! Links are never followed while walking, and files are opened through the project's handle, so a walk can't
//! leave the project.

use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};
use ignore::{Walk, WalkBuilder};

use crate::error::{Result, SearchError};
use crate::project::{Project, ProjectPath, escape_hidden};

/// How many left-out files are named; the rest is counted.
pub(crate) const NAMES_SHOWN: usize = 20;

/// In byte order, a folder before what is in it. `start` must be a folder and canonical.
pub(crate) fn walk(project: &Project, start: &ProjectPath, max_depth: Option<usize>) -> Walk {
    WalkBuilder::new(project.root().join(start))
        .hidden(false)
        .require_git(false)
        .follow_links(false)
        .max_depth(max_depth)
        .sort_by_file_name(|a, b| a.cmp(b))
        .filter_entry(|entry| entry.file_name() != ".git")
        .build()
}

/// What a reader sees of a path below the root: `/`-separated, with what can't be seen escaped.
pub(crate) fn shown(project: &Project, path: &Path) -> String {
    let relative = path.strip_prefix(project.root()).unwrap_or(path).to_string_lossy();
    let relative = if cfg!(windows) { relative.replace('\\', "/") } else { relative.into_owned() };
    escape_hidden(&relative)
}

/// A glob over paths relative to the project; without a `/` it is matched against names in any folder.
pub(crate) struct PathGlob(GlobMatcher);

impl PathGlob {
    pub(crate) fn new(glob: &str) -> Result<Self> {
        let bad = |problem: String| SearchError::BadGlob { glob: glob.to_owned(), problem };
        let trimmed = glob.trim_start_matches("./").trim_start_matches('/');
        if trimmed.is_empty() {
            return Err(bad("it is empty".to_owned()).into());
        }
        let pattern = match trimmed.strip_suffix('/') {
            Some(folder) => format!("{folder}/**"),
            None if trimmed.contains('/') => trimmed.to_owned(),
            None => format!("**/{trimmed}"),
        };
        let glob = GlobBuilder::new(&pattern)
            .literal_separator(true)
            .build()
            .map_err(|error| bad(error.kind().to_string()))?;
        Ok(Self(glob.compile_matcher()))
    }

    pub(crate) fn is_match(&self, path: &ProjectPath) -> bool {
        self.0.is_match(path)
    }
}

/// Secret files that were left out.
#[derive(Debug, Default)]
pub(crate) struct Skipped {
    pub(crate) names: Vec<String>,
    pub(crate) count: usize,
}

impl Skipped {
    pub(crate) fn add(&mut self, path: &ProjectPath) {
        self.count += 1;
        if self.names.len() < NAMES_SHOWN {
            self.names.push(path.to_string());
        }
    }
}
