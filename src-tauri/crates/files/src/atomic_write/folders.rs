//! The folders around what is written: made and removed with it, and made durable.

use super::{LinkHandling, place};
use crate::error::{FileAction, Result, io_error};
use crate::project::{Project, ProjectPath, split_parent};
use arki_disk::{descend, descend_making};
use cap_std::fs::Dir;
use std::io;

/// Makes an empty folder, and those around it. They go again unless they are kept.
pub(crate) fn make_folder<'a>(project: &'a Project, path: &ProjectPath, way: LinkHandling) -> Result<MadeFolders<'a>> {
    let fail = |error| io_error(path.as_str(), FileAction::Write, error);
    let real = place(path, way.place(project, path)?)?;
    let mut made = MadeFolders::default();
    made.make(project.dir(), real.as_str()).map_err(fail)?;
    Ok(made)
}

/// Removes a folder with nothing in it.
pub(crate) fn remove_folder(project: &Project, path: &ProjectPath, way: LinkHandling) -> Result<()> {
    let fail = |error| io_error(path.as_str(), FileAction::Delete, error);
    let real = place(path, way.place(project, path)?)?;
    let (folder, name) = split_parent(real.as_str());
    let folder = descend(project.dir(), folder).map_err(fail)?;
    folder.remove_dir(name).map_err(fail)?;
    sync_folder(&folder);
    Ok(())
}

/// Makes all durable that was written below these folders, whose links lead nowhere else.
#[cfg(target_os = "linux")]
pub(crate) fn sync_disks<'a>(project: &Project, folders: impl Iterator<Item = &'a str>) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;
    let mut devices = std::collections::BTreeSet::new();
    for folder in folders {
        // One that is gone has nothing left to write.
        let Ok(folder) = project.dir().open_dir(folder) else { continue };
        let folder = syncable(&folder)?;
        if devices.insert(folder.metadata()?.dev()) {
            rustix::fs::syncfs(&folder)?;
        }
    }
    Ok(())
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn sync_disks<'a>(_: &Project, _: impl Iterator<Item = &'a str>) -> io::Result<()> {
    Ok(())
}

/// Makes the rename itself durable. Some file systems can't sync a folder; the content is safe regardless.
pub(super) fn sync_folder(folder: &Dir) {
    #[cfg(unix)]
    if let Ok(handle) = syncable(folder) {
        let _ = handle.sync_all();
    }
    #[cfg(not(unix))]
    let _ = folder;
}

/// Opens a folder for reading: a handle that is only good for paths can't be synced.
#[cfg(unix)]
fn syncable(folder: &Dir) -> io::Result<std::fs::File> {
    use rustix::fs::{Mode, OFlags, openat};
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(openat(folder, ".", flags, Mode::empty())?.into())
}

/// Folders created on the way, outermost first; removed again unless kept, each after what is in it was closed.
#[derive(Default)]
pub(crate) struct MadeFolders<'a>(Vec<(&'a Dir, String)>);

impl<'a> MadeFolders<'a> {
    /// Opens the folder at `path`, making what is not there.
    pub(super) fn make(&mut self, root: &'a Dir, path: &str) -> io::Result<Dir> {
        let mut made = 0;
        let folder = descend_making(root, path, |_, _| made += 1);
        let ends: Vec<usize> = path.match_indices('/').map(|(end, _)| end).chain([path.len()]).collect();
        let is_there = |end: &&usize| folder.is_ok() || descend(root, &path[..**end]).is_ok();
        let there = ends.iter().take_while(is_there).count();
        // Below one that was not there is nothing else.
        let made = &ends[there.saturating_sub(made)..there];
        self.0.extend(made.iter().map(|end| (root, path[..*end].to_owned())));
        folder
    }

    /// Appends changes that were made later.
    pub(crate) fn append(&mut self, mut later: Self) {
        self.0.append(&mut later.0);
    }

    pub(crate) fn keep(mut self) {
        self.0.clear();
    }
}

impl Drop for MadeFolders<'_> {
    fn drop(&mut self) {
        while let Some((root, path)) = self.0.pop() {
            let (parent, name) = split_parent(&path);
            // Fails when something else was put there meanwhile, and should.
            let _ = descend(root, parent).and_then(|parent| parent.remove_dir(name));
        }
    }
}
