//! What a file has besides its text, before and after a change.

use crate::change_set::{ChangeSet, FileChange};
use crate::plan::plan_write;
use crate::project::Project;
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

fn project() -> (tempfile::TempDir, Project) {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("sub")).unwrap();
    fs::write(folder.path().join("a"), "old").unwrap();
    let project = Project::open(folder.path()).unwrap();
    (folder, project)
}

fn plan(project: &Project, path: &str, text: &str) -> ChangeSet {
    plan_write(project, &project.resolve(path).unwrap(), text).unwrap().placed_in(project)
}

fn inode(path: &Path) -> u64 {
    fs::metadata(path).unwrap().ino()
}

fn paths(set: &ChangeSet) -> Vec<&str> {
    set.files().iter().map(|change| change.path.as_str()).collect()
}

fn text(folder: &Path, path: &str) -> String {
    fs::read_to_string(folder.join(path)).unwrap()
}

#[test]
fn a_mode_stays_but_for_what_lends_the_rights_of_others() {
    let (folder, project) = project();
    let file = folder.path().join("a");
    let check = |before, after| {
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, Permissions::from_mode(before)).unwrap();
        plan(&project, "a", "new").apply(&project).unwrap();
        assert_eq!(fs::metadata(&file).unwrap().mode() & 0o7777, after, "{before:o}");
    };
    check(0o644, 0o644);
    check(0o751, 0o751);
    check(0o4755, 0o755);
    check(0o6711, 0o711);
    // In place as well.
    fs::hard_link(&file, folder.path().join("b")).unwrap();
    check(0o6755, 0o755);
    assert_eq!(text(folder.path(), "b"), "new");
}

#[cfg(target_os = "linux")]
mod attributes {
    use super::*;
    use rustix::fs::{XattrFlags, getxattr, listxattr, setxattr};

    const ACL: &str = "system.posix_acl_access";

    /// The owner, the user 1234, the group, the mask and others, each with the rights given.
    fn acl(user: u16, mask: u16) -> Vec<u8> {
        let entries =
            [(1, 6, u32::MAX), (2, user, 1234), (4, 4, u32::MAX), (0x10, mask, u32::MAX), (0x20, 0, u32::MAX)];
        let entry = |(tag, rights, id): (u16, u16, u32)| {
            [tag.to_le_bytes().as_slice(), &rights.to_le_bytes(), &id.to_le_bytes()].concat()
        };
        [2_u32.to_le_bytes().to_vec()].into_iter().chain(entries.map(entry)).flatten().collect()
    }

    fn set(path: &Path, name: &str, value: &[u8]) {
        setxattr(path, name, value, XattrFlags::empty()).unwrap();
    }

    fn value(path: &Path, name: &str) -> Option<Vec<u8>> {
        let mut value = vec![0; 4096];
        let length = getxattr(path, name, &mut value[..]).ok()?;
        value.truncate(length);
        Some(value)
    }

    #[test]
    fn extended_attributes_and_the_acl_stay() {
        let (folder, project) = project();
        let file = folder.path().join("a");
        set(&file, "user.origin", b"https://example.org");
        set(&file, "user.empty", b"");
        set(&file, ACL, &acl(6, 6));
        plan(&project, "a", "new").apply(&project).unwrap();
        assert_eq!(text(folder.path(), "a"), "new");
        assert_eq!(value(&file, "user.origin").unwrap(), b"https://example.org");
        assert_eq!((value(&file, "user.empty").unwrap(), value(&file, ACL).unwrap()), (Vec::new(), acl(6, 6)));
    }

    #[test]
    fn a_moved_file_takes_its_attributes_along() {
        use crate::change_set::effects_tests::{effects, file};
        let (folder, project) = project();
        fs::set_permissions(folder.path().join("a"), Permissions::from_mode(0o640)).unwrap();
        set(&folder.path().join("a"), "user.origin", b"https://example.org");
        let moved = effects(&project, vec![("a", file("old", 0o640), None), ("sub/b", None, file("old", 0o640))]);
        moved.apply(&project).unwrap();
        let new = folder.path().join("sub/b");
        assert_eq!(value(&new, "user.origin").unwrap(), b"https://example.org");
        assert!(fs::metadata(&new).unwrap().mode() & 0o7777 == 0o640 && !folder.path().join("a").exists());
    }

