//! The steps that make a command's view of the disk: everything read-only, over it the writable folders, over hidden places
//! nothing. Unlike Landlock this can take away from within what is writable: git's directories, or what in them steers
//! git, and Arki's folder.

use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};

use super::kept_secrets::{secrets_beside_git, stores_of_secrets};
use super::launch_plan::{BindAccess, MountStep};
use super::sensitive::Sensitive;
use super::spec::ShownPath;
use super::view::OverlayView;
use super::{CommandReach, GitAccess, ProjectAccess, Root, SandboxSpec, SecretSight};

/// The file in the temporary folder that nobody may open, in the place of those that git sees and doesn't open.
const CLOSED: &str = ".closed";
/// The folders of a git directory that hold those of others.
const HOLDS_GIT: &[&str] = &["modules", "worktrees"];
/// The part of a shared repository that a linked worktree writes.
const SHARED: &[&str] = &["logs", "objects", "packed-refs", "refs", "reftable"];
/// Returns the steps that make the view of a command. What is hidden is looked for anew.
pub(super) fn steps(spec: &SandboxSpec, reach: CommandReach<'_>) -> io::Result<Vec<MountStep>> {
    let mut plan = ViewPlan::default();
    let roots = spec.roots();
    let hidden = spec.hidden_spellings().existing;
    let shown = spec.shown();
    let places = || roots.iter().map(|root| &root.path).chain(shown.iter().map(|shown| &shown.named));
    let is_inside = |path: &&PathBuf| places().any(|place| path.starts_with(place) && *path != place);
    let is_hidden_anyway = |path: &&PathBuf| hidden.iter().any(|around| path != &around && path.starts_with(around));
    let outer = hidden.iter().filter(|path| !is_inside(path) && !is_hidden_anyway(path));
    outer.into_iter().for_each(|path| plan.hide(path));
    let is_shown_with = |inner: &&ShownPath| {
        let holds = |outer: &ShownPath, place: fn(&ShownPath) -> &Path| place(inner).starts_with(place(outer));
        let is_around = |outer: &&ShownPath| outer.named != inner.named && holds(outer, |path| &path.named);
        shown.iter().filter(is_around).any(|outer| holds(outer, |path| &path.real))
    };
    for shown in shown.iter().filter(|shown| !is_shown_with(shown)) {
        plan.show(shown, reach.view)?;
    }
    for (place, root) in roots.iter().enumerate().filter(|(_, root)| root.path.exists()) {
        match reach.view {
            // The project comes first.
            Some(view) if place == 0 => plan.show_through(view, &root.path, reach.found)?,
            _ => plan.bind_root(root),
        }
    }
    hidden.iter().filter(is_inside).for_each(|path| plan.hide(path));
    if reach.view.is_some() {
        plan.protect_git_in_view(spec, reach)?;
    } else if spec.project == ProjectAccess::Writable {
        plan.protect_project(spec, reach)?;
    }
    plan.hide_secrets(spec, reach)?;
    plan.close_hidden();
    if let Some(unsaid) = plan.steps.iter().flat_map(MountStep::paths).find(|path| path.to_str().is_none()) {
        // A path that can't be said can't be hidden or protected, so nothing is started then.
        text(unsaid)?;
    }
    Ok(plan.steps)
}

/// Returns whether hidden files still appear as files. Git that only reads would otherwise not see that they exist.
pub(super) fn shows_closed_files(spec: &SandboxSpec, reach: CommandReach<'_>) -> bool {
    reach.secrets == SecretSight::HiddenFromGit && spec.project == ProjectAccess::ReadOnly
}

#[derive(Default)]
struct ViewPlan {
    steps: Vec<MountStep>,
    hidden_folders: Vec<PathBuf>,
}

impl ViewPlan {
    fn bind(&mut self, path: &Path, access: BindAccess) {
        self.steps.push(MountStep::Bind { from: path.to_owned(), to: path.to_owned(), access });
    }

    fn bind_root(&mut self, root: &Root) {
        self.bind(&root.path, if root.is_writable { BindAccess::Writable } else { BindAccess::ReadOnly });
    }

    fn bind_if_there(&mut self, path: &Path, access: BindAccess) {
        self.steps.push(MountStep::BindIfThere { from: path.to_owned(), to: path.to_owned(), access });
    }

    /// A git directory that is written, in which no hook comes into being.
    fn bind_git(&mut self, place: &Path) {
        self.bind(place, BindAccess::Writable);
        if !place.join("hooks").exists() {
            self.hide_folder(&place.join("hooks"));
        }
    }

    /// Shows what tools need of the home, read-only. In a view they may write in its folders, for there are caches among them,
    /// but what they write there is thrown away.
    fn show(&mut self, shown: &ShownPath, view: Option<&OverlayView>) -> io::Result<()> {
        let ShownPath { named: to, real } = shown.clone();
        self.steps.push(match view.filter(|_| real.is_dir()) {
            Some(view) => {
                let (upper, work) = view.layers_of(self.steps.len())?;
                MountStep::Aside { lower: real, upper, work, to }
            }
            None => MountStep::Bind { from: real, to, access: BindAccess::ReadOnly },
        });
        Ok(())
    }

    /// The project, but what is written goes aside; only what is bound through is written for real.
    fn show_through(&mut self, view: &OverlayView, root: &Path, found: &Sensitive) -> io::Result<()> {
        self.steps.push(MountStep::Overlay {
            lower: root.to_owned(),
            upper: view.upper(),
            work: view.work()?,
            to: root.to_owned(),
        });
        let holds_sensitive = |folder: &&PathBuf| {
            found.secrets.iter().chain(found.folders.keys()).any(|path| path.starts_with(folder.as_path()))
        };
        let bound = view.bound().iter().filter(|folder| !holds_sensitive(folder));
        bound.for_each(|folder| self.bind_if_there(&root.join(folder), BindAccess::Writable));
        Ok(())
    }

