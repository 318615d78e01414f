//! Tests of what Unix alone has.

use super::*;
use std::os::unix::fs::{PermissionsExt, symlink};

#[test]
fn a_project_opened_through_a_link_accepts_both_spellings() {
    let (folder, _) = project();
    let elsewhere = tempfile::tempdir().unwrap();
    let link = elsewhere.path().join("link");
    symlink(folder.path(), &link).unwrap();
    let project = Project::open(&link).unwrap();
    assert_eq!(read(&project, link.join("a.txt").to_str().unwrap()).unwrap(), b"hello");
    assert_eq!(project.root(), folder.path().canonicalize().unwrap());
}

#[test]
fn links_that_lead_out_are_refused_and_links_that_stay_in_are_not() {
    let (folder, project) = project();
    let root = folder.path();
    fs::create_dir(root.join("sub")).unwrap();
    symlink("/etc/passwd", root.join("file-out")).unwrap();
    symlink("/etc", root.join("folder-out")).unwrap();
    symlink("../../etc/passwd", root.join("climbing-out")).unwrap();
    symlink("../a.txt", root.join("sub/inside")).unwrap();
    for path in ["file-out", "folder-out/passwd", "climbing-out"] {
        assert_eq!(code(&project, path), Code::PATH_OUTSIDE_PROJECT, "{path}");
    }
    assert_eq!(read(&project, "sub/inside").unwrap(), b"hello");
}

#[cfg(target_os = "linux")]
#[test]
fn what_is_no_regular_file_is_refused_without_waiting() {
    let (folder, project) = project();
    let fifo = folder.path().join("fifo");
    rustix::fs::mkfifoat(rustix::fs::CWD, &fifo, rustix::fs::Mode::RWXU).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(folder.path().join("socket")).unwrap();
    fs::create_dir(folder.path().join("sub")).unwrap();
    for path in ["fifo", "socket", "sub", "."] {
        assert_eq!(code(&project, path), Code::FILE_NOT_TEXT, "{path}");
    }
}

#[test]
fn missing_broken_and_too_large_are_told_apart() {
    let (folder, project) = project();
    symlink("nowhere", folder.path().join("broken")).unwrap();
    fs::write(folder.path().join("large"), vec![b'x'; LIMIT as usize + 1]).unwrap();
    assert_eq!(code(&project, "missing"), Code::FILE_NOT_FOUND);
    assert_eq!(code(&project, "broken"), Code::FILE_NOT_FOUND);
    assert_eq!(code(&project, "large"), Code::FILE_TOO_LARGE);
    assert_eq!(code(&project, "a.txt/below"), Code::FOLDER_UNAVAILABLE);
}

#[test]
fn a_folder_without_permissions_is_named_as_such() {
    let (folder, project) = project();
    let closed = folder.path().join("closed");
    fs::create_dir(&closed).unwrap();
    fs::write(closed.join("x"), "x").unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    let result = read(&project, "closed/x");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o700)).unwrap();
    if rustix::process::geteuid().is_root() {
        assert_eq!(result.unwrap(), b"x", "root may read everything");
    } else {
        assert_eq!(result.unwrap_err().code(), Code::PERMISSION_DENIED);
    }
}

#[test]
fn canonical_follows_links_and_keeps_what_does_not_exist_yet() {
    let (folder, project) = project();
    fs::create_dir_all(folder.path().join("real/deep")).unwrap();
    symlink("real", folder.path().join("link")).unwrap();
    let canonical = |path: &str| project.canonical(&project.resolve(path).unwrap()).unwrap().to_string();
    assert_eq!(canonical("link/deep"), "real/deep");
    assert_eq!(canonical("link/new/file.txt"), "real/new/file.txt");
    assert_eq!(canonical("."), ".");
}

#[test]
fn a_link_is_as_protected_and_as_secret_as_its_target() {
    let (folder, project) = project();
    fs::create_dir(folder.path().join(".git")).unwrap();
    fs::write(folder.path().join(".env"), "").unwrap();
    symlink(".git", folder.path().join("innocent")).unwrap();
    symlink(".env", folder.path().join("notes.txt")).unwrap();
    assert!(project.is_protected(&project.resolve("innocent/hooks/pre-commit").unwrap()));
    assert!(project.is_secret(&project.resolve("notes.txt").unwrap(), &GlobSet::empty()));
    assert!(!project.is_protected(&project.resolve("a.txt").unwrap()));
}

#[cfg(target_os = "linux")]
#[test]
fn links_into_the_systems_own_views_lead_out_too() {
    let (folder, project) = project();
    let root = folder.path();
    for (name, target) in [
        ("by-root", "/proc/self/root".to_owned()),
        ("by-folder", "/proc/self/cwd".to_owned()),
        ("by-number", format!("/proc/{}/root/etc", std::process::id())),
        ("by-itself", format!("/proc/self/root{}", root.display())),
    ] {
        symlink(target, root.join(name)).unwrap();
        for path in [name.to_owned(), format!("{name}/a.txt"), format!("{name}/etc/passwd")] {
            assert_eq!(code(&project, &path), Code::PATH_OUTSIDE_PROJECT, "{path}");
        }
    }
}

#[test]
fn what_is_protected_is_not_written_under_an_innocent_name() {
    let (folder, project) = project();
    for path in [".git/hooks", "rules"] {
        fs::create_dir_all(folder.path().join(path)).unwrap();
    }
    fs::write(folder.path().join(".env"), "A=1").unwrap();
    fs::write(folder.path().join(".git/hooks/old"), "mine").unwrap();
    symlink(".git/hooks", folder.path().join("scripts")).unwrap();
    symlink(".env", folder.path().join("notes.txt")).unwrap();
    symlink("rules", folder.path().join(".skills")).unwrap();
    let write = |path: &str| {
        let path = project.resolve(path).unwrap();
        crate::plan_write(&project, &path, "x").and_then(|change| change.apply(&project))
    };
    for path in ["scripts/new", "scripts/old", "notes.txt"] {
        let error = write(path).unwrap_err();
        assert_eq!(error.code(), Code::PERMISSION_DENIED, "{path}");
        assert!(error.to_string().contains("leads through a link to .") && error.hint().contains("itself"), "{error}");
    }
    let old = project.resolve("scripts/old").unwrap();
    assert!(crate::plan_delete(&project, &old).unwrap().apply(&project).is_err());
    assert_eq!(fs::read_to_string(folder.path().join(".git/hooks/old")).unwrap(), "mine");
    // By its own name it was asked about.
    write(".git/hooks/new").unwrap();
    write(".skills/a.md").unwrap();
    assert!(folder.path().join("rules/a.md").exists());
}
