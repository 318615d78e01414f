use crate::change_set::{ChangeSet, FileChange, content_hash};
use crate::error::{Result, StaleKind};
use crate::project::Project;
use arki_domain::Code;
use std::fs;
use std::path::Path;

fn project() -> (tempfile::TempDir, Project) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.txt"), "old a\n").unwrap();
    fs::write(folder.path().join("b.txt"), "old b\n").unwrap();
    let project = Project::open(folder.path()).unwrap();
    (folder, project)
}

fn set(project: &Project, files: &[(&str, Option<&str>, Option<&str>)]) -> ChangeSet {
    let bytes = |text: &Option<&str>| text.map(|text| text.as_bytes().to_vec().into());
    let files = files.iter().map(|(name, before, after)| FileChange {
        path: project.resolve(name).unwrap(),
        before: bytes(before),
        after: bytes(after),
        mode: None,
        new_mode: None,
    });
    ChangeSet::new(files.collect()).unwrap()
}

fn content(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap()
}

/// Every file below, so that nothing temporary stays unnoticed.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn files_are_changed_created_and_deleted_and_the_hashes_say_so() -> Result<()> {
    let (folder, project) = project();
    let set = set(
        &project,
        &[
            ("a.txt", Some("old a\n"), Some("new a\n")),
            ("b.txt", Some("old b\n"), None),
            ("deep/er/c.txt", None, Some("c")),
        ],
    );
    let applied = set.apply(&project)?;
    assert_eq!(names(folder.path()), ["a.txt", "deep"]);
    assert_eq!(content(folder.path(), "a.txt"), "new a\n");
    assert_eq!(content(folder.path(), "deep/er/c.txt"), "c");
    assert_eq!(names(&folder.path().join("deep/er")), ["c.txt"]);
    assert_eq!(applied[0].before_hash, Some(content_hash(b"old a\n")));
    assert_eq!(applied[1].after_hash, None);
    assert_eq!((&applied[2].before_hash, &applied[2].after_hash), (&None, &Some(content_hash(b"c"))));
    Ok(())
}

#[test]
fn one_stale_file_keeps_all_from_being_written() {
    let (folder, project) = project();
    for (name, before, kind) in [
        ("b.txt", Some("other"), StaleKind::Changed),
        ("b.txt", Some("old B\n"), StaleKind::Changed),
        ("b.txt", None, StaleKind::Appeared),
        ("missing", Some("x"), StaleKind::Missing),
    ] {
        let set = set(&project, &[("a.txt", Some("old a\n"), Some("new")), (name, before, Some("new"))]);
        assert_eq!(set.check_current(&project).unwrap_err().kind, kind);
        assert_eq!(set.apply(&project).unwrap_err().code(), Code::STALE_PREVIEW);
        assert_eq!(content(folder.path(), "a.txt"), "old a\n");
        assert_eq!(names(folder.path()), ["a.txt", "b.txt"]);
    }
}

#[test]
fn when_a_later_file_fails_nothing_is_left_behind() {
    let (folder, project) = project();
    let set = set(
        &project,
        &[
            ("a.txt", Some("old a\n"), Some("new")),
            ("new/x.txt", None, Some("x")),
            ("zz/name-too-long", None, Some("x")),
        ],
    );
    fs::write(folder.path().join("zz"), "a file where a folder is needed").unwrap();
    assert_eq!(set.apply(&project).unwrap_err().code(), Code::STALE_PREVIEW);
    fs::remove_file(folder.path().join("zz")).unwrap();
    let long = format!("zz/{}", "n".repeat(300));
    let mut files = set.files().to_vec();
    files[2].path = project.resolve(&long).unwrap();
    let set = ChangeSet::new(files).unwrap();
    assert!(set.apply(&project).is_err());
    assert_eq!(content(folder.path(), "a.txt"), "old a\n");
    assert_eq!(names(folder.path()), ["a.txt", "b.txt"]);
}

#[test]
fn a_file_and_a_folder_take_each_others_place_and_back() {
    let (folder, project) = project();
    let there = [("a.txt", Some("old a\n"), None), ("a.txt/deep/er", None, Some("e")), ("a.txt/x", None, Some("x"))];
    set(&project, &there).apply(&project).unwrap();
    assert_eq!(names(&folder.path().join("a.txt")), ["deep", "x"]);
    assert_eq!(content(folder.path(), "a.txt/deep/er"), "e");
    let back = there.map(|(name, before, after)| (name, after, before));
    set(&project, &back).apply(&project).unwrap();
    assert_eq!(content(folder.path(), "a.txt"), "old a\n");
    assert_eq!(names(folder.path()), ["a.txt", "b.txt"]);
}

