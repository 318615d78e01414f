use super::*;
use arki_domain::Code;
use proptest::prelude::*;
use std::fs;
use std::path::Path;

fn project(files: &[(&str, &[u8])]) -> (tempfile::TempDir, Project) {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        fs::write(folder.path().join(name), content).unwrap();
    }
    let project = Project::open(folder.path()).unwrap();
    (folder, project)
}

fn restoration(project: &Project, path: &str, wanted: Option<&[u8]>, now: Option<&[u8]>) -> Restoration {
    Restoration {
        path: project.resolve(path).unwrap(),
        wanted: wanted.map(|bytes| bytes.to_vec().into()),
        expected_now: now.map(|bytes| bytes.to_vec().into()),
        permissions: Permissions::default(),
    }
}

/// Every file directly below, with its content.
fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found: Vec<(String, Vec<u8>)> = fs::read_dir(folder)
        .unwrap()
        .map(Result::unwrap)
        .filter(|entry| entry.path().is_file())
        .map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap()))
        .collect();
    found.sort();
    found
}

#[test]
fn files_are_put_back_made_again_and_removed() {
    let (folder, project) = project(&[("changed", b"new\0\xff"), ("made", b"x")]);
    let restorations = vec![
        restoration(&project, "changed", Some(b"old\0\xfe\r\n"), Some(b"new\0\xff")),
        restoration(&project, "made", None, Some(b"x")),
        restoration(&project, "deep/er/removed", Some(b""), None),
    ];
    let applied = apply_restorations(&project, restorations).unwrap();
    assert_eq!(contents(folder.path()), [("changed".to_owned(), b"old\0\xfe\r\n".to_vec())]);
    assert_eq!(contents(&folder.path().join("deep/er")), [("removed".to_owned(), Vec::new())]);
    let paths: Vec<&str> = applied.iter().map(|change| change.path.as_str()).collect();
    assert_eq!(paths, ["changed", "deep/er/removed", "made"]);
}

#[test]
fn one_file_that_is_no_longer_as_expected_keeps_all_from_being_written() {
    let (folder, project) = project(&[("a", b"a"), ("b", b"edited")]);
    for (path, now) in [("b", Some(&b"b"[..])), ("b", None), ("missing", Some(&b"b"[..]))] {
        let restorations =
            vec![restoration(&project, "a", Some(b"old"), Some(b"a")), restoration(&project, path, Some(b"old"), now)];
        assert_eq!(apply_restorations(&project, restorations).unwrap_err().code(), Code::STALE_PREVIEW);
        assert_eq!(contents(folder.path()), [("a".to_owned(), b"a".to_vec()), ("b".to_owned(), b"edited".to_vec())]);
    }
}

#[test]
fn what_is_as_wanted_already_is_not_written() {
    let (_folder, project) = project(&[("a", b"a")]);
    let restorations = vec![restoration(&project, "a", Some(b"a"), Some(b"a")), restoration(&project, "b", None, None)];
    assert_eq!(apply_restorations(&project, restorations).unwrap(), []);
}

#[test]
fn one_path_is_restored_once() {
    let (_folder, project) = project(&[("a", b"a")]);
    let twice = vec![restoration(&project, "a", Some(b"x"), Some(b"a")); 2];
    assert_eq!(apply_restorations(&project, twice).unwrap_err().code(), Code::EDIT_INVALID);
}