    /// Git's own directories are read-only; what else steers git is the project's, and changes of it go aside.
    fn protect_git_in_view(&mut self, spec: &SandboxSpec, reach: CommandReach<'_>) -> io::Result<()> {
        let root = spec.project_root.canonicalize()?;
        let places = reach.found.folders.keys().map(|folder| root.join(folder));
        places.filter(|place| *place != root).for_each(|place| self.bind_if_there(&place, BindAccess::ReadOnly));
        Ok(())
    }

    fn hide_secrets(&mut self, spec: &SandboxSpec, reach: CommandReach<'_>) -> io::Result<()> {
        if reach.secrets == SecretSight::Shown {
            return Ok(());
        }
        if reach.found.has_more_secrets && spec.project == ProjectAccess::Writable {
            return Err(io::Error::other("the project has more files than Arki looks through for secret ones to hide"));
        }
        let root = spec.project_root.canonicalize()?;
        if reach.secrets == SecretSight::HiddenAlsoInStores {
            stores_of_secrets(&root, reach.found).iter().for_each(|store| self.hide(store));
        }
        if [SecretSight::Hidden, SecretSight::HiddenAlsoInStores].contains(&reach.secrets) {
            reach.found.secrets.iter().for_each(|path| self.hide(&root.join(path)));
            return Ok(());
        }
        let closed = spec.temp_dir.join(CLOSED);
        for path in secrets_beside_git(&root, reach.found).iter().map(|path| root.join(path)) {
            if path.is_dir() || !shows_closed_files(spec, reach) {
                self.hide(&path);
                continue;
            }
            let made = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
            match rustix::fs::open(&closed, made, Mode::empty()) {
                Ok(_) | Err(rustix::io::Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            }
            self.steps.push(MountStep::Bind { from: closed.clone(), to: path, access: BindAccess::ReadOnly });
        }
        Ok(())
    }

    fn protect_project(&mut self, spec: &SandboxSpec, reach: CommandReach<'_>) -> io::Result<()> {
        let (git, access) = (reach.found, reach.git);
        let root = spec.project_root.canonicalize()?;
        for folder in git.folders.keys() {
            let place = root.join(folder);
            // A project that is a repository without a `.git` is there to be written.
            if access == GitAccess::ReadOnly && place != root {
                self.bind_if_there(&place, BindAccess::ReadOnly);
                continue;
            }
            if *folder == Path::new(super::OWN_GIT) {
                // A place something is mounted on can't be renamed, so that no other `.git` takes its place.
                self.bind_git(&place);
            }
            super::STEERS_GIT.iter().for_each(|name| self.protect(&place.join(name)));
        }
        let others: Vec<PathBuf> = spec.roots().into_iter().skip(1).map(|root| root.path).collect();
        for place in others.iter().filter(|place| place.join("HEAD").exists()) {
            let is_around = others.iter().any(|other| other != place && other.starts_with(place));
            self.protect_git_outside(place, is_around)?;
        }
        let is_held = |path: &&PathBuf| access == GitAccess::ReadOnly || **path == Path::new(super::OWN_GIT);
        git.pointers.keys().filter(is_held).for_each(|path| self.protect(&root.join(path)));
        git.included.iter().for_each(|path| self.protect(&root.join(path)));
        let hooks = git.hooks.iter().filter(|_| !reach.writes_hooks);
        hooks.map(|path| root.join(path)).for_each(|path| self.protect(&path));
        self.protect(&root.join(super::ARKI_FOLDER));
        Ok(())
    }
    /// A link is protected where it leads, if that is in the project, by being no way to its own place.
    fn protect(&mut self, path: &Path) {
        if path.symlink_metadata().is_ok() && path.canonicalize().is_ok_and(|real| real == path) {
            self.bind(path, BindAccess::ReadOnly);
        }
    }

    /// A git directory outside the project, which is already writable: all but what steers git; if the project's own lies
    /// in it, all but what both share.
    fn protect_git_outside(&mut self, place: &Path, is_around: bool) -> io::Result<()> {
        self.bind_git(place);
        if !is_around {
            let names = super::STEERS_GIT.iter().chain(HOLDS_GIT);
            names.map(|name| place.join(name)).for_each(|path| self.protect(&path));
            return Ok(());
        }
        for entry in place.read_dir()? {
            let entry = entry?;
            if !SHARED.iter().any(|name| entry.file_name() == *name) {
                self.protect(&entry.path());
            }
        }
        Ok(())
    }

    fn hide(&mut self, path: &Path) {
        if path.is_dir() {
            self.hide_folder(path);
        } else {
            self.steps.push(MountStep::HideFile(path.to_owned()));
        }
    }

    /// Hides a folder; a later mount in it stays writable when it is closed.
    fn hide_folder(&mut self, path: &Path) {
        self.steps.push(MountStep::HideFolder(path.to_owned()));
        self.hidden_folders.push(path.to_owned());
    }

    fn close_hidden(&mut self) {
        self.steps.extend(std::mem::take(&mut self.hidden_folders).into_iter().map(MountStep::Close));
    }
}

pub(super) fn text(path: &Path) -> io::Result<&str> {
    path.to_str().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidFilename, "a path is not UTF-8"))
}
