#[cfg(unix)]
mod links_and_modes;

use super::*;
use arki_domain::Code;
use std::fs;

const LIMIT: u64 = 1000;

fn project() -> (tempfile::TempDir, Project) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.txt"), "hello").unwrap();
    let project = Project::open(folder.path()).unwrap();
    (folder, project)
}

fn read(project: &Project, path: &str) -> Result<Vec<u8>> {
    project.read(&project.resolve(path)?, LIMIT).map(|file| file.bytes)
}

fn code(project: &Project, path: &str) -> Code {
    read(project, path).unwrap_err().code()
}

#[test]
fn files_are_read_by_relative_and_absolute_path() {
    let (folder, project) = project();
    let absolute = folder.path().join("a.txt");
    assert_eq!(read(&project, "a.txt").unwrap(), b"hello");
    assert_eq!(read(&project, absolute.to_str().unwrap()).unwrap(), b"hello");
    let mode = project.read(&project.resolve("a.txt").unwrap(), LIMIT).unwrap().mode;
    assert_eq!(mode & 0o600, if cfg!(unix) { 0o600 } else { 0 });
}

#[test]
fn only_a_folder_is_a_project() {
    let (folder, _) = project();
    let code = |path: PathBuf| Project::open(&path).unwrap_err().code();
    assert_eq!(code(folder.path().join("missing")), Code::FOLDER_UNAVAILABLE);
    assert_eq!(code(folder.path().join("a.txt")), Code::FOLDER_UNAVAILABLE);
}

/// A name of its own for the same file: what is written is the name, never the other file.
#[test]
fn a_write_or_deletion_through_a_hard_link_leaves_the_other_name_as_it_is() {
    let (folder, project) = project();
    let outside = tempfile::tempdir_in(folder.path().parent().unwrap()).unwrap();
    fs::create_dir(folder.path().join(".git")).unwrap();
    for other in [folder.path().join(".git/config"), outside.path().join("file")] {
        fs::write(&other, "mine").unwrap();
        let name = project.resolve("innocent.txt").unwrap();
        fs::hard_link(&other, folder.path().join("innocent.txt")).unwrap();
        crate::plan_write(&project, &name, "other").unwrap().apply(&project).unwrap();
        assert_eq!(
            (fs::read_to_string(&other).unwrap(), read(&project, "innocent.txt").unwrap()),
            ("mine".into(), b"other".to_vec())
        );
        fs::remove_file(folder.path().join("innocent.txt")).unwrap();
        fs::hard_link(&other, folder.path().join("innocent.txt")).unwrap();
        crate::plan_delete(&project, &name).unwrap().apply(&project).unwrap();
        assert_eq!(fs::read_to_string(&other).unwrap(), "mine");
    }
}

#[test]
fn missing_too_large_and_below_a_file_are_told_apart() {
    let (folder, project) = project();
    fs::write(folder.path().join("large"), vec![b'x'; LIMIT as usize + 1]).unwrap();
    assert_eq!(code(&project, "missing"), Code::FILE_NOT_FOUND);
    assert_eq!(code(&project, "large"), Code::FILE_TOO_LARGE);
    assert_eq!(code(&project, "a.txt/below"), Code::FOLDER_UNAVAILABLE);
    assert_eq!(code(&project, "."), Code::FILE_NOT_TEXT);
}

#[test]
fn what_does_not_exist_yet_is_where_its_folder_is() {
    let (folder, project) = project();
    fs::create_dir(folder.path().join("real")).unwrap();
    let canonical = |path: &str| project.canonical(&project.resolve(path).unwrap()).unwrap().to_string();
    assert_eq!(canonical("real/new/file.txt"), "real/new/file.txt");
    assert_eq!(canonical("new"), "new");
    assert_eq!(canonical("."), ".");
}
