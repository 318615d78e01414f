use super::super::IN_THE_FOLDER;
use super::*;
use std::fs;

fn code(prepare: impl Fn(&Path)) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    let git_dir = folder.path().join(".git");
    fs::create_dir(&git_dir).unwrap();
    prepare(&git_dir);
    ensure_fit(folder.path(), IN_THE_FOLDER).err().map(|fault| fault.code.to_string())
}

const UNAVAILABLE: Option<&str> = Some("WORKTREE_UNAVAILABLE");

#[test]
fn a_git_directory_with_worktrees_of_its_own_is_fit() {
    assert_eq!(code(|_| {}), None);
    assert_eq!(code(|git_dir| fs::create_dir(git_dir.join("worktrees")).unwrap()), None);
}

#[test]
fn a_git_directory_that_leads_elsewhere_is_not() {
    let commondir = code(|git_dir| fs::write(git_dir.join("commondir"), "/elsewhere/.git\n").unwrap());
    assert_eq!(commondir.as_deref(), UNAVAILABLE);
    let file = code(|git_dir| fs::write(git_dir.join("worktrees"), "").unwrap());
    assert_eq!(file.as_deref(), UNAVAILABLE);
}

#[cfg(unix)]
#[test]
fn a_link_in_place_of_its_worktrees_is_not_followed() {
    use std::os::unix::fs::symlink;
    let elsewhere = tempfile::tempdir().unwrap();
    for target in [elsewhere.path(), Path::new("missing")] {
        for name in ["worktrees", "commondir"] {
            let linked = code(|git_dir| symlink(target, git_dir.join(name)).unwrap());
            assert_eq!(linked.as_deref(), UNAVAILABLE, "{name}");
        }
    }
}