#[test]
fn where_what_comes_cannot_be_made_what_went_is_put_back() {
    let (folder, project) = project();
    let long = format!("a.txt/{}", "n".repeat(300));
    let there = [("a.txt", Some("old a\n"), None), ("a.txt/fine", None, Some("x")), (&*long, None, Some("x"))];
    assert!(set(&project, &there).apply(&project).is_err());
    assert_eq!(content(folder.path(), "a.txt"), "old a\n");
    assert_eq!(names(folder.path()), ["a.txt", "b.txt"]);
    // Something else in the folder keeps its place.
    fs::create_dir(folder.path().join("c")).unwrap();
    fs::write(folder.path().join("c/gone"), "g").unwrap();
    fs::write(folder.path().join("c/stays"), "s").unwrap();
    let set = set(&project, &[("c", None, Some("c")), ("c/gone", Some("g"), None)]);
    assert_eq!(set.apply(&project).unwrap_err().code(), Code::STALE_PREVIEW);
    assert_eq!(names(&folder.path().join("c")), ["gone", "stays"]);
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    #[test]
    fn mode_survives_and_a_new_file_gets_the_usual_one() -> Result<()> {
        let (folder, project) = project();
        let path = folder.path().join("a.txt");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o750)).unwrap();
        set(&project, &[("a.txt", Some("old a\n"), Some("new")), ("n.txt", None, Some("n"))]).apply(&project)?;
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, 0o750);
        let new_mode = fs::metadata(folder.path().join("n.txt")).unwrap().mode() & 0o7777;
        assert_eq!(new_mode & !0o644, 0, "{new_mode:o}");
        Ok(())
    }

    #[test]
    fn a_link_inside_is_kept_and_its_target_written() -> Result<()> {
        let (folder, project) = project();
        fs::create_dir(folder.path().join("sub")).unwrap();
        symlink("../a.txt", folder.path().join("sub/link")).unwrap();
        set(&project, &[("sub/link", Some("old a\n"), Some("new"))]).apply(&project)?;
        assert_eq!(content(folder.path(), "a.txt"), "new");
        assert!(fs::symlink_metadata(folder.path().join("sub/link")).unwrap().is_symlink());
        assert_eq!(names(&folder.path().join("sub")), ["link"]);
        Ok(())
    }

    #[test]
    fn nothing_is_written_through_a_link_that_leads_out() {
        let (folder, project) = project();
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("x"), "x").unwrap();
        symlink(outside.path(), folder.path().join("out")).unwrap();
        symlink(outside.path().join("x"), folder.path().join("file-out")).unwrap();
        for (name, before) in [("out/new", None), ("out/x", Some("x")), ("file-out", Some("x"))] {
            assert!(set(&project, &[(name, before, Some("evil"))]).apply(&project).is_err(), "{name}");
        }
        assert_eq!(names(outside.path()), ["x"]);
        assert_eq!(content(outside.path(), "x"), "x");
    }

    #[test]
    fn a_write_protected_file_is_refused() {
        let (folder, project) = project();
        fs::set_permissions(folder.path().join("a.txt"), fs::Permissions::from_mode(0o444)).unwrap();
        let error = set(&project, &[("a.txt", Some("old a\n"), Some("new"))]).apply(&project).unwrap_err();
        assert_eq!(error.code(), Code::PERMISSION_DENIED);
        assert_eq!(names(folder.path()), ["a.txt", "b.txt"]);
    }

    #[test]
    fn a_folder_without_permissions_is_refused() {
        let (folder, project) = project();
        let closed = folder.path().join("closed");
        fs::create_dir(&closed).unwrap();
        fs::set_permissions(&closed, fs::Permissions::from_mode(0o500)).unwrap();
        let result = set(&project, &[("closed/n", None, Some("n"))]).apply(&project);
        fs::set_permissions(&closed, fs::Permissions::from_mode(0o700)).unwrap();
        if rustix::process::geteuid().is_root() {
            assert!(result.is_ok(), "root may write everywhere");
        } else {
            assert_eq!(result.unwrap_err().code(), Code::PERMISSION_DENIED);
        }
    }

    #[test]
    fn a_full_disk_is_named_and_leaves_no_trace() {
        let error = crate::error::io_error(
            "a.txt",
            crate::error::FileAction::Write,
            std::io::Error::from_raw_os_error(libc::ENOSPC),
        );
        assert_eq!(error.code(), Code::DISK_FULL);
        assert_eq!(error.to_string(), "The disk is full: a.txt was not written.");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn more_files_than_a_process_may_open_are_written_at_once() {
    let (folder, project) = project();
    let count = 1_000;
    let paths: Vec<String> = (0..count).map(|at| format!("new{at}/deep/{at}")).collect();
    let files: Vec<(&str, Option<&str>, Option<&str>)> =
        paths.iter().map(|path| (path.as_str(), None, Some("n"))).collect();
    let set = set(&project, &files);
    let open = || fs::read_dir("/proc/self/fd").unwrap().count();
    let before = open();
    let staged_most = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let writing = scope.spawn(|| set.apply(&project).map(|applied| applied.len()));
        while !writing.is_finished() {
            staged_most.fetch_max(open(), std::sync::atomic::Ordering::Relaxed);
        }
        assert_eq!(writing.join().unwrap().unwrap(), count);
    });
    assert!(staged_most.into_inner() < before + 600);
    assert!(folder.path().join("new999/deep/999").exists());
}