#[test]
fn a_plan_can_be_shown_before_it_is_applied() {
    let (folder, project) = project(&[("a", b"new\n")]);
    let plan = plan_restorations(&project, vec![restoration(&project, "a", Some(b"old\n"), Some(b"new\n"))]).unwrap();
    assert!(plan.preview().diff.ends_with("-new\n+old\n"), "{}", plan.preview().diff);
    assert_eq!(contents(folder.path()), [("a".to_owned(), b"new\n".to_vec())]);
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o7777
    }

    #[test]
    fn a_file_that_is_there_keeps_its_permissions_and_one_made_again_is_executable_as_it_was() {
        let (folder, project) = project(&[("private", b"new")]);
        fs::set_permissions(folder.path().join("private"), fs::Permissions::from_mode(0o710)).unwrap();
        let executable =
            Restoration { permissions: Permissions::of_mode(0o755), ..restoration(&project, "run", Some(b"#!"), None) };
        let restorations = vec![
            restoration(&project, "private", Some(b"old"), Some(b"new")),
            executable,
            restoration(&project, "plain", Some(b"x"), None),
        ];
        apply_restorations(&project, restorations).unwrap();
        assert_eq!(mode(&folder.path().join("private")), 0o710);
        assert_eq!(mode(&folder.path().join("run")) & 0o100, 0o100);
        assert_eq!(mode(&folder.path().join("plain")) & 0o111, 0);
    }

    /// Its name is too long, which shows once there is room for it.
    fn cannot_be_made(project: &Project, folder: &str) -> Restoration {
        restoration(project, &format!("{folder}/{}", "n".repeat(300)), Some(b"x"), None)
    }

    #[test]
    fn a_write_protected_file_is_put_back_and_stays_so() {
        let (folder, project) = project(&[("a", b"new"), ("d", b"d")]);
        fs::set_permissions(folder.path().join("a"), fs::Permissions::from_mode(0o444)).unwrap();
        let a = restoration(&project, "a", Some(b"old"), Some(b"new"));
        let d = restoration(&project, "d", None, Some(b"d"));
        let failing = vec![a.clone(), d, cannot_be_made(&project, "d")];
        assert_eq!(apply_restorations(&project, failing).unwrap_err().code(), Code::PATH_INVALID);
        assert_eq!(fs::read(folder.path().join("a")).unwrap(), b"new");
        apply_restorations(&project, vec![a]).unwrap();
        assert_eq!(fs::read(folder.path().join("a")).unwrap(), b"old");
        assert_eq!(mode(&folder.path().join("a")), 0o444);
    }

    #[test]
    fn when_a_later_file_fails_an_earlier_deletion_is_taken_back_with_its_permissions() {
        let (folder, project) = project(&[("a", b"#!/bin/sh\n")]);
        let script = folder.path().join("a");
        fs::set_permissions(&script, fs::Permissions::from_mode(0o750)).unwrap();
        let a = restoration(&project, "a", None, Some(b"#!/bin/sh\n"));
        let error = apply_restorations(&project, vec![a, cannot_be_made(&project, "a")]).unwrap_err();
        assert_eq!(error.code(), Code::PATH_INVALID, "{error}");
        assert_eq!(fs::read(&script).unwrap(), b"#!/bin/sh\n");
        assert_eq!(mode(&script), 0o750);
    }

    #[test]
    fn a_link_is_put_back_replaced_and_taken_back_and_nothing_is_done_through_one() {
        use std::os::unix::fs::symlink;
        let (folder, project) = project(&[("a", b"a"), ("b", b"b"), ("d", b"d")]);
        let lead = |path: &str| fs::read_link(folder.path().join(path)).ok().map(|to| to.to_str().unwrap().to_owned());
        let link = |target: &str| Some(FileContent::Link(target.as_bytes().to_vec()));
        let put = |path: &str, wanted: Option<FileContent>, now: Option<FileContent>| Restoration {
            wanted,
            expected_now: now,
            ..restoration(&project, path, None, None)
        };
        symlink("a", folder.path().join("gone")).unwrap();
        symlink("a", folder.path().join("file")).unwrap();
        symlink("a", folder.path().join("moved")).unwrap();
        let all = || {
            vec![
                put("b", link("/outside"), Some(b"b".to_vec().into())),
                put("file", Some(b"mine".to_vec().into()), link("a")),
                put("gone", None, link("a")),
                put("made", link("no/where"), None),
                put("moved", link("../up"), link("a")),
            ]
        };
        let d = restoration(&project, "d", None, Some(b"d"));
        let failing = [all(), vec![d, cannot_be_made(&project, "d")]].concat();
        assert_eq!(apply_restorations(&project, failing).unwrap_err().code(), Code::PATH_INVALID);
        assert_eq!(
            ["b", "file", "gone", "made", "moved"].map(lead),
            [None, Some("a"), Some("a"), None, Some("a")].map(|to| to.map(str::to_owned))
        );
        assert_eq!(fs::read(folder.path().join("b")).unwrap(), b"b");
        apply_restorations(&project, all()).unwrap();
        let expected = [Some("/outside"), None, None, Some("no/where"), Some("../up")].map(|to| to.map(str::to_owned));
        assert_eq!(["b", "file", "gone", "made", "moved"].map(lead), expected);
        assert_eq!(fs::read(folder.path().join("file")).unwrap(), b"mine");
        assert_eq!(fs::read(folder.path().join("a")).unwrap(), b"a");
    }

    #[test]
    fn a_link_that_came_in_the_way_is_not_followed() {
        use std::os::unix::fs::symlink;
        let (folder, project) = project(&[("target", b"new")]);
        fs::create_dir(folder.path().join("real")).unwrap();
        fs::write(folder.path().join("real/file"), b"new").unwrap();
        symlink("target", folder.path().join("link")).unwrap();
        symlink("real", folder.path().join("folder")).unwrap();
        for path in ["link", "folder/file"] {
            for wanted in [Some(&b"old"[..]), None] {
                let error = apply_restorations(&project, vec![restoration(&project, path, wanted, Some(b"new"))]);
                assert_eq!(error.unwrap_err().code(), Code::STALE_PREVIEW, "{path}");
            }
        }
        let made = restoration(&project, "folder/made", Some(b"x"), None);
        assert_eq!(apply_restorations(&project, vec![made]).unwrap_err().code(), Code::STALE_PREVIEW);
        assert_eq!(fs::read(folder.path().join("target")).unwrap(), b"new");
        assert_eq!(fs::read_dir(folder.path().join("real")).unwrap().count(), 1);
    }
}

proptest! {
    #[test]
    fn restoring_and_restoring_back_leaves_every_byte_as_it_was(
        old in proptest::option::of(proptest::collection::vec(any::<u8>(), 0..64)),
        new in proptest::option::of(proptest::collection::vec(any::<u8>(), 0..64)),
    ) {
        let (folder, project) = project(&[]);
        if let Some(old) = &old {
            fs::write(folder.path().join("f"), old).unwrap();
        }
        let before = contents(folder.path());
        apply_restorations(&project, vec![restoration(&project, "f", new.as_deref(), old.as_deref())]).unwrap();
        prop_assert_eq!(fs::read(folder.path().join("f")).ok(), new.clone());
        apply_restorations(&project, vec![restoration(&project, "f", old.as_deref(), new.as_deref())]).unwrap();
        prop_assert_eq!(contents(folder.path()), before);
    }
}
