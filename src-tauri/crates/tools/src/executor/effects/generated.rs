//! The generated folders of a project: a known build writes them for real, and for any other command they are a copy that
//! goes with its view.

use arki_files::{GitIgnoring, Project, ProjectPath};
use arki_policy::{GeneratedFolder, Verdict, generated_folder, writes_generated_folders};
use arki_sandbox::OverlayView;
use std::cell::RefCell;
use std::path::{Path, PathBuf};

/// Folders that are looked through for generated ones, at most.
const MAX_FOLDERS: usize = 4000;
/// The deepest folder that is.
const MAX_DEPTH: usize = 8;
/// The folders that tools make in a project that has none yet, by the program.
const MADE: &[(&str, &[&str])] = &[
    ("target", &["cargo"]),
    ("node_modules", &["bun", "npm", "pnpm", "yarn"]),
    (".venv", &["poetry", "uv"]),
    (".pytest_cache", &["pytest"]),
    (".gradle", &["gradle", "gradlew"]),
];

/// The folders that a sentence names, at most.
const MAX_TOLD: usize = 5;
const WRITES_GENERATED: &str =
    "only known builds, tests and installations, and commands that the user allowed, write generated folders.";

/// Tells which folders of a project are generated, by name, by git's rules and by what git keeps.
pub(in crate::executor) struct GeneratedFolders<'a> {
    project: &'a Project,
    ignoring: RefCell<GitIgnoring<'a>>,
    /// The names that git keeps, sorted; none where there is no repository.
    kept: Vec<String>,
}

impl<'a> GeneratedFolders<'a> {
    pub(in crate::executor) fn of(project: &'a Project) -> Self {
        let mut kept = arki_git::kept_in(project.root()).unwrap_or_default();
        kept.sort_unstable();
        Self { project, ignoring: RefCell::new(GitIgnoring::new(project)), kept }
    }

    /// Returns whether a folder is one: what a command has written there goes with its view.
    pub(in crate::executor) fn is_generated(&self, path: &Path) -> bool {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let Some(certainty) = generated_folder(name) else { return false };
        let Some(path) = path.to_str().and_then(|path| self.project.resolve(path).ok()) else { return false };
        !self.keeps_below(&path) && (certainty == GeneratedFolder::ByName || self.is_ignored(&path))
    }

    fn is_ignored(&self, path: &ProjectPath) -> bool {
        // As what is in it.
        self.project.resolve(&format!("{path}/x")).is_ok_and(|inside| self.ignoring.borrow_mut().is_ignored(&inside))
    }

    fn keeps_below(&self, path: &ProjectPath) -> bool {
        let below = format!("{path}/");
        let place = self.kept.partition_point(|name| name.as_str() < below.as_str());
        self.kept.get(place).is_some_and(|name| name.starts_with(&below))
    }

    fn existing(&self) -> Vec<PathBuf> {
        let (mut found, mut looked_at) = (Vec::new(), 0);
        let mut folders = vec![(PathBuf::new(), 0)];
        while let Some((folder, depth)) = folders.pop() {
            looked_at += 1;
            if looked_at > MAX_FOLDERS {
                break;
            }
            for name in self.project.folders_in(&folder) {
                let path = folder.join(name);
                if self.is_generated(&path) {
                    found.push(path);
                } else if depth < MAX_DEPTH && path != Path::new(".git") {
                    folders.push((path, depth + 1));
                }
            }
        }
        found
    }
}

/// Nobody misses it, so nobody is told.
fn is_cache(path: &Path) -> bool {
    path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.contains("cache"))
}

/// The folders that a line writes for real; by default none.
#[derive(Clone, Default)]
pub(in crate::executor) struct BoundFolders {
    pub(in crate::executor) folders: Vec<PathBuf>,
    /// Those that were made for it, and are removed again if they stay empty.
    made: Vec<ProjectPath>,
    /// The line writes such folders for real.
    writes: bool,
}

impl BoundFolders {
    /// Empty for a line that isn't a known build, test or installation and that nobody has agreed to.
    pub(in crate::executor) fn of(project: &Project, command: &str, verdict: &Verdict) -> Self {
        if !writes_generated_folders(command, verdict) {
            return Self::default();
        }
        let generated = GeneratedFolders::of(project);
        let mut folders = generated.existing();
        let runs =
            |program: &&str| command.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == *program);
        let wanted = MADE
            .iter()
            .filter(|(name, programs)| programs.iter().any(&runs) && generated.is_generated(Path::new(name)));
        let paths = wanted.filter_map(|(name, _)| project.resolve(name).ok());
        let made: Vec<ProjectPath> = paths.filter(|path| project.make_folder(path)).collect();
        folders.extend(made.iter().map(|path| PathBuf::from(path.as_str())));
        Self { folders, made, writes: true }
    }

    /// Puts the generated folders that a line has made into the project, where it may write such. Returns a sentence on
    /// those that go with the view.
    pub(in crate::executor) fn land_new(
        &self,
        left_out: &[PathBuf],
        view: &OverlayView,
        project: &Project,
    ) -> Option<String> {
        let is_new = |path: &&PathBuf| project.root().join(path).symlink_metadata().is_err();
        let lands = |path: &&PathBuf| self.writes && is_new(path) && view.move_out(path, project.root()).is_ok();
        let gone: Vec<String> = left_out
            .iter()
            .filter(|path| !lands(path))
            .filter(|path| !is_cache(path))
            .map(|path| path.display().to_string())
            .collect();
        let named = gone.iter().take(MAX_TOLD).cloned().collect::<Vec<_>>().join(", ");
        (!gone.is_empty()).then(|| format!("What it wrote in {named} was thrown away: {WRITES_GENERATED}"))
    }

    /// Takes away what was made for nothing.
    pub(in crate::executor) fn tidy(&self, project: &Project) {
        self.made.iter().for_each(|path| project.remove_empty_folder(path));
    }
}