    #[test]
    fn what_a_folder_gives_to_new_files_is_not_given_to_one_that_was_there() {
        let (folder, project) = project();
        let file = folder.path().join("a");
        fs::set_permissions(&file, Permissions::from_mode(0o664)).unwrap();
        set(folder.path(), "system.posix_acl_default", &acl(7, 7));
        plan(&project, "a", "new").apply(&project).unwrap();
        let mut names = vec![0; 4096];
        let length = listxattr(&file, &mut names[..]).unwrap();
        assert!(!String::from_utf8_lossy(&names[..length]).contains(ACL));
        assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, 0o664);
    }
}

#[test]
fn the_names_of_one_file_stay_one_file_where_the_change_lists_them() {
    let (folder, project) = project();
    let (a, b) = (folder.path().join("a"), folder.path().join("sub/b"));
    fs::hard_link(&a, &b).unwrap();
    fs::write(folder.path().join(".gitignore"), "sub").unwrap();
    let set = plan(&project, "a", "new");
    assert_eq!(
        (paths(&set), set.preview().files_affected),
        (vec!["a", "sub/b"], vec!["a".to_owned(), "sub/b".to_owned()])
    );
    assert_eq!(set.other_names(), [project.resolve("sub/b").unwrap()]);
    let applied = set.apply(&project).unwrap();
    assert_eq!((text(folder.path(), "a"), text(folder.path(), "sub/b")), ("new".to_owned(), "new".to_owned()));
    assert!(inode(&a) == inode(&b) && applied.len() == 2 && applied.iter().all(|change| !change.leaves_another_name));
}

#[test]
fn a_name_outside_of_the_project_keeps_the_old_text_and_is_told() {
    let (folder, project) = project();
    let outside = tempfile::tempdir().unwrap();
    fs::hard_link(folder.path().join("a"), outside.path().join("b")).unwrap();
    fs::hard_link(folder.path().join("a"), folder.path().join("sub/c")).unwrap();
    let set = plan(&project, "a", "new");
    assert_eq!(paths(&set), ["a"]);
    let applied = set.apply(&project).unwrap();
    assert_eq!((text(folder.path(), "a"), text(outside.path(), "b")), ("new".to_owned(), "old".to_owned()));
    assert!(text(folder.path(), "sub/c") == "old" && applied[0].leaves_another_name);
}

#[test]
fn names_that_are_not_changed_alike_become_two_files() {
    let (folder, project) = project();
    fs::hard_link(folder.path().join("a"), folder.path().join("b")).unwrap();
    let change = |name: &str, after: &str| FileChange {
        path: project.resolve(name).unwrap(),
        before: Some(b"old".to_vec().into()),
        after: Some(after.as_bytes().to_vec().into()),
        mode: None,
        new_mode: None,
    };
    let set = ChangeSet::new(vec![change("a", "one"), change("b", "two")]).unwrap();
    let applied = set.apply(&project).unwrap();
    assert_eq!((text(folder.path(), "a"), text(folder.path(), "b")), ("one".to_owned(), "two".to_owned()));
    assert!(applied.iter().all(|change| !change.leaves_another_name));
}

#[test]
fn a_change_of_several_names_is_taken_back_with_the_rest() {
    let (folder, project) = project();
    let (a, b) = (folder.path().join("a"), folder.path().join("b"));
    fs::hard_link(&a, &b).unwrap();
    fs::create_dir(folder.path().join("full")).unwrap();
    fs::write(folder.path().join("full/x"), "").unwrap();
    let change = |name: &str, before: Option<&str>, after: &str| FileChange {
        path: project.resolve(name).unwrap(),
        before: before.map(|text| text.as_bytes().to_vec().into()),
        after: Some(after.as_bytes().to_vec().into()),
        mode: None,
        new_mode: None,
    };
    let deleted = FileChange { after: None, ..change("z", Some("z"), "") };
    fs::write(folder.path().join("z"), "z").unwrap();
    // The folder that is to be where the file `z` was can't be made: its name is too long.
    let long = format!("z/{}", "n".repeat(300));
    let set = ChangeSet::new(vec![
        change("a", Some("old"), "new"),
        change("b", Some("old"), "new"),
        deleted,
        change(&long, None, "n"),
    ]);
    set.unwrap().apply(&project).unwrap_err();
    assert_eq!(
        (text(folder.path(), "a"), text(folder.path(), "b"), text(folder.path(), "z")),
        ("old".to_owned(), "old".to_owned(), "z".to_owned())
    );
    assert_eq!(inode(&a), inode(&b));
}
